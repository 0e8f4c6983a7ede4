/** What a partner of a sandbox asks for that operators and time do in production: decisions, section 8.3. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Actor } from '../../src/domain/access/role.ts';
import { idOfWork, newWorkId } from '../../src/domain/identifiers.ts';
import { closesAt } from '../../src/domain/settlements/closing-delay.ts';
import { calendarPeriod } from '../../src/domain/settlements/settlement-period.ts';
import { openSealKeys } from '../../src/domain/settlements/settlement-seal.ts';
import { type AdjustmentId, draftAdjustment, rejectAdjustment } from '../../src/operations/adjustments/manage-adjustment.ts';
import { adjustOnRequest, failOnRequest } from '../../src/operations/sandbox/act-as-operator.ts';
import { actorOf } from '../../src/operations/sandbox/sandbox-actor.ts';
import { verifyEverything } from '../../src/operations/verification/verify-everything.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { serviceSignature } from '../../src/webhooks/security/signature.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Answer, type Client, countByStatus, detailCodes, newConfirmation, uniqueId } from '../support/client.ts';
import { testService } from '../support/service.ts';
import { tools as settlementTools } from '../support/settlements.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools, newEndpoint, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const tools = endpointTools(database);
const newKey = () => ({ 'idempotency-key': uniqueId('key') });
const asking = (scenario: string) => ({ ...newKey(), 'x-sandbox-scenario': scenario });
const ask = (client: Client, path: string, body?: object, headers = newKey()): Promise<Answer> =>
  client.call(`/v1/sandbox/${path}`, { method: 'POST', headers, ...(body && { body }) });

/** The labels of the months that have begun since one instant, until that which is open at another. */
function monthsUntilOpen(from: Date, to: Date, timeZone: string): string[] {
  const labels: string[] = [];
  for (let at = from; ; ) {
    const period = calendarPeriod(at, timeZone);
    labels.push(period.label);
    if (closesAt(period) > to) return labels;
    at = period.endsAt;
  }
}

async function eventTypesOf(client: Client): Promise<string[]> {
  const types: string[] = [];
  for (let after = '0'; ; ) {
    const { body } = await client.listEvents(`?after_sequence=${after}&limit=500`);
    types.push(...body.events.map(({ event_type }: { event_type: string }) => event_type));
    if (!body.has_more && body.events.length === 0) return types;
    after = String(body.next_after_sequence);
  }
}

/** A partner with a pending contribution that another transaction holds, as while it is being decided, until it is released. */
async function newHeldContribution() {
  const { client, partner } = await service.newPartner();
  const { transaction_id } = (await client.confirm({}, asking('pending'))).body.contribution;
  const holder = await database.pool.connect();
  await holder.query("begin; set local idle_in_transaction_session_timeout = '60s'");
  const text = 'select from contribution where partner_id = $1 and transaction_id = $2 for update';
  await holder.query(text, [partner.partnerId, transaction_id]);
  const release = async () => {
    await holder.query('rollback');
    holder.release();
  };
  return { client, release };
}

/** As if the minute were over for which another process may not take the work of a key over. */
async function endClaims(): Promise<void> {
  await database.pool.query("update keyed_answer set claimed_at = now() - interval '61 seconds' where answer is null");
}

