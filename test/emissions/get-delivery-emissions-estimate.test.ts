/** getDeliveryEmissionsEstimate: interface, section of that name, and "Estimate status". */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGetDeliveryEmissionsEstimate } from '../../src/operations/emissions/get-delivery-emissions-estimate.ts';
import { openDatabase } from '../../src/store/database.ts';
import { endEstimateEarly } from '../../src/store/sandbox/early-estimate-end.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation } from '../support/client.ts';
import { insertEstimateAged, insertLink } from '../support/records.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { client, partner } = await service.newPartner();
const other = await service.newPartner();
const OF_PARTNER = { partnerId: partner.partnerId, partnerOrderRef: 'order-aged' };

test('200: the estimate as it was made, with its association', async () => {
  const { estimate } = (await client.estimate()).body;
  const answer = await client.getEstimate(estimate.calculation_id);
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body.estimate, estimate);
  assert.deepEqual(answer.body.association, { status: 'not_requested' });
  assert.deepEqual(Object.keys(answer.body.request), ['correlation_id']);
});

test('200: a linked estimate shows its link', async () => {
  const fields = newConfirmation();
  const { calculation_id } = (await client.estimate({ partner_order_ref: fields.partner_order_ref })).body.estimate;
  const confirmed = await client.confirm({ ...fields, calculation_id });
  assert.deepEqual((await client.getEstimate(calculation_id)).body.association, confirmed.body.association);
});

test('estimate_not_found: unknown, of another partner, and ill formed are one and the same answer', async () => {
  const { calculation_id } = (await client.estimate()).body.estimate;
  const answers = await Promise.all(
    ['calc_unknown-1', calculation_id, 'short', 'x'.repeat(129), '%D8%B4'].map((id) =>
      other.client.call(`/v1/emissions/estimates/${id}`, { headers: { 'x-correlation-id': 'corr-same-answer' } }),
    ),
  );
  for (const answer of answers) {
    assert.equal(answer.status, 404);
    assert.equal(answer.text, answers[0]?.text);
  }
  assertError(answers[0], 'estimate_not_found');
  assert.equal(answers[0]?.body.error.retryable, false);
});

test('estimate_expired: 410 once 24 hours have passed without association; an old one is expired, never unknown', async () => {
  for (const age of ['24 hours 10 milliseconds', '2 years']) {
    const answer = await client.getEstimate(await insertEstimateAged(service.database, { ...OF_PARTNER, age: age }));
    assertError(answer, 'estimate_expired');
  }
  assert.equal(
    (await client.getEstimate(await insertEstimateAged(service.database, { ...OF_PARTNER, age: '23 hours 59 minutes' }))).status,
    200,
  );
});

test('the arrival of a request decides, however long it waited in the service', async () => {
  const { calculation_id: calculationId } = (await client.estimate()).body.estimate;
  const { partnerId } = partner;
  const look = createGetDeliveryEmissionsEstimate(service.database, { concurrency: 1, isOfOneShare: false });
  const lookup = (agoMs: number) => look({ partnerId, calculationId, arrivedAtMs: performance.now() - agoMs });
  await endEstimateEarly(service.database.pool, { partnerId, calculationId }, 60);
  const waited = lookup(3_600_000);
  const late = lookup(30_000);
  assert.equal((await waited).estimate.calculationId, calculationId);
  await assert.rejects(late, { code: 'estimate_expired' });
});

test('the time for which a request waits for a connection does not count for the expiry', HANG_LIMIT, async () => {
  const { calculation_id: calculationId } = (await client.estimate()).body.estimate;
  const { partnerId } = partner;
  const { databaseUrl } = service;
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  after(() => database.close());
  // Whatever the speed of the machine, the wait does not end before the connection is free.
  database.pool.options.connectionTimeoutMillis = 0;
  const held = await database.pool.connect();
  const look = createGetDeliveryEmissionsEstimate(database, { concurrency: 1, isOfOneShare: false });
  const looking = look({ partnerId, calculationId, arrivedAtMs: performance.now() });
  await waitFor('the wait for a connection', () => database.pool.waitingCount === 1);
  await sleep(1_000);
  await endEstimateEarly(service.database.pool, { partnerId, calculationId }, 0);
  await sleep(10);
  held.release();
  assert.equal((await looking).estimate.calculationId, calculationId);
});

test('a linked estimate no longer expires, and its expires_at stays as it was computed', async () => {
  const { transaction_id } = (await client.confirm()).body.contribution;
  const calculation_id = await insertEstimateAged(service.database, { ...OF_PARTNER, age: '2 years' });
  await insertLink(service.database.pool, partner.partnerId, { transactionId: transaction_id, calculationId: calculation_id });
  const answer = await client.getEstimate(calculation_id);
  assert.equal(answer.status, 200);
  assert.ok(Date.parse(answer.body.estimate.expires_at) < Date.now());
  assert.equal(answer.body.association.status, 'associated');
});
