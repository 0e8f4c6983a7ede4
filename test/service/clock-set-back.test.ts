/**
 * After the clock of the database was far ahead for a time and was set back: what began meanwhile does not last until that time comes
 * again (decisions, section 7, Delivery; decision 0051).
 */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createOperator } from '../../src/operations/access/manage-operator.ts';
import { openChallenge } from '../../src/operations/access/passkey-challenge.ts';
import { authenticateOperator, signIn } from '../../src/operations/access/sign-in.ts';
import { UNCOUNTED } from '../../src/operations/quotas/storage-usage.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { keepCompletingReconciliations } from '../../src/schedule/complete-reconciliations.ts';
import { expirePending } from '../../src/schedule/jobs/expire-pending.ts';
import { registerJobs } from '../../src/schedule/run-job.ts';
import { claimJob, insertJob, listDueJobs } from '../../src/store/jobs/job.ts';
import { claimKeyedAnswer } from '../../src/store/keyed-answer.ts';
import { NodeReader } from '../../src/store/node-reader.ts';
import { insertReconciliation } from '../../src/store/reconciliations/reconciliation.ts';
import { countRefusal } from '../../src/store/sandbox/rehearsal.ts';
import { endHandOver, listEndedHandOvers } from '../../src/store/webhooks/hand-over.ts';
import { endFarWaits } from '../../src/webhooks/delivery/end-far-waits.ts';
import { reopenDue } from '../../src/webhooks/delivery/healing.ts';
import { openWebhooks } from '../../src/webhooks/start-webhooks.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { Authenticator } from '../support/console/authenticator.ts';
import { OperatorClient, PASSWORD, signedInOperator } from '../support/operator-client.ts';
import { insertPendingAged } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { closeNow, openFirst } from '../support/settlements.ts';
import { endpointTools, newEndpoint, untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const { pool } = database;
const tools = endpointTools(database);

/** A partner with a delivery that failed, and is attempted again in so long. */
async function withFailed(wait: string) {
  const made = await newEndpoint(service, tools);
  const { partnerId } = made.partner;
  made.receiver.putOff();
  await made.client.confirm();
  await untilDeliveries(database, partnerId, ([delivery]) => delivery?.attempts === 1);
  await pool.query(`update delivery set next_attempt_at = now() + interval '${wait}' where partner_id = $1`, [partnerId]);
  made.receiver.answerWith(200);
  return { ...made, partnerId };
}

describe('a delivery that a clock which was ahead put off for a year', HANG_LIMIT, () => {
  test('is sent, and the circuit of its endpoint is no longer open', async () => {
    const { partnerId, receiver } = await withFailed('1 year');
    await pool.query(
      "update endpoint_health set breaker_trips = 1, breaker_open_until = now() + interval '1 year', due_from = now() + interval '1 year' where partner_id = $1",
      [partnerId],
    );
    // As a process does at its start, and every minute.
    const { clock, secretBox } = tools;
    const onEach = () => {};
    const webhooks = openWebhooks({
      database,
      environment: 'sandbox',
      secretBox,
      allowInsecure: true,
      clock,
      onAttempt: onEach,
      onDisabled: onEach,
      onError: onEach,
    });
    after(() => webhooks.close());
    const { rows } = await waitFor('the end of a wait', async () => {
      const found = await pool.query(
        `select 1 from delivery d join endpoint_health h using (partner_id, endpoint_id) where d.partner_id = $1 and d.attempts = 1
          and d.next_attempt_at between now() + interval '30 seconds' and now() + interval '1 minute' and h.breaker_open_until is null`,
        [partnerId],
      );
      return found.rows.length > 0 && found;
    });
    assert.deepEqual([rows.length, receiver.arrived.length], [1, 1], 'a process that may be sending it has the time of a lease');
    await pool.query('update delivery set next_attempt_at = now() where partner_id = $1', [partnerId]);
    await reopenDue(database, new NodeReader(database));
    await untilDeliveries(database, partnerId, ([delivery]) => delivery?.status === 'delivered');
    assert.equal(receiver.arrived.length, 2);
  });

  test('and one that a receiver put off for a day keeps its time', async () => {
    const { partnerId } = await withFailed('24 hours');
    await pool.query("update endpoint_health set breaker_open_until = now() + interval '10 minutes' where partner_id = $1", [
      partnerId,
    ]);
    const read = async () =>
      (
        await pool.query(
          `select d.next_attempt_at, h.breaker_open_until from delivery d join endpoint_health h using (partner_id, endpoint_id)
          where d.partner_id = $1 and d.attempts = 1`,
          [partnerId],
        )
      ).rows;
    const before = await read();
    await endFarWaits(database, new NodeReader(database));
    assert.deepEqual(await read(), before);
  });

  test('stays with a process that claims it while another one ends waits', async () => {
    const { partnerId } = await withFailed('1 year');
    const claiming = await pool.connect();
    await claiming.query('begin');
    const claim = "update delivery set lease = lease + 1, next_attempt_at = now() + interval '50 seconds' where partner_id = $1";
    await claiming.query(`${claim} and attempts = 1`, [partnerId]);
    const ending = endFarWaits(database, new NodeReader(database));
    const waits =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'transactionid'";
    await waitFor('the end of waits at the claimed row', async () => (await pool.query(waits)).rowCount !== 0);
    await claiming.query('commit');
    claiming.release();
    await ending;
    const { rows } = await pool.query(
      "select next_attempt_at < now() + interval '50 seconds' as is_kept from delivery where partner_id = $1 and attempts = 1",
      [partnerId],
    );
    assert.deepEqual(rows, [{ is_kept: true }]);
  });

  test('that its process did not send before it died is due', async () => {
    const { partnerId } = (await service.newPartner()).partner;
    const handOver = { handOverId: 'far', partnerIds: [partnerId], firstSequences: ['1'], lastSequences: ['1'] };
    await pool.query(
      "insert into delivery_hand_over values (now() + interval '1 year', $1, $2, '{1}', '{1}'), (now() + interval '1 minute', 'near', $2, '{1}', '{1}')",
      [handOver.handOverId, [partnerId]],
    );
    await endFarWaits(database, new NodeReader(database));
    const beginning = { leaseEndsAt: new Date(0), handOverId: '' };
    // Its process may live: it has the time of a lease.
    assert.deepEqual(await listEndedHandOvers(pool, beginning, 10), []);
    await pool.query(
      "update delivery_hand_over set lease_ends_at = lease_ends_at - interval '61 seconds' where hand_over_id = 'far'",
    );
    const ended = await listEndedHandOvers(pool, beginning, 10);
    assert.deepEqual(
      ended.map(({ handOverId }) => handOverId),
      ['far'],
    );
    for (const each of ended) await endHandOver(pool, each);
  });
});

test('a job whose process died while the clock was ahead runs again', HANG_LIMIT, async () => {
  const claim = (jobName: string) => claimJob(pool, { jobName, leaseMs: 60_000, trigger: 'schedule' });
  for (const [jobName, lease] of [
    ['far', '1 year'],
    ['near', '1 minute'],
  ] as const) {
    await insertJob(pool, { jobName, pattern: '0 * * * *', dueAt: new Date(0) });
    assert.ok(await claim(jobName));
    await pool.query(`update job set lease_until = now() + interval '${lease}' where job_name = $1`, [jobName]);
  }
  await registerJobs(database, []);
  // A process that lives renews its lease meanwhile.
  assert.deepEqual((await listDueJobs(pool)).jobNames, []);
  await pool.query("update job set lease_until = lease_until - interval '61 seconds' where job_name = 'far'");
  assert.deepEqual((await listDueJobs(pool)).jobNames, ['far']);
  assert.deepEqual([(await claim('far'))?.runNo, await claim('near')], [2n, undefined]);
});

test('a list whose process died while the clock was ahead ends, and lets the next one begin', HANG_LIMIT, async () => {
  const { partner } = await service.newPartner();
  const { partnerId } = partner;
  await openFirst(database, partner);
  const { settlementId } = (await closeNow(database, partnerId)).closed;
  const begin = (reconciliationId: string) => {
    const uploadedBy = reconciliationId === 'rec_compared' ? OWNER.operatorId : null;
    return insertReconciliation(pool, {
      partnerId,
      reconciliationId,
      settlementId,
      idempotencyKey: reconciliationId,
      format: 'csv',
      uploadedBy,
    });
  };
  const isShort = "lease_until < now() + interval '2 minutes'";
  const isNow = async (condition: string) => {
    const { rows } = await pool.query(`select count(*) from reconciliation where partner_id = $1 and ${condition}`, [partnerId]);
    return rows[0].count === 2n;
  };
  const untilReconciled = async (what: string, condition: string) => {
    const close = keepCompletingReconciliations(database, UNCOUNTED, (error) => assert.fail(error as Error));
    await waitFor(what, () => isNow(condition));
    await close();
  };
  assert.ok((await begin('rec_received')) && (await begin('rec_compared')));
  await pool.query("update reconciliation set status = 'comparing' where reconciliation_id = 'rec_compared'");
  await pool.query("update reconciliation set lease_until = lease_until + interval '1 year' where partner_id = $1", [partnerId]);
  // Its process may live, and renews the lease meanwhile.
  await untilReconciled('the shorter leases', `${isShort} and ended_at is null`);
  await pool.query("update reconciliation set lease_until = lease_until - interval '61 seconds' where partner_id = $1", [
    partnerId,
  ]);
  await untilReconciled('the ends', "(reconciliation_id, status) in (('rec_received', 'failed'), ('rec_compared', 'done'))");
  assert.ok(await begin('rec_next'));
});

test('a request whose process died while the clock was ahead is done by the next one with its key', HANG_LIMIT, async () => {
  const { partnerId: callerId } = (await service.newPartner()).partner;
  const request = { callerId, idempotencyKey: 'clock-was-ahead', operation: 'sendSampleEvent', fingerprint: Buffer.alloc(32) };
  const claim = (claimId: string) => claimKeyedAnswer(pool, request, { leftAfterSeconds: 60, claimId });
  assert.equal(await claim('first'), 'first');
  await pool.query("update keyed_answer set claimed_at = claimed_at + interval '1 year' where partner_id = $1", [callerId]);
  // Its process may live, and renews the claim meanwhile.
  assert.equal(await claim('second'), undefined);
  await pool.query("update keyed_answer set claimed_at = claimed_at - interval '61 seconds' where partner_id = $1", [callerId]);
  assert.equal(await claim('third'), 'first');
  assert.equal(await claim('fourth'), undefined);
});

test('a session that was opened while the clock was ahead is over', HANG_LIMIT, async () => {
  const statusAfter = async (ahead: string) => {
    const person = await signedInOperator(service, 'viewer');
    await pool.query(
      `update operator_credential set created_at = created_at + $2::interval, expires_at = expires_at + $2::interval
      where operator_id = $1 and kind = 'session'`,
      [person.operatorId, ahead],
    );
    await attestRecord(database, OWNER, { kind: 'operator', id: person.operatorId, reason: 'a clock that was ahead' });
    return (await person.get('/operator/v1/session')).status;
  };
  assert.deepEqual([await statusAfter('1 minute'), await statusAfter('1 year')], [200, 401]);
});

test('a code and a token that were made while the clock was ahead are over', HANG_LIMIT, async () => {
  const newCode = async () => {
    const email = `${uniqueId('person')}@example.org`;
    const { operator, signInCode } = await createOperator(database, OWNER, { name: 'Somebody', email, role: 'viewer' });
    return { operatorId: operator.operatorId, signInCode };
  };
  const move = async (operatorId: string, ahead: string) => {
    const text = `update operator_credential set created_at = created_at + $2::interval, expires_at = expires_at + $2::interval
      where operator_id = $1 and ended_at is null`;
    assert.equal((await pool.query(text, [operatorId, ahead])).rowCount, 1);
    await attestRecord(database, OWNER, { kind: 'operator', id: operatorId, reason: 'a clock that was ahead' });
  };
  const far = await newCode();
  await move(far.operatorId, '1 year');
  await assert.rejects(signIn(database, far.signInCode), { code: 'unauthorized' });
  const { operatorId, signInCode } = await newCode();
  await move(operatorId, '1 minute');
  const { token } = await signIn(database, signInCode);
  await move(operatorId, '1 minute');
  assert.equal((await authenticateOperator(database, token)).operator.operatorId, operatorId);
  await move(operatorId, '1 year');
  await assert.rejects(authenticateOperator(database, token), { code: 'unauthorized' });
});

test('reviews keep the time of their opening where the clock falls back for minutes', HANG_LIMIT, async () => {
  const { partnerId } = (await service.newPartner()).partner;
  const transactionId = await insertPendingAged(database, { partnerId, partnerOrderRef: uniqueId('order'), age: '-5 minutes' });
  const read = async () => {
    const text =
      'select opened_at from contribution_review where partner_id = $1 and transaction_id = $2 and resolved_at is null';
    return (await pool.query(text, [partnerId, transactionId])).rows;
  };
  const before = await read();
  assert.equal(before.length, 1);
  const signal = AbortSignal.timeout(60_000);
  const counts = await expirePending({ hours: 72 }).run({ database, signal, actor: OWNER, alert: assert.fail, isByHand: false });
  assert.deepEqual(counts, { failed: 0, decided: 0, busy: 0 });
  assert.deepEqual(await read(), before);
});

test('a rehearsed refusal of a clock that was ahead refuses its key no longer than usual', HANG_LIMIT, async () => {
  const { partnerId } = (await service.newPartner()).partner;
  const rehearsal = {
    partnerId,
    idempotencyKey: 'clock-was-ahead',
    operation: 'confirmContribution',
    scenario: 'TEST-503',
    correlationId: 'corr_of_a_test',
  } as const;
  const isRefused = () => countRefusal(pool, rehearsal, { times: 1, waitSeconds: 60 });
  assert.ok(await isRefused());
  const move = (ahead: string) =>
    pool.query('update sandbox_rehearsal set last_at = now() + $2::interval where partner_id = $1', [partnerId, ahead]);
  await move('30 seconds');
  assert.ok(await isRefused());
  await move('1 year');
  assert.equal(await isRefused(), false);
});

test('a session that was used while the clock was ahead is over', HANG_LIMIT, async () => {
  const statusAfter = async (ahead: string) => {
    const person = await signedInOperator(service, 'viewer');
    const text = "update operator_credential set last_used_at = now() + $2::interval where operator_id = $1 and kind = 'session'";
    assert.equal((await pool.query(text, [person.operatorId, ahead])).rowCount, 1);
    return (await person.get('/operator/v1/session')).status;
  };
  assert.deepEqual([await statusAfter('1 minute'), await statusAfter('1 year')], [200, 401]);
});

test('a token that was used while the clock was ahead works on until its end', HANG_LIMIT, async () => {
  const email = `${uniqueId('person')}@example.org`;
  const { operator, signInCode } = await createOperator(database, OWNER, { name: 'Somebody', email, role: 'viewer' });
  const { token } = await signIn(database, signInCode);
  const text =
    "update operator_credential set last_used_at = now() + interval '1 year' where operator_id = $1 and kind = 'token'";
  assert.equal((await pool.query(text, [operator.operatorId])).rowCount, 1);
  assert.equal((await authenticateOperator(database, token)).operator.operatorId, operator.operatorId);
});

test('a passkey that was used while the clock was ahead answers the challenges of now', HANG_LIMIT, async () => {
  const origin = `http://localhost:${service.operationsPort}`;
  const authenticator = new Authenticator(origin);
  const person = await signedInOperator(service, 'viewer');
  const ask = async (client: OperatorClient, path: string) =>
    (await client.post(`/operator/v1/session/${path}/begin`, undefined, { origin })).body;
  const { challenge, options_json } = await ask(person, 'passkeys');
  const added = { name: 'A telephone', challenge, response_json: authenticator.create(options_json) };
  assert.equal((await person.post('/operator/v1/session/passkeys', added, { origin })).status, 200);
  const statusAfter = async (aheadMs: number) => {
    const text = "update operator_credential set last_step = last_step + $2 where operator_id = $1 and kind = 'passkey'";
    assert.equal((await pool.query(text, [person.operatorId, aheadMs])).rowCount, 1);
    const client = new OperatorClient(service.operationsPort);
    const begun = await ask(client, 'passkey');
    const given = { challenge: begun.challenge, response_json: authenticator.get(begun.options_json) };
    const { status } = await client.post('/operator/v1/session/passkey', given, { origin });
    const again = await client.post('/operator/v1/session/passkey', given, { origin });
    return [status, again.status];
  };
  const yearMs = 365 * 24 * 3_600_000;
  assert.deepEqual(await statusAfter(yearMs), [200, 401]);
  assert.deepEqual(await statusAfter(60_000), [401, 401]);
});

test('a challenge that was made while the clock was ahead is not answered once that time comes', HANG_LIMIT, async () => {
  const openAfter = (aheadMs: number) => {
    const sealed = JSON.stringify({ challenge: 'c', atMs: Date.now() + aheadMs });
    return openChallenge(pool, (text) => text, sealed);
  };
  assert.equal((await openAfter(60_000)).challenge, 'c');
  await assert.rejects(openAfter(11 * 60_000), { code: 'invalid_request' });
});

test('wrong passwords that were given while the clock was ahead keep nobody out until that time comes', HANG_LIMIT, async () => {
  const person = await signedInOperator(service, 'viewer');
  const statusAfter = async (ahead: string) => {
    const text =
      "update operator_credential set attempts = 9, attempted_at = now() + $2::interval where operator_id = $1 and kind = 'password'";
    assert.equal((await pool.query(text, [person.operatorId, ahead])).rowCount, 1);
    const client = new OperatorClient(service.operationsPort);
    return (await client.post('/operator/v1/session', { login: person.email, password: PASSWORD })).status;
  };
  assert.deepEqual([await statusAfter('30 seconds'), await statusAfter('1 year')], [429, 200]);
});
