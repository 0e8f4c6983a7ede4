/** Queues under an open snapshot, such as that of a backup: what it keeps is not read again, and nothing is left out (decisions, section 7). */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type Connection, openDatabase, type Queryable } from '../../src/store/database.ts';
import { assignSequences } from '../../src/store/events/assign-sequences.ts';
import { findLastSequence, insertEvent, insertEventCounter, listEvents } from '../../src/store/events/event.ts';
import { findUnsequencedEvents, WHOLE_OUTBOX } from '../../src/store/events/event-outbox.ts';
import { NodeReader } from '../../src/store/node-reader.ts';
import { recordAttempts } from '../../src/store/webhooks/attempt.ts';
import type { ClaimedDelivery } from '../../src/store/webhooks/delivery.ts';
import { advanceDueFrom, listDueEndpoints } from '../../src/store/webhooks/due-endpoint.ts';
import { watchEndpoints } from '../../src/store/webhooks/endpoint-watch.ts';
import { insertWebhookEndpoint } from '../../src/store/webhooks/webhook-endpoint.ts';
import { claimDue } from '../../src/webhooks/delivery/claim-due.ts';
import { reopenDue } from '../../src/webhooks/delivery/healing.ts';
import { beginRelaySession, relayOnce } from '../../src/webhooks/relay/relay.ts';
import { RELAY_BATCH } from '../../src/webhooks/relay/relay-round.ts';
import type { TogetherTools } from '../../src/webhooks/relay/relay-together.ts';
import { auditKeys } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { listBlocks } from '../support/document-blocks.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { insertOldPartner } from '../support/records.ts';
import { relayTools } from '../support/relay.ts';

const { databaseUrl, pool: administrator } = await testDatabase();
const database = openDatabase({ databaseUrl, poolSize: 32, auditKeys });
const taken: Connection[] = [];
after(async () => {
  for (const client of taken) client.release(true);
  await database.close();
});
// What is read is counted, and nobody tidies up meanwhile.
for (const table of ['event_outbox', 'delivery'])
  await administrator.query(`alter table ${table} set (autovacuum_enabled = off)`);

/** A connection of the test's own until its file is over, ended even where an assertion failed. */
async function connect(): Promise<Connection> {
  const client = await database.pool.connect();
  taken.push(client);
  return client;
}

/** A dispatcher that takes nothing: every delivery is due for all. */
const tools: TogetherTools = {
  ...relayTools(0).tools,
  onError(error) {
    throw error;
  },
};
let partners = 0;
let events = 0;

async function newPartner() {
  const { partnerId } = await insertOldPartner(database);
  const endpoint = { partnerId, endpointId: `wep_of-a-snapshot-${++partners}` };
  await insertEventCounter(database.pool, partnerId);
  return { ...endpoint, url: 'https://example.com/', eventTypes: [], secretSealed: 'none' };
}

async function tell(db: Queryable, partnerId: string): Promise<string> {
  const eventId = `evt_${++events}`;
  const about = { eventType: 'settlement.created', subjectId: 'stl_1', correlationId: null, data: null };
  await insertEvent(db, { partnerId, eventId, ...about });
  return eventId;
}

interface OpenTransaction {
  readonly client: Connection;
  end(how: 'commit' | 'rollback'): Promise<void>;
}

/** A transaction that stays open until it is told how to end. */
async function begin(isolation = 'read committed'): Promise<OpenTransaction> {
  const client = await connect();
  await client.query(`begin isolation level ${isolation}; set local idle_in_transaction_session_timeout = 0; select 1`);
  return {
    client,
    async end(how) {
      await client.query(how);
    },
  };
}

