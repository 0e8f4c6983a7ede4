/** What a backlog costs: nothing reads more of it than it takes (decisions, section 7, Delivery). */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type pg from 'pg';
import { openDatabase, type Queryable } from '../../src/store/database.ts';
import { assignSequences } from '../../src/store/events/assign-sequences.ts';
import { deleteOldEvents } from '../../src/store/events/delete-old-events.ts';
import { insertEventCounter } from '../../src/store/events/event.ts';
import { findUnsequencedEvents, WHOLE_OUTBOX } from '../../src/store/events/event-outbox.ts';
import { takeUnsequencedEvents } from '../../src/store/events/taken-events.ts';
import { recordAttempts } from '../../src/store/webhooks/attempt.ts';
import { claimDeliveries, makeDeliveriesDue } from '../../src/store/webhooks/delivery.ts';
import { advanceDueFrom, listDueEndpoints, listRecipientEndpoints } from '../../src/store/webhooks/due-endpoint.ts';
import { watchEndpoints, watchWaitingEndpoints } from '../../src/store/webhooks/endpoint-watch.ts';
import { recoverDeliveries } from '../../src/store/webhooks/resent-delivery.ts';
import { insertWebhookEndpoint } from '../../src/store/webhooks/webhook-endpoint.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { testDatabase } from '../support/postgres/database.ts';

const { databaseUrl, pool: administrator } = await testDatabase();
// One connection: what it planned while the tables were empty, it goes on with.
const database = openDatabase({ databaseUrl, poolSize: 1 });
const { pool } = database;
after(() => database.close());

const [partnerId, endpointId] = ['ptn_of-a-backlog', 'wep_of-a-backlog'];
const endpoint = { partnerId, endpointId };
const BACKLOG = 5_000;
const LEASE_MS = 60_000;
const LIMIT = 16;
const ALWAYS = new Date(0);

const steps: readonly [name: string, prepare: string, work: (db: Queryable) => Promise<unknown>][] = [
  ['numbers', '', (db) => assignSequences(db, partnerId, { limit: LIMIT, attemptsMax: 10, range: WHOLE_OUTBOX })],
  ['finds', '', (db) => findUnsequencedEvents(db, WHOLE_OUTBOX, LIMIT)],
  ['takes', '', (db) => takeUnsequencedEvents(db, WHOLE_OUTBOX, [partnerId], LIMIT)],
  ['looks for', '', (db) => listDueEndpoints(db)],
  ['claims and records', '', claimAndRecord],
  [
    'makes due',
    "update delivery set next_attempt_at = now() + interval '1 hour'",
    (db) => makeDeliveriesDue(db, endpoint, { longerThanMs: LEASE_MS, dueInMs: 0, limit: LIMIT }),
  ],
  [
    'recovers',
    "update delivery set status = 'exhausted', ended_at = now()",
    (db) => recoverDeliveries(db, { ...endpoint, since: ALWAYS, attemptsMax: 10, limit: LIMIT }, ''),
  ],
  [
    'removes',
    "update event set occurred_at = now() - interval '91 days'",
    (db) => deleteOldEvents(db, partnerId, { days: 90, limit: LIMIT }),
  ],
];

test('whoever takes a few of thousands reads those few, although it was planned while there were none', {
  ...HANG_LIMIT,
}, async () => {
  // Nobody counts the rows meanwhile, which would have everything planned anew.
  for (const table of ['event_outbox', 'event', 'delivery', 'delivery_attempt'])
    await administrator.query(`alter table ${table} set (autovacuum_enabled = off)`);
  // What is always taken away at once has been found empty before.
  await administrator.query('vacuum analyze event_outbox');
  await insertEventCounter(pool, partnerId);
  const made = { ...endpoint, url: 'https://example.com/', eventTypes: [], secretSealed: 'none' };
  await insertWebhookEndpoint(pool, made);
  await watchEndpoints(pool, database, [made]);
  for (const [, , work] of steps) await work(pool);
  await pileUp();
  const readMax = LIMIT * 20 + 2 * (await readForList());
  for (const [name, prepare, work] of steps) {
    if (prepare !== '') await administrator.query(prepare);
    const read = await countRead(work);
    assert.ok(read >= 1 && read <= readMax, `whoever ${name} what is due reads ${read} rows`);
  }
});

/** Before 17 a list is looked up by going through the partner's rows once: here in two statements at most. */
async function readForList(): Promise<number> {
  const { rows } = await administrator.query("select current_setting('server_version_num')::int4 as version");
  return rows[0].version < 170_000 ? BACKLOG : 0;
}