describe('failures', () => {
  test('an event that was refused is recorded as failed, with its event; the confirmation and the look-up say so', async () => {
    const { client } = await service.newPartner();
    const [key, gift] = [newKey(), newConfirmation()];
    await client.confirm({ partner_order_ref: gift.partner_order_ref });
    assertError(await client.confirm(gift, key), 'partner_order_conflict');
    const { partner_event_id, partner_order_ref, points } = gift;
    const recording = newKey();
    const failed = await ask(client, 'failures', { partner_event_id, partner_order_ref, points }, recording);
    assert.deepEqual(
      [failed.status, failed.body.contribution.status, failed.body.contribution.non_refundable],
      [201, 'failed', false],
    );
    const again = await ask(client, 'failures', { partner_event_id, partner_order_ref, points }, recording);
    assert.deepEqual([again.headers.get('idempotent-replayed'), again.body.contribution], ['true', failed.body.contribution]);
    assert.equal((await client.findByEvent(partner_event_id)).body.contribution.status, 'failed');
    assertError(await client.confirm(gift, key), 'contribution_final_failure');
    await waitFor('the event of the failure', async () => (await eventTypesOf(client)).includes('impact.transaction.adjusted'));
    assertError(await ask(client, 'failures', { partner_event_id, partner_order_ref, points }), 'invalid_request');
    const parts = await Array.fromAsync(verifyEverything(database, openSealKeys(database.auditKeys)));
    assert.deepEqual(
      parts.flatMap(({ problems }) => problems),
      [],
    );
  });

  test('an event that is stored between the draft and its approval is refused, and leaves no open draft', async () => {
    const { client, partner, key } = await service.newPartner();
    const { partnerId } = partner;
    const gift = newConfirmation();
    let transactions = 0;
    const pool = {
      query: database.pool.query.bind(database.pool),
      async connect() {
        if (++transactions === 2) assert.equal((await client.confirm(gift)).status, 201);
        return database.pool.connect();
      },
    } as unknown as typeof database.pool;
    const work = { workId: newWorkId(), isTakenOver: false, answer: () => assert.fail('It has an answer of its own.') };
    const caller = { partnerId, keyId: key.key.keyId, correlationId: uniqueId('corr'), work };
    const event = {
      partnerEventId: gift.partner_event_id,
      partnerOrderRef: gift.partner_order_ref,
      points: BigInt(gift.points),
    };
    await assert.rejects(failOnRequest({ ...database, pool }, caller, event), /already stored/);
    const { rows } = await database.pool.query('select status from failure_draft where partner_id = $1', [partnerId]);
    assert.deepEqual(rows, [{ status: 'rejected' }]);
  });

  test('a stored event and an ill-formed one are refused, and a confirmed contribution stays', async () => {
    const { client } = await service.newPartner();
    const { partner_event_id, partner_order_ref, points } = (await client.confirm()).body.contribution;
    assertError(await ask(client, 'failures', { partner_event_id, partner_order_ref, points }), 'invalid_request');
    assert.equal((await client.findByEvent(partner_event_id)).body.contribution.status, 'confirmed');
    assertError(await ask(client, 'failures', { partner_event_id: 'short', partner_order_ref, points }), 'invalid_request');
    assert.equal(
      (await ask(client, 'failures', { partner_event_id: uniqueId('event'), partner_order_ref, points: 0 })).status,
      400,
    );
  });
});

describe('resolve', () => {
  test('a pending contribution is confirmed or failed, once, under its key', async () => {
    const { client } = await service.newPartner();
    for (const [status, replayed] of [
      ['confirmed', 201],
      ['failed', 422],
    ] as const) {
      const [key, confirmation] = [newKey(), newConfirmation()];
      const pending = await client.confirm(confirmation, { ...key, 'x-sandbox-scenario': 'pending' });
      const path = `impact-transactions/${pending.body.contribution.transaction_id}/resolve`;
      const resolving = newKey();
      const first = await ask(client, path, { status }, resolving);
      assert.deepEqual([first.status, first.body.contribution.status], [201, status]);
      const again = await ask(client, path, { status }, resolving);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
      assert.deepEqual(again.body.contribution, first.body.contribution);
      assert.equal((await client.confirm(confirmation, key)).status, replayed);
      const tooLate = await ask(client, path, { status });
      assertError(tooLate, 'invalid_request');
      assert.equal(tooLate.body.error.details?.[0]?.code, 'not_possible');
      const other = status === 'failed' ? 'confirmed' : 'failed';
      assertError(await ask(client, path, { status: other }, resolving), 'idempotency_conflict');
    }
  });

  test('another partner’s is not found, just as none', async () => {
    const [{ client }, { client: enemy }] = [await service.newPartner(), await service.newPartner()];
    const pending = await client.confirm({}, asking('pending'));
    const { transaction_id } = pending.body.contribution;
    const [theirs, none] = [
      await ask(enemy, `impact-transactions/${transaction_id}/resolve`, { status: 'failed' }),
      await ask(enemy, 'impact-transactions/txn_01KA2Z9V7M5CEN5XA66EMZSRZW/resolve', { status: 'failed' }),
    ];
    assert.deepEqual([theirs.status, theirs.body.error.message], [404, none.body.error.message]);
    assert.equal((await client.get(transaction_id)).body.contribution.status, 'pending');
  });

  test('a read-only key, a missing key, an unknown member: refused', async () => {
    const { client, partner } = await service.newPartner();
    const { client: reader } = await service.newPartner({ of: partner, key: { permission: 'read_only' } });
    assert.equal((await ask(reader, 'settlements/close')).status, 403);
    assert.equal((await client.call('/v1/sandbox/settlements/close', { method: 'POST' })).status, 400);
    assert.equal((await ask(client, 'clock', { advance: 'P1M', more: 1 })).status, 400);
  });
});

test('closings that are asked for at once, each under its own key, close one settlement each', HANG_LIMIT, async () => {
  const { client } = await service.newPartner();
  const answers = await Promise.all(Array.from({ length: 4 }, () => ask(client, 'settlements/close')));
  assert.deepEqual(countByStatus(answers), { 201: 4 }, JSON.stringify(answers.map(({ body }) => body.error ?? null)));
  const sequences = answers.map(({ body }) => body.settlement.sequence);
  assert.deepEqual(sequences.sort(), [1n, 2n, 3n, 4n]);
});

