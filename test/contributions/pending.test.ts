/** Pending and failed: interface, "States and transitions"; decisions, section 4. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import {
  confirmPendingContribution,
  failPendingContribution,
} from '../../src/operations/contributions/resolve-pending-contribution.ts';
import { signedIn } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { detailCodes, newConfirmation, type TestEvent, uniqueId } from '../support/client.ts';
import { insertEstimateAged, insertPendingAged } from '../support/records.ts';
import { testService } from '../support/service.ts';

const service = await testService({ rulesOf: () => ({ ...DEFAULT_RULES, reviewsEverything: true }) });
const { client, partner } = await service.newPartner();
const { database } = service;
const operator = signedIn('operator');

/** A pending contribution, and how to resolve it. */
async function newPending(fields: object = {}, headers: Record<string, string> = {}) {
  const confirmation = { ...newConfirmation(), ...fields };
  const answer = await client.confirm(confirmation, headers);
  const { transaction_id: transactionId } = answer.body.contribution;
  const pending = { partnerId: partner.partnerId, transactionId };
  return {
    confirmation,
    answer,
    transactionId,
    confirm: () => confirmPendingContribution(database, operator, pending, 'recognised'),
    fail: () => failPendingContribution(database, operator, pending, 'not recognised'),
  };
}

describe('pending', () => {
  test('202: nothing about it looks like a permission to restore points', async () => {
    const { answer, transactionId } = await newPending();
    assert.equal(answer.status, 202);
    const { status, non_refundable, confirmed_at, failed_at } = answer.body.contribution;
    assert.deepEqual([status, non_refundable, confirmed_at, failed_at], ['pending', true, null, null]);
    assert.equal(answer.headers.get('location'), `/v1/impact-transactions/${transactionId}`);
    const found = await client.get(transactionId);
    assert.deepEqual([found.status, found.body.contribution.status], [200, 'pending']);
  });

  test('a replay shows the present state: 202 while pending, 201 once confirmed', async () => {
    const headers = { 'idempotency-key': uniqueId('key') };
    const { confirmation, confirm } = await newPending({}, headers);
    const before = await client.confirm(confirmation, headers);
    assert.deepEqual([before.status, before.headers.get('idempotent-replayed')], [202, 'true']);
    await confirm();
    const after = await client.confirm(confirmation, headers);
    assert.deepEqual([after.status, after.body.contribution.status], [201, 'confirmed']);
    assert.ok(after.body.contribution.confirmed_at >= after.body.contribution.created_at);
  });

  test('contribution_pending: another event for its order is told to wait, with Retry-After', async () => {
    const { confirmation, transactionId } = await newPending();
    const answer = await client.confirm({ ...confirmation, partner_event_id: uniqueId('event') });
    assertError(answer, 'contribution_pending');
    assert.equal(answer.headers.get('retry-after'), '300');
    assert.deepEqual(detailCodes(answer), {
      point_restoration: 'not_authorized',
      next_action: 'wait',
      transaction_id: transactionId,
    });
  });

  test('contribution_pending: an association waits', async () => {
    const { confirmation, transactionId } = await newPending();
    const { calculation_id } = (await client.estimate({ partner_order_ref: confirmation.partner_order_ref })).body.estimate;
    const answer = await client.associate(transactionId, calculation_id);
    assertError(answer, 'contribution_pending');
  });
});

