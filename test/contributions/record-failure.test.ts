/** Two operators record a never-stored event as failed: decisions, sections 1 and 4. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { approveFailure, draftFailure, rejectFailure } from '../../src/operations/contributions/record-failure.ts';
import { listFailureDrafts } from '../../src/store/contributions/failure-draft.ts';
import { enrolled, OWNER, signedIn } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { type Answer, detailCodes, newConfirmation, uniqueId } from '../support/client.ts';
import { document, listMisfits } from '../support/published.ts';
import { countRows, untilSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database } = service;
const { client, partner } = await service.newPartner();
const { partnerId } = partner;
const [operator, approver] = await enrolled(database, 'operator', 'approver');

/** An event whose order another contribution holds, so that it can never be confirmed. */
async function newStranded() {
  const fields = newConfirmation();
  await client.confirm({ partner_order_ref: fields.partner_order_ref });
  const headers = { 'idempotency-key': uniqueId('key') };
  const confirm = (): Promise<Answer> => client.confirm(fields, headers);
  const refused = await confirm();
  assertError(refused, 'partner_order_conflict');
  const event = {
    partnerId,
    partnerEventId: fields.partner_event_id,
    partnerOrderRef: fields.partner_order_ref,
    points: BigInt(fields.points),
    reason: 'the order was contributed to twice',
  };
  return { fields, event, confirm, headers };
}

async function recordFailed() {
  const stranded = await newStranded();
  const { failureId } = await draftFailure(database, operator, stranded.event);
  const { record } = await approveFailure(database, approver, { partnerId, failureId });
  return { ...stranded, record, failureId, transactionId: record.contribution.transactionId };
}

describe('approved', () => {
  test('look-ups give it with status failed, and only now the points may be restored', async () => {
    const { fields, transactionId, record } = await recordFailed();
    for (const found of [await client.findByEvent(fields.partner_event_id), await client.get(transactionId)]) {
      assert.equal(found.status, 200);
      const { status, non_refundable, points, confirmed_at, failed_at, created_at } = found.body.contribution;
      assert.deepEqual([status, non_refundable, points, confirmed_at, failed_at], ['failed', false, 250n, null, created_at]);
      assert.deepEqual(found.body.association, { status: 'not_requested' });
    }
    assert.equal(record.firstStatus, 'failed');
  });

  test('contribution_final_failure: the confirmation of the event, whenever it comes and under whatever key', async () => {
    const { confirm, fields, transactionId } = await recordFailed();
    const { calculation_id } = (await client.estimate({ partner_order_ref: fields.partner_order_ref })).body.estimate;
    for (const answer of [
      await confirm(),
      await confirm(),
      await client.confirm(fields),
      await client.confirm({ ...fields, calculation_id }),
    ]) {
      assertError(answer, 'contribution_final_failure');
      assert.equal(answer.headers.get('idempotent-replayed'), 'true');
      assert.deepEqual(detailCodes(answer), {
        point_restoration: 'authorized',
        next_action: 'restore_points',
        transaction_id: transactionId,
      });
    }
  });

  test('partner_event_conflict: a confirmation that says something else of the event authorises nothing', async () => {
    const { fields, transactionId } = await recordFailed();
    for (const other of [{ points: 251 }, { partner_order_ref: uniqueId('order') }]) {
      const answer = await client.confirm({ ...fields, ...other });
      assertError(answer, 'partner_event_conflict');
      const { point_restoration, partner_event_id, transaction_id } = detailCodes(answer);
      assert.deepEqual([point_restoration, partner_event_id, transaction_id], ['not_authorized', 'other_payload', transactionId]);
    }
  });

  test('its answer binds no key: the key is free for another event', async () => {
    const { headers } = await recordFailed();
    assert.equal((await client.confirm({}, headers)).status, 201);
  });

  test('it frees its order, and takes no association', async () => {
    const { fields, event } = await newStranded();
    const { partner_order_ref } = newConfirmation();
    const { failureId } = await draftFailure(database, operator, { ...event, partnerOrderRef: partner_order_ref });
    const { record } = await approveFailure(database, approver, { partnerId, failureId });
    assert.equal((await client.confirm({ partner_order_ref })).status, 201);
    const { calculation_id } = (await client.estimate({ partner_order_ref: fields.partner_order_ref })).body.estimate;
    const answer = await client.associate(record.contribution.transactionId, calculation_id);
    assertError(answer, 'contribution_final_failure');
  });

  test('impact.transaction.adjusted, failed: as the document says, once', async () => {
    const made = await service.newPartner();
    const never = { ...newStrangerOf(made.partner.partnerId), reason: 'never arrived' };
    const { failureId } = await draftFailure(database, operator, never);
    await approveFailure(database, approver, { partnerId: made.partner.partnerId, failureId });
    await untilSequenced(database, made.partner.partnerId, 2);
    const [event, ...more] = (await made.client.listEvents('?after_sequence=1')).body.events;
    const { contribution } = (await made.client.findByEvent(never.partnerEventId)).body;
    assert.equal(event.event_type, 'impact.transaction.adjusted');
    assert.deepEqual(event.data, { change: 'failed', point_restoration_authorized: true, contribution });
    assert.equal(more.length, 0);
    const { schema } = document.webhooks['impact.transaction.adjusted'].post.requestBody.content['application/json'];
    assert.equal(listMisfits(schema, JSON.parse((await made.client.getEvent(event.event_id)).text).event), '');
  });

  test('draft and approval are audited, each with who did it', async () => {
    const { failureId } = await recordFailed();
    const { rows } = await database.pool.query(
      'select action, operator_id from audit_entry where subject_id = $1 order by entry_no',
      [failureId],
    );
    assert.deepEqual(rows, [
      { action: 'failure.draft', operator_id: operator.operatorId },
      { action: 'failure.approve', operator_id: approver.operatorId },
    ]);
  });
});

