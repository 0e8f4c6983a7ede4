/** getDeliveryEmissionsEstimate: interface, section of that name, and "Estimate status". */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConfirmation } from './support/client.ts';
import { insertEstimateAged } from './support/records.ts';
import { testService } from './support/service.ts';

const service = await testService();
const { client, partner } = await service.newPartner();
const other = await service.newPartner();

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
  assert.equal(answers[0]?.body.error.code, 'estimate_not_found');
  assert.equal(answers[0]?.body.error.retryable, false);
});

test('estimate_expired: 410 once 24 hours have passed without association; an old one is expired, never unknown', async () => {
  for (const age of ['24 hours', '2 years']) {
    const answer = await client.getEstimate(await insertEstimateAged(service.database, partner.partnerId, 'order-aged', age));
    assert.deepEqual([answer.status, answer.body.error.code, answer.body.error.retryable], [410, 'estimate_expired', false]);
  }
  assert.equal(
    (await client.getEstimate(await insertEstimateAged(service.database, partner.partnerId, 'order-aged', '23 hours 59 minutes')))
      .status,
    200,
  );
});

test('a linked estimate no longer expires, and its expires_at stays as it was computed', async () => {
  const fields = newConfirmation();
  const calculation_id = await insertEstimateAged(
    service.database,
    partner.partnerId,
    fields.partner_order_ref,
    '23 hours 59 minutes',
  );
  await client.confirm({ ...fields, calculation_id });
  await service.database.pool.query('alter table estimate disable trigger estimate_is_immutable');
  await service.database.pool.query("update estimate set expires_at = expires_at - interval '1 hour' where calculation_id = $1", [
    calculation_id,
  ]);
  await service.database.pool.query('alter table estimate enable trigger estimate_is_immutable');
  const answer = await client.getEstimate(calculation_id);
  assert.equal(answer.status, 200);
  assert.ok(Date.parse(answer.body.estimate.expires_at) < Date.now());
});
