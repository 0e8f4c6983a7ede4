/**
 * A list, the search and the overview read as much as they show, however many rows there are: nothing scans, nothing sorts, and nothing
 * counts everything. Every list is read in each of its orders and with each of its filters.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { findSettlementLines } from '../../src/operations/overview/find-settlement-lines.ts';
import { readOverview } from '../../src/operations/overview/read-overview.ts';
import { searchRecords } from '../../src/operations/overview/search-records.ts';
import type { OperatorApiTools } from '../../src/operator-api/app.ts';
import type { OperatorRoute } from '../../src/operator-api/route.ts';
import { ROUTES } from '../../src/operator-api/routes.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { testDatabase } from '../support/postgres/database.ts';

const PARTNERS = 300;
const CONTRIBUTIONS = 60_000;
const REVIEWS = 20_000;
const SETTLEMENTS = 20_000;
const ADJUSTMENTS = 20_000;
const ENDPOINTS = 10_000;

/** Identifiers of the form that the service gives, the later ones higher. */
const id = (prefix: string, number: string) => `'${prefix}_01' || lpad(${number}::text, 24, '0')`;
const partner = (number: number) => `'ptn_${String(number).padStart(26, '0')}'`;
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
  await insert(
    `insert into reconciliation_line (partner_id, reconciliation_id, position, verdict, line_type)
      select ${partner(7)}, ${id('rec', '15007')}, n, 'matched', 'contribution' from generate_series(1, $2) n`,
    SETTLEMENTS,
  );
  await insert(
    `insert into webhook_endpoint (partner_id, endpoint_id, url, status, created_at, changed_at, secret_sealed)
      select ${PARTNER}, ${id('wep', 'n')}, 'https://example.org/' || n, case when n % 100 = 1 then 'disabled' else 'active' end, now(), now(), 'x'
      from generate_series(1, $2) n`,
    ENDPOINTS,
  );
  await insert(
    `insert into endpoint_health (partner_id, endpoint_id, failures_in_row, failing_since)
      select ${PARTNER}, ${id('wep', 'n')}, case when n % 50 = 0 then 3 else 0 end, case when n % 50 = 0 then now() - n * interval '1 second' end
      from generate_series(1, $2) n`,
    ENDPOINTS,
  );
  await insert(
    `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left, next_attempt_at, created_at)
      select ${partner(7)}, ${id('dlv', 'n')} || '.x', ${id('wep', '7')}, ${id('evt', 'n')}, n, 'impact.transaction.confirmed', 'event', 'waiting', 10, now(), now()
      from generate_series(1, $2) n`,
    CONTRIBUTIONS,
  );
  await insert(
    `insert into impact_batch (impact_batch_id, name, quantity, created_at, status_at)
      select ${id('batch', 'n')}, 'batch ' || n, n, now(), now() from generate_series(1, $2) n`,
    ENDPOINTS,
  );
  await insert(
    `insert into audit_entry (entry_no, recorded_at, operator_id, role, action, partner_id, subject_id, correlation_id, previous_mac, key_id, mac)
      select n, now() - ($2 - n) * interval '1 second', 'opr_' || n % 50, 'admin', 'action.' || n % 30, ${PARTNER}, 'subject_' || n, 'x', 'x', 'x', 'x'
      from generate_series(1, $2) n`,
    CONTRIBUTIONS,
  );
  await insert(
    `insert into job_run (job_name, run_no, trigger, started_at, ended_at, outcome)
      select 'job ' || n % 20, n, 'schedule', now() - n * interval '1 second', now(), 'succeeded' from generate_series(1, $2) n`,
    CONTRIBUTIONS,
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
/** Of 2,000 records that are looked at, and what their filter needs. */
const LOOKED_AT_MAX = 2_000 * 6 + PAGE_MAX;
/** Of each partner the settlement that is open, the one before, and three counts. */
const MORE: Readonly<Record<string, number>> = { listClosings: 50 * (20 + 3 * (ADJUSTMENTS / PARTNERS)) };
const partnerId = `ptn_${'7'.padStart(26, '0')}`;
const settlementId = `stl_01${'15007'.padStart(24, '0')}`;

const PARAMS = {
  partner_id: partnerId,
  settlement_id: settlementId,
  reconciliation_id: `rec_01${'15007'.padStart(24, '0')}`,
  impact_batch_id: `batch_01${'7'.padStart(24, '0')}`,
  month: '2026-11',
};

/** A value of each filter that is no closed list; those of a closed list are all tried. */
const VALUES: Readonly<Record<string, string>> = {
  partner_id: partnerId,
  name: 'partner 1',
  currency: 'SAR',
  period: 'label-100',
  correlation_id: 'corr_of_nothing',
  created_after: '2026-11-01T00:00:00Z',
  created_before: '2026-11-01T00:00:00Z',
  opened_before: '2026-11-01T00:00:00Z',
  since: '2026-11-01T00:00:00Z',
  until: '2026-11-01T00:00:00Z',
  endpoint_id: `wep_01${'7'.padStart(24, '0')}`,
  event_id: `evt_01${'7'.padStart(24, '0')}`,
  event_type: 'impact.transaction.failed',
  project_id: 'prj_none',
  subject_id: 'subject_7',
  operator_id: 'opr_7',
  action: 'action.7',
  job: 'job 7',
  of: 'order-15007',
  country: 'SA',
};
/** What is sent with a filter or an order. */
const WITH: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  settlement_id: { partner_id: partnerId, settlement_id: settlementId },
  payable_amount: { currency: 'SAR' },
};

