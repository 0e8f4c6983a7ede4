/** How attempts are recorded: whatever is said twice, or late, counts once (decisions, section 7, Delivery). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { recordAttempts } from '../../src/store/webhooks/attempt.ts';
import { listDeliveryAttempts } from '../../src/store/webhooks/attempt-log.ts';
import { type ClaimedDelivery, claimDeliveries } from '../../src/store/webhooks/delivery.ts';
import { listWebhookEndpoints } from '../../src/store/webhooks/webhook-endpoint.ts';
import { settleAttempts } from '../../src/webhooks/delivery/settle-attempts.ts';
import { getDelivery, resend } from '../../src/webhooks/endpoints/manage-delivery.ts';
import { disableEndpoint, enableEndpoint } from '../../src/webhooks/endpoints/manage-endpoint.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { connect } from '../support/postgres/connect.ts';
import { testService, testServiceProcesses } from '../support/service.ts';
import { endpointTools, newEndpoint, untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const tools = endpointTools(database);

const ALWAYS = new Date(0);

test('an attempt that the database does not take is written down when it does, and not sent again', HANG_LIMIT, async () => {
  const own = await testServiceProcesses(1, { ...WEBHOOK_ENV, LOG_LEVEL: 'error' });
  const { client: caller, partner, receiver } = await newEndpoint(own, endpointTools(own.database));
  await own.database.pool.query('alter table delivery_attempt rename column excerpt to elsewhere');
  await caller.confirm();
  await waitFor('line about the attempt', () => own.processes[0]?.output().includes('the service tries again'));
  await own.database.pool.query('alter table delivery_attempt rename column elsewhere to excerpt');
  const [delivery] = await untilDeliveries(own.database, partner.partnerId, ([first]) => first?.status === 'delivered');
  const log = await listDeliveryAttempts(own.database.pool, partner.partnerId, delivery?.deliveryId as string);
  assert.deepEqual([delivery?.attempts, log.map(({ status }) => status), receiver.arrived.length], [1, [200], 1]);
});

/** A delivery with so many attempts left, and what came of one that failed. Nobody else sends it. */
async function claimFailing(attemptsLeft: number, of: Parameters<typeof newEndpoint>[0] = service) {
  const { client: caller, partner, endpointId } = await newEndpoint(of, tools);
  const { partnerId } = partner;
  await caller.confirm();
  await untilDeliveries(database, partnerId, ([first]) => first?.status === 'delivered');
  await disableEndpoint(database, OWNER, { partnerId, endpointId }, 'Only the test sends.');
  await database.pool.query(
    "update delivery set status = 'waiting', attempts_left = $2, next_attempt_at = now() - interval '1 second' where partner_id = $1",
    [partnerId, attemptsLeft],
  );
  const claim = { limit: 1, leaseMs: 60_000 };
  const { deliveries } = await claimDeliveries(database.pool, { partnerId, endpointId, dueFrom: ALWAYS }, claim);
  const [claimed] = deliveries as [ClaimedDelivery];
  const at = new Date();
  const outcome = { status: 500, errorClass: null, excerpt: null, isSuccess: false } as const;
  return { partnerId, claimed, at, failure: { claimed, startedAt: at, endedAt: at, milliseconds: 1, ...outcome } };
}

test('an attempt that is written down twice counts once', async () => {
  const { partnerId, claimed, at, failure } = await claimFailing(2);
  for (let times = 0; times < 2; times++) await recordAttempts(database.pool, partnerId, [{ ...failure, nextAttemptAt: at }]);
  const { status, attempts, attemptsLeft, log } = await getDelivery(database, partnerId, claimed.deliveryId);
  assert.deepEqual([status, attempts, attemptsLeft, log.length], ['held', 2, 1, 2]);
});

test('a failure that is written down again counts once for the endpoint, and what an older one says again takes nothing back', async () => {
  const { partnerId, claimed, at, failure } = await claimFailing(2);
  const failed = [{ ...failure, nextAttemptAt: at }];
  const success = { claimed: { ...claimed, lease: claimed.lease - 1n }, status: 200, isSuccess: true, nextAttemptAt: undefined };
  const { pool } = database;
  const failuresInRow = async () => (await listWebhookEndpoints(pool, partnerId))[0]?.failuresInRow;
  await settleAttempts(database, partnerId, failed);
  for (let times = 0; times < 2; times++) await settleAttempts(database, partnerId, failed);
  assert.equal(await failuresInRow(), 1);
  // Its first attempt was a success, and is in the log.
  await settleAttempts(database, partnerId, [{ ...failure, ...success }]);
  assert.equal(await failuresInRow(), 1);
});

// On a cluster each batch is one partner's.
const onOneServer = { ...HANG_LIMIT, skip: database.isDistributed };

