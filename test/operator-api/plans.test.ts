/** A list, the search and the overview read as much as they show, however many rows there are: nothing scans, and nothing counts everything. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { listAdjustmentsOf } from '../../src/operations/adjustments/list-adjustments.ts';
import { listContributionsOfPartner } from '../../src/operations/contributions/find-contributions.ts';
import { listReviewsThatWait } from '../../src/operations/contributions/find-waiting-reviews.ts';
import { listFailures } from '../../src/operations/contributions/list-failures.ts';
import { listUnpooledOfAll } from '../../src/operations/impact/read-pooled-worth.ts';
import { findSettlementLines } from '../../src/operations/overview/find-settlement-lines.ts';
import { listClosings } from '../../src/operations/overview/list-closings.ts';
import { readOverview } from '../../src/operations/overview/read-overview.ts';
import { searchRecords } from '../../src/operations/overview/search-records.ts';
import { listReconciliationsOf } from '../../src/operations/reconciliations/list-reconciliations.ts';
import { listClosedOfAll } from '../../src/operations/settlements/list-closed-settlements.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { testDatabase } from '../support/postgres/database.ts';

const PARTNERS = 300;
const CONTRIBUTIONS = 60_000;
const REVIEWS = 20_000;
const SETTLEMENTS = 20_000;
const ADJUSTMENTS = 20_000;

/** Identifiers of the form that the service gives, the later ones higher. */
const id = (prefix: string, number: string) => `'${prefix}_01' || lpad(${number}::text, 24, '0')`;
const PARTNER = "'ptn_' || lpad((n % $1)::text, 26, '0')";

const { databaseUrl, pool } = await testDatabase();
let database: Database;

before(async () => {
  database = openDatabase({ databaseUrl, poolSize: 1 });
  await fill();
  await pool.query('vacuum (analyze)');
});
after(() => database.close());

async function fill(): Promise<void> {
  const insert = async (text: string, count: number) => {
    await pool.query(text.replaceAll('$1', String(PARTNERS)).replaceAll('$2', String(count)));
  };
  await insert(
    `insert into partner (partner_id, name, writes_per_second, lookups_per_second, reports_per_second)
      select ${PARTNER}, 'Partner ' || n, 100, 200, 50 from generate_series(1, $2) n`,
    PARTNERS,
  );
  await insert(
    `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref, points, status, first_status,
        contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar, association_outcome, created_at, confirmed_at)
      select ${PARTNER}, ${id('txn', 'n')}, 'key-' || n, decode(repeat('00', 32), 'hex'), 'event-' || n, 'order-' || n, n,
        case when n <= ${REVIEWS} then 'pending' else 'confirmed' end, case when n <= ${REVIEWS} then 'pending' else 'confirmed' end,
        'default-1', 'default-1', 'default-1', '', '', 'not_requested', now(), case when n <= ${REVIEWS} then null else now() end
      from generate_series(1, $2) n`,
    CONTRIBUTIONS,
  );
  await insert(
    `insert into contribution_review (partner_id, transaction_id, reason, opened_at)
      select ${PARTNER}, ${id('txn', 'n')}, 'review_threshold', now() - n * interval '1 second' from generate_series(1, $2) n`,
    REVIEWS,
  );
  await insert(
    `insert into settlement (partner_id, settlement_id, sequence, status, period_start, period_end, period_timezone, period_label, follows_event, created_at,
        closed_at, contribution_count, adjustment_count, gross_points, adjustment_points, carried_points, net_points, totals_by_version, csv_sha256, csv_bytes,
        line_count, chain_sha256, seal)
      select ${PARTNER}, ${id('stl', 'n')}, n, 'closed', now() - interval '2 day', now() - interval '1 day', 'UTC', 'label-' || n, 0, now(),
        now() - n * interval '1 minute', 0, 0, 0, 0, 0, 0, '[]', '', 0, 0, '', '' from generate_series(1, $2) n`,
    SETTLEMENTS,
  );
  await insert(
    `insert into adjustment (partner_id, adjustment_id, status, transaction_id, partner_event_id, partner_order_ref, contribution_points, confirmed_at,
        contribution_rule_version, point_conversion_version, tree_cost_version, reason_code, reason_en, reason_ar, points_delta, drafted_by, drafted_at)
      select ${PARTNER}, ${id('adj', 'n')}, 'draft', ${id('txn', 'n')}, 'event-' || n, 'order-' || n, n, now(), 'default-1', 'default-1', 'default-1',
        'operator_error', 'x', 'x', -1, 'opr_x', now() from generate_series(1, $2) n`,
    ADJUSTMENTS,
  );
  await insert(
    `insert into settlement_line (partner_id, settlement_id, line_no, line_type, transaction_id, partner_event_id, partner_order_ref, points, confirmed_at,
        contribution_rule_version, point_conversion_version, tree_cost_version)
      select ${PARTNER}, ${id('stl', 'n')}, n, 'contribution', ${id('txn', 'n')}, 'event-' || n, 'order-' || n, n, now(),
        'default-1', 'default-1', 'default-1' from generate_series(1, $2) n`,
    SETTLEMENTS,
  );
  await insert(
    `insert into reconciliation (partner_id, reconciliation_id, settlement_id, idempotency_key, format, status, lease_until, created_at, ended_at)
      select ${PARTNER}, ${id('rec', 'n')}, ${id('stl', 'n')}, 'key-' || n, 'csv', 'done', now(), now(), now() from generate_series(1, $2) n`,
    SETTLEMENTS,
  );
  await insert(
    `insert into failure_draft (partner_id, failure_id, partner_event_id, partner_order_ref, points, reason, status, drafted_by, drafted_at)
      select ${PARTNER}, ${id('fail', 'n')}, 'never-' || n, 'order-' || n, 1, 'x', 'drafted', 'opr_x', now() from generate_series(1, $2) n`,
    ADJUSTMENTS,
  );
}