interface Member {
  readonly enum?: readonly string[];
}

type Query = Readonly<Record<string, string>>;

/** Each order by itself, and with each filter. */
function queriesOf({ query }: OperatorRoute): Query[] {
  const { limit: _, after: __, sort, ...filters } = (query as unknown as { properties: Record<string, Member> }).properties;
  const given = Object.entries(filters).flatMap(([name, member]): Query[] => {
    const values = member.enum ?? [VALUES[name] ?? ''];
    return WITH[name] ? [WITH[name]] : values.map((value) => ({ [name]: value }));
  });
  const isNeeded = (query as unknown as { required?: string[] }).required?.includes('partner_id');
  const needed: Query = isNeeded ? { partner_id: partnerId } : {};
  return (sort?.enum ?? []).flatMap((order) =>
    [{}, ...given].map((filter) => ({ ...needed, ...filter, ...WITH[order.replace('-', '')], sort: order })),
  );
}

const LISTS = ROUTES.filter(({ operation, query }) => operation.startsWith('list') && query !== undefined);

for (const route of LISTS)
  for (const query of queriesOf(route)) {
    const { sort, ...filters } = query;
    const isPlain = Object.keys(filters).length === 0;
    const max = (MORE[route.operation] ?? 0) + (isPlain ? PAGE_MAX : LOOKED_AT_MAX);
    test(`${route.operation} ${new URLSearchParams(query)}: at most ${max} blocks`, async () => {
      const read = (db: pg.PoolClient, after?: string) => {
        const tools = { ...TOOLS, database: { ...database, pool: db as unknown as pg.Pool } };
        return route.handle({ tools, params: PARAMS, query: { ...query, ...(after && { after }) } }) as Promise<{
          next_after?: string;
        }>;
      };
      let after: string | undefined;
      const first = await blocksOf(async (db) => (after = (await read(db)).next_after));
      assert.ok(first <= max, `${first} blocks`);
      if (after === undefined) return;
      const second = await blocksOf((db) => read(db, after));
      assert.ok(second <= max, `${second} blocks of the second page`);
    });
  }

/** The records of an answer: its one list. */
const recordsOf = (answer: object) => Object.values(answer).find(Array.isArray) as Record<string, unknown>[];
const comparable = (value: unknown) =>
  value instanceof Date ? value.getTime() : typeof value === 'bigint' ? value : String(value);

for (const route of LISTS) {
  const { query } = route as unknown as { query: { properties: { limit?: unknown; sort: Member }; required?: string[] } };
  if (!query.properties.limit) continue;
  for (const sort of query.properties.sort.enum ?? [])
    test(`${route.operation} sort=${sort}: pages follow each other in this order, and none has a record of another`, async () => {
      const by = sort.replace('-', '');
      const tools = { ...TOOLS, database };
      const sent = { ...(query.required?.includes('partner_id') && { partner_id: partnerId }), ...WITH[by], sort };
      const read = (more: object) =>
        route.handle({ tools, params: PARAMS, query: { ...sent, ...more } }) as Promise<{
          next_after: string;
          has_more: boolean;
        }>;
      const whole = await read({ limit: '120' });
      const first = await read({ limit: '60' });
      const rest = first.has_more ? recordsOf(await read({ limit: '60', after: first.next_after })) : [];
      assert.deepEqual([...recordsOf(first), ...rest], recordsOf(whole));
      // Names are in the order of the database's language.
      const values = recordsOf(whole).map((record) => comparable(record[by]));
      if (by.includes('name') || by === 'period' || values.includes('undefined')) return;
      const sorted = values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
      assert.deepEqual(values, sort.startsWith('-') ? sorted.toReversed() : sorted);
    });
}

/** Of what the lists use. */
const TOOLS = { reviewExpiryHours: 72, environment: 'sandbox', jobs: { all: [] } } as unknown as OperatorApiTools;

const READS: readonly [what: string, max: number, work: (db: pg.PoolClient) => Promise<unknown>][] = [
  ['the lines of an order', PAGE_MAX, (db) => findSettlementLines(db, { partnerId, settlementId }, 'order-15007')],
  // Four names, two ways to an order, and the partners themselves.
  ['the search', PARTNERS * 6 * 4 + PAGE_MAX, (db) => searchRecords(db, 'order-31234')],
  // Five counts, each of a thousand; of reviews each with its contribution. Of each endpoint its health and what waits.
  [
    'the overview',
    5 * 1_001 * 8 + ENDPOINTS * 12,
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