/** Waits until so many sessions wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  await waitFor(`number of ${count} sessions that wait for a lock`, async () => {
    const { rows } = await database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length >= count;
  });
}

test('the endpoints of several partners are locked by partner, as by statements over all of them', onOneServer, async () => {
  const older = await service.newPartner();
  const younger = await claimFailing(2);
  const first = await claimFailing(2, { database, newPartner: async () => older });
  assert.ok(first.partnerId < younger.partnerId && first.claimed.endpointId > younger.claimed.endpointId);
  const holder = await connect(service.databaseUrl);
  const lock = 'select from endpoint_health where partner_id = $1 for update nowait';
  await holder.query('begin');
  await holder.query(lock, [first.partnerId]);
  const failed = [younger, first].map(({ failure, at }) => ({ ...failure, nextAttemptAt: at }));
  const settled = settleAttempts(database, undefined, failed);
  await untilWaiting(1);
  await holder.query(lock, [younger.partnerId]);
  await holder.query('rollback');
  assert.deepEqual(
    (await settled).map(({ endpointId }) => endpointId),
    [first.claimed.endpointId, younger.claimed.endpointId],
  );
});

test('a 410 that is written down again still disables the endpoint', async () => {
  const { partnerId, failure } = await claimFailing(2);
  const gone = [{ ...failure, status: 410, nextAttemptAt: undefined }];
  // Nobody knows whether the first time took effect, and its disabling did not.
  await recordAttempts(database.pool, partnerId, gone);
  await database.pool.query("update webhook_endpoint set status = 'active' where partner_id = $1", [partnerId]);
  await attestRecord(database, OWNER, { kind: 'webhook_endpoint', id: failure.claimed.endpointId, reason: 'not disabled yet' });
  const [standing] = await settleAttempts(database, partnerId, gone);
  assert.deepEqual([standing?.isPaused, standing?.disabledFor], [true, 'The receiver answered 410 Gone.']);
});

test('attempts that are written down again, after those that disabled their endpoint, say so again; later ones do not', async () => {
  const { partnerId, failure } = await claimFailing(2);
  const gone = [{ ...failure, status: 410, nextAttemptAt: undefined }];
  await database.pool.query("update webhook_endpoint set status = 'active' where partner_id = $1", [partnerId]);
  await attestRecord(database, OWNER, { kind: 'webhook_endpoint', id: failure.claimed.endpointId, reason: 'not disabled yet' });
  const disabledFor = async (attempts: typeof gone) => (await settleAttempts(database, partnerId, attempts))[0]?.disabledFor;
  assert.equal(await disabledFor(gone), 'The receiver answered 410 Gone.');
  // Nobody was told of the first time where the answer to its COMMIT is lost.
  assert.equal(await disabledFor(gone), 'The receiver answered 410 Gone.');
  const { claimed } = failure;
  const later = gone.map((attempt) => ({ ...attempt, claimed: { ...claimed, lease: claimed.lease + 1n } }));
  assert.equal(await disabledFor(later), undefined);
  await disableEndpoint(database, OWNER, { partnerId, endpointId: claimed.endpointId }, 'An operator disabled it.');
  assert.equal(await disabledFor(gone), undefined);
});

/** A failure with which its endpoint has failed ten times in six days. */
async function lastFailure() {
  const failing = await claimFailing(2);
  const { partnerId, claimed, failure, at } = failing;
  await database.pool.query("update webhook_endpoint set status = 'active' where partner_id = $1", [partnerId]);
  await attestRecord(database, OWNER, { kind: 'webhook_endpoint', id: claimed.endpointId, reason: 'not disabled yet' });
  await database.pool.query(
    "update endpoint_health set failures_in_row = 9, failing_since = now() - interval '6 days' where partner_id = $1",
    [partnerId],
  );
  const statusNow = async () => (await listWebhookEndpoints(database.pool, partnerId))[0]?.status;
  return { ...failing, failed: [{ ...failure, nextAttemptAt: at }], statusNow };
}

/** A transaction of the test that holds a row of the partner. */
async function hold(table: 'webhook_endpoint' | 'endpoint_health', partnerId: string) {
  const holder = await connect(service.databaseUrl);
  await holder.query('begin');
  await holder.query(`select from ${table} where partner_id = $1 for update`, [partnerId]);
  return holder;
}

test('ten failures in five days disable an endpoint', async () => {
  const { partnerId, failed, statusNow } = await lastFailure();
  const [outcome] = await settleAttempts(database, partnerId, failed);
  assert.deepEqual([outcome?.disabledFor, await statusNow()], ['No attempt succeeded within five days.', 'disabled']);
});

test('a success that is written down before the endpoint is disabled for its failures keeps it active', onOneServer, async () => {
  const { partnerId, claimed, failure, failed, statusNow } = await lastFailure();
  const holder = await hold('webhook_endpoint', partnerId);
  const settled = settleAttempts(database, partnerId, failed);
  await untilWaiting(1);
  // Of another process, which claimed the delivery next.
  const success = { claimed: { ...claimed, lease: claimed.lease + 1n }, status: 200, isSuccess: true, nextAttemptAt: undefined };
  await database.pool.query('update delivery set lease = lease + 1 where delivery_id = $1', [claimed.deliveryId]);
  await settleAttempts(database, partnerId, [{ ...failure, ...success }]);
  await holder.query('rollback');
  const [outcome] = await settled;
  assert.deepEqual([outcome?.disabledFor, await statusNow()], [undefined, 'active']);
});

test('an endpoint that is enabled before it is disabled for its failures stays active', onOneServer, async () => {
  const { partnerId, claimed, failed, statusNow } = await lastFailure();
  const holder = await hold('endpoint_health', partnerId);
  const settled = settleAttempts(database, partnerId, failed);
  await untilWaiting(1);
  const enabled = enableEndpoint(database, OWNER, { partnerId, endpointId: claimed.endpointId });
  await untilWaiting(2);
  await holder.query('rollback');
  const [[outcome]] = await Promise.all([settled, enabled]);
  assert.deepEqual([outcome?.disabledFor, await statusNow()], [undefined, 'active']);
});

test('sent again by hand while its last attempt is under way: that is logged, and decides nothing', async () => {
  const { partnerId, claimed, failure } = await claimFailing(1);
  await resend(database, OWNER, { partnerId, deliveryId: claimed.deliveryId });
  await recordAttempts(database.pool, partnerId, [{ ...failure, nextAttemptAt: undefined }]);
  const { status, attemptsLeft, log } = await getDelivery(database, partnerId, claimed.deliveryId);
  assert.deepEqual([status, attemptsLeft > 1, log.length], ['held', true, 2]);
});
