/** What an operator sees at an endpoint: what stopped it, what waits, and the events of its last day. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { packBody } from '../../src/domain/events/packed-body.ts';
import { idAt, timeOfId } from '../../src/domain/identifiers.ts';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import { confirmPendingContribution } from '../../src/operations/contributions/resolve-pending-contribution.ts';
import type { LoggedDelivery } from '../../src/store/webhooks/delivery-log.ts';
import { findEndpointFailedDelivery } from '../../src/store/webhooks/endpoint-health.ts';
import { OWNER } from '../support/actor.ts';
import { type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { testService } from '../support/service.ts';
import { closeThrough, getOpen } from '../support/settlements.ts';
import { endpointTools, makeDue, newEndpoint, untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

/** Partners of which an operator decides on every contribution. */
const reviewed = new Set<string>();
const service = await testService({
  env: WEBHOOK_ENV,
  rulesOf: (partnerId) => ({ ...DEFAULT_RULES, reviewsEverything: reviewed.has(partnerId) }),
});
const { database } = service;
const { pool } = database;
const tools = endpointTools(database);
const V1 = '/operator/v1';

let operator: SignedInOperator;
before(async () => (operator = await signedInOperator(service, 'operator')));

async function openEndpoint() {
  const { partner, client, receiver, endpointId } = await newEndpoint(service, tools);
  const { partnerId } = partner;
  const path = `${V1}/partners/${partnerId}/endpoints/${endpointId}`;
  let made = 0;
  const confirmed = async (status: string) => {
    await client.confirm();
    made += 1;
    const isAttempted = ([first, ...others]: readonly LoggedDelivery[]) =>
      others.length === made - 1 && first?.status === status && first.attempts > 0;
    const [newest] = await untilDeliveries(database, partnerId, isAttempted);
    return newest?.deliveryId as string;
  };
  const activity = async () => (await operator.get(`${path}/activity`)).body;
  const listed = async (query: string) =>
    (await operator.get(`${V1}/partners/${partnerId}/deliveries?endpoint_id=${endpointId}&${query}`)).body;
  const read = async (place: string) => (await operator.get(`${V1}/partners/${partnerId}${place}`)).body;
  return { partnerId, endpointId, client, receiver, path, confirmed, activity, listed, read };
}

const HOUR_MS = 3_600_000;
const OUTCOMES = ['at_once', 'later', 'unended', 'exhausted'] as const;
type Hour = { from: string; is_more: boolean } & Record<(typeof OUTCOMES)[number], number>;

/** What the hours from one on have together, all of it counted. */
function countSince(hours: readonly Hour[], sinceMs: number) {
  const counted = hours.filter(({ from }) => Date.parse(from) >= sinceMs);
  assert.ok(counted.length > 0 && counted.every(({ is_more }) => !is_more));
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, counted.reduce((sum, hour) => sum + hour[outcome], 0)]));
}

const count = (number: number) => ({ count: number, is_more: false });

test('an endpoint is paused until a time to come, and no longer', async () => {
  const { endpointId, path } = await openEndpoint();
  const openFor = (duration: string) =>
    pool.query('update endpoint_health set breaker_trips = 1, breaker_open_until = now() + $2::interval where endpoint_id = $1', [
      endpointId,
      duration,
    ]);
  const shown = async () => (await operator.get(path)).body.paused_until;
  await openFor('10 minutes');
  assert.ok(Date.parse(await shown()) > Date.now());
  await openFor('-1 second');
  assert.equal(await shown(), null);
});

