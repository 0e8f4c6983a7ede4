/** What each adjustment of a list changes of the settled amount, and who drafted it. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import { OWNER } from '../support/actor.ts';
import { newConfirmation } from '../support/client.ts';
import { type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { insertPrice } from '../support/rules.ts';
import { OPEN_RATES, testService } from '../support/service.ts';

const made: Partner[] = [];
const service = await testService({
  async prepare(database) {
    for (const name of ['Priced', 'Without a price'])
      made.push(await createPartner(database, OWNER, name, { ...OPEN_RATES, currency: 'SAR' }));
    const partnerId = made[0]?.partnerId as string;
    await insertPrice(database, 'point_conversion', { partnerId, label: 'value-1', starts: '-1 day', price: '0.0005' });
  },
});
const [priced, unpriced] = made as [Partner, Partner];
const V1 = '/operator/v1';

let operator: SignedInOperator;
before(async () => (operator = await signedInOperator(service, 'operator')));

async function draft(of: Partner, change: object): Promise<string> {
  const { client } = await service.newPartner({ of });
  const { contribution } = (await client.confirm({ ...newConfirmation(), points: 10_000 })).body;
  const { status, body, text } = await operator.postOnce(`${V1}/adjustments`, {
    partner_id: of.partnerId,
    transaction_id: contribution.transaction_id,
    reason_en: 'x',
    reason_ar: 'س',
    ...change,
  });
  assert.equal(status, 200, text);
  return body.adjustment.adjustment_id;
}

test('points at the value of their version, a restatement as stated, and nothing where points have no value', async () => {
  const ofPoints = await draft(priced, { reason_code: 'other', points_delta: '-45' });
  const restated = await draft(priced, { reason_code: 'conversion_restatement', amount_delta: '-1.5' });
  const without = await draft(unpriced, { reason_code: 'other', points_delta: '-45' });
  const { adjustments } = (await operator.get(`${V1}/adjustments`)).body;
  type Listed = { adjustment_id: string; amount: string | null; currency: string | null; drafted_by: string };
  const amountOf = (id: string) => {
    const { amount, currency } = adjustments.find(({ adjustment_id }: Listed) => adjustment_id === id) as Listed;
    return [amount, currency];
  };
  assert.deepEqual(amountOf(ofPoints), ['-0.0225', 'SAR']);
  assert.deepEqual(amountOf(restated), ['-1.5', 'SAR']);
  assert.deepEqual(amountOf(without), [null, null]);
  assert.ok(adjustments.every(({ drafted_by }: Listed) => drafted_by === operator.operatorId));
});

test('what is posted has the amount of its line, and a file of the list has it too', async () => {
  const id = await draft(priced, { reason_code: 'other', points_delta: '-2000' });
  const path = `${V1}/partners/${priced.partnerId}/adjustments/${id}`;
  const approver = await signedInOperator(service, 'approver');
  for (const step of ['approve', 'post']) assert.equal((await approver.postOnce(`${path}/${step}`, undefined)).status, 200);
  const { effect } = (await operator.get(path)).body;
  const { adjustments } = (await operator.get(`${V1}/adjustments?partner_id=${priced.partnerId}&status=posted`)).body;
  assert.deepEqual([adjustments.length, adjustments[0].amount], [1, '-1']);
  assert.equal(Number(effect.settled_amount_after) - Number(effect.settled_amount_before), -1);
  const { text } = await operator.get(`${V1}/adjustments.csv?partner_id=${priced.partnerId}&status=posted`);
  const [head = '', row = ''] = text.split('\n');
  assert.deepEqual(
    [head.split(',').slice(-2), row.split(',').slice(-2)],
    [
      ['amount', 'currency'],
      ['-1', 'SAR'],
    ],
  );
});