/** The pages of tables and indexes that the work reads; what it does is undone. */
async function countPages(client: Connection, work: (db: Queryable) => Promise<unknown>): Promise<number> {
  const caught: { text: string; values: unknown[] }[] = [];
  const catching = {
    query: (statement: { text: string; values: unknown[] }) => {
      caught.push(statement);
      return client.query(statement);
    },
  } as unknown as Queryable;
  const undone = async (part: () => Promise<unknown>) => {
    await client.query('begin');
    await part();
    await client.query('rollback');
  };
  await undone(() => work(catching));
  let pages = 0;
  for (const { text, values } of caught)
    await undone(async () => {
      const { rows } = await client.query({ text: `explain (analyze, buffers, format json) ${text}`, values });
      const plan = rows[0]['QUERY PLAN'][0].Plan;
      pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    });
  return pages;
}

/** Gives numbers on a connection, again and again. What it does on another is to be undone: it remembers nothing of it. */
type Relay = (db?: Queryable) => Promise<void>;

/** The relay takes partners together while there is room, and each partner beyond it alone. */
const RELAYS: Readonly<Record<string, (client: Connection, partnerId: string) => Relay>> = {
  'of several partners together'(client) {
    const session = beginRelaySession(client);
    return async (db = client) => {
      await relayOnce(database, db === client ? session : { ...session, client: db as Connection }, tools);
    };
  },
  'of one partner alone'(client, partnerId) {
    let range = WHOLE_OUTBOX;
    return async (db = client) => {
      const { next } = await findUnsequencedEvents(db, range, RELAY_BATCH.limit);
      const { isComplete } = await assignSequences(db, partnerId, { ...RELAY_BATCH, range });
      assert.ok(isComplete, 'The next range is valid only when nothing of this one is left.');
      if (db === client) range = next;
    };
  },
};

describe('while a snapshot is held', HANG_LIMIT, () => {
  for (const [ofWhom, openRelay] of Object.entries(RELAYS))
    test(`the relay ${ofWhom} reads what is new, however many events had their numbers meanwhile`, async () => {
      const { partnerId } = await newPartner();
      const client = await connect();
      const relay = openRelay(client, partnerId);
      await relay();
      await tell(database.pool, partnerId);
      const fresh = await countPages(client, relay);
      const snapshot = await begin('repeatable read');
      for (let round = 0; round < 10; round++) {
        // A long text fills pages.
        await database.pool.query(
          `insert into event_outbox (partner_id, event_id, event_type, subject_id, occurred_at, data)
          select $1, $2 || number, 'settlement.created', 'stl_1', now(), repeat(md5(number::text), 20) from generate_series(1, 500) as number`,
          [partnerId, `evt_round-${round}-`],
        );
        await relay();
      }
      assert.equal(await findLastSequence(database.pool, partnerId), 5_001n);
      await tell(database.pool, partnerId);
      const later = await countPages(client, relay);
      await snapshot.end('commit');
      // The partner's counter has a version for every round.
      assert.ok(later <= fresh + 100, `${later} pages after 5,000 events, and ${fresh} before`);
    });

  test('the dispatcher reads what is due, however much was sent meanwhile', async () => {
    const endpoint = await newPartner();
    const { partnerId, endpointId } = endpoint;
    await insertWebhookEndpoint(database.pool, endpoint);
    const deliver = (prefix: string, count: number, agoSeconds: number) =>
      database.pool.query(
        `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left,
          next_attempt_at, created_at)
        select $1, $3 || number, $2, 'evt_' || number, number, 'settlement.created', 'event', 'waiting', 10,
          now() - $5 * interval '1 second', now() from generate_series(1, $4::int4) as number`,
        [partnerId, endpointId, prefix, count, agoSeconds],
      );
    const find = async (db: Queryable = database.pool) => {
      const due = await listDueEndpoints(db);
      return due.find((each) => each.endpointId === endpointId);
    };
    const asCounted = async (db: Queryable) => {
      const found = await find(db);
      if (found) await claimDue({ pool: db as typeof database.pool }, found, 10);
    };
    const client = await connect();
    await deliver('dlv_first-', 5, 1);
    const fresh = await countPages(client, asCounted);
    const snapshot = await begin('repeatable read');
    await deliver('dlv_of-old-', 10_000, 3_600);
    for (let due = await find(); due; due = await find()) await record(partnerId, await claimDue(database, due, 1_000));
    await deliver('dlv_last-', 5, 1);
    const later = await countPages(client, asCounted);
    await snapshot.end('commit');
    assert.ok(later <= fresh + 100, `${later} pages after 10,000 deliveries, and ${fresh} before`);
  });

  async function record(partnerId: string, claims: readonly ClaimedDelivery[]): Promise<void> {
    const answer = { startedAt: new Date(), milliseconds: 1, status: 200, errorClass: null, excerpt: null };
    const attempts = claims.map((claimed) => ({
      claimed,
      ...answer,
      isSuccess: true,
      endedAt: new Date(),
      nextAttemptAt: undefined,
    }));
    await recordAttempts(database.pool, partnerId, attempts);
  }
});