/** Decisions, 0067: with the order of the index every other plan needs a sort, so that none is chosen while nothing is known of the table. */
const ORDERS: readonly [who: string, order: string, work: (db: Queryable) => Promise<unknown>][] = [
  ['looks for endpoints with due deliveries', 'd.next_attempt_at', (db) => listDueEndpoints(db)],
  ['records from when on deliveries are due', 'd.next_attempt_at', (db) => advanceDueFrom(db, 10_000)],
  ['watches endpoints with deliveries', 'd.next_attempt_at', (db) => watchWaitingEndpoints(db, database, { timeoutMs: 1_000 })],
  ['looks for the recipients of an event', 'webhook_endpoint.endpoint_id', (db) => listRecipientEndpoints(db, [partnerId])],
];
for (const [who, order, work] of ORDERS)
  test(`whoever ${who} asks in the order of an index, without which it is sorted`, async () => {
    assert.doesNotMatch(await explain(work), new RegExp(`Sort Key: ${order}`));
    const withoutIndexes = 'drop index delivery_due; alter table webhook_endpoint drop constraint webhook_endpoint_pkey cascade';
    assert.match(await explain(work, withoutIndexes), new RegExp(`Sort Key: ${order}`));
  });

/** The plan of the statement that the work sends; of the change nothing stays. */
async function explain(work: (db: Queryable) => Promise<unknown>, change = ''): Promise<string> {
  const sent: pg.QueryConfig[] = [];
  const query = async (config: pg.QueryConfig) => ({ rows: sent.push(config) && [] });
  await work({ query } as unknown as Queryable);
  const [{ text, values = [] }] = sent as [pg.QueryConfig];
  const client = await administrator.connect();
  try {
    await client.query(`begin; set local enable_seqscan = off; ${change}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>({ text: `explain (costs off) ${text}`, values });
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.query('rollback');
    client.release();
  }
}

test('a recovery reads what it passes over once, and not again for each page', HANG_LIMIT, async () => {
  const exhausted = { ...endpoint, partnerId: 'ptn_of-a-recovery' };
  await administrator.query(
    `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left,
      next_attempt_at, created_at, ended_at)
    select $1, 'dlv_' || lpad(n::text, 8, '0') || '.x', $2, 'evt_' || n, n, 'settlement.created', 'event', 'exhausted', 0, now(), now(),
      now() - case when n <= $3 then interval '2 days' else interval '0' end
    from generate_series(1, $3 + 30) n`,
    [exhausted.partnerId, endpointId, BACKLOG],
  );
  const page = { ...exhausted, since: new Date(Date.now() - 86_400_000), attemptsMax: 10, limit: LIMIT };
  const first = await recoverDeliveries(pool, page, '');
  assert.deepEqual(first, { count: LIMIT, lastId: `dlv_${String(BACKLOG + LIMIT).padStart(8, '0')}.x` });
  let next: unknown;
  const read = await countRead(async (db) => {
    next = await recoverDeliveries(db, page, first.lastId);
  });
  assert.deepEqual(next, { count: 30 - LIMIT, lastId: `dlv_${String(BACKLOG + 30).padStart(8, '0')}.x` });
  assert.ok(read < LIMIT * 20 + (await readForList()), `the second page reads ${read} rows`);
});

/** Events without a sequence, and others whose deliveries wait. */
async function pileUp(): Promise<void> {
  const fill = (text: string, ...values: unknown[]) =>
    administrator.query(`${text} from generate_series(1, $2::int4) as number`, [partnerId, BACKLOG, ...values]);
  await fill(`insert into event_outbox (partner_id, event_id, event_type, subject_id, occurred_at)
    select $1, 'evt_later-' || number, 'settlement.created', 'stl_1', now()`);
  await fill(`insert into event (partner_id, sequence, event_id, event_type, subject_id, occurred_at)
    select $1, number, 'evt_' || number, 'settlement.created', 'stl_1', now()`);
  await administrator.query('update event_counter set last_sequence = $2 where partner_id = $1', [partnerId, BACKLOG]);
  await fill(
    `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left,
      next_attempt_at, created_at)
    select $1, 'dlv_' || number || '.' || right($3, 8), $3, 'evt_' || number, number, 'settlement.created', 'event', 'waiting', 10, now(), now()`,
    endpointId,
  );
}

async function claimAndRecord(db: Queryable): Promise<void> {
  const { deliveries } = await claimDeliveries(db, { ...endpoint, dueFrom: ALWAYS }, { limit: LIMIT, leaseMs: LEASE_MS });
  const answer = { startedAt: new Date(), milliseconds: 1, status: 200, errorClass: null, excerpt: null };
  await recordAttempts(
    db,
    partnerId,
    deliveries.map((claimed) => ({ claimed, ...answer, isSuccess: true, endedAt: new Date(), nextAttemptAt: undefined })),
  );
}

/** How many rows of tables the work reads, in a transaction that leaves nothing. */
async function countRead(work: (db: Queryable) => Promise<unknown>): Promise<number> {
  const client = await pool.connect();
  // PostgreSQL counts what earlier transactions read along, for a while.
  const read = async () =>
    (
      await client.query<{ read: number }>(
        "select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int4 as read from pg_stat_xact_user_tables where schemaname = 'public'",
      )
    ).rows[0]?.read ?? 0;
  try {
    await client.query('begin');
    const before = await read();
    await work(client);
    const sum = (await read()) - before;
    await client.query('rollback');
    return sum;
  } finally {
    client.release();
  }
}
