/** getContributionById: interface, section of that name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detailCodes } from '../support/client.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { client } = await service.newPartner();
const other = await service.newPartner();

test('200: the same as by the event', async () => {
  const { body } = await client.confirm();
  const { transaction_id, partner_event_id } = body.contribution;
  const [byId, byEvent] = [await client.get(transaction_id), await client.findByEvent(partner_event_id)];
  assert.equal(byId.status, 200);
  assert.deepEqual(byId.body.contribution, byEvent.body.contribution);
});

test('contribution_not_found: unknown, of another partner, and ill formed are one and the same answer', async () => {
  const { transaction_id } = (await client.confirm()).body.contribution;
  const ids = [
    'txn_01KAHV5B8R2N4Q6S8V0X2Z4C6E',
    transaction_id,
    'short',
    'x'.repeat(129),
    'with%20blank',
    '%D8%B4',
    'a%2Fb%2Fc%2Fd%2Fe',
    '%00%00%00%00%00%00%00%00',
  ];
  const answers = await Promise.all(
    ids.map((id) => other.client.call(`/v1/impact-transactions/${id}`, { headers: { 'x-correlation-id': 'corr-same-answer' } })),
  );
  for (const answer of answers) {
    assert.equal(answer.status, 404);
    assert.equal(answer.text, answers[0]?.text);
  }
  assert.deepEqual(detailCodes(answers[0] as never), { point_restoration: 'not_authorized', next_action: 'retry_same_request' });
});

test('invalid_request: a query is refused', async () => {
  const { transaction_id } = (await client.confirm()).body.contribution;
  assert.equal((await client.get(`${transaction_id}?expand=link`)).status, 400);
});
