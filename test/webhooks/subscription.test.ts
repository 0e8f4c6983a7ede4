/** The rule of the domain and the statements that create deliveries select the same endpoints (decisions, section 7, Endpoints). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_TYPES } from '../../src/domain/events/event.ts';
import { newId } from '../../src/domain/identifiers.ts';
import { receivesEvent } from '../../src/domain/webhooks/subscription.ts';
import type { Queryable } from '../../src/store/database.ts';
import { assignSequences, assignSequencesOfSeveral } from '../../src/store/events/assign-sequences.ts';
import { assignSequencesOnNode } from '../../src/store/events/assign-sequences-on-node.ts';
import { insertEvent, insertEventCounter } from '../../src/store/events/event.ts';
import { WHOLE_OUTBOX } from '../../src/store/events/event-outbox.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../src/store/transaction.ts';
import { insertReplayedDeliveries } from '../../src/store/webhooks/resent-delivery.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { updateEventTypes } from '../../src/webhooks/endpoints/manage-endpoint.ts';
import { relayOnce } from '../../src/webhooks/relay/relay.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { connect } from '../support/postgres/connect.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { insertOldPartner } from '../support/records.ts';
import { relayDatabase, relayTools } from '../support/relay.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools } from '../support/webhooks/webhook-service.ts';

const { databaseUrl } = await testDatabase();
const { database, openSession } = relayDatabase(databaseUrl, 8);
const { pool } = database;
const tools = endpointTools(database);

/** Every set of event types, the empty one included. */
const SETS = Array.from({ length: 2 ** EVENT_TYPES.length }, (_, set) => EVENT_TYPES.filter((_type, bit) => set & (1 << bit)));
const STATUSES = ['active', 'disabled', 'removed'] as const;
/** The last one is of a later release. */
const SENT = [...EVENT_TYPES, 'impact.transaction.unknown'];
const BATCH = { limit: 100, attemptsMax: 10 };

interface Scene {
  readonly partnerId: string;
  readonly endpoints: readonly {
    readonly endpointId: string;
    readonly status: (typeof STATUSES)[number];
    readonly eventTypes: readonly string[];
  }[];
}

/** A partner with an endpoint for each combination, and an event of each type without a sequence. */
async function newScene(): Promise<Scene> {
  const { partnerId } = await insertOldPartner(database);
  await insertEventCounter(pool, partnerId);
  const endpoints = STATUSES.flatMap((status) => SETS.map((eventTypes) => ({ endpointId: newId('wep'), status, eventTypes })));
  for (const { endpointId, status, eventTypes } of endpoints) {
    await pool.query(
      `insert into webhook_endpoint (partner_id, endpoint_id, url, event_types, status, secret_sealed, created_at, changed_at)
        values ($1, $2, 'https://example.com/' || $2, $3, $4, 'none', now(), now())`,
      [partnerId, endpointId, eventTypes, status],
    );
    await pool.query('insert into endpoint_health (partner_id, endpoint_id) values ($1, $2)', [partnerId, endpointId]);
  }
  for (const eventType of SENT) {
    const about = { eventType, subjectId: 'stl_1', correlationId: null, data: '{"change":"adjustment"}' };
    await insertEvent(pool, { partnerId, eventId: newId('evt'), ...about });
  }
  return { partnerId, endpoints };
}

const named = (endpointId: string, eventType: string) => `${endpointId} ${eventType}`;

/** Compares the deliveries that are stored with the rule of the domain. */
async function assertAsTheRule({ partnerId, endpoints }: Scene): Promise<void> {
  const { rows } = await pool.query('select endpoint_id, event_type from delivery where partner_id = $1', [partnerId]);
  const expected = endpoints.flatMap((endpoint) =>
    SENT.filter((type) => receivesEvent(endpoint, type)).map((type) => named(endpoint.endpointId, type)),
  );
  const stored = rows.map((row) => named(row.endpoint_id, row.event_type));
  assert.deepEqual(stored.toSorted(), expected.toSorted());
}

test('the rule itself: the types of an endpoint, without any all of them; and nothing after its removal', () => {
  const receives = (status: (typeof STATUSES)[number], eventTypes: readonly string[]) =>
    SENT.filter((type) => receivesEvent({ status, eventTypes }, type));
  for (const status of ['active', 'disabled'] as const) {
    for (const types of SETS) assert.deepEqual(receives(status, types), types.length === 0 ? SENT : types);
  }
  for (const types of SETS) assert.deepEqual(receives('removed', types), []);
});

