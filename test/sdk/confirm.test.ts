/** `confirm` of the SDK, against a real service and real faults. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import {
  AbortedError,
  type Intent,
  type Outcome,
  PartnerImpact,
  type PartnerImpactOptions,
  RestorationPermit,
  stringifyExactJson,
} from '../../sdk/src/index.ts';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { approveFailure, draftFailure } from '../../src/operations/contributions/record-failure.ts';
import {
  confirmPendingContribution,
  failPendingContribution,
} from '../../src/operations/contributions/resolve-pending-contribution.ts';
import { enrolled, OWNER, signedIn } from '../support/actor.ts';
import { answerProxy, type Fault } from '../support/answer-proxy.ts';
import { uniqueId } from '../support/client.ts';
import { serviceUnderRules } from '../support/rules.ts';
import type { TestPartner } from '../support/service.ts';

const service = await serviceUnderRules();
const { database, usual, reviewed, bounded } = service;

/** An outcome as text and data, for assertions alone. */
function show(outcome: Outcome): [string, string] {
  return outcome.match<[string, string], [string, string], [string, string], [string, string], [string, string]>({
    confirmed: ({ transactionId }) => ['confirmed', transactionId],
    pending: ({ transactionId }) => ['pending', transactionId],
    failed: ({ transactionId }) => ['failed', transactionId],
    refused: ({ code }) => ['refused', code],
    unknown: ({ code }) => ['unknown', code],
  });
}

function newIntent(points = 250n, orderRef = uniqueId('order')): Intent {
  return PartnerImpact.intent({ orderRef, points });
}

/** As a job reads it out of its store. */
function stored(intent: Intent, change: object = {}): Intent {
  return JSON.parse(JSON.stringify({ ...intent, ...change }));
}