test('the delivery whose 410 disabled an endpoint, what is held since then, and nothing once it is enabled', async () => {
  const { partnerId, client, receiver, path, confirmed, activity, listed } = await openEndpoint();
  await confirmed('delivered');
  receiver.answerWith(410);
  const gone = await confirmed('held');
  await client.confirm();
  await untilDeliveries(database, partnerId, (all) => all.filter(({ status }) => status === 'held').length === 2);
  const shown = await activity();
  assert.deepEqual([shown.stopped_by.delivery_id, shown.stopped_by.status], [gone, 410]);
  assert.deepEqual([shown.waiting, shown.held, shown.exhausted], [count(0), count(2), count(0)]);
  assert.equal((await listed('status=held')).deliveries.length, 2);
  // From then on it is disabled for what the operator says, and what failed last is still known.
  assert.equal((await operator.post(`${path}/disable`, { reason: 'by hand as well' })).status, 200);
  const byHand = await activity();
  assert.deepEqual([byHand.stopped_by, byHand.last_failure.delivery_id, byHand.last_failure.status], [null, gone, 410]);
  receiver.answerWith(204);
  assert.equal((await operator.post(`${path}/enable`)).status, 200);
  assert.deepEqual([(await activity()).stopped_by, (await activity()).held], [null, count(0)]);
  assert.equal((await operator.post(`${path}/disable`, { reason: 'by hand' })).status, 200);
  assert.deepEqual([(await activity()).stopped_by, (await activity()).last_failure], [null, null]);
});

test('the attempt that failed last, of an endpoint that an operator disabled while it failed or was paused', async () => {
  const { partnerId, receiver, path, confirmed, activity } = await openEndpoint();
  receiver.answer = (response) => void response.writeHead(503).end('the queue is full');
  await pool.query('update endpoint_health set failures_in_row = 19, failing_since = now() where partner_id = $1', [partnerId]);
  const last = await confirmed('waiting');
  assert.equal((await activity()).stopped_by.delivery_id, last);
  assert.equal((await operator.post(`${path}/disable`, { reason: 'the receiver is being repaired' })).status, 200);
  const { stopped_by: stoppedBy, last_failure: failure } = await activity();
  assert.deepEqual([stoppedBy, failure.delivery_id, failure.status, failure.excerpt], [null, last, 503, 'the queue is full']);
  assert.equal((await operator.post(`${path}/enable`)).status, 200);
  assert.equal((await activity()).last_failure, null);
});

test('a disabled endpoint without a reason was not disabled by the service', async () => {
  const { partnerId, endpointId, receiver, confirmed, activity } = await openEndpoint();
  receiver.answerWith(410);
  const gone = await confirmed('held');
  await pool.query('update webhook_endpoint set status_reason = null where partner_id = $1', [partnerId]);
  const failed = await findEndpointFailedDelivery(pool, { partnerId, endpointId });
  assert.deepEqual([failed?.deliveryId, failed?.isStopped], [gone, false]);
  const { stopped_by: stoppedBy, last_failure: failure } = await activity();
  assert.deepEqual([stoppedBy, failure.delivery_id], [null, gone]);
});

test('the delivery whose failure opened the circuit, while it is open', async () => {
  const { partnerId, receiver, confirmed, activity } = await openEndpoint();
  receiver.answerWith(500);
  await pool.query('update endpoint_health set failures_in_row = 19, failing_since = now() where partner_id = $1', [partnerId]);
  const last = await confirmed('waiting');
  const { stopped_by } = await activity();
  assert.deepEqual([stopped_by.delivery_id, stopped_by.status], [last, 500]);
  receiver.answerWith(204);
  await makeDue(database, partnerId);
  await untilDeliveries(database, partnerId, ([first]) => first?.status === 'delivered');
  assert.equal((await activity()).stopped_by, null);
});

test('the attempt that failed last and its answer, while the endpoint fails and is not stopped', async () => {
  const { partnerId, receiver, confirmed, activity } = await openEndpoint();
  await confirmed('delivered');
  assert.equal((await activity()).last_failure, null);
  // What failed first is not tried again beside the second.
  receiver.answer = (response) => void response.writeHead(503, { 'retry-after': '3600' }).end('the queue is full');
  await confirmed('waiting');
  const last = await confirmed('waiting');
  const { last_failure: failure, stopped_by: stoppedBy } = await activity();
  assert.deepEqual([failure.delivery_id, failure.status, failure.excerpt, stoppedBy], [last, 503, 'the queue is full', null]);
  const [{ number }] = (
    await pool.query('select failures_in_row as number from endpoint_health where partner_id = $1', [partnerId])
  ).rows;
  assert.equal(number, 2);
  // As an earlier release left it: the delivery that opened the circuit before a success.
  await pool.query("update endpoint_health set failing_since = now() + interval '1 hour' where partner_id = $1", [partnerId]);
  assert.equal((await activity()).last_failure, null);
  await pool.query('update endpoint_health set failing_since = now() where partner_id = $1', [partnerId]);
  assert.equal((await activity()).last_failure.delivery_id, last);
  receiver.answerWith(204);
  await makeDue(database, partnerId);
  await untilDeliveries(database, partnerId, (all) => all.every(({ status }) => status === 'delivered'));
  assert.equal((await activity()).last_failure, null);
});

