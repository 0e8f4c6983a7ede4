/**
 * The first attempt of a delivery that was handed over: a success stands in the delivery itself, once, and only while the lease holds
 * (decisions, section 7, Delivery).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Attempt, recordAttempts, recordSuccesses } from '../../src/store/webhooks/attempt.ts';
import { listDeliveryAttempts } from '../../src/store/webhooks/attempt-log.ts';
import type { ClaimedDelivery } from '../../src/store/webhooks/delivery.ts';
import { listDeliveries } from '../../src/store/webhooks/delivery-log.ts';
import type { Handed } from '../../src/webhooks/delivery/hand-over-intake.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { relayTools } from '../support/relay.ts';
import { handOverScene } from '../support/webhooks/hand-over-scene.ts';

const { administrator, database, openSession, newPartner, tell, relay, handOne, endLeases, claimElsewhere } =
  await handOverScene();

/** What the receiver of a delivery that was handed over has answered. */
function successOf(handed: Handed | undefined): Attempt {
  const { claimed } = handed as Handed;
  const at = new Date();
  const answer = { milliseconds: 3, status: 200, errorClass: null, excerpt: 'noted', isSuccess: true } as const;
  return { claimed, startedAt: at, endedAt: at, nextAttemptAt: undefined, ...answer };
}

async function countBlocked(): Promise<number> {
  const { rows } = await administrator.query(
    "select count(*)::int4 as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows[0].n;
}

describe('a process that was handed a delivery', HANG_LIMIT, () => {
  test('records a first success once, however often it says so', async () => {
    const { endpoint, handed } = await handOne();
    const success = successOf(handed[0]);
    const { deliveryId } = success.claimed;
    await recordSuccesses(database.pool, [success]);
    await administrator.query('update endpoint_health set failures_in_row = 3 where endpoint_id = $1', [endpoint.endpointId]);
    await recordSuccesses(database.pool, [success]);
    // A batch with failures is recorded in another way.
    const isNew = await recordAttempts(database.pool, undefined, [success]);
    const { rows } = await administrator.query(
      `select failures_in_row as failures, (select count(*)::int4 from delivery_attempt where delivery_id = $2) as "attemptRows"
      from endpoint_health where endpoint_id = $1`,
      [endpoint.endpointId, deliveryId],
    );
    // A success of before does not end the failures since.
    assert.deepEqual(rows, [{ failures: 3, attemptRows: 0 }]);
    const [delivery] = await listDeliveries(database.pool, endpoint.partnerId, { limit: 1 });
    const log = await listDeliveryAttempts(database.pool, endpoint.partnerId, deliveryId);
    assert.deepEqual([delivery?.status, delivery?.attempts, isNew(success)], ['delivered', 1, false]);
    assert.deepEqual(
      log.map(({ number, trigger, status, excerpt }) => [number, trigger, status, excerpt]),
      [[1n, 'event', 200, 'noted']],
    );
    await endLeases(endpoint.partnerId);
    assert.deepEqual(await claimElsewhere(endpoint), []);
  });

  test('has its first success after the lease has gone to another: it is logged, and changes nothing', async () => {
    const { endpoint, handed } = await handOne();
    await endLeases(endpoint.partnerId);
    assert.equal((await claimElsewhere(endpoint)).length, 1);
    const late = successOf(handed[0]);
    await recordSuccesses(database.pool, [late]);
    const [delivery] = await listDeliveries(database.pool, endpoint.partnerId, { limit: 1 });
    const log = await listDeliveryAttempts(database.pool, endpoint.partnerId, late.claimed.deliveryId);
    assert.deepEqual([delivery?.status, delivery?.attempts, log.map(({ number }) => number)], ['waiting', 0, [1n]]);
  });

  test('has its first success while another transaction ends the lease: it is logged, and another claims the delivery', async () => {
    const { endpoint, handed } = await handOne();
    const success = successOf(handed[0]);
    const { deliveryId } = success.claimed;
    const other = await database.pool.connect();
    await other.query('begin');
    await other.query(`update delivery set status = 'waiting', next_attempt_at = now() where delivery_id = $1`, [deliveryId]);
    const recording = recordSuccesses(database.pool, [success]);
    await waitFor('recording that waits', async () => (await countBlocked()) > 0);
    await other.query('commit');
    other.release();
    await recording;
    const log = await listDeliveryAttempts(database.pool, endpoint.partnerId, deliveryId);
    const claims = await claimElsewhere(endpoint);
    assert.deepEqual([log.map(({ number }) => number), claims.map(({ lease }) => lease)], [[1n], [2n]]);
  });

  test('has a first success: failures of its endpoint end, and those of no other', async () => {
    const endpoints = [await newPartner(), await newPartner()];
    await administrator.query(
      'update endpoint_health set failures_in_row = 3, failing_since = now(), breaker_trips = 1 where endpoint_id = any ($1)',
      [endpoints.map(({ endpointId }) => endpointId)],
    );
    const [failing] = endpoints as [(typeof endpoints)[0]];
    await tell(failing.partnerId);
    const { tools } = relayTools(10);
    await relay(await openSession(), tools);
    const [claimed] = await claimElsewhere(failing);
    const answer = { milliseconds: 3, status: 200, errorClass: null, excerpt: null, isSuccess: true, nextAttemptAt: undefined };
    const at = new Date();
    await recordSuccesses(database.pool, [{ claimed: claimed as ClaimedDelivery, startedAt: at, endedAt: at, ...answer }]);
    const { rows } = await administrator.query(
      'select failures_in_row as failures, failing_since is null as ended from endpoint_health where endpoint_id = any ($1) order by 1',
      [endpoints.map(({ endpointId }) => endpointId)],
    );
    assert.deepEqual(rows, [
      { failures: 0, ended: true },
      { failures: 3, ended: false },
    ]);
  });
});

test('a first attempt that was recorded twice at once is shown once', async () => {
  const { partnerId, endpointId } = await newPartner();
  const deliveryId = 'dlv_twice.x';
  await administrator.query(
    `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts, attempts_left, lease,
      next_attempt_at, created_at, ended_at, first_started_at, first_milliseconds, first_status)
    values ($1, $3, $2, 'evt_twice', 1, 'settlement.created', 'event', 'handed_over', 1, 0, 1, now(), now(), now(), now(), 5, 200)`,
    [partnerId, endpointId, deliveryId],
  );
  await administrator.query(
    `insert into delivery_attempt (partner_id, delivery_id, number, endpoint_id, trigger, started_at, milliseconds, status)
    select $1, $3, number, $2, 'event', now(), 5, 200 from generate_series(1, 2) number`,
    [partnerId, endpointId, deliveryId],
  );
  const attempts = await listDeliveryAttempts(database.pool, partnerId, deliveryId);
  assert.deepEqual(
    attempts.map(({ number }) => number),
    [1n, 2n],
  );
});
