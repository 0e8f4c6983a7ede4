import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDiffering, type ComparedPoints, NONE_DIFFERING } from './differing-points.ts';

const lineOf = (verdict: ComparedPoints['verdict'], points: Partial<ComparedPoints>): ComparedPoints => ({
  verdict,
  points: null,
  recordedPoints: null,
  recordedNetPoints: null,
  ...points,
});

test('what is recorded and not confirmed is on no settlement: the list alone has its points', () => {
  const { missing_in_service } = addDiffering(NONE_DIFFERING, [
    lineOf('missing_in_service', { points: 7_000n, recordedPoints: 7_000n, recordedNetPoints: 7_000n }),
    lineOf('missing_in_service', { points: 5_057n, recordedPoints: 5_000n }),
  ]);
  assert.deepEqual(missing_in_service, { listed: 12_057n, recorded: 0n });
});

test('points with adjustments count where they are known, and what agrees adds nothing', () => {
  const sums = addDiffering(NONE_DIFFERING, [
    lineOf('points_mismatch', { points: 60n, recordedPoints: 100n, recordedNetPoints: 70n }),
    lineOf('points_mismatch', { points: 5n, recordedPoints: 4n }),
    lineOf('missing_in_service', { points: 7n }),
    lineOf('missing_in_partner_file', { recordedPoints: -2n }),
    lineOf('matched', { points: 9n, recordedPoints: 9n }),
    lineOf('order_ref_mismatch', { points: 9n, recordedPoints: 9n }),
    lineOf('malformed', { points: 8n }),
    lineOf('malformed', {}),
    lineOf('duplicate_in_file', { points: 10n, recordedPoints: 10n }),
    lineOf('other_settlement', { points: 11n, recordedPoints: 12n }),
  ]);
  assert.deepEqual(sums, {
    points_mismatch: { listed: 65n, recorded: 74n },
    missing_in_service: { listed: 7n, recorded: 0n },
    missing_in_partner_file: { listed: 0n, recorded: -2n },
    duplicate_in_file: { listed: 10n, recorded: 0n },
    other_settlement: { listed: 11n, recorded: 0n },
    malformed: { listed: 8n, recorded: 0n },
  });
  assert.deepEqual(addDiffering(sums, []), sums);
  assert.deepEqual(NONE_DIFFERING.points_mismatch, { listed: 0n, recorded: 0n });
});

test('a list that an earlier release began gets no sum of a verdict that lacks its first lines', () => {
  const { duplicate_in_file, other_settlement, malformed, ...earlier } = NONE_DIFFERING;
  assert.deepEqual(addDiffering(earlier, [lineOf('malformed', { points: 9n })]), earlier);
});