describe('failed', () => {
  test('contribution_final_failure: each replay is 422 and authorises the restoration, once per partner_event_id', async () => {
    const headers = { 'idempotency-key': uniqueId('key') };
    const { confirmation, transactionId, fail } = await newPending({}, headers);
    await fail();
    const answer = await client.confirm(confirmation, headers);
    assertError(answer, 'contribution_final_failure');
    assert.equal(answer.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(detailCodes(answer), {
      point_restoration: 'authorized',
      next_action: 'restore_points',
      transaction_id: transactionId,
    });
    const { message, details } = answer.body.error;
    for (const text of [message, ...details.slice(0, 2).map((detail: { message: string }) => detail.message)])
      assert.match(text, /partner_event_id/);
  });

  test('it stays readable, and only now non_refundable is false', async () => {
    const { confirmation, transactionId, fail } = await newPending();
    await fail();
    const found = await client.findByEvent(confirmation.partner_event_id);
    const { status, non_refundable, failed_at, confirmed_at, transaction_id } = found.body.contribution;
    assert.deepEqual(
      [found.status, status, non_refundable, confirmed_at, transaction_id],
      [200, 'failed', false, null, transactionId],
    );
    assert.ok(failed_at);
  });

  test('it has freed its order, and its event stays taken', async () => {
    const { confirmation, fail } = await newPending();
    await fail();
    const sameEvent = await client.confirm({ ...confirmation, partner_order_ref: uniqueId('order') });
    assertError(sameEvent, 'partner_event_conflict');
    assert.equal((await client.confirm({ ...confirmation, partner_event_id: uniqueId('event') })).status, 202);
  });

  test('contribution_final_failure: it takes no association', async () => {
    const { confirmation, transactionId, fail } = await newPending();
    await fail();
    const { calculation_id } = (await client.estimate({ partner_order_ref: confirmation.partner_order_ref })).body.estimate;
    const answer = await client.associate(transactionId, calculation_id);
    assertError(answer, 'contribution_final_failure');
    assert.deepEqual(detailCodes(answer), {
      point_restoration: 'authorized',
      next_action: 'restore_points',
      transaction_id: transactionId,
    });
  });
});

describe('the estimate of a pending contribution', () => {
  test('is shown as rejected while pending, and linked by the confirmation', async () => {
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    const headers = { 'idempotency-key': uniqueId('key') };
    const { confirmation, answer, transactionId, confirm } = await newPending({ calculation_id, partner_order_ref }, headers);
    assert.equal(answer.body.association.rejection.code, 'contribution_pending');
    assert.equal(answer.body.association.rejection.calculation_id, calculation_id);
    await confirm();
    const { association } = (await client.get(transactionId)).body;
    assert.deepEqual([association.status, association.link.calculation_id], ['associated', calculation_id]);
    assert.deepEqual((await client.confirm(confirmation, headers)).body.association, association);
  });

  test('is not said to be linked later, once the contribution has failed', async () => {
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    const { transactionId, fail } = await newPending({ calculation_id, partner_order_ref });
    const rejectionOf = async () => (await client.get(transactionId)).body.association.rejection;
    assert.match((await rejectionOf()).message, /wait until it is confirmed/);
    await fail();
    const { message, ...rejection } = await rejectionOf();
    assert.deepEqual(rejection, { code: 'contribution_pending', calculation_id });
    assert.equal(message, 'The contribution failed permanently before the estimate was linked, so it has no link and gets none.');
  });

  test('is decided at the creation of the contribution: it may have expired since', async () => {
    const of = { partnerId: partner.partnerId, partnerOrderRef: uniqueId('order') };
    const calculationId = await insertEstimateAged(database, { ...of, age: '26 hours' });
    const transactionId = await insertPendingAged(database, { ...of, age: '3 hours' }, calculationId);
    await confirmPendingContribution(database, operator, { partnerId: partner.partnerId, transactionId }, 'recognised');
    assert.equal((await client.get(transactionId)).body.association.status, 'associated');
  });

  test('that had expired at the creation of the contribution stays rejected', async () => {
    const of = { partnerId: partner.partnerId, partnerOrderRef: uniqueId('order') };
    const calculationId = await insertEstimateAged(database, { ...of, age: '26 hours' });
    const transactionId = await insertPendingAged(database, { ...of, age: '1 hour' }, calculationId);
    await confirmPendingContribution(database, operator, { partnerId: partner.partnerId, transactionId }, 'recognised');
    assert.equal((await client.get(transactionId)).body.association.rejection.code, 'estimate_expired');
  });

  test('that was linked elsewhere meanwhile stays rejected, and the contribution is confirmed all the same', async () => {
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    const first = await newPending({ calculation_id, partner_order_ref });
    await first.fail();
    const [second, third] = [await newPending({ calculation_id, partner_order_ref }), await newPending({ calculation_id })];
    await second.confirm();
    await third.confirm();
    const { contribution, association } = (await client.get(third.transactionId)).body;
    assert.deepEqual([contribution.status, association.rejection.code], ['confirmed', 'association_conflict']);
  });
});

describe('transitions (interface: confirmed and failed are terminal)', () => {
  test('two operators at once: one resolves, the other is told that it is final', async () => {
    const { confirm, fail, transactionId } = await newPending();
    const outcomes = await Promise.allSettled([confirm(), fail(), confirm(), fail()]);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    const { status } = (await client.get(transactionId)).body.contribution;
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.match(outcome.reason.message, new RegExp(`is ${status}, which is final`));
    }
  });

  test('a contribution that does not exist cannot be resolved', async () => {
    const unknown = { partnerId: partner.partnerId, transactionId: 'txn_unknown-1' };
    await assert.rejects(confirmPendingContribution(database, operator, unknown, 'x'), /There is no contribution txn_unknown-1/);
  });
});

describe('events', () => {
  async function eventsOf(transactionId: string) {
    return waitFor(`event of ${transactionId}`, async () => {
      const page = await client.listEvents('?limit=500');
      const events = page.body.events.filter(({ data }: TestEvent) => data.contribution?.transaction_id === transactionId);
      return events.length > 0 && (events as TestEvent[]);
    });
  }

  test('none while it is pending; impact.transaction.confirmed once it is confirmed, with the correlation id of its request', async () => {
    const { transactionId, confirm } = await newPending({}, { 'x-correlation-id': 'corr-of-the-request' });
    await confirm();
    const [event, ...more] = await eventsOf(transactionId);
    const now = await client.get(transactionId);
    assert.deepEqual([event?.event_type, event?.correlation_id], ['impact.transaction.confirmed', 'corr-of-the-request']);
    assert.deepEqual(event?.data, { contribution: now.body.contribution, association: now.body.association });
    assert.equal(more.length, 0);
  });

  test('impact.transaction.adjusted, failed: the one that lets points be restored', async () => {
    const { transactionId, fail } = await newPending();
    await fail();
    const [event, ...more] = await eventsOf(transactionId);
    const now = await client.get(transactionId);
    assert.equal(event?.event_type, 'impact.transaction.adjusted');
    assert.deepEqual(event?.data, {
      change: 'failed',
      point_restoration_authorized: true,
      contribution: now.body.contribution,
    });
    assert.equal(more.length, 0);
  });

  test('one, however many operators resolve it at once', async () => {
    const { transactionId, confirm, fail } = await newPending();
    const outcomes = await Promise.allSettled([confirm(), fail(), confirm(), fail()]);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal((await eventsOf(transactionId)).length, 1);
  });
});
