/** A concurrent duplicate (decisions, section 3) waits for the other request, and delays no other. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { type Answer, countByStatus, newConfirmation } from '../support/client.ts';
import { BLOCKED_MS_MAX, endHolding, type HeldFields, holdContribution } from '../support/contributions/held-contribution.ts';
import { insertLink } from '../support/records.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { client, partner } = await service.newPartner();

const hold = (fields: HeldFields) => holdContribution(service.database, partner.partnerId, fields);

describe('while a transaction holds an event', () => {
  test('other requests are answered, those of the same batch too, and the blocked one when the transaction ends', {
    ...HANG_LIMIT,
  }, async () => {
    for (const isLast of [false, false, true]) if (await answersOthersMeanwhile(isLast)) return;
  });

  /** @returns Whether it took less time than the blocked one may wait: on a busy machine that may be answered first, which says nothing. */
  async function answersOthersMeanwhile(isLast: boolean): Promise<boolean> {
    const fields = newConfirmation();
    const session = await hold(fields);
    const answered: Answer[] = [];
    const sentAtMs = performance.now();
    const waiting = client.confirm(fields).then((answer) => answered.push(answer));
    const others = await Promise.all(Array.from({ length: 40 }, () => client.confirm()));
    const later = await Promise.all(Array.from({ length: 40 }, () => client.confirm()));
    assert.deepEqual(countByStatus([...others, ...later]), { 201: 80 });
    const meanwhile = [...answered];
    await endHolding(session, 'rollback');
    const isInTime = performance.now() - sentAtMs < BLOCKED_MS_MAX;
    await waiting;
    if (isInTime || isLast) assert.deepEqual([meanwhile, countByStatus(answered)], [[], { 201: 1 }]);
    return isInTime;
  }

  test('the blocked request is refused as a conflict once the transaction commits', async () => {
    const fields = newConfirmation();
    const session = await hold(fields);
    const waiting = client.confirm(fields);
    await client.confirm();
    await endHolding(session, 'commit');
    assertError(await waiting, 'partner_event_conflict');
  });

  test('an estimate that another transaction links meanwhile is linked once: the contribution is confirmed without it', async () => {
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    const { transaction_id } = (await client.confirm()).body.contribution;
    const session = await service.database.pool.connect();
    await session.query("begin; set local idle_in_transaction_session_timeout = '60s'");
    await insertLink(session, partner.partnerId, { transactionId: transaction_id, calculationId: calculation_id });
    const waiting = client.confirm({ partner_order_ref, calculation_id });
    await client.confirm();
    await endHolding(session, 'commit');
    const { status, body } = await waiting;
    assert.deepEqual(
      [status, body.association.status, body.association.rejection?.code],
      [201, 'rejected', 'association_conflict'],
    );
  });

  test('a request that waits too long is told that its outcome is unknown, and recovers later', async () => {
    const fields = newConfirmation();
    const headers = { 'idempotency-key': `key-${fields.partner_event_id}` };
    const session = await hold(fields);
    const answer = await client.confirm(fields, headers);
    assertError(answer, 'internal_service_unavailable');
    await endHolding(session, 'rollback');
    assert.equal((await client.findByEvent(fields.partner_event_id)).status, 404);
    assert.equal((await client.confirm(fields, headers)).status, 201);
  });
});