test('expire: the estimate is gone, a linked one stays, another partner’s is not found', async () => {
  const [{ client }, { client: enemy }] = [await service.newPartner(), await service.newPartner()];
  const { estimate } = (await client.estimate()).body;
  const path = `emissions/estimates/${estimate.calculation_id}/expire`;
  assertError(await ask(enemy, path), 'estimate_not_found');
  const expired = await ask(client, path);
  assert.equal(expired.status, 201);
  assert.deepEqual(expired.body.estimate, estimate, 'expires_at stays as it was computed');
  const { calculation_id: ended, partner_order_ref: order } = estimate;
  const told = [await client.getEstimate(ended), await client.confirm({ calculation_id: ended, partner_order_ref: order })];
  assert.deepEqual([told[0]?.status, told[1]?.body.association.rejection.code], [410, 'estimate_expired']);
  assert.doesNotMatch(JSON.stringify(told.map(({ text }) => text)), /24 hours/, 'they have not passed');
  const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
  assert.equal((await client.confirm({ calculation_id, partner_order_ref })).body.association.status, 'associated');
  const linked = await ask(client, `emissions/estimates/${calculation_id}/expire`);
  assert.deepEqual([linked.status, detailCodes(linked)['calculation_id']], [400, 'not_possible']);
  assert.equal((await client.getEstimate(calculation_id)).status, 200);
});

test('expire: an estimate that has ended is answered as before under any key, and stays in the audit once', async () => {
  const { client, partner } = await service.newPartner();
  const { estimate } = (await client.estimate()).body;
  const path = `emissions/estimates/${estimate.calculation_id}/expire`;
  const answers = [await ask(client, path), await ask(client, path), await ask(client, path)];
  assert.deepEqual(countByStatus(answers), { 201: 3 });
  for (const { body } of answers) assert.deepEqual(body.estimate, estimate);
  const text = "select count(*) as entries from audit_entry where partner_id = $1 and action = 'sandbox.expire-estimate'";
  assert.equal((await database.pool.query(text, [partner.partnerId])).rows[0].entries, 1n);
});

describe('changes in a minute', () => {
  const CHANGES = [
    'impact-transactions/txn_01KA2Z9V7M5CEN5XA66EMZSRZW/resolve',
    'failures',
    'emissions/estimates/calc_01KA2Z9V7M5CEN5XA66EMZSRZW/expire',
    'settlements/close',
    'adjustments',
    'impact-batches',
    'clock',
  ];

  /** No change takes such a body: each is refused, and counts. */
  const ASKED = { of_nobody: 1 };

  test('six hundred of all kinds are taken at once, and then each kind is refused', async () => {
    const [{ client }, { client: other }] = [await service.newPartner(), await service.newPartner()];
    const asked = Array.from({ length: 700 }, (_, index) => ask(client, CHANGES[index % CHANGES.length] ?? '', ASKED));
    const refused = (await Promise.all(asked)).filter(({ status }) => status === 429);
    assert.ok(refused.length > 0 && refused.length <= 100, `${refused.length} were refused`);
    assert.ok(Number(refused[0]?.headers.get('retry-after')) >= 1);
    const sentence = 'A partner of a sandbox asks for at most 600 changes at once under /v1/sandbox, then for 600 a minute.';
    assert.ok(refused[0]?.body.error.message.startsWith(sentence), refused[0]?.body.error.message);
    // Ten are free again in each second: they are taken by the first of so many.
    for (const path of CHANGES) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => ask(client, path, ASKED)));
      const last = answers.find(({ status }) => status === 429);
      assert.ok(last, path);
      assertError(last, 'rate_limited');
    }
    const samples = Array.from({ length: 70 }, () => ask(client, 'events', { event_type: 'settlement.closed' }));
    assert.deepEqual(countByStatus(await Promise.all(samples)), { 400: 70 }, 'nobody receives them');
    assert.equal((await client.call('/v1/sandbox/readiness')).status, 200);
    assert.equal((await client.confirm({}, asking('pending'))).status, 202);
    assert.equal((await ask(other, 'clock', { advance: 'P1D' })).status, 201);
  });
});

