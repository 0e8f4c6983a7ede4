import assert from 'node:assert/strict';
import { test } from 'node:test';
import { POINTS_MAX } from '../../domain/numbers/points.ts';
import type { Queryable } from '../../store/database.ts';
import { readStated } from './stated-change.ts';

const read = (points_delta: string) =>
  readStated({} as Queryable, { partner_id: 'ptn_1', transaction_id: 'txn_1', points_delta });

test('a change of points over the whole int64 range, exactly', async () => {
  for (const points of [POINTS_MAX, -POINTS_MAX, 0n]) assert.equal((await read(String(points))).pointsDelta, points);
});

test('what is no whole number is told so, and a number beyond int64 its bounds', async () => {
  for (const [text, code, message] of [
    ['1e2', 'wrong_form', /whole number in digits/],
    ['٢٥٠', 'wrong_form', /whole number in digits/],
    ['9223372036854775808', 'out_of_bounds', /^points_delta must be from -9223372036854775807 to 9223372036854775807\.$/],
    ['-99999999999999999999', 'out_of_bounds', /^points_delta must be from/],
  ] as const)
    await assert.rejects(read(text), ({ details: [detail] }: { details: { code: string; message: string }[] }) => {
      assert.equal(detail?.code, code, text);
      assert.match(detail?.message ?? '', message);
      return true;
    });
});
