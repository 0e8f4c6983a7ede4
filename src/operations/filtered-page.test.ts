import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KeysetPage } from '../store/ordered-list.ts';
import { LOOKED_AT_MAX, readFilteredPage } from './filtered-page.ts';

/** The numbers from 1 to `count`, each in its place, of which those that `divisor` divides are wanted. */
function listOf(count: number, divisor?: number) {
  const sizes: number[] = [];
  const read = async ({ after, limit }: KeysetPage<'number'>) => {
    sizes.push(limit);
    const from = Number(after?.[0] ?? 0);
    const length = Math.min(limit, count - from);
    return Array.from({ length }, (_, index) => ({ number: from + index + 1, place: [String(from + index + 1)] }));
  };
  const isWanted = divisor === undefined ? undefined : (row: { number: number }) => row.number % divisor === 0;
  const page = async (limit: number, after?: string) => {
    const order = { by: 'number', isDescending: false } as const;
    const looked = await readFilteredPage({
      page: { order, after: after === undefined ? undefined : [after], limit },
      read,
      isWanted,
    });
    return { ...looked, page: looked.page.map(({ number }) => number) };
  };
  return { page, sizes };
}

describe('readFilteredPage', () => {
  test('without a filter reads one row more than the page has', async () => {
    const { page, sizes } = listOf(5);
    assert.deepEqual(await page(2), { page: [1, 2], last: ['2'], hasMore: true });
    assert.deepEqual(await page(3, '2'), { page: [3, 4, 5], last: ['5'], hasMore: false });
    assert.deepEqual(sizes, [3, 4]);
  });

  for (const [what, divisor, found, looks] of [
    ['every row fits reads as without one', 1, [1, 2, 3], [4]],
    ['many rows fit looks at four times as many', 2, [2, 4, 6], [4, 12]],
    ['few rows fit looks at all that it may, and finds them', 500, [500, 1000, 1500], [4, 12, LOOKED_AT_MAX - 16]],
  ] as const)
    test(`with a filter that ${what}`, async () => {
      const { page, sizes } = listOf(10_000, divisor);
      assert.deepEqual(await page(3), { page: found, last: [String(found.at(-1))], hasMore: true });
      assert.deepEqual(sizes, looks);
    });

  test('where nothing is found, tells how far it looked, and that more follows', async () => {
    const { page, sizes } = listOf(10_000, 9_000);
    assert.deepEqual(await page(3), { page: [], last: [String(LOOKED_AT_MAX)], hasMore: true });
    assert.equal(
      sizes.reduce((sum, each) => sum + each),
      LOOKED_AT_MAX,
    );
  });

  test('at the end of the list nothing follows', async () => {
    const { page } = listOf(100, 40);
    assert.deepEqual(await page(3), { page: [40, 80], last: ['100'], hasMore: false });
    assert.deepEqual(await page(3, '100'), { page: [], last: undefined, hasMore: false });
  });

  test('page after page finds each wanted row once', async () => {
    const { page } = listOf(6_000, 7);
    const found: number[] = [];
    for (let [after, hasMore]: [string | undefined, boolean] = [undefined, true]; hasMore; ) {
      const part = await page(50, after);
      found.push(...part.page);
      [after, hasMore] = [part.last?.[0], part.hasMore];
    }
    assert.deepEqual(
      found,
      Array.from({ length: Math.floor(6_000 / 7) }, (_, index) => (index + 1) * 7),
    );
  });
});