describe('sample events', HANG_LIMIT, () => {
  test('of every kind: signed, without a sequence, marked', async () => {
    const { client, receiver, secret } = await newEndpoint(service, tools);
    for (const event_type of [
      'impact.transaction.confirmed',
      'impact.transaction.adjusted',
      'settlement.created',
      'settlement.closed',
      'environmental.status.updated',
    ]) {
      const { status, body } = await ask(client, 'events', { event_type });
      assert.equal(status, 201);
      const [delivery] = body.deliveries;
      assert.deepEqual([delivery.delivered, delivery.as_expected, body.deliveries.length], [true, true, 1]);
      const arrived = receiver.arrived.find(({ event }) => event.event_id === delivery.event_id);
      assert.ok(arrived, event_type);
      assert.deepEqual([arrived.event.sequence, arrived.event.data.sample, arrived.event.event_type], [null, true, event_type]);
      const timestamp = arrived.headers['x-service-timestamp'] as string;
      assert.equal(arrived.headers['x-service-signature'], serviceSignature(secret, timestamp, arrived.body));
    }
  });

  test('each fault arrives as it says, and a right refusal does not count against the endpoint', async () => {
    const { client, receiver, secret, endpointId } = await newEndpoint(service, tools);
    const isSignedNow = ({ headers, body }: (typeof receiver.arrived)[number]) =>
      headers['x-service-signature'] === serviceSignature(secret, headers['x-service-timestamp'] as string, body) &&
      Math.abs(Number(headers['x-service-timestamp']) - Date.now() / 1_000) < 300;
    receiver.answer = (response, arrived) => void response.writeHead(isSignedNow(arrived) ? 200 : 401).end();
    const arrivedWith = async (fault: string) => {
      const before = new Set(receiver.arrived);
      const { body } = await ask(client, 'events', { event_type: 'settlement.closed', fault });
      return {
        deliveries: body.deliveries,
        // The events of the partner itself come in between.
        arrived: receiver.arrived.filter((each) => !before.has(each) && each.event.data.sample === true),
      };
    };
    const twice = await arrivedWith('duplicate');
    assert.equal(new Set(twice.arrived.map(({ body }) => body.toString())).size, 1);
    assert.equal(twice.arrived.length, 2);
    const reordered = await arrivedWith('reordered');
    const [first, second] = reordered.arrived.map(({ event }) => event.occurred_at);
    assert.ok(first > second);
    for (const fault of ['bad_signature', 'stale']) {
      const { arrived, deliveries } = await arrivedWith(fault);
      assert.deepEqual([arrived.map(isSignedNow), deliveries[0].expected, deliveries[0].as_expected], [[false], 'refused', true]);
    }
    const [unknown] = (await arrivedWith('unknown_type')).arrived;
    assert.equal(unknown?.event.event_type, 'impact.transaction.sampled');
    const [rotated] = (await arrivedWith('rotation')).arrived;
    assert.ok(rotated && isSignedNow(rotated) && rotated.headers['x-service-signature-next']);
    const { rows } = await database.pool.query('select failures_in_row from endpoint_health where endpoint_id = $1', [
      endpointId,
    ]);
    assert.deepEqual(rows, [{ failures_in_row: 0 }]);
  });

  for (const status of [500, 410])
    test(`however many samples are answered with ${status}, nothing counts against the endpoint`, async () => {
      const { client, receiver, endpointId } = await newEndpoint(service, tools);
      receiver.answerWith(status);
      for (let each = 0; each < 25; each++) {
        const { body } = await ask(client, 'events', { event_type: 'settlement.closed', endpoint_id: endpointId });
        assert.deepEqual([body.deliveries[0].status, body.deliveries[0].as_expected], [BigInt(status), false]);
      }
      const text = `select e.status, h.failures_in_row, h.breaker_open_until from webhook_endpoint e
        join endpoint_health h using (partner_id, endpoint_id) where endpoint_id = $1`;
      const { rows } = await database.pool.query(text, [endpointId]);
      assert.deepEqual(rows, [{ status: 'active', failures_in_row: 0, breaker_open_until: null }]);
    });

  test('a receiver that takes a bad signature is told so', async () => {
    const { client, receiver } = await newEndpoint(service, tools);
    receiver.answerWith(200);
    const { body } = await ask(client, 'events', { event_type: 'settlement.closed', fault: 'bad_signature' });
    assert.deepEqual([body.deliveries[0].delivered, body.deliveries[0].as_expected], [true, false]);
  });

  test('another partner’s endpoint is not found; nobody is sent more than sixty a minute, however many ask at once', async () => {
    const { client, receiver, endpointId } = await newEndpoint(service, tools);
    const { client: enemy } = await service.newPartner();
    const wanted = { event_type: 'settlement.closed' };
    assert.equal((await ask(enemy, 'events', { ...wanted, endpoint_id: endpointId })).status, 404);
    assert.equal((await ask(enemy, 'events', wanted)).status, 400);
    const samples = () => receiver.arrived.filter(({ event }) => event.data.sample === true);
    const answers: Answer[] = [];
    for (let round = 0; round < 8; round++)
      answers.push(...(await Promise.all(Array.from({ length: 10 }, () => ask(client, 'events', wanted)))));
    assert.deepEqual(countByStatus(answers), { 201: 60, 429: 20 });
    assert.equal(samples().length, 60);
  });

  test('beyond sixty neither of two endpoints is sent a sample, and nothing is stored', async () => {
    const { client, partner, receiver, endpointId } = await newEndpoint(service, tools);
    const other = await WebhookReceiver.open();
    await addEndpoint(tools, OWNER, { partnerId: partner.partnerId, url: other.url, eventTypes: [] });
    const wanted = { event_type: 'settlement.closed' };
    const named = { ...wanted, endpoint_id: endpointId };
    const all = await Promise.all(Array.from({ length: 59 }, () => ask(client, 'events', named)));
    assert.deepEqual(countByStatus(all), { 201: 59 });
    assertError(await ask(client, 'events', wanted), 'rate_limited');
    assert.equal((await ask(client, 'events', named)).status, 201, 'the last one of the minute is left');
    const samples = [receiver, other].map(({ arrived }) => arrived.filter(({ event }) => event.data.sample === true).length);
    assert.deepEqual(samples, [60, 0]);
  });

  test('the same key gives the same answer, and sends nothing again', async () => {
    const { client, receiver } = await newEndpoint(service, tools);
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ask(client, 'events', { event_type: 'settlement.created' }, key)),
    );
    assert.equal(new Set(answers.map(({ body }) => body.deliveries[0].event_id)).size, 1);
    assert.equal(receiver.arrived.filter(({ event }) => event.data.sample === true).length, 1);
  });
});