describe('what is claimed when it is made', HANG_LIMIT, () => {
  const dueFromOf = async (endpointId: string): Promise<Date> =>
    (await administrator.query('select due_from from endpoint_health where endpoint_id = $1', [endpointId])).rows[0].due_from;

  test('is not read again once it is delivered; what is due is kept in sight', async () => {
    const [idle, busy] = [await newPartner(), await newPartner()];
    for (const endpoint of [idle, busy]) {
      await insertWebhookEndpoint(database.pool, endpoint);
      await watchEndpoints(database.pool, database, [endpoint]);
      await tell(database.pool, endpoint.partnerId);
    }
    await relayOnce(database, beginRelaySession(await connect()), tools);
    // As if it had been claimed at once.
    await database.pool.query(
      "update delivery set lease = 1, next_attempt_at = now() + interval '1 minute' where endpoint_id = $1",
      [idle.endpointId],
    );
    await advanceDueFrom(database.pool, 10_000);
    assert.ok(Date.now() - (await dueFromOf(idle.endpointId)).getTime() < 60_000);
    assert.equal((await dueFromOf(busy.endpointId)).getTime(), 0);
    const due = (await listDueEndpoints(database.pool)).map(({ endpointId }) => endpointId);
    assert.deepEqual([due.includes(idle.endpointId), due.includes(busy.endpointId)], [false, true]);
  });
});

const ENDINGS = [
  [5, 'commit'],
  [0, 'commit'],
  [6, 'rollback'],
  [1, 'commit'],
  [4, 'commit'],
  [3, 'rollback'],
  [2, 'commit'],
] as const;

