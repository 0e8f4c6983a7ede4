/**
 * A list, the search and the overview read as much as they show, however many rows there are: nothing scans, nothing sorts, and nothing
 * counts everything. Every list is read in each of its orders and with each of its filters.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { fillLists } from '../../bench/operators/fill-lists.ts';
import { LISTS, PARAMS, partnerId, queriesOf, settlementId } from '../../bench/operators/list-queries.ts';
import { listLatest } from '../../src/operations/contributions/list-contributions-for-operators.ts';
import { readOverview } from '../../src/operations/overview/read-overview.ts';
import { searchRecords } from '../../src/operations/overview/search-records.ts';
import { searchSettlementLines } from '../../src/operations/overview/search-settlement-lines.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { countWaitingBatches } from '../../src/store/impact/impact-batch.ts';
import { DELIVERY_STATUSES } from '../../src/store/webhooks/delivery.ts';
import { readEndpointActivity } from '../../src/webhooks/endpoints/endpoint-activity.ts';
import { LATEST_DELIVERY, listDeliveryPage, listDeliveryPageOfEvent } from '../../src/webhooks/endpoints/list-delivery-page.ts';
import { listTools } from '../support/operator-api/list-tools.ts';
import { blocksOf } from '../support/postgres/blocks.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { onSession } from '../support/postgres/on-session.ts';

const COUNTS = {
  partners: 300,
  contributions: 60_000,
  reviews: 20_000,
  settlements: 20_000,
  adjustments: 20_000,
  endpoints: 10_000,
  deliveries: 60_000,
  others: 60_000,
};

const idOf = (prefix: string, number: number) => `${prefix}_01${String(number).padStart(24, '0')}`;
/** All deliveries are of this one. */
const endpointId = idOf('wep', 7);

const { databaseUrl, pool } = await testDatabase();
let database: Database;

before(async () => {
  database = openDatabase({ databaseUrl, poolSize: 1 });
  await fillLists(pool, COUNTS);
  await pool.query('vacuum (analyze)');
});
after(() => database.close());

/** Of a page of 50: each record by its keys, and the way to it. */
const PAGE_MAX = 50 * 20 + 200;
/** Of 2,000 records that are looked at, and what their filter needs. */
const LOOKED_AT_MAX = 2_000 * 6 + PAGE_MAX;
/** Of each partner the settlement that is open, the one before, and three counts. */
const MORE: Readonly<Record<string, number>> = {
  listClosings: 50 * (20 + 3 * (COUNTS.adjustments / COUNTS.partners)),
  // Of each partner its days, which stand anywhere in the table.
  listPartnerMonths: 50 * 10,
};
for (const route of LISTS)
  for (const query of queriesOf(route)) {
    const { sort, ...filters } = query;
    const isPlain = Object.keys(filters).length === 0;
    const max = (MORE[route.operation] ?? 0) + (isPlain ? PAGE_MAX : LOOKED_AT_MAX);
    test(`${route.operation} ${new URLSearchParams(query)}: at most ${max} blocks`, async () => {
      const read = (db: pg.PoolClient, after?: string) => {
        const tools = listTools(onSession(database, db));
        return route.handle({ tools, params: PARAMS, query: { ...query, ...(after && { after }) } }) as Promise<{
          next_after?: string;
        }>;
      };
      let after: string | undefined;
      const first = await blocksOf(database.pool, async (db) => (after = (await read(db)).next_after));
      assert.ok(first <= max, `${first} blocks`);
      if (after === undefined) return;
      const second = await blocksOf(database.pool, (db) => read(db, after));
      assert.ok(second <= max, `${second} blocks of the second page`);
    });
  }

const on = (db: pg.PoolClient) => onSession(database, db);

const READS: readonly [what: string, max: number, work: (db: pg.PoolClient) => Promise<unknown>][] = [
  ['the lines of an order', PAGE_MAX, (db) => searchSettlementLines(db, { partnerId, settlementId }, 'order-15007')],
  // Four names, two ways to an order, and the partners themselves.
  ['the search', COUNTS.partners * 6 * 4 + PAGE_MAX, (db) => searchRecords(on(db), 'order-31234')],
  ['the search for what begins so', COUNTS.partners * 6 * 4 + PAGE_MAX, (db) => searchRecords(on(db), 'order-3')],
  // One key of each partner.
  ['the search for the id of a contribution', COUNTS.partners * 8 + PAGE_MAX, (db) => searchRecords(on(db), idOf('txn', 31_234))],
  ['the search for the id of a settlement', COUNTS.partners * 8 + PAGE_MAX, (db) => searchRecords(on(db), idOf('stl', 11_234))],
  [
    'the search for the id of a delivery',
    COUNTS.partners * 8 + PAGE_MAX,
    (db) => searchRecords(on(db), `${idOf('dlv', 31_234)}.x`),
  ],
  // One key of each partner, and the latest of the partners that have one of them.
  ['the latest contributions', COUNTS.partners * 6 + PAGE_MAX, (db) => listLatest(on(db))],
  // Five counts, each of a thousand; of reviews each with its contribution. Of each settlement of two months its answer, and of each
  // endpoint its health and what waits.
  [
    'the overview',
    5 * 1_001 * 8 + COUNTS.settlements * 4 + COUNTS.endpoints * 12,
    (db) => readOverview(on(db), { reviewExpiryHours: 72 }),
  ],
  // One in twenty waits: by their own index, and not among all.
  ['the batches that wait', 30, (db) => countWaitingBatches(db, 1_000)],
  // Two counts of a thousand, the endpoint, and a hundred deliveries of each hour.
  ['the activity of an endpoint', 2 * 1_001 * 2 + 24 * 110, (db) => readEndpointActivity(db, { partnerId, endpointId })],
];

/** `delivery list` with each of its filters. */
const DELIVERIES: typeof READS = [undefined, ...DELIVERY_STATUSES].flatMap((status) =>
  [undefined, endpointId, idOf('wep', 8)].flatMap((of) => {
    const wanted = { partnerId, endpointId: of, status, beforeId: LATEST_DELIVERY, limit: 50 };
    const eventId = idOf('evt', 31_234);
    const what = `the deliveries of a partner ${status ?? ''} ${of ?? ''}`;
    return [
      [what, LOOKED_AT_MAX, (db: pg.PoolClient) => listDeliveryPage(on(db), wanted)],
      [`${what}, of an event`, PAGE_MAX, (db: pg.PoolClient) => listDeliveryPageOfEvent(on(db), { ...wanted, eventId })],
    ] as const;
  }),
);

for (const [what, max, work] of [...READS, ...DELIVERIES])
  test(`${what}: at most ${max} blocks`, async () => {
    const blocks = await blocksOf(database.pool, work);
    assert.ok(blocks > 0 && blocks <= max, `${blocks} blocks`);
  });
