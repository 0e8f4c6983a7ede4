/**
 * A statement is planned once per connection, perhaps while its tables are empty: every list reads as much as it shows with such a plan too,
 * in each of its orders.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { fillLists } from '../../bench/operators/fill-lists.ts';
import { LISTS, PARAMS, type Query, queriesOf } from '../../bench/operators/list-queries.ts';
import type { OperatorRoute } from '../../src/operator-api/route.ts';
import { openDatabase } from '../../src/store/database.ts';
import { listTools } from '../support/operator-api/list-tools.ts';
import { blocksOf } from '../support/postgres/blocks.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { onSession } from '../support/postgres/on-session.ts';

const COUNTS = {
  partners: 300,
  contributions: 30_000,
  reviews: 10_000,
  settlements: 15_300,
  adjustments: 10_000,
  endpoints: 10_000,
  deliveries: 30_000,
  others: 30_000,
};
/** Of a page of 50: each record by its keys, and the way to it. What no vacuum has seen yet is looked up twice. */
const PAGE_MAX = 50 * 24 + 300;
const MORE: Readonly<Record<string, number>> = {
  // Of each partner the settlement that is open, the one before, and three counts; and its days, which stand anywhere in the table.
  listClosings: 50 * (20 + 3 * (COUNTS.adjustments / COUNTS.partners)),
  listPartnerMonths: 50 * 30,
};

const { databaseUrl, pool } = await testDatabase();
/** One connection, which lives as long. */
const young = openDatabase({ databaseUrl, poolSize: 1 });
after(() => young.close());

function read(route: OperatorRoute, query: Query, db: pg.PoolClient): Promise<unknown> {
  const tools = listTools(onSession(young, db));
  return route.handle({ tools, params: PARAMS, query });
}

const PLAIN = LISTS.flatMap((route) =>
  queriesOf(route)
    .filter(({ sort, partner_id, ...filters }) => Object.keys(filters).length === 0)
    .map((query) => [route, query] as const),
);

before(async () => {
  // What is not there is refused; its statement is planned then.
  for (const [route, query] of PLAIN) await blocksOf(young.pool, (db) => read(route, query, db).catch(() => {}));
  await fillLists(pool, COUNTS);
});

for (const [route, query] of PLAIN) {
  const max = (MORE[route.operation] ?? 0) + PAGE_MAX;
  test(`${route.operation} ${new URLSearchParams(query)}: at most ${max} blocks`, async () => {
    const blocks = await blocksOf(young.pool, (db) => read(route, query, db));
    assert.ok(blocks > 0 && blocks <= max, `${blocks} blocks`);
  });
}