describe('whatever commits late', HANG_LIMIT, () => {
  for (const [ofWhom, openRelay] of Object.entries(RELAYS))
    test(`gets its number from the relay ${ofWhom}, however many transactions are open at once and in whatever order they end`, async () => {
      const { partnerId } = await newPartner();
      const relay = openRelay(await connect(), partnerId);
      const open: (OpenTransaction & { readonly eventId: string })[] = [];
      for (let count = 0; count < 7; count++) {
        const transaction = await begin();
        open.push({ ...transaction, eventId: await tell(transaction.client, partnerId) });
        await tell(database.pool, partnerId);
        await relay();
      }
      for (const [place, how] of ENDINGS) {
        const { eventId, end } = open[place] as (typeof open)[number];
        await end(how);
        const beganAfter = await tell(database.pool, partnerId);
        await relay();
        const numbered = (await listEvents(database.pool, partnerId, { afterSequence: 0n, limit: 100 })).map(
          (event) => event.eventId,
        );
        assert.equal(numbered.includes(eventId), how === 'commit');
        assert.ok(
          numbered.indexOf(eventId) < numbered.indexOf(beganAfter),
          'what began after another had committed comes after it',
        );
      }
      const { rows } = await administrator.query('select event_id from event_outbox where partner_id = $1', [partnerId]);
      assert.deepEqual(rows, []);
    });

  test('gets its number when another held the counter at the time, or more waited than one batch takes', async () => {
    const { partnerId } = await newPartner();
    const session = beginRelaySession(await connect());
    await tell(database.pool, partnerId);
    const holder = await begin();
    await holder.client.query('select from event_counter where partner_id = $1 for update', [partnerId]);
    await relayOnce(database, session, tools);
    await holder.end('rollback');
    await database.pool.query(
      `insert into event_outbox (partner_id, event_id, event_type, subject_id, occurred_at)
      select $1, 'evt_many-' || number, 'settlement.created', 'stl_1', now() from generate_series(1, 2500) as number`,
      [partnerId],
    );
    for (let round = 0; round < 3; round++) await relayOnce(database, session, tools);
    assert.equal(await findLastSequence(database.pool, partnerId), 2_501n);
  });

  test('gets its number when the counter of its partner was made only later', async () => {
    const { partnerId } = await insertOldPartner(database);
    const session = beginRelaySession(await connect());
    await tell(database.pool, partnerId);
    for (let round = 0; round < 2; round++) await relayOnce(database, session, tools);
    await insertEventCounter(database.pool, partnerId);
    await relayOnce(database, session, tools);
    assert.equal(await findLastSequence(database.pool, partnerId), 1n);
  });

  test('is sent although it was due before anything that was expected', async () => {
    const endpoint = await newPartner();
    const { partnerId, endpointId } = endpoint;
    await insertWebhookEndpoint(database.pool, endpoint);
    await database.pool.query('update endpoint_health set due_from = now() where endpoint_id = $1', [endpointId]);
    await database.pool.query(
      `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left,
        next_attempt_at, created_at)
      values ($1, 'dlv_late', $2, 'evt_late', 1, 'settlement.created', 'event', 'waiting', 10, now() - interval '1 hour', now())`,
      [partnerId, endpointId],
    );
    const isDue = async () => (await listDueEndpoints(database.pool)).some((due) => due.endpointId === endpointId);
    assert.equal(await isDue(), false);
    await reopenDue(database, new NodeReader(database));
    assert.equal(await isDue(), true);
  });
});

describe('the statement of docs/operating.md on sessions of the database', HANG_LIMIT, () => {
  const documented = listBlocks().find(({ tag, text }) => tag === 'sql' && text.includes('pg_stat_activity'))?.text ?? '';
  const pidOf = async (client: Queryable): Promise<number> => (await client.query('select pg_backend_pid() as pid')).rows[0].pid;
  const listPids = async (db: Queryable): Promise<number[]> => (await db.query(documented)).rows.map(({ pid }) => pid);

  test('names one that holds a snapshot and does nothing, first, and one that uses the processor; to a role that may see them', async () => {
    const [holder, busy] = [await connect(), await connect()];
    const [holderPid, busyPid] = [await pidOf(holder), await pidOf(busy)];
    await holder.query('begin isolation level repeatable read');
    await holder.query('select');
    await busy.query("set statement_timeout = '60s'");
    const working = busy.query('select count(*) from (select generate_series(1, 10000000000)) each').catch(() => {});
    await waitFor('session at work', async () => (await listPids(administrator)).includes(busyPid));
    const pids = await listPids(administrator);
    assert.ok(pids.includes(holderPid) && pids.indexOf(holderPid) < pids.indexOf(busyPid), pids.join());

    const looker = await administrator.connect();
    const role = `looker_${holderPid}`;
    try {
      await looker.query(`create role ${role}`);
      await looker.query(`set role ${role}`);
      assert.ok(!(await listPids(looker)).includes(holderPid));
      await looker.query(`reset role`);
      await looker.query(`grant pg_read_all_stats to ${role}`);
      await looker.query(`set role ${role}`);
      assert.ok((await listPids(looker)).includes(holderPid));
    } finally {
      await looker.query('reset role');
      await looker.query(`drop role ${role}`);
      looker.release();
      await administrator.query('select pg_cancel_backend($1)', [busyPid]);
      await working;
      await holder.query('rollback');
    }
  });
});