const FETCHED = `select sum(pg_stat_get_xact_blocks_fetched(oid))::int4 as blocks from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`;

/** How many blocks of tables and indexes the work reads, all of it on one connection. */
async function blocksOf(work: (db: pg.PoolClient) => Promise<unknown>): Promise<number> {
  const client = await database.pool.connect();
  const fetched = async () => (await client.query<{ blocks: number }>(FETCHED)).rows[0]?.blocks ?? 0;
  await client.query('begin');
  try {
    const since = await fetched();
    await work(client);
    return (await fetched()) - since;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Of a page of 50: each record by its keys, and the way to it. */
const PAGE_MAX = 50 * 20 + 200;
const LOOKED_AT_MAX = 2_000 * 4 + PAGE_MAX;
const none = { partnerId: undefined, status: undefined, beforeId: '', limit: 50 } as const;
const partnerId = `ptn_${'7'.padStart(26, '0')}`;
const settlementId = `stl_01${'15007'.padStart(24, '0')}`;
const dates = { createdAfter: undefined, createdBefore: undefined } as const;

const READS: readonly [what: string, max: number, work: (db: pg.PoolClient) => Promise<unknown>][] = [
  [
    'reviews of all',
    PAGE_MAX,
    (db) =>
      listReviewsThatWait(db, { partnerId: undefined, reason: undefined, openedBefore: undefined, after: undefined, limit: 50 }),
  ],
  [
    'reviews of a partner',
    PAGE_MAX,
    (db) => listReviewsThatWait(db, { partnerId, reason: undefined, openedBefore: undefined, after: undefined, limit: 50 }),
  ],
  [
    'reviews for a rare reason',
    LOOKED_AT_MAX,
    (db) =>
      listReviewsThatWait(db, {
        partnerId: undefined,
        reason: 'daily_count_cap',
        openedBefore: undefined,
        after: undefined,
        limit: 50,
      }),
  ],
  [
    'contributions of a partner',
    PAGE_MAX,
    (db) =>
      listContributionsOfPartner(db, {
        partnerId,
        beforeId: '',
        status: undefined,
        correlationId: undefined,
        ...dates,
        limit: 50,
      }),
  ],
  ['adjustments of all', PAGE_MAX, (db) => listAdjustmentsOf(db, none)],
  ['adjustments to approve', PAGE_MAX, (db) => listAdjustmentsOf(db, { ...none, status: 'draft' })],
  ['adjustments of a rare status', LOOKED_AT_MAX, (db) => listAdjustmentsOf(db, { ...none, status: 'rejected' })],
  ['failures of all', PAGE_MAX, (db) => listFailures(db, none)],
  ['closed settlements', PAGE_MAX, (db) => listClosedOfAll(db, { acknowledgement: undefined, before: undefined, limit: 50 })],
  [
    'settlements in dispute',
    2_000 * 6 + PAGE_MAX,
    (db) => listClosedOfAll(db, { acknowledgement: 'disputed', before: undefined, limit: 50 }),
  ],
  ['reconciliations of all', PAGE_MAX, (db) => listReconciliationsOf(db, { ...none, settlementId: undefined })],
  ['reconciliations of a partner', PAGE_MAX, (db) => listReconciliationsOf(db, { ...none, partnerId, settlementId: undefined })],
  ['reconciliations of a settlement', PAGE_MAX, (db) => listReconciliationsOf(db, { ...none, partnerId, settlementId })],
  [
    "adjustments of a settlement's contributions",
    LOOKED_AT_MAX,
    (db) => listAdjustmentsOf(db, { ...none, partnerId, settlementId }),
  ],
  ['the lines of an order', PAGE_MAX, (db) => findSettlementLines(db, { partnerId, settlementId }, 'order-15007')],
  // Of each partner the settlement that is open, the one before, and three counts.
  [
    'what is left before 50 partners close',
    50 * (20 + 3 * (ADJUSTMENTS / PARTNERS)),
    (db) => listClosings(db, { afterId: '', limit: 50 }),
  ],
  [
    'settlements of no batch',
    2_000 * 6 + PAGE_MAX,
    (db) => listUnpooledOfAll(db, { partnerId: undefined, period: undefined, before: undefined, limit: 50 }),
  ],
  // Four names, two ways to an order, and the partners themselves.
  ['the search', PARTNERS * 6 * 4 + PAGE_MAX, (db) => searchRecords(db, 'order-31234')],
  // Five counts, each of a thousand; of reviews each with its contribution.
  [
    'the overview',
    5 * 1_001 * 8,
    (db) => readOverview({ ...database, pool: db as unknown as pg.Pool }, { reviewExpiryHours: 72 }),
  ],
];

for (const [what, max, work] of READS)
  test(`${what}: at most ${max} blocks`, async () => {
    const blocks = await blocksOf(work);
    assert.ok(blocks > 0 && blocks <= max, `${blocks} blocks`);
  });

test('the search finds one of many', async () => {
  const { contributions } = await searchRecords(database.pool, 'event-31234');
  assert.equal(contributions.length, 1);
});
