import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { arabicPlural } from './arabic-plural.ts';
import { POINTS_MAX } from './points.ts';

const counts = fc.bigInt({ min: 1n, max: POINTS_MAX });

test('Contribution, summary_ar: the plural category is that of CLDR over the whole int64 range', () => {
  const cldr = new Intl.PluralRules('ar');
  const expected = (n: bigint) => {
    // Above 2 the rules look at n % 100 only, so a small number with the same end stands for a large one.
    const category = cldr.select(Number(n < 1000n ? n : (n % 100n) + 1000n));
    return category === 'zero' ? 'other' : category;
  };
  for (let n = 0n; n <= 2000n; n++) assert.equal(arabicPlural(n), expected(n), String(n));
  fc.assert(fc.property(counts, (n) => assert.equal(arabicPlural(n), expected(n))));
  for (let n = POINTS_MAX - 200n; n <= POINTS_MAX; n++) assert.equal(arabicPlural(n), expected(n), String(n));
});