describe('month end', HANG_LIMIT, () => {
  test('a member that is null is another payload than one that is left out', async () => {
    const { client } = await service.newPartner();
    const { transaction_id } = (await client.confirm({ points: 250 })).body.contribution;
    const wanted = { transaction_id, points_delta: -200, reason_code: 'operator_error' };
    const key = newKey();
    assert.equal((await ask(client, 'adjustments', wanted, key)).status, 201);
    assertError(await ask(client, 'adjustments', { ...wanted, amount_delta: null }, key), 'idempotency_conflict');
    assert.equal((await ask(client, 'adjustments', wanted, key)).headers.get('idempotent-replayed'), 'true');
  });

  test('of adjustments at once those that no longer fit are refused, and leave nothing for an operator to post', async () => {
    const { client, partner } = await service.newPartner();
    const { transaction_id } = (await client.confirm({ points: 250 })).body.contribution;
    const wanted = { transaction_id, points_delta: -200, reason_code: 'operator_error' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(client, 'adjustments', wanted)));
    assert.deepEqual(countByStatus(answers), { 201: 1, 400: 4 });
    const open = "select from adjustment where partner_id = $1 and status in ('draft', 'approved')";
    assert.equal((await database.pool.query(open, [partner.partnerId])).rowCount, 0);
  });

  test('close, adjust, pool and verify: by one key, with every event, and the books are right', async () => {
    const { client, partner } = await service.newPartner();
    const { transaction_id } = (await client.confirm({ points: 250 })).body.contribution;
    const closed = await ask(client, 'settlements/close');
    assert.deepEqual(
      [closed.status, closed.body.settlement.status, closed.body.settlement.contribution_count],
      [201, 'closed', 1n],
    );
    const { settlement_id } = closed.body.settlement;
    const adjusted = await ask(client, 'adjustments', { transaction_id, points_delta: -100, reason_code: 'operator_error' });
    assert.equal(adjusted.status, 201);
    assert.deepEqual(
      [adjusted.body.adjustment.settled_points_after, adjusted.body.adjustment.original_settlement_id],
      [150n, settlement_id],
    );
    const batch = await ask(client, 'impact-batches', { settlement_ids: [settlement_id], quantity: 3, status: 'delivered' });
    assert.deepEqual([batch.status, batch.body.impact_batch.status], [201, 'delivered']);
    const { impact_batch_id } = batch.body.impact_batch;
    const verified = await ask(client, 'impact-batches', { impact_batch_id, status: 'verified' });
    assert.equal(verified.body.impact_batch.status, 'verified');
    const status = await client.call(`/v1/impact-transactions/${transaction_id}/environmental-status`);
    assert.equal(status.body.environmental_status.status, 'verified');
    assert.equal((await ask(client, 'impact-batches', { impact_batch_id, status: 'funded' })).status, 400);
    const types = await waitFor('seventh event of the environmental status', async () => {
      const told = await eventTypesOf(client);
      return told.filter((type) => type === 'environmental.status.updated').length >= 7 && told;
    });
    for (const type of ['settlement.closed', 'impact.transaction.adjusted']) assert.ok(types.includes(type), type);
    const { rows } = await database.pool.query(
      `select distinct operator_id as by, role from audit_entry where partner_id = $1 and action like 'adjustment.%' order by 2 desc`,
      [partner.partnerId],
    );
    assert.deepEqual(
      rows.map(({ by, role }) => [by === 'sandbox', role]),
      [
        [false, 'partner'],
        [true, 'admin'],
      ],
    );
    const parts = await Array.fromAsync(verifyEverything(database, openSealKeys(database.auditKeys)));
    assert.deepEqual(
      parts.flatMap(({ problems }) => problems),
      [],
    );
  });

  test('another partner’s contribution, settlement and batch are not touched', async () => {
    const [{ client }, { client: enemy }] = [await service.newPartner(), await service.newPartner()];
    const { transaction_id } = (await client.confirm()).body.contribution;
    const { settlement_id } = (await ask(client, 'settlements/close')).body.settlement;
    const { impact_batch_id } = (await ask(client, 'impact-batches', { settlement_ids: [settlement_id] })).body.impact_batch;
    const refused = [
      await ask(enemy, 'adjustments', { transaction_id, points_delta: -1, reason_code: 'other' }),
      await ask(enemy, 'impact-batches', { settlement_ids: [settlement_id] }),
      await ask(enemy, 'impact-batches', { impact_batch_id, status: 'verified' }),
    ];
    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.error.code, body.error.details[0].code]),
      Array(3).fill([404, 'invalid_request', 'not_found']),
    );
    for (const id of [transaction_id, settlement_id, impact_batch_id])
      assert.deepEqual(refused.filter(({ text }) => text.includes(id)).length, 0, 'no value that was sent is repeated');
    const { body } = await client.call(`/v1/impact-transactions/${transaction_id}/environmental-status`);
    assert.equal(body.environmental_status.status, 'recorded');
  });

  test('a refused adjustment tells a partner nothing that operators alone can do', async () => {
    const { client } = await service.newPartner();
    const { transaction_id } = (await client.confirm({ points: 5 })).body.contribution;
    const of = (points_delta: number, change: object = {}) =>
      ask(client, 'adjustments', { transaction_id, points_delta, reason_code: 'other', ...change });
    assert.equal((await of(-2)).status, 201);
    const { adjustment } = (await of(-1)).body;
    const reversal = { reversal_of: adjustment.adjustment_id };
    assert.equal((await of(1, reversal)).status, 201);
    const again = await of(1, reversal);
    assert.deepEqual([again.status, detailCodes(again)], [400, { reversal_of: 'already_reversed' }]);
    assert.doesNotMatch(again.text, /adjustment list|reject/);
  });

  describe('an adjustment whose process died after the draft', () => {
    interface Drafted {
      readonly client: Client;
      readonly actor: Actor;
      readonly id: AdjustmentId;
      readonly transactionId: string;
    }

    /** Another process ends it, after `meanwhile`. It takes 200 of 250 points. */
    async function end(meanwhile: (drafted: Drafted) => Promise<unknown>) {
      const { client, partner, key } = await service.newPartner();
      const { partnerId } = partner;
      const { transaction_id: transactionId } = (await client.confirm({ points: 250 })).body.contribution;
      const work = { workId: newWorkId(), isTakenOver: true, answer: () => assert.fail('It has an answer of its own.') };
      const caller = { partnerId, keyId: key.key.keyId, correlationId: uniqueId('corr'), work };
      const reason = { reasonCode: 'operator_error', reasonEn: 'An error.', reasonAr: 'خطأ.' };
      const wanted = { ...reason, transactionId, pointsDelta: -200n, amountDelta: null, reversalOf: null };
      const [id, actor] = [{ partnerId, adjustmentId: idOfWork('adj', work.workId) }, actorOf(caller)];
      await draftAdjustment(database, actor, { ...wanted, ...id }, settlementTools());
      await meanwhile({ client, actor, id, transactionId });
      return adjustOnRequest(database, caller, { wanted, tools: settlementTools() });
    }

    test('is refused with the reason, where somebody rejected it', async () => {
      const expected = { code: 'invalid_request', message: /^The adjustment is rejected, and cannot become posted\./ };
      await assert.rejects(
        end(({ actor, id }) => rejectAdjustment(database, actor, id, 'test')),
        expected,
      );
    });

    test('is refused where it fits no more, without what operators alone can do', async () => {
      const ended = end(async ({ client, transactionId: transaction_id }) => {
        const other = { transaction_id, points_delta: -100, reason_code: 'operator_error' };
        assert.equal((await ask(client, 'adjustments', other)).status, 201);
      });
      const message = 'points_delta must leave 0 to 250 points settled; 150 are settled now.';
      await assert.rejects(ended, { message, details: [{ field: 'points_delta', code: 'out_of_bounds', message }] });
    });
  });

  test('an adjustment beyond the points, of a pending contribution, or by half a point is refused with its field', async () => {
    const { client } = await service.newPartner();
    const { transaction_id } = (await client.confirm({ points: 5 })).body.contribution;
    const pending = (await client.confirm({}, asking('pending'))).body.contribution.transaction_id;
    for (const [body, field] of [
      [{ transaction_id, points_delta: -6, reason_code: 'other' }, 'points_delta'],
      [{ transaction_id, points_delta: 0.5, reason_code: 'other' }, 'points_delta'],
      [{ transaction_id: pending, points_delta: -1, reason_code: 'other' }, 'transaction_id'],
      [{ transaction_id, points_delta: -1, reason_code: 'whim' }, 'reason_code'],
      [{ transaction_id, points_delta: 10 ** 30, reason_code: 'whim' }, 'points_delta'],
      [{ transaction_id, points_delta: -1, reason_code: 'other', reversal_of: 'adj_0000' }, 'reversal_of'],
      [{ transaction_id, points_delta: -1, reason_code: 'other', reversal_of: 'adj_000\0' }, 'reversal_of'],
    ] as const) {
      const answer = await ask(client, 'adjustments', body);
      assert.deepEqual([answer.status, Object.hasOwn(detailCodes(answer), field)], [400, true], JSON.stringify(body));
    }
    const all = await ask(client, 'adjustments', { points_delta: 1.5, amount_delta: 5, reason_code: 'whim' });
    assert.deepEqual(detailCodes(all), {
      transaction_id: 'missing',
      points_delta: 'not_whole',
      amount_delta: 'wrong_type',
      reason_code: 'unsupported_value',
    });
    assert.match(all.body.error.message, /amount_delta must be a text, or null; it is a number: write it in quotation marks\./);
    const reasons = await ask(client, 'adjustments', { points_delta: 1, reason_code: 'whim', reason_en: 'a\nb', reason_ar: ' ' });
    assert.deepEqual(detailCodes(reasons), {
      transaction_id: 'missing',
      reason_code: 'unsupported_value',
      reason_en: 'wrong_form',
      reason_ar: 'wrong_form',
    });
    assert.match(reasons.body.error.message, / reason_en must be a line of 1 to 500 characters without control characters, /);
  });
});