function newStrangerOf(id: string) {
  return { partnerId: id, partnerEventId: uniqueId('event'), partnerOrderRef: uniqueId('order'), points: 5n };
}

describe('refused, and nothing is stored', () => {
  const never = () => ({ ...newStrangerOf(partnerId), reason: 'never arrived' });

  async function assertNothingStored(work: () => Promise<unknown>, refusal: object): Promise<void> {
    const before = await countRows(database, partnerId);
    await assert.rejects(work, refusal);
    assert.deepEqual(await countRows(database, partnerId), before);
  }

  test('one operator is not two', async () => {
    const { failureId } = await draftFailure(database, approver, never());
    await assertNothingStored(() => approveFailure(database, approver, { partnerId, failureId }), { code: 'forbidden' });
    const [draft] = await listFailureDrafts(database.pool, partnerId, { limit: 1 });
    assert.equal(draft?.status, 'drafted');
  });

  test('the owner of the machine is neither of the two', async () => {
    await assertNothingStored(() => draftFailure(database, OWNER, never()), { code: 'forbidden' });
    const { failureId } = await draftFailure(database, operator, never());
    await assertNothingStored(() => approveFailure(database, OWNER, { partnerId, failureId }), { code: 'forbidden' });
  });

  test('a viewer drafts nothing, and an operator approves nothing', async () => {
    await assertNothingStored(() => draftFailure(database, signedIn('viewer'), never()), { code: 'forbidden' });
    const { failureId } = await draftFailure(database, operator, never());
    await assertNothingStored(() => approveFailure(database, signedIn('operator'), { partnerId, failureId }), {
      code: 'forbidden',
    });
  });

  test('an event that is stored, in whichever status', async () => {
    const { fields } = await recordFailed();
    const { partner_event_id: confirmed } = (await client.confirm()).body.contribution;
    for (const partnerEventId of [confirmed, fields.partner_event_id])
      await assertNothingStored(
        () => draftFailure(database, operator, { ...never(), partnerEventId }),
        /is already stored as txn_/,
      );
  });

  test('an event that was stored after it was drafted', async () => {
    const event = never();
    const { failureId } = await draftFailure(database, operator, event);
    assert.equal((await client.confirm({ partner_event_id: event.partnerEventId })).status, 201);
    await assertNothingStored(() => approveFailure(database, approver, { partnerId, failureId }), /is already stored/);
    assert.equal((await rejectFailure(database, operator, { partnerId, failureId })).status, 'rejected');
  });

  test('a second draft of one event, one that was decided, and one of another partner', async () => {
    const event = never();
    const { failureId } = await draftFailure(database, operator, event);
    await assertNothingStored(() => draftFailure(database, approver, event), /has an open draft/);
    await rejectFailure(database, approver, { partnerId, failureId });
    await assertNothingStored(() => approveFailure(database, approver, { partnerId, failureId }), /is rejected, which is final/);
    await draftFailure(database, operator, event);
    const other = { partnerId: (await service.newPartner()).partner.partnerId, failureId };
    await assert.rejects(approveFailure(database, approver, other), { status: 404 });
  });

  test('a draft that the owner of the machine rejects: it takes nobody else, as that of an adjustment', async () => {
    const { failureId } = await draftFailure(database, operator, never());
    const { status, decidedBy } = await rejectFailure(database, OWNER, { partnerId, failureId });
    assert.deepEqual([status, decidedBy], ['rejected', OWNER.operatorId]);
  });

  test('what is no event: all problems at once', async () => {
    const ill = { ...never(), partnerEventId: 'short', partnerOrderRef: 'a b', points: 0n };
    await assert.rejects(draftFailure(database, operator, ill), (error: { details: { field: string }[] }) => {
      assert.deepEqual(
        error.details.map(({ field }) => field),
        ['partner_event_id', 'partner_order_ref', 'points'],
      );
      return true;
    });
  });
});

test('an approval and twenty confirmations of the event at once: one record, and every answer speaks of it', async () => {
  for (let round = 0; round < 5; round++) {
    const fields = newConfirmation();
    const event = { partnerEventId: fields.partner_event_id, partnerOrderRef: fields.partner_order_ref, points: 250n };
    const { failureId } = await draftFailure(database, operator, { partnerId, ...event, reason: 'race' });
    const confirmations = Array.from({ length: 20 }, () => client.confirm(fields));
    const [approval] = await Promise.allSettled([approveFailure(database, approver, { partnerId, failureId })]);
    const answers = await Promise.all(confirmations);
    const { contribution } = (await client.findByEvent(fields.partner_event_id)).body;
    assert.equal(contribution.status, approval?.status === 'fulfilled' ? 'failed' : 'confirmed');
    const allowed = contribution.status === 'failed' ? [422] : [201, 409];
    for (const { status, text } of answers) assert.ok(allowed.includes(status), text);
    assert.equal(answers.filter(({ status }) => status === 201).length, contribution.status === 'failed' ? 0 : 1);
  }
});
