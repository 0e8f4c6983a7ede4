/** What a look at the metrics costs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPartnerId } from '../../src/domain/identifiers.ts';
import { openDatabase, type Queryable } from '../../src/store/database.ts';
import { insertEventCounter } from '../../src/store/events/event.ts';
import { COUNTED_MAX, measureBacklog, measureBacklogInPart } from '../../src/store/webhooks/delivery-backlog.ts';
import { listEndpointStates } from '../../src/store/webhooks/endpoint-state.ts';
import { insertWebhookEndpoint } from '../../src/store/webhooks/webhook-endpoint.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { testDatabase } from '../support/postgres/database.ts';

const { databaseUrl, pool: administrator } = await testDatabase();
const ON_ONE_SERVER = { isDistributed: false };

/** Pages of the tables and their indexes that this session has read: in this transaction, and shortly before. */
const FETCHED = `select sum(pg_stat_get_xact_blocks_fetched(oid))::int4 as pages from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`;

test('a scrape reads as many pages however many deliveries wait or are exhausted, also by plans that were made before', {
  ...HANG_LIMIT,
}, async () => {
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  // One session keeps the plans that it made for empty tables, until these are analysed.
  const session = await database.pool.connect();
  try {
    await administrator.query('alter table delivery set (autovacuum_enabled = false)');
    const partnerId = newPartnerId();
    await insertEventCounter(session, partnerId);
    // In the order of the index.
    const [removed, one, other] = ['wep_1-removed', 'wep_2-one', 'wep_3-other'];
    for (const endpointId of [removed, one, other]) {
      const url = `https://example.com/${endpointId}`;
      await insertWebhookEndpoint(session, { partnerId, endpointId, url, eventTypes: [], secretSealed: 'none' });
    }
    await administrator.query("update webhook_endpoint set status = 'removed' where endpoint_id = $1", [removed]);
    const pileUp = (endpointIds: readonly string[], numbers: { from: number; to: number }) =>
      administrator.query(
        `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left,
          next_attempt_at, created_at, ended_at)
        select $1, 'dlv_' || endpoint_id || status || number, endpoint_id, 'evt_' || number, number, 'settlement.created', 'event', status,
          10, now(), now() - number * interval '1 second', case status when 'exhausted' then now() end
        from unnest($2::text[]) as endpoint_id, generate_series($3::int4, $4::int4) as number,
          unnest('{waiting,exhausted}'::text[]) as status`,
        [partnerId, endpointIds, numbers.from, numbers.to],
      );
    await countPages(session);
    await pileUp([one, other], { from: 1, to: COUNTED_MAX });
    const few = await countPages(session);
    await pileUp([removed, one], { from: COUNTED_MAX + 1, to: 6 * COUNTED_MAX });
    const many = await countPages(session);
    await administrator.query('analyze delivery');
    const planned = await countPages(session);
    const allowed = Math.min(few, planned) * 1.5 + 50;
    for (const pages of [few, many, planned]) assert.ok(pages <= allowed, `${JSON.stringify({ few, many, planned })} pages`);
    const { waiting, exhausted, exhaustedEndpoints, oldestWaitingSeconds } = await measureBacklog(session, ON_ONE_SERVER);
    assert.deepEqual([waiting, exhausted], [COUNTED_MAX, COUNTED_MAX]);
    const named = [one, other].map((endpointId) => ({ partnerId, endpointId }));
    assert.deepEqual(exhaustedEndpoints, named, 'each of them, whatever the count says');
    const anywhere = await measureBacklog(session, { isDistributed: true });
    assert.deepEqual(anywhere.exhaustedEndpoints.toSorted(byId), named);
    assert.ok(oldestWaitingSeconds > 0);
  } finally {
    session.release();
    await database.close();
  }
});

test('a figure that cannot be measured leaves the others', HANG_LIMIT, async () => {
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  try {
    const listMeasured = async (isDistributed: boolean) =>
      Object.keys(await measureBacklogInPart({ ...database, isDistributed })).sort();
    const others = ['exhausted', 'exhaustedEndpoints', 'oldestWaitingSeconds', 'waiting'];
    for (const isDistributed of [false, true]) {
      assert.deepEqual(await listMeasured(isDistributed), [...others, 'relayLagSeconds'].sort());
      await administrator.query('alter table event_outbox rename to event_outbox_elsewhere');
      assert.deepEqual(await listMeasured(isDistributed), others);
      await administrator.query('alter table event_outbox_elsewhere rename to event_outbox');
    }
    const unreachable = openDatabase({ databaseUrl: 'postgresql://127.0.0.1:1/none', poolSize: 1 });
    assert.deepEqual(await measureBacklogInPart(unreachable), {});
    await unreachable.close();
  } finally {
    await database.close();
  }
});

test('a figure that waits for a lock keeps nobody from the connection', HANG_LIMIT, async () => {
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  const holder = await administrator.connect();
  try {
    await holder.query('begin; lock table delivery in access exclusive mode');
    // Longer than a busy machine takes for what does not wait for the lock.
    const backlog = measureBacklogInPart(database, 2_000);
    const states = listEndpointStates(database.pool);
    assert.deepEqual(await backlog, { relayLagSeconds: 0 });
    await assert.doesNotReject(states);
  } finally {
    await holder.query('rollback');
    holder.release();
    await database.close();
  }
});

const byId = (one: { endpointId: string }, other: { endpointId: string }) => one.endpointId.localeCompare(other.endpointId);

/** The pages that one look reads. */
async function countPages(session: Queryable): Promise<number> {
  const fetched = async () => (await session.query<{ pages: number }>(FETCHED)).rows[0]?.pages ?? assert.fail();
  await session.query('begin');
  const before = await fetched();
  await measureBacklog(session, ON_ONE_SERVER);
  const after = await fetched();
  await session.query('commit');
  return after - before;
}