interface Given extends Partial<PartnerImpactOptions> {
  readonly of?: TestPartner;
  readonly faults?: readonly Fault[];
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

async function confirm(intent: Intent, { of = usual, faults = [], deadlineMs = 20_000, signal, ...options }: Given = {}) {
  const proxy = await answerProxy(service.baseUrl, faults);
  const impact = new PartnerImpact({ baseUrl: proxy.baseUrl, apiKey: of.key.apiKey, ...options });
  const outcome = await impact.confirm(intent, { deadlineMs, ...(signal && { signal }) });
  return { outcome, shown: show(outcome), ...proxy };
}

async function recordOf({ eventId }: Intent, { client }: TestPartner = usual) {
  return (await client.findByEvent(eventId)).body.contribution;
}

const bodyOf = ({ eventId, orderRef, points }: Intent) => ({
  partner_event_id: eventId,
  partner_order_ref: orderRef,
  points: BigInt(points),
});

describe('confirmed', { concurrency: 4 }, () => {
  for (const points of [1n, 9_007_199_254_740_993n, 2n ** 63n - 1n])
    test(`${points} points, sent and read with all their digits`, async () => {
      const intent = newIntent(points);
      const { outcome, exchanges } = await confirm(intent);
      const record = await recordOf(intent);
      assert.equal(record.points, points);
      const fail = () => assert.fail('not confirmed');
      outcome.match({
        confirmed(confirmed, { contribution, association }) {
          assert.deepEqual(confirmed, { transactionId: record.transaction_id, points });
          assert.equal(contribution.expectedEnvironmentalSupport.summaryAr, record.expected_environmental_support.summary_ar);
          assert.deepEqual(association, { status: 'not_requested' });
          assert.equal('status' in contribution || 'nonRefundable' in contribution, false);
        },
        pending: fail,
        failed: fail,
        refused: fail,
        unknown: fail,
      });
      assert.deepEqual(exchanges, ['POST 201']);
    });

  const losses: [string, Fault[], string[]][] = [
    ['the answer is lost', ['answer_lost'], ['POST answer_lost', 'GET 200']],
    ['the answer is cut in the middle', ['answer_cut'], ['POST answer_cut', 'GET 200']],
    ['the service answers, but never in time', ['silence'], ['POST silence', 'GET 200']],
    ['the answer comes a byte a second', ['trickle'], ['POST trickle', 'GET 200']],
    ['the request is lost', ['request_lost'], ['POST request_lost', 'GET 404', 'POST 201']],
    [
      'the request and a look-up are lost',
      ['request_lost', 'request_lost'],
      ['POST request_lost', 'GET request_lost', 'GET 404', 'POST 201'],
    ],
    ['the answers of both are lost', ['answer_lost', 'answer_lost'], ['POST answer_lost', 'GET answer_lost', 'GET 200']],
    ['a gateway answers 502 in HTML', [{ status: 502, body: '<h1>502</h1>' }], ['POST 502', 'GET 404', 'POST 201']],
    ['a gateway answers 408', [{ status: 408, body: '' }], ['POST 408', 'GET 404', 'POST 201']],
    ['a gateway answers 413 in HTML', [{ status: 413, body: '<h1>413</h1>' }], ['POST 413', 'GET 404', 'POST 201']],
    ['a gateway answers 429', [{ status: 429, body: 'slow down' }], ['POST 429', 'GET 404', 'POST 201']],
    [
      'a gateway redirects',
      [{ status: 307, headers: { location: 'http://127.0.0.1:1/' }, body: '' }],
      ['POST 307', 'GET 404', 'POST 201'],
    ],
    [
      'the look-up gets a 404 of a gateway',
      ['answer_lost', { status: 404, body: '<h1>404</h1>' }],
      ['POST answer_lost', 'GET 404', 'GET 200'],
    ],
  ];
  for (const [title, faults, exchanges] of losses)
    test(`although ${title}`, async () => {
      const intent = newIntent();
      const isSlow = faults.includes('silence') || faults.includes('trickle');
      // Only what never answers ends by the clock: the look-up that follows has more time than a busy machine takes.
      const run = await confirm(intent, { faults: [...faults, 'none'], ...(isSlow && { timeoutMs: 3_000 }) });
      assert.deepEqual(run.shown, ['confirmed', (await recordOf(intent)).transaction_id]);
      assert.deepEqual([run.exchanges, [...run.keys]], [exchanges, [intent.idempotencyKey]]);
    });

  test('an intent out of a store is looked up before it is sent', async () => {
    const intent = newIntent();
    const first = await confirm(stored(intent));
    assert.deepEqual(first.exchanges, ['GET 404', 'POST 201']);
    const second = await confirm(stored(intent));
    assert.deepEqual([second.exchanges, second.shown], [['GET 200'], first.shown]);
  });

  test('the same object for the second time is looked up before it is sent', async () => {
    const intent = newIntent();
    const lost = await confirm(intent, { faults: ['request_lost'], deadlineMs: 0 });
    assert.deepEqual([lost.shown, lost.exchanges], [['unknown', 'no_answer'], ['POST request_lost']]);
    assert.deepEqual((await confirm(intent)).exchanges, ['GET 404', 'POST 201']);
  });

  test('twenty calls of one intent at the same time: one contribution, one outcome', async () => {
    const intent = newIntent();
    const runs = await Promise.all(Array.from({ length: 20 }, () => confirm(intent)));
    const { transaction_id } = await recordOf(intent);
    for (const { shown, keys } of runs) {
      assert.deepEqual(shown, ['confirmed', transaction_id]);
      assert.ok(keys.size === 0 || (keys.size === 1 && keys.has(intent.idempotencyKey)));
    }
  });

  test('although another program of the partner confirmed the event under another key', async () => {
    const intent = newIntent();
    const { contribution } = (await usual.client.confirm(bodyOf(intent))).body;
    assert.deepEqual((await confirm(intent)).shown, ['confirmed', contribution.transaction_id]);
  });

  test('with a customer and a wrong estimate: the contribution stands, the association is rejected', async () => {
    const intent = PartnerImpact.intent({
      orderRef: uniqueId('order'),
      points: 5n,
      calculationId: 'calc_unknown',
      customerRef: 'c-1',
    });
    const { outcome } = await confirm(intent);
    const fail = () => assert.fail('not confirmed');
    outcome.match({
      confirmed: (_confirmed, { association, contribution }) => {
        assert.ok(association.status === 'rejected' && association.rejection.code === 'estimate_not_found');
        assert.equal(contribution.opaqueCustomerRef, 'c-1');
      },
      pending: fail,
      failed: fail,
      refused: fail,
      unknown: fail,
    });
  });
});

describe('pending and failed', { concurrency: 4 }, () => {
  const decide = { confirmed: confirmPendingContribution, failed: failPendingContribution };
  for (const end of ['confirmed', 'failed'] as const)
    test(`pending until an operator decides, then ${end}`, async () => {
      const intent = newIntent(1_000n);
      const first = await confirm(intent, { of: reviewed });
      const transactionId = (await recordOf(intent, reviewed)).transaction_id;
      assert.deepEqual([first.shown, first.exchanges], [['pending', transactionId], ['POST 202']]);
      await decide[end](database, signedIn('operator'), { partnerId: reviewed.partner.partnerId, transactionId }, 'test');
      assert.deepEqual((await confirm(intent, { of: reviewed })).shown, [end, transactionId]);
    });

  test('failed is believed of a look-up alone, and gives a permit that nobody can make', async () => {
    const intent = newIntent(1_000n);
    await confirm(intent, { of: reviewed });
    const transactionId = (await recordOf(intent, reviewed)).transaction_id;
    await failPendingContribution(
      database,
      signedIn('operator'),
      { partnerId: reviewed.partner.partnerId, transactionId },
      'test',
    );
    // A gateway that answers the first look-up with "not found" of its own makes the SDK send again, which is answered 422.
    const { outcome, exchanges } = await confirm(intent, {
      of: reviewed,
      faults: [
        { status: 404, body: stringifyExactJson({ error: { code: 'contribution_not_found', message: '', retryable: true } }) },
        'none',
      ],
    });
    assert.deepEqual(exchanges, ['GET 404', 'POST 422', 'GET 200']);
    const permit = outcome.match({
      confirmed: () => undefined,
      pending: () => undefined,
      failed: (issued) => issued,
      refused: () => undefined,
      unknown: () => undefined,
    });
    assert.ok(permit);
    assert.deepEqual([permit.eventId, permit.transactionId, permit.points], [intent.eventId, transactionId, 1_000n]);
    assert.ok(RestorationPermit.isPermit(permit));
    for (const forged of [{ ...permit }, structuredClone(permit), JSON.parse(JSON.stringify(permit)), Object.create(permit)])
      assert.equal(RestorationPermit.isPermit(forged), false);
    const Forging = RestorationPermit as unknown as new (...values: unknown[]) => object;
    assert.throws(() => new Forging(Symbol(), 'txn_1', 5n), TypeError);
    assert.throws(() => new Forging('txn_1', 5n), TypeError);
  });

  test('a confirmation that is answered with a failed contribution is looked up, and nothing is restored', async () => {
    const intent = newIntent();
    const failed = { transaction_id: 'txn_12345678', status: 'failed', non_refundable: false, ...bodyOf(intent) };
    const answer = { status: 201, body: stringifyExactJson({ contribution: failed }) };
    const { shown, exchanges } = await confirm(intent, { faults: [answer, 'none'] });
    assert.deepEqual(exchanges, ['POST 201', 'GET 404', 'POST 201']);
    assert.deepEqual(shown, ['confirmed', (await recordOf(intent)).transaction_id]);
  });

  test('refused out of bounds, then failed once two operators have recorded it so', async () => {
    const { partnerId } = bounded.partner;
    const intent = newIntent(1_001n);
    const first = await confirm(intent, { of: bounded });
    assert.deepEqual(
      [first.shown, first.exchanges],
      [
        ['refused', 'invalid_point_amount'],
        ['POST 400', 'GET 404'],
      ],
    );
    const [operator, approver] = await enrolled(database, 'operator', 'approver');
    const never = { partnerId, partnerEventId: intent.eventId, partnerOrderRef: intent.orderRef, points: BigInt(intent.points) };
    const { failureId } = await draftFailure(database, operator, { ...never, reason: 'out of bounds' });
    await approveFailure(database, approver, { partnerId, failureId });
    assert.deepEqual((await confirm(intent, { of: bounded })).shown, [
      'failed',
      (await recordOf(intent, bounded)).transaction_id,
    ]);
  });
});

describe('refused, for a person', { concurrency: 4 }, () => {
  const assertRefused = async (code: string, intent: Intent, exchanges: string[], given: Given = {}) => {
    const before = await recordOf(intent, given.of);
    const made = await confirm(intent, given);
    assert.deepEqual([made.shown, made.exchanges], [['refused', code], exchanges]);
    assert.deepEqual(await recordOf(intent, given.of), before);
    return made.outcome;
  };
  const refusalOf = (outcome: Outcome) => {
    const none = () => assert.fail('not refused');
    return outcome.match({ confirmed: none, pending: none, failed: none, refused: (refused) => refused, unknown: none });
  };

  test('partner_order_conflict: names the contribution that holds the order', async () => {
    const intent = newIntent();
    const { contribution } = (await usual.client.confirm({ partner_order_ref: intent.orderRef })).body;
    const refusal = refusalOf(await assertRefused('partner_order_conflict', intent, ['POST 409', 'GET 404']));
    assert.equal(refusal.transactionId, contribution.transaction_id);
    assert.equal(refusal.error?.nextAction, 'contact_operator');
    assert.match(refusal.correlationId ?? '', /^corr_/);
    assert.match(refusal.message, /^Another /);
    assert.ok(refusal.retryAt.getTime() > Date.now());
  });

  for (const change of [{ points: '251' }, { orderRef: 'another-order' }])
    test(`an intent whose ${Object.keys(change)} changed in the store: recorded_with_other_values`, async () => {
      const intent = newIntent();
      await confirm(intent);
      await assertRefused('recorded_with_other_values', stored(intent, change), ['GET 200']);
    });

  test('an intent whose event id changed in the store: idempotency_conflict, and nothing is recorded', async () => {
    const intent = newIntent();
    await confirm(intent);
    await assertRefused('idempotency_conflict', stored(intent, { eventId: uniqueId('event') }), [
      'GET 404',
      'POST 409',
      'GET 404',
    ]);
  });

  test('an intent whose key changed in the store: the record of the event counts', async () => {
    const intent = newIntent();
    const { shown } = await confirm(intent);
    assert.deepEqual((await confirm(stored(intent, { idempotencyKey: uniqueId('key') }))).shown, shown);
  });
});

test('an outcome that is printed says how to read it, and not what it is', async () => {
  const { outcome } = await confirm(newIntent());
  const shown = inspect(outcome);
  assert.match(shown, /match\(\{ confirmed, pending, failed, refused, unknown \}\)/);
  assert.equal(String(outcome), shown);
});

describe('unknown, for a later run', { concurrency: 4 }, () => {
  const unknownOf = (outcome: Outcome) => {
    const none = () => assert.fail('not unknown');
    return outcome.match({ confirmed: none, pending: none, failed: none, refused: none, unknown: (unknown) => unknown });
  };

  test('contribution_pending: the order is held for longer than this call, until retryAt', async () => {
    const held = newIntent(1_000n);
    await reviewed.client.confirm(bodyOf(held));
    const before = Date.now();
    const { shown, exchanges, outcome } = await confirm(newIntent(250n, held.orderRef), { of: reviewed });
    assert.deepEqual([shown, exchanges], [['unknown', 'contribution_pending'], ['POST 409']]);
    assert.ok(unknownOf(outcome).retryAt.getTime() >= before + 300_000);
  });

  test('unauthorized: a wrong key, which no message contains, and the right one later', async () => {
    const apiKey = usual.key.apiKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const intent = newIntent();
    const wrong = await confirm(intent, { apiKey });
    assert.deepEqual(
      [wrong.shown, wrong.exchanges],
      [
        ['unknown', 'unauthorized'],
        ['POST 401', 'GET 401'],
      ],
    );
    const { error, retryAt } = unknownOf(wrong.outcome);
    assert.equal(inspect(error, { depth: 9, showHidden: true }).includes(apiKey), false);
    assert.equal(error.name, 'UnauthorizedError');
    assert.ok(retryAt.getTime() > Date.now());
    assert.equal((await confirm(intent)).shown[0], 'confirmed');
  });

  test('unauthorized: the key is revoked between a refusal and its look-up', async () => {
    const intent = newIntent();
    await usual.client.confirm({ partner_order_ref: intent.orderRef });
    const body = JSON.stringify({ error: { code: 'unauthorized', retryable: false, message: '', correlation_id: 'corr_12345' } });
    const { shown, exchanges } = await confirm(intent, { faults: ['none', { status: 401, body }] });
    assert.deepEqual(
      [shown, exchanges],
      [
        ['unknown', 'unauthorized'],
        ['POST 409', 'GET 401'],
      ],
    );
  });

  test('forbidden: a key that may only read', async () => {
    const of = await service.newPartner({ of: usual.partner, key: { permission: 'read_only' } });
    const { shown, exchanges } = await confirm(newIntent(), { of });
    assert.deepEqual(
      [shown, exchanges],
      [
        ['unknown', 'forbidden'],
        ['POST 403', 'GET 404'],
      ],
    );
  });

  test('a path that the service does not have', async () => {
    const { shown, exchanges } = await confirm(newIntent(), { baseUrl: `${service.baseUrl}/elsewhere` });
    assert.deepEqual([shown, exchanges], [['unknown', 'invalid_request'], []]);
  });

  for (const status of [402, 405, 413, 415, 431])
    test(`${status} of a gateway in the words of the service`, async () => {
      const body = JSON.stringify({
        error: { code: 'invalid_request', retryable: false, message: '', correlation_id: 'corr_12345' },
      });
      const { shown } = await confirm(newIntent(), { faults: [{ status, body }, 'none'] });
      assert.deepEqual(shown, ['unknown', 'invalid_request']);
    });

  test('partner_suspended', async () => {
    const of = await service.newPartner();
    await suspendPartner(database, OWNER, of.partner.partnerId);
    const { shown, exchanges } = await confirm(newIntent(), { of });
    assert.deepEqual(
      [shown, exchanges],
      [
        ['unknown', 'partner_suspended'],
        ['POST 403', 'GET 404'],
      ],
    );
  });

  for (const [title, baseUrl] of [
    ['nobody listens', 'http://127.0.0.1:9'],
    ['the name does not resolve', 'http://service.invalid'],
  ])
    test(`${title}: the cause is kept`, async () => {
      const { outcome } = await confirm(newIntent(), { baseUrl: baseUrl as string, deadlineMs: 100 });
      const { code, error } = unknownOf(outcome);
      assert.deepEqual([code, error.name], ['no_answer', 'ConnectionError']);
      assert.ok(error.cause instanceof Error);
    });

  test('a fetch that hangs and ignores its signal', async () => {
    const { outcome } = await confirm(newIntent(), { fetch: () => new Promise(() => {}), timeoutMs: 50, deadlineMs: 100 });
    assert.equal(unknownOf(outcome).error.name, 'AnswerTimeoutError');
  });

  test('aborted, before and during an attempt: unknown at once', async () => {
    const reason = new Error('shutting down');
    const early = await confirm(newIntent(), { signal: AbortSignal.abort(reason) });
    assert.deepEqual([early.shown, early.exchanges], [['unknown', 'no_answer'], []]);
    const controller = new AbortController();
    const late = await confirm(newIntent(), { faults: [async () => controller.abort(reason)], signal: controller.signal });
    const { error } = unknownOf(late.outcome);
    assert.ok(error instanceof AbortedError);
    assert.equal(error.cause, reason);
  });

  test('a fetch that fails with the key in its message: the key is nowhere in the error', async () => {
    const { apiKey } = usual.key;
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: new Error(`bad header ${apiKey}`) }));
    const { outcome } = await confirm(newIntent(), { fetch, deadlineMs: 0 });
    assert.equal(inspect(unknownOf(outcome), { depth: 9, showHidden: true }).includes(apiKey), false);
  });

  const recorded = (change: object, intent: Intent) => ({
    contribution: { transaction_id: 'txn_12345678', status: 'failed', non_refundable: false, ...bodyOf(intent), ...change },
    association: { status: 'not_requested' },
  });
  const error = (code: string) => ({ error: { code, message: '', retryable: false, correlation_id: 'corr_12345' } });
  const strangers: [string, (intent: Intent) => Fault][] = [
    ['an error in HTML', () => ({ status: 404, body: '<h1>404</h1>' })],
    ['422 in the JSON of a gateway', () => ({ status: 422, body: '{"error":"failed"}' })],
    ['an error without retryable', () => ({ status: 422, body: '{"error":{"code":"contribution_final_failure"}}' })],
    [
      '422 in the words of the service, but no record',
      () => ({ status: 422, body: JSON.stringify(error('contribution_final_failure')) }),
    ],
    ['500 that claims a final failure', () => ({ status: 500, body: JSON.stringify(error('contribution_final_failure')) })],
    ['an empty body', () => ({ status: 200, body: '' })],
    ['null', () => ({ status: 200, body: 'null' })],
    ['two members of one name', () => ({ status: 200, body: '{"contribution":1,"contribution":2}' })],
    ['another object', () => ({ status: 200, body: '{"status":"failed"}' })],
    ["another event's failure", (intent) => failure(recorded({ partner_event_id: 'another-event' }, intent))],
    ['a failure that is not refundable', (intent) => failure(recorded({ non_refundable: true }, intent))],
    ['points as text', (intent) => failure(recorded({ points: '250' }, intent))],
    ['a status that nobody knows', (intent) => failure(recorded({ status: 'reversed' }, intent))],
    ['a failure in an error', (intent) => failure(recorded({}, intent), 500)],
    ['a failure in a redirection', (intent) => failure(recorded({}, intent), 302)],
    ['Retry-After for ever', () => ({ status: 503, headers: { 'retry-after': '9'.repeat(400) }, body: '' })],
    ['Retry-After in words', () => ({ status: 503, headers: { 'retry-after': 'Sun' }, body: '' })],
    ['Retry-After below zero', () => ({ status: 429, headers: { 'retry-after': '-5' }, body: '' })],
    [
      'Retry-After as a date in a thousand years',
      () => ({ status: 429, headers: { 'retry-after': new Date(4e13).toUTCString() }, body: '' }),
    ],
  ];
  const failure = (body: object, status = 200): Fault => ({ status, body: stringifyExactJson(body) });
  for (const [title, fault] of strangers)
    for (const isFresh of [true, false])
      test(`what answers ${isFresh ? 'the confirmation' : 'the look-up'} is not the service: ${title}`, async () => {
        const intent = newIntent();
        const { outcome, shown } = await confirm(isFresh ? intent : stored(intent), { faults: [fault(intent)], deadlineMs: 300 });
        assert.equal(shown[0], 'unknown');
        const { retryAt } = unknownOf(outcome);
        assert.ok(retryAt.getTime() > Date.now() && retryAt.getTime() <= Date.now() + 25 * 60 * 60 * 1000);
      });
});
