/** Every code of the contract is reached, with its one status and its one `retryable`. Interface, "Errors". */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeErrorCode, ERROR_CODE_NAMES, type ErrorCode } from '../../src/domain/error-codes.ts';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { failPendingContribution } from '../../src/operations/contributions/resolve-pending-contribution.ts';
import { OWNER, signedIn } from '../support/actor.ts';
import { type Answer, Client, detailCodes, newConfirmation, uniqueId } from '../support/client.ts';
import { databaseProxy } from '../support/postgres/database-proxy.ts';
import { insertEstimateAged } from '../support/records.ts';
import { testService } from '../support/service.ts';

/** Partners whose contributions are reviewed. */
const reviewed = new Set<string>();
const service = await testService({ rulesOf: (partnerId) => ({ ...DEFAULT_RULES, reviewsEverything: reviewed.has(partnerId) }) });
const { client, partner, key } = await service.newPartner();
const pending = await service.newPartner();
reviewed.add(pending.partner.partnerId);

const SCENARIOS: Record<ErrorCode, () => Promise<Answer>> = {
  invalid_request: () => client.confirm({ partner_event_id: undefined }),
  invalid_point_amount: () => client.confirm({ points: 0 }),
  unsupported_vehicle: () => client.estimate({ vehicle_category: 'boat' }),
  invalid_distance: () => client.estimate({ distance_km: '0' }),
  unauthorized: () => new Client(service.baseUrl, '').confirm(),
  async forbidden() {
    return (await service.newPartner({ key: { permission: 'read_only' } })).client.confirm();
  },
  async partner_suspended() {
    const suspended = await service.newPartner();
    await suspendPartner(service.database, OWNER, suspended.partner.partnerId);
    return suspended.client.confirm();
  },
  contribution_not_found: () => client.findByEvent('event-of-nobody'),
  estimate_not_found: () => client.getEstimate('calc_unknown-1'),
  async idempotency_conflict() {
    await client.confirm({}, { 'idempotency-key': 'conflicting' });
    return client.confirm({}, { 'idempotency-key': 'conflicting' });
  },
  async partner_event_conflict() {
    const fields = newConfirmation();
    await client.confirm(fields);
    return client.confirm(fields);
  },
  async partner_order_conflict() {
    const { partner_order_ref } = newConfirmation();
    await client.confirm({ partner_order_ref });
    return client.confirm({ partner_order_ref });
  },
  async association_conflict() {
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    const { transaction_id } = (await client.confirm({ calculation_id, partner_order_ref })).body.contribution;
    return client.associate(transaction_id, calculation_id);
  },
  async contribution_pending() {
    const { partner_order_ref } = newConfirmation();
    await pending.client.confirm({ partner_order_ref });
    return pending.client.confirm({ partner_order_ref });
  },
  async estimate_expired() {
    return client.getEstimate(
      await insertEstimateAged(service.database, {
        partnerId: partner.partnerId,
        partnerOrderRef: 'order-aged',
        age: '25 hours',
      }),
    );
  },
  async calculation_mismatch() {
    const { calculation_id } = (await client.estimate()).body.estimate;
    return client.associate((await client.confirm()).body.contribution.transaction_id, calculation_id);
  },
  async contribution_final_failure() {
    const headers = { 'idempotency-key': uniqueId('key') };
    const fields = newConfirmation();
    const { transaction_id: transactionId } = (await pending.client.confirm(fields, headers)).body.contribution;
    const id = { partnerId: pending.partner.partnerId, transactionId };
    await failPendingContribution(service.database, signedIn('operator'), id, 'not recognised');
    return pending.client.confirm(fields, headers);
  },
  async rate_limited() {
    const { client: limited } = await service.newPartner({ rates: { writesPerSecond: 1 } });
    const answers = await Promise.all(Array.from({ length: 10 }, () => limited.confirm()));
    return answers.find(({ status }) => status === 429) as Answer;
  },
  async internal_service_unavailable() {
    const proxy = await databaseProxy(service.databaseUrl);
    const cut = await testService({ env: { DATABASE_URL: proxy.databaseUrl } });
    proxy.cut();
    return new Client(cut.baseUrl, key.apiKey).confirm();
  },
};

for (const code of ERROR_CODE_NAMES) {
  const { status, isRetryable, nextAction, retryAfterSeconds } = describeErrorCode(code);
  test(`${code}: ${status}, retryable ${isRetryable}`, async () => {
    const answer = await SCENARIOS[code]();
    assert.deepEqual(
      [answer.body.error.code, answer.status, answer.body.error.retryable],
      [code, status, isRetryable],
      answer.text,
    );
    assert.ok(answer.body.error.message.length > 20);
    assert.equal(answer.headers.get('retry-after') !== null, retryAfterSeconds !== undefined);
    const details = detailCodes(answer);
    if (details['point_restoration'])
      assert.equal(details['point_restoration'], code === 'contribution_final_failure' ? 'authorized' : 'not_authorized');
    if (details['next_action']) assert.equal(details['next_action'], nextAction);
  });
}

test('a failure of the service says nothing of its inside', async () => {
  const answer = await SCENARIOS.internal_service_unavailable();
  assert.doesNotMatch(answer.text, /postgres|socket|ECONN|select|insert/i);
});
