/** associateEmissionsEstimate: interface, section of that name; "An association failure never changes the contribution". */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { assertStoresNothing } from '../support/assertions/assert-stores-nothing.ts';
import { Client, countByStatus, detailCodes, newConfirmation, uniqueId } from '../support/client.ts';
import { countRows, insertEstimateAged } from '../support/records.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { client, partner } = await service.newPartner();
const other = await service.newPartner();

/** A confirmed contribution and an estimate for the same order. */
async function newPair() {
  const fields = newConfirmation();
  const contribution = (await client.confirm(fields)).body.contribution;
  const estimate = (await client.estimate({ partner_order_ref: fields.partner_order_ref })).body.estimate;
  return { contribution, estimate };
}

describe('201', () => {
  test('association, contribution_status and request', async () => {
    const { contribution, estimate } = await newPair();
    const headers = { 'idempotency-key': 'link-the-first', 'x-correlation-id': 'corr-of-link' };
    const answer = await client.associate(contribution.transaction_id, estimate.calculation_id, headers);
    assert.equal(answer.status, 201);
    assert.equal(answer.body.association.status, 'associated');
    assert.equal(answer.body.association.link.calculation_id, estimate.calculation_id);
    assert.equal(answer.body.association.link.transaction_id, contribution.transaction_id);
    assert.equal(answer.body.contribution_status, 'confirmed');
    assert.deepEqual(answer.body.request, { correlation_id: 'corr-of-link', idempotency_key: 'link-the-first' });
  });

  test('rejected becomes associated', async () => {
    const fields = newConfirmation();
    const { contribution, association } = (await client.confirm({ ...fields, calculation_id: 'calc_unknown-5' })).body;
    assert.equal(association.status, 'rejected');
    const { calculation_id } = (await client.estimate({ partner_order_ref: fields.partner_order_ref })).body.estimate;
    assert.equal((await client.associate(contribution.transaction_id, calculation_id)).status, 201);
    assert.equal((await client.get(contribution.transaction_id)).body.association.status, 'associated');
  });

  test('the contribution keeps every field', async () => {
    const { contribution, estimate } = await newPair();
    await client.associate(contribution.transaction_id, estimate.calculation_id);
    assert.deepEqual((await client.get(contribution.transaction_id)).body.contribution, contribution);
  });
});

describe('replay', () => {
  test('the same key and payload give the original link, marked as replayed', async () => {
    const { contribution, estimate } = await newPair();
    const headers = { 'idempotency-key': 'link-again' };
    const first = await client.associate(contribution.transaction_id, estimate.calculation_id, headers);
    const again = await client.associate(contribution.transaction_id, estimate.calculation_id, headers);
    assert.equal(again.status, 201);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(again.body.association, first.body.association);
  });

  test('idempotency_conflict: the same key for another contribution or another estimate', async () => {
    const [first, second] = [await newPair(), await newPair()];
    const headers = { 'idempotency-key': 'link-conflict' };
    await client.associate(first.contribution.transaction_id, first.estimate.calculation_id, headers);
    const otherPath = await client.associate(second.contribution.transaction_id, first.estimate.calculation_id, headers);
    const otherBody = await client.associate(first.contribution.transaction_id, second.estimate.calculation_id, headers);
    assertError(otherPath, 'idempotency_conflict');
    assertError(otherBody, 'idempotency_conflict');
  });

  test('it goes on while the partner is suspended, which links nothing new', async () => {
    const suspended = await service.newPartner();
    const newPair = async () => {
      const { partner_order_ref, transaction_id } = (await suspended.client.confirm()).body.contribution;
      const { calculation_id } = (await suspended.client.estimate({ partner_order_ref })).body.estimate;
      return [transaction_id, calculation_id] as const;
    };
    const [linked, free] = [await newPair(), await newPair()];
    const headers = { 'idempotency-key': 'link-before-suspension' };
    const first = await suspended.client.associate(...linked, headers);
    await suspendPartner(service.database, OWNER, suspended.partner.partnerId);
    // A second instance has not seen the key yet, so that no cache has to run out.
    const late = new Client((await testService({ env: { DATABASE_URL: service.databaseUrl } })).baseUrl, suspended.key.apiKey);
    const again = await late.associate(...linked, headers);
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true']);
    assert.deepEqual(again.body.association, first.body.association);
    assertError(await late.associate(...free, headers), 'idempotency_conflict');
    await assertStoresNothing(service.database, [suspended.partner.partnerId], async () => {
      assertError(await late.associate(...free), 'partner_suspended');
    });
  });

  test('one key: twenty at once give one original and nineteen replays', async () => {
    const { contribution, estimate } = await newPair();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        client.associate(contribution.transaction_id, estimate.calculation_id, { 'idempotency-key': 'link-race' }),
      ),
    );
    assert.deepEqual(countByStatus(answers), { 201: 20 });
    assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
    assert.equal(new Set(answers.map(({ body }) => body.association.link.association_id)).size, 1);
  });
});