test('the hours of a day: what the first attempt delivered, a later one or one after it was held, what waits, and what is exhausted', async () => {
  const { partnerId, confirmed, activity } = await openEndpoint();
  // An hour may turn at any moment of the test.
  const hourOf = (ms: number) => Math.floor(ms / HOUR_MS) * HOUR_MS;
  const begunAt = hourOf(Date.now());
  for (let number = 0; number < 5; number++) await confirmed('delivered');
  const [first, second, third, fourth] = await untilDeliveries(database, partnerId, () => true);
  const set = (assignment: string, deliveryId: string | undefined) =>
    pool.query(`update delivery set ${assignment} where partner_id = $1 and delivery_id = $2`, [partnerId, deliveryId]);
  await set('attempts = 3', first?.deliveryId);
  await set("status = 'exhausted'", second?.deliveryId);
  await set("status = 'waiting', ended_at = null, next_attempt_at = '2100-01-01'", third?.deliveryId);
  await set("created_at = now() - interval '2 hours'", fourth?.deliveryId);
  // An event of before the last day, and one of three hours ago.
  const move = (atMs: number, deliveryId: string | undefined) =>
    set(`delivery_id = '${idAt('dlv', atMs)}0000000000000000.${atMs}'`, deliveryId);
  const { hours, exhausted, waiting } = await activity();
  assert.deepEqual([hours.length, countSince(hours, begunAt)], [24, { at_once: 1, later: 2, unended: 1, exhausted: 1 }]);
  assert.deepEqual([waiting, exhausted], [count(1), count(1)]);
  const [dayAgoMs, hoursAgoMs] = [begunAt - 24 * HOUR_MS, begunAt - 3 * HOUR_MS + 1];
  await move(dayAgoMs, first?.deliveryId);
  await move(hoursAgoMs, second?.deliveryId);
  const moved: Hour[] = (await activity()).hours;
  assert.equal(moved.find(({ from }) => Date.parse(from) === hourOf(hoursAgoMs))?.exhausted, 1);
  assert.deepEqual(countSince(moved, begunAt), { at_once: 1, later: 1, unended: 1, exhausted: 0 });
  assert.deepEqual(countSince(moved, dayAgoMs), { at_once: 1, later: 1, unended: 1, exhausted: 1 });
});

test('what waits is listed though thousands of later events are delivered, and page by page', async () => {
  const { partnerId, endpointId, activity, listed } = await openEndpoint();
  const id = `lpad(n::text, 26, '0')`;
  await pool.query(
    `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts, attempts_left,
       next_attempt_at, created_at, ended_at)
     select $1, 'dlv_' || ${id} || '.x', $2, 'evt_' || ${id}, n + 100, 'impact.transaction.confirmed', 'event',
       case when n <= 3 then 'waiting' else 'delivered' end, 1, 9, now() + interval '1 hour', now(), case when n > 3 then now() end
     from generate_series(1, 5000) n`,
    [partnerId, endpointId],
  );
  assert.deepEqual((await activity()).waiting, count(3));
  const ids = ({ deliveries }: { deliveries: { sequence: string }[] }) => deliveries.map(({ sequence }) => sequence);
  const first = await listed('status=waiting&limit=2');
  assert.deepEqual([ids(first), first.has_more], [['103', '102'], true]);
  const rest = await listed(`status=waiting&limit=2&after=${first.next_after}`);
  assert.deepEqual([ids(rest), rest.has_more], [['101'], false]);
  assert.deepEqual(ids(await listed('status=waiting&sort=occurred_at')), ['101', '102', '103']);
  assert.deepEqual(ids(await listed('status=waiting&event_type=other')), []);
});