const WAYS: readonly (readonly [title: string, create: (scene: Scene) => Promise<unknown>])[] = [
  ['the relay of one partner', ({ partnerId }) => assignSequences(pool, partnerId, { ...BATCH, range: WHOLE_OUTBOX })],
  ['the relay of several partners', ({ partnerId }) => assignSequencesOfSeveral(pool, WHOLE_OUTBOX, [partnerId], BATCH)],
  ['the relay of a distributed database', ({ partnerId }) => onNode(partnerId)],
  ['the relay that hands deliveries over', relayTogether],
  ['a replay', replay],
];

function onNode(partnerId: string) {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, (db: Queryable) => assignSequencesOnNode(db, partnerId, BATCH));
}

async function relayTogether() {
  const { tools, handed, errors } = relayTools(1);
  await relayOnce(database, await openSession(), tools);
  assert.deepEqual(errors, []);
  // Otherwise it left the partner to the relay of one partner.
  assert.ok(handed.length > 0);
}

async function replay({ partnerId, endpoints }: Scene) {
  await onNode(partnerId);
  await pool.query('delete from delivery where partner_id = $1', [partnerId]);
  for (const { endpointId } of endpoints)
    await insertReplayedDeliveries(pool, { partnerId, endpointId, since: new Date(0), ...BATCH }, 0n);
}

for (const [title, create] of WAYS)
  test(`${title} creates deliveries for the endpoints of the rule, of every status and every set of event types`, async () => {
    const scene = await newScene();
    await create(scene);
    await assertAsTheRule(scene);
  });

const LOCK = 8_207;
/** In the place of the table for one session: a statement that has its snapshot, and no counter yet, waits for the test. */
const WAITING_COUNTERS = `create function pg_temp.wait_for_test() returns boolean language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(${LOCK}); return true; end $$;
  create temporary view event_counter as select ctid, * from public.event_counter where pg_temp.wait_for_test()`;

type Assign = (db: Queryable, partnerId: string) => Promise<unknown>;
const number: Assign = (db, partnerId) => assignSequences(db, partnerId, { ...BATCH, range: WHOLE_OUTBOX });
const numberSeveral: Assign = (db, partnerId) => assignSequencesOfSeveral(db, WHOLE_OUTBOX, [partnerId], BATCH);

/** `change` makes an endpoint receive the event, and returns its id. */
async function changeMeanwhile(change: (partnerId: string) => Promise<string>, partnerId: string, assign: Assign): Promise<void> {
  const [{ client }, holder] = [await openSession(), await connect(databaseUrl)];
  await client.query(WAITING_COUNTERS);
  await holder.query(`select pg_advisory_lock(${LOCK})`);
  const assigning = assign(client, partnerId);
  await waitFor('statement that has its snapshot', async () => {
    const { rows } = await holder.query(
      "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'",
    );
    return rows.length > 0;
  });
  const endpointId = await change(partnerId);
  await holder.query(`select pg_advisory_unlock(${LOCK})`);
  await assigning;
  // Where that statement left the partner, the next one is as if nobody had come between.
  await assign(client, partnerId);
  const { rows } = await pool.query('select endpoint_id, sequence::int4 from delivery where partner_id = $1', [partnerId]);
  assert.deepEqual(rows, [{ endpoint_id: endpointId, sequence: 1 }]);
}

for (const [title, assign] of [
  ['one partner', number],
  ['several partners', numberSeveral],
] as const) {
  test(`an endpoint that is added while the relay of ${title} numbers an event gets it`, HANG_LIMIT, async () => {
    const { partnerId } = await newPartner();
    await changeMeanwhile(async () => (await add(partnerId, [])).endpointId, partnerId, assign);
  });

  test(
    `an endpoint whose types are extended while the relay of ${title} numbers an event of the new one gets it`,
    HANG_LIMIT,
    async () => {
      const { partnerId } = await newPartner();
      const { endpointId } = await add(partnerId, ['settlement.closed']);
      const change = async () => {
        await updateEventTypes(database, OWNER, { partnerId, endpointId }, ['settlement.closed', 'settlement.created']);
        return endpointId;
      };
      await changeMeanwhile(change, partnerId, assign);
    },
  );
}

/** With one event without a sequence. */
async function newPartner() {
  const partner = await insertOldPartner(database);
  const { partnerId } = partner;
  await insertEventCounter(pool, partnerId);
  const about = { eventType: 'settlement.created', subjectId: 'stl_1', correlationId: null, data: '{"settlement_id":"stl_1"}' };
  await insertEvent(pool, { partnerId, eventId: newId('evt'), ...about });
  return partner;
}

async function add(partnerId: string, eventTypes: readonly string[]) {
  const { url } = await WebhookReceiver.open();
  return addEndpoint(tools, OWNER, { partnerId, url, eventTypes });
}