describe('association_conflict: links are one to one, and for good', () => {
  test('the contribution has a link, whether by its confirmation or by a call', async () => {
    const { contribution, estimate } = await newPair();
    await client.associate(contribution.transaction_id, estimate.calculation_id);
    const second = (await client.estimate({ partner_order_ref: contribution.partner_order_ref })).body.estimate;
    const answer = await client.associate(contribution.transaction_id, second.calculation_id);
    assertError(answer, 'association_conflict');
    assert.deepEqual(detailCodes(answer), {
      point_restoration: 'not_authorized',
      next_action: 'use_existing',
      transaction_id: contribution.transaction_id,
    });
  });

  test('the same link under another key is a conflict too', async () => {
    const { contribution, estimate } = await newPair();
    await client.associate(contribution.transaction_id, estimate.calculation_id);
    assert.equal(
      (await client.associate(contribution.transaction_id, estimate.calculation_id)).body.error.code,
      'association_conflict',
    );
  });

  test("the estimate has a link: the answer names that link's contribution", async () => {
    const { contribution, estimate } = await newPair();
    await client.associate(contribution.transaction_id, estimate.calculation_id);
    const second = (await client.confirm()).body.contribution;
    const answer = await client.associate(second.transaction_id, estimate.calculation_id);
    assertError(answer, 'association_conflict');
    assert.equal(detailCodes(answer)['transaction_id'], contribution.transaction_id);
  });

  test('twenty estimates at once for one contribution: one link', async () => {
    const { contribution } = await newPair();
    const made = await Promise.all(
      Array.from({ length: 20 }, () => client.estimate({ partner_order_ref: contribution.partner_order_ref })),
    );
    const answers = await Promise.all(
      made.map(({ body }) => client.associate(contribution.transaction_id, body.estimate.calculation_id)),
    );
    assert.deepEqual(countByStatus(answers), { 201: 1, 409: 19 });
  });
});

describe('refusals leave the contribution as it is, without a link', () => {
  async function assertRefused(transactionId: string, calculationId: unknown, status: number, code: string, from = client) {
    const before = await countRows(service.database, partner.partnerId);
    const answer = await from.associate(transactionId, calculationId);
    assert.deepEqual([answer.status, answer.body.error.code], [status, code], answer.text);
    assert.deepEqual(await countRows(service.database, partner.partnerId), before);
    assert.equal(detailCodes(answer)['point_restoration'], 'not_authorized');
    return answer;
  }

  test("contribution_not_found: unknown, ill formed, or another partner's", async () => {
    const { contribution, estimate } = await newPair();
    await assertRefused('txn_unknown-1', estimate.calculation_id, 404, 'contribution_not_found');
    await assertRefused('short', estimate.calculation_id, 404, 'contribution_not_found');
    await assertRefused(contribution.transaction_id, estimate.calculation_id, 404, 'contribution_not_found', other.client);
  });

  test("estimate_not_found: unknown, or another partner's", async () => {
    const { contribution } = await newPair();
    const theirs = (await other.client.estimate()).body.estimate;
    await assertRefused(contribution.transaction_id, 'calc_unknown-1', 404, 'estimate_not_found');
    await assertRefused(contribution.transaction_id, theirs.calculation_id, 404, 'estimate_not_found');
  });

  test('estimate_expired', async () => {
    const { contribution } = await newPair();
    const expired = await insertEstimateAged(service.database, {
      partnerId: partner.partnerId,
      partnerOrderRef: contribution.partner_order_ref,
      age: '24 hours',
    });
    await assertRefused(contribution.transaction_id, expired, 410, 'estimate_expired');
  });

  test('calculation_mismatch: the estimate is of another order', async () => {
    const { contribution } = await newPair();
    const { calculation_id } = (await client.estimate()).body.estimate;
    await assertRefused(contribution.transaction_id, calculation_id, 422, 'calculation_mismatch');
  });

  test('expiry is decided before the order, as in decisions', async () => {
    const { contribution } = await newPair();
    const expired = await insertEstimateAged(service.database, {
      partnerId: partner.partnerId,
      partnerOrderRef: uniqueId('order'),
      age: '25 hours',
    });
    await assertRefused(contribution.transaction_id, expired, 410, 'estimate_expired');
  });

  for (const [title, calculation_id] of [
    ['missing', undefined],
    ['null', null],
    ['a number', 5],
    ['short', 'calc'],
    ['long', 'c'.repeat(129)],
  ] as const) {
    test(`invalid_request: a calculation_id that is ${title}`, async () => {
      const { contribution } = await newPair();
      await assertRefused(contribution.transaction_id, calculation_id, 400, 'invalid_request');
    });
  }
});