describe('the clock', HANG_LIMIT, () => {
  test('P1M: estimates and reviews expire, the settlement closes, each with its event; nobody else’s move', async () => {
    const [{ client }, { client: other }] = [await service.newPartner(), await service.newPartner()];
    const made = async (of: Client) => {
      const { calculation_id } = (await of.estimate()).body.estimate;
      const { transaction_id } = (await of.confirm({}, asking('pending'))).body.contribution;
      const later = (await of.confirm({}, asking('pending_then_confirmed;after=71h'))).body.contribution.transaction_id;
      await of.confirm();
      return { calculation_id, transaction_id, later };
    };
    const [mine, theirs] = [await made(client), await made(other)];
    const { status, body } = await ask(client, 'clock', { advance: 'P1M' });
    assert.equal(status, 201);
    assert.deepEqual(
      [
        body.done.estimates_expired,
        body.done.contributions_ended,
        body.done.contributions_failed,
        body.done.settlements_closed.length,
      ],
      [1n, 1n, 1n, 1],
    );
    const ahead = Date.parse(body.clock.now) - Date.now();
    assert.ok(ahead > 27 * 86_400_000 && ahead < 32 * 86_400_000);
    assert.equal((await client.getEstimate(mine.calculation_id)).status, 410);
    assert.equal((await client.get(mine.transaction_id)).body.contribution.status, 'failed');
    assert.equal((await client.get(mine.later)).body.contribution.status, 'confirmed');
    assert.equal((await other.getEstimate(theirs.calculation_id)).status, 200);
    assert.equal((await other.get(theirs.transaction_id)).body.contribution.status, 'pending');
    const open = await other.call('/v1/settlements');
    assert.deepEqual(
      open.body.settlements.map(({ status }: { status: string }) => status),
      ['open'],
    );
    const closed = await client.call('/v1/settlements');
    assert.deepEqual(
      closed.body.settlements.map(({ status }: { status: string }) => status),
      ['open', 'closed'],
    );
    assert.equal(closed.body.settlements[1].contribution_count, 2n);
    // What is made after it goes on living by the real time, and falls into the month that is open now.
    const fresh = (await client.estimate()).body.estimate.calculation_id;
    await client.confirm();
    assert.equal((await client.getEstimate(fresh)).status, 200);
    const next = await ask(client, 'clock', { advance: 'P1M' });
    const { body: settlement } = await client.call(`/v1/settlements/${next.body.done.settlements_closed[0]}`);
    assert.equal(settlement.settlement.contribution_count, 1n);
  });

  test('counts no estimate that is linked, which no longer expires', async () => {
    const { client } = await service.newPartner();
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    assert.equal((await client.confirm({ calculation_id, partner_order_ref })).body.association.status, 'associated');
    const { calculation_id: free } = (await client.estimate()).body.estimate;
    const { body } = await ask(client, 'clock', { advance: 'P1D' });
    assert.equal(body.done.estimates_expired, 1n);
    assert.deepEqual([(await client.getEstimate(calculation_id)).status, (await client.getEstimate(free)).status], [200, 410]);
  });

  test('while a contribution is being decided it asks for the same request again, which does the rest', async () => {
    const { client, release } = await newHeldContribution();
    const key = newKey();
    const refused = await ask(client, 'clock', { advance: 'P1M' }, key);
    assertError(refused, 'internal_service_unavailable');
    assert.match(refused.body.error.message, /resolving 1 contribution\. Send the same request again in a minute/);
    assert.equal(refused.headers.get('retry-after'), '60');
    await release();
    await endClaims();
    const { status, body } = await ask(client, 'clock', { advance: 'P1M' }, key);
    assert.deepEqual([status, body.done.contributions_failed, body.done.settlements_closed.length], [201, 1n, 1]);
    assert.ok(Date.parse(body.clock.now) - Date.now() < 32 * 86_400_000, 'it was advanced once');
  });

  test('a request that the clock was advanced under does not advance it again, also after another one has', async () => {
    const { client, release } = await newHeldContribution();
    const key = newKey();
    assertError(await ask(client, 'clock', { advance: 'P4D' }, key), 'internal_service_unavailable');
    await release();
    assert.equal((await ask(client, 'clock', { advance: 'P1D' })).status, 201);
    await endClaims();
    const { status, body } = await ask(client, 'clock', { advance: 'P4D' }, key);
    assert.equal(status, 201);
    const aheadDays = (Date.parse(body.clock.now) - Date.now()) / 86_400_000;
    assert.ok(aheadDays > 4.9 && aheadDays < 5.1, `${aheadDays} days`);
  });

  test('a key that is the end of an earlier one, as much of it as is kept, advances it', async () => {
    const { client } = await service.newPartner();
    const advanceUnder = async (key: string): Promise<number> => {
      const { body } = await ask(client, 'clock', { advance: 'PT1H' }, { 'idempotency-key': key });
      return Date.parse(body.clock.now);
    };
    const keys = Array.from({ length: 16 }, (_, index) => String(index).padStart(128, 'k'));
    let before = 0;
    for (const key of keys) before = await advanceUnder(key);
    // Of 2,000 characters these keys and their spaces take 1,935.
    const after = await advanceUnder(String(keys[0]).slice(-65));
    assert.ok(after - before >= 3_600_000, `${after - before} ms`);
  });

  test('two advances of half an estimate’s life end those that were there before both, not those from between', async () => {
    const { client } = await service.newPartner();
    const first = (await client.estimate()).body.estimate.calculation_id;
    await ask(client, 'clock', { advance: 'PT13H' });
    const between = (await client.estimate()).body.estimate.calculation_id;
    assert.equal((await client.getEstimate(first)).status, 200);
    await ask(client, 'clock', { advance: 'PT13H' });
    assert.deepEqual([(await client.getEstimate(first)).status, (await client.getEstimate(between)).status], [410, 200]);
  });

  test('a pending contribution that named its estimate before the advance is linked when it is confirmed after it', async () => {
    const { client } = await service.newPartner();
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    const pending = await client.confirm({ calculation_id, partner_order_ref }, asking('pending'));
    await ask(client, 'clock', { advance: 'P2D' });
    const path = `impact-transactions/${pending.body.contribution.transaction_id}/resolve`;
    assert.equal((await ask(client, path, { status: 'confirmed' })).body.association.status, 'associated');
  });

  test('ten at once advance ten times, and five years are the end of it', async () => {
    const { client, partner } = await service.newPartner();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(client, 'clock', { advance: 'PT1H' })));
    assert.deepEqual(countByStatus(answers), { 201: 10 });
    const latest = Math.max(...answers.map(({ body }) => Date.parse(body.clock.now)));
    assert.ok(Math.abs(latest - Date.now() - 10 * 3_600_000) < 60_000);
    const beyond = await ask(client, 'clock', { advance: 'P6Y' });
    assert.deepEqual([beyond.status, detailCodes(beyond)['advance']], [400, 'too_large']);
    let now = '';
    for (let year = 0; year < 4; year++) {
      const { status, body } = await ask(client, 'clock', { advance: 'P1Y' });
      assert.equal(status, 201);
      ({ now } = body.clock);
    }
    // A year alone is within the five where the first day is a 29 February.
    assert.equal((await ask(client, 'clock', { advance: 'P1Y1D' })).status, 400);
    const { body } = await client.call('/v1/settlements?limit=100');
    const labels = body.settlements.map(({ period_label }: { period_label: string }) => period_label);
    assert.deepEqual(labels, monthsUntilOpen(partner.createdAt, new Date(now), partner.timeZone).toReversed());
  });

  test('what is no duration is refused, and nothing moves', async () => {
    const { client, partner } = await service.newPartner();
    for (const advance of ['P', 'PT', '-P1M', 'P0D', '1M', 'P1.5D', 'P1M; drop', 'P99999D', 'شهر'])
      assert.equal((await ask(client, 'clock', { advance })).status, 400, advance);
    const { rows } = await database.pool.query('select ahead_ms from sandbox_clock where partner_id = $1', [partner.partnerId]);
    assert.ok(rows.every(({ ahead_ms }) => ahead_ms === 0n));
  });
});
