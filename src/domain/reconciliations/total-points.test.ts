import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ComparedPoints } from './differing-points.ts';
import { addTotals, NO_POINTS } from './total-points.ts';

const lineOf = (verdict: ComparedPoints['verdict'], points: Partial<ComparedPoints>): ComparedPoints => ({
  verdict,
  points: null,
  recordedPoints: null,
  recordedNetPoints: null,
  ...points,
});

test('a list has all points that could be read, and a settlement those of its own lines, gross and net', () => {
  const both = { points: 60n, recordedPoints: 100n, recordedNetPoints: 60n };
  const lines = [
    lineOf('matched', both),
    lineOf('points_mismatch', { ...both, points: 50n }),
    lineOf('order_ref_mismatch', { points: 100n, recordedPoints: 100n }),
    lineOf('missing_in_partner_file', { recordedPoints: 40n, recordedNetPoints: 0n }),
    lineOf('missing_in_service', { points: 7n, recordedPoints: 7n, recordedNetPoints: 7n }),
    lineOf('duplicate_in_file', both),
    lineOf('other_settlement', both),
    lineOf('malformed', { points: 3n }),
    lineOf('malformed', {}),
  ];
  const total = { listed: 340n, recorded: 340n, recordedNet: 220n };
  assert.deepEqual(addTotals(NO_POINTS, lines), total);
  assert.deepEqual(addTotals(total, []), total);
});