test('an event of a decision stands among those of its time, not of the recording', async () => {
  const { partnerId, client, confirmed, listed } = await openEndpoint();
  reviewed.add(partnerId);
  const { transaction_id: transactionId } = (await client.confirm()).body.contribution;
  reviewed.delete(partnerId);
  const between = await confirmed('delivered');
  await confirmPendingContribution(database, OWNER, { partnerId, transactionId }, 'known customer');
  const [newest, before] = await untilDeliveries(
    database,
    partnerId,
    (all) => all.length === 2 && all[0]?.status === 'delivered',
  );
  assert.equal(before?.deliveryId, between);
  const { deliveries } = await listed('');
  assert.deepEqual(
    deliveries.map(({ delivery_id }: { delivery_id: string }) => delivery_id),
    [newest?.deliveryId, between],
  );
  const { rows } = await pool.query('select confirmed_at from contribution where partner_id = $1 and transaction_id = $2', [
    ...[partnerId, transactionId],
  ]);
  const [{ event_id: eventId, occurred_at }] = deliveries;
  assert.equal(timeOfId('evt', eventId), rows[0].confirmed_at.getTime());
  assert.equal(occurred_at, rows[0].confirmed_at.toISOString());
});

test('a delivery of an event about a contribution has its order; one of another event, and a test, have none', async () => {
  const { partnerId, client, path, listed, read } = await openEndpoint();
  const { contribution } = (await client.confirm()).body;
  const names = [contribution.transaction_id, contribution.partner_order_ref];
  await closeThrough(service, await getOpen(database, partnerId));
  assert.equal((await operator.post(`${path}/test`)).status, 200);
  await untilDeliveries(database, partnerId, (all) => all.length === 4 && all.every(({ status }) => status === 'delivered'));
  const { deliveries } = await listed('');
  type Listed = { delivery_id: string; event_type: string; transaction_id: string | null; partner_order_ref: string | null };
  const namesOf = (type: string) => {
    const of = deliveries.find(({ event_type }: Listed) => event_type === type) as Listed;
    return [of.transaction_id, of.partner_order_ref];
  };
  assert.deepEqual(namesOf('impact.transaction.confirmed'), names);
  assert.deepEqual(namesOf('settlement.closed'), [null, null]);
  assert.deepEqual(namesOf('webhook.endpoint.test'), [null, null]);
  const { delivery_id } = deliveries.find(({ transaction_id }: Listed) => transaction_id !== null);
  const { delivery } = await read(`/deliveries/${delivery_id}`);
  assert.deepEqual([delivery.transaction_id, delivery.partner_order_ref], names);
  const again = await operator.postOnce(`${V1}/partners/${partnerId}/deliveries/${delivery_id}/resend`, undefined);
  assert.deepEqual([again.body.transaction_id, again.body.partner_order_ref], names);
});

test('a delivery has the time at which its event occurred, what it is about, and the bytes that were sent', async () => {
  const { partnerId, receiver, confirmed, listed, read } = await openEndpoint();
  await confirmed('delivered');
  const deliveryId = await confirmed('delivered');
  const sent = receiver.arrived.at(-1);
  // As an earlier release left it for a contribution that an operator confirmed a day after its recording, whose time the id has.
  const [{ event_id: eventId }] = (await listed('')).deliveries;
  const [{ occurred_at }] = (
    await pool.query(
      `update event set occurred_at = date_trunc('milliseconds', now()) + interval '1 day', body_values = null, packed_body = $3
       where partner_id = $1 and event_id = $2 returning occurred_at`,
      [partnerId, eventId, packBody(sent?.body as Buffer)],
    )
  ).rows;
  const [newest] = (await listed('')).deliveries;
  assert.deepEqual([newest.delivery_id, newest.occurred_at], [deliveryId, occurred_at.toISOString()]);
  const detail = await read(`/deliveries/${deliveryId}`);
  assert.equal(detail.body, String(sent?.body));
  assert.equal(detail.subject_id, sent?.event.data.contribution.transaction_id);
  assert.equal(detail.delivery.occurred_at, occurred_at.toISOString());
});
