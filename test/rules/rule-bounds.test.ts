/** The bounds of a partner's rule: interface, "Limits", points; decisions, section 1, invalid_point_amount and the order of checks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { detailCodes, newConfirmation, uniqueId } from '../support/client.ts';
import { countRows } from '../support/records.ts';
import { testService } from '../support/service.ts';

const bounds = { pointsMin: 10n, pointsMax: 1_000n };
const service = await testService({ rulesOf: () => ({ ...DEFAULT_RULES, ...bounds }) });
const { client, partner } = await service.newPartner();

for (const points of [10, 1_000]) {
  test(`201: ${points} points lie on a bound of 10 to 1000`, async () => {
    assert.equal((await client.confirm({ points })).status, 201);
  });
}

for (const points of [9, 1_001, 9_223_372_036_854_775_807n]) {
  test(`invalid_point_amount: ${points} points lie outside the bounds of 10 to 1000, and nothing is stored`, async () => {
    const before = await countRows(service.database, partner.partnerId);
    const answer = await client.confirm({ points });
    assertError(answer, 'invalid_point_amount');
    assert.equal(detailCodes(answer)['point_restoration'], 'not_authorized');
    assert.deepEqual(await countRows(service.database, partner.partnerId), before);
  });
}

test('replay: a stored confirmation replays although the bounds were lowered since', async () => {
  const confirmation = { ...newConfirmation(), points: 900 };
  const headers = { 'idempotency-key': uniqueId('key') };
  const original = await client.confirm(confirmation, headers);
  bounds.pointsMax = 500n;
  try {
    const replay = await client.confirm(confirmation, headers);
    assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [201, 'true']);
    assert.deepEqual(replay.body.contribution, original.body.contribution);
    const underAnotherKey = await client.confirm(confirmation);
    assertError(underAnotherKey, 'partner_event_conflict');
  } finally {
    bounds.pointsMax = 1_000n;
  }
});

test('a new event that several checks refuse: the suspension first, then the bounds, then the order', async () => {
  const held = newConfirmation();
  const suspended = await service.newPartner();
  for (const caller of [client, suspended.client]) assert.equal((await caller.confirm(held)).status, 201);
  await suspendPartner(service.database, OWNER, suspended.partner.partnerId);
  // The service has not seen this key yet, and so not remembered what is known of it.
  const { client: late } = await service.newPartner({ of: suspended.partner });
  const { partner_order_ref } = held;
  const refusals = [
    { caller: late, fields: { points: 9 }, code: 'partner_suspended', nextAction: 'wait' },
    { caller: late, fields: { partner_order_ref }, code: 'partner_suspended', nextAction: 'wait' },
    { caller: late, fields: { partner_order_ref, points: 9 }, code: 'partner_suspended', nextAction: 'wait' },
    { caller: client, fields: { partner_order_ref, points: 9 }, code: 'invalid_point_amount', nextAction: 'fix_request' },
    { caller: client, fields: { partner_order_ref }, code: 'partner_order_conflict', nextAction: 'contact_operator' },
  ] as const;
  for (const { caller, fields, code, nextAction } of refusals) {
    const answer = await caller.confirm(fields);
    assertError(answer, code);
    assert.equal(detailCodes(answer)['next_action'], nextAction);
  }
});
