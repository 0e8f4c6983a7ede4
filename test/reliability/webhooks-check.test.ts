/** The parts of `reliability/webhooks/main.ts` that judge: what they let through unnoticed, no run would show. */
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { ArrivalLog } from '../../reliability/webhooks/arrival-log.ts';
import { checkArrivals } from '../../reliability/webhooks/check-arrivals.ts';
import { checkLatencies } from '../../reliability/webhooks/latency.ts';
import type { Arrival } from '../../reliability/webhooks/messages.ts';
import { findPauses, findRepetitions } from '../../reliability/webhooks/repetitions.ts';
import type { TrueContribution, Truth } from '../../reliability/webhooks/truth.ts';
import { verifyDelivery } from '../../reliability/webhooks/verify-delivery.ts';

describe('a strict receiver', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const timestamp = 1_767_225_600;
  const envelope = {
    event_id: 'evt_1',
    event_type: 'impact.transaction.confirmed',
    api_version: 'v1',
    environment: 'sandbox',
    sequence: 1,
    occurred_at: '2026-01-01T00:00:00.000Z',
    correlation_id: 'corr-1',
    data: {},
  };

  /** As the interface describes it; the standard's own signature is made for the clock of today alone. */
  function delivery(text = JSON.stringify(envelope), at = Math.floor(Date.now() / 1_000)) {
    const body = Buffer.from(text);
    const keyed = (key: string | Buffer, prefix: string) => createHmac('sha256', key).update(prefix).update(body).digest();
    const standard = keyed(Buffer.alloc(32, 7), `evt_1.${at}.`).toString('base64');
    const headers: Record<string, string> = {
      'content-type': 'application/json; charset=utf-8',
      'x-service-timestamp': String(at),
      'x-service-signature': `v1=${keyed(secret, `${at}.`).toString('hex')}`,
      'x-service-event-id': 'evt_1',
      'x-service-event-type': 'impact.transaction.confirmed',
      'x-service-attempt': '1',
      'x-correlation-id': 'corr-1',
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(at),
      'webhook-signature': `v1,${standard}`,
    };
    return { method: 'POST', headers, body, atMs: at * 1_000 };
  }

  test('takes what the interface describes', () => {
    assert.deepEqual(verifyDelivery(secret, delivery()), { envelope, defect: undefined });
  });

  const refused: Record<string, ReturnType<typeof delivery>> = {
    'another method': { ...delivery(), method: 'PUT' },
    'a body with another byte': { ...delivery(), body: Buffer.from(`${JSON.stringify(envelope)} `) },
    'a timestamp six minutes old': { ...delivery(), atMs: Date.now() + 360_000 },
    'a timestamp six minutes ahead': { ...delivery(), atMs: Date.now() - 360_000 },
    'an attempt that was not signed anew': { ...delivery(), atMs: Date.now() + 60_000 },
    'a body that is no JSON': delivery('{'),
    'another member in the envelope': delivery(JSON.stringify({ ...envelope, more: 1 })),
    ...Object.fromEntries(
      Object.entries({
        'x-service-timestamp': `${timestamp}.5`,
        'x-service-signature': `v1=${'0'.repeat(64)}`,
        'x-service-event-id': 'evt_2',
        'x-service-event-type': 'settlement.created',
        'x-service-attempt': '0',
        'x-correlation-id': 'corr-2',
        'content-type': 'text/plain',
        'webhook-id': 'evt_2',
        'webhook-signature': 'v1,AAAA',
        'webhook-timestamp': '1',
      }).map(([name, value]) => {
        const sound = delivery();
        return [`another ${name}`, { ...sound, headers: { ...sound.headers, [name]: value } }];
      }),
    ),
  };
  for (const [what, received] of Object.entries(refused))
    test(`refuses ${what}`, () => assert.notEqual(verifyDelivery(secret, received).defect, undefined));
});

/** Two contributions of one partner: the second began after the first was settled, and got its link later. */
const contribution = (isLinkedLater: boolean, begunAtMs: number): TrueContribution => ({
  isConfirmed: true,
  isLinkedLater,
  answered: {
    contribution: undefined,
    association: undefined,
    laterLink: undefined,
    begunAtMs,
    settledAtMs: begunAtMs + 1,
  },
});
const truth: Truth = {
  partnerId: 'ptn_1',
  contributions: new Map([
    ['txn_1', told('txn_1', contribution(false, 10))],
    ['txn_2', told('txn_2', contribution(true, 20))],
  ]),
};
const otherTruth: Truth = { partnerId: 'ptn_2', contributions: new Map([['txn_9', contribution(false, 10)]]) };

function told(transactionId: string, { answered, ...rest }: TrueContribution): TrueContribution {
  return { ...rest, answered: answered && { ...answered, contribution: { transaction_id: transactionId } } };
}

function arrival(eventId: string, sequence: number, transactionId: string, changes: Partial<Arrival> = {}): Arrival {
  const isLink = eventId.endsWith('link');
  const data = {
    ...(isLink && { change: 'associated', association: { status: 'associated' } }),
    contribution: { transaction_id: transactionId },
  };
  const body = JSON.stringify({ event_id: eventId, data });
  return {
    endpoint: 1,
    atMs: 1_000,
    defect: undefined,
    eventId,
    sequence,
    occurredAtMs: 900,
    attempt: 1,
    body,
    eventType: `impact.transaction.${isLink ? 'adjusted' : 'confirmed'}`,
    digest: createHash('sha256').update(body).digest('base64'),
    is2xx: true,
    retryAfterMs: undefined,
    ...changes,
  };
}

const sound = [arrival('evt_1', 1, 'txn_1'), arrival('evt_2', 2, 'txn_2'), arrival('evt_2link', 3, 'txn_2')];

/** What is found wrong with these arrivals at the one endpoint, by kind. */
function violationsOf(arrivals: readonly Arrival[]): string[] {
  const kinds: string[] = [];
  const report = (violation: string, kind = violation) => void kinds.push(kind);
  const arrivalLog = new ArrivalLog(report);
  arrivals.forEach(arrivalLog.add);
  const endpoints = [
    { number: 1, truth, mustHaveAll: true, firstSequence: 1 },
    { number: 2, truth: otherTruth, mustHaveAll: false, firstSequence: 1 },
  ];
  checkArrivals(arrivalLog, endpoints, report);
  return kinds;
}

describe('what arrived', () => {
  test('each event once, or again with the same bytes, is as it should be', () => {
    assert.deepEqual(violationsOf([...sound, ...sound]), []);
  });

  const planted: Record<string, { arrivals: Arrival[]; kind: string }> = {
    'an event that is missing': { arrivals: sound.slice(0, 2), kind: 'events lost, or too many' },
    'an event that was never answered 2xx': {
      arrivals: [arrival('evt_1', 1, 'txn_1', { is2xx: false }), ...sound.slice(1)],
      kind: 'events lost, or too many',
    },
    'a sequence that is left out': {
      arrivals: [sound[0] as Arrival, arrival('evt_2', 3, 'txn_2'), arrival('evt_2link', 4, 'txn_2')],
      kind: 'sequences with gaps or repetitions',
    },
    'other bytes at the second time': {
      arrivals: [...sound, arrival('evt_1', 1, 'txn_1', { digest: 'other' })],
      kind: 'other bytes',
    },
    'a delivery that a receiver refuses': {
      arrivals: [...sound, arrival('evt_1', 1, 'txn_1', { defect: 'no signature' })],
      kind: 'no signature',
    },
    'an event that says something else than was answered': {
      arrivals: [
        ...sound.slice(1),
        arrival('evt_1', 1, 'txn_1', { body: '{"data":{"contribution":{"transaction_id":"txn_1","points":1}}}' }),
      ],
      kind: 'another contribution than answered',
    },
    'an event of nothing stored': { arrivals: [...sound, arrival('evt_5', 4, 'txn_5')], kind: 'not committed' },
    'a link that was not made': { arrivals: [...sound, arrival('evt_1link', 4, 'txn_1')], kind: 'not committed' },
    'an event of another partner': { arrivals: [...sound, arrival('evt_9', 1, 'txn_9')], kind: "another partner's event" },
    'a second event of one confirmation': { arrivals: [...sound, arrival('evt_3', 4, 'txn_1')], kind: 'told twice' },
    'an earlier contribution with the higher sequence': {
      arrivals: [arrival('evt_1', 2, 'txn_1'), arrival('evt_2', 1, 'txn_2'), arrival('evt_2link', 3, 'txn_2')],
      kind: 'out of order',
    },
  };
  for (const [what, { arrivals, kind }] of Object.entries(planted))
    test(`${what} is found`, () => assert.ok(violationsOf(arrivals).includes(kind), String(violationsOf(arrivals))));
});

test('an event that came again, and a retry that did not wait for its Retry-After, are told', () => {
  const arrivalLog = new ArrivalLog(assert.fail);
  const asked = arrival('evt_1', 1, 'txn_1', { is2xx: false, retryAfterMs: 8_000 });
  for (const atMs of [asked.atMs, asked.atMs + 5_000]) arrivalLog.add({ ...asked, atMs });
  assert.deepEqual(findPauses(arrivalLog, [1], [asked.atMs - 1]), { asked: 1, early: 1, earlyByKills: 0 });
  assert.deepEqual(findPauses(arrivalLog, [1], [asked.atMs + 100]), { asked: 1, early: 0, earlyByKills: 1 });
  const { count, withoutReason, longestGapMs } = findRepetitions(arrivalLog, [1], [asked.atMs + 60_000]);
  assert.deepEqual([count, withoutReason, longestGapMs], [1, 1, 5_000]);
});

test('an event may come after a lease, or after one more for each sender that was killed, and no later', () => {
  const late = (tookMs: number, kills: readonly number[]) => {
    const arrivalLog = new ArrivalLog(assert.fail);
    arrivalLog.add(arrival('evt_1', 1, 'txn_1', { occurredAtMs: 0, atMs: tookMs }));
    const { behindTwoKills, unexplained } = findRepetitions(arrivalLog, [1], kills);
    return { behindTwoKills, isUnexplained: unexplained.length > 0 };
  };
  assert.deepEqual(late(62_000, [1_000]), { behindTwoKills: 0, isUnexplained: false });
  assert.deepEqual(late(122_000, [1_000, 61_000]), { behindTwoKills: 1, isUnexplained: false });
  assert.deepEqual(late(122_000, [1_000]), { behindTwoKills: 0, isUnexplained: true });
  assert.deepEqual(late(182_000, [1_000, 61_000]), { behindTwoKills: 0, isUnexplained: true });
});

test('first attempts at healthy endpoints may take twice as long beside faulty ones, no more, and some must be measured', () => {
  const violationsAt = (p99Ratio: number) => {
    const violations: string[] = [];
    checkLatencies({ p99Ratio }, (violation) => void violations.push(violation));
    return violations.length;
  };
  assert.deepEqual([2, 2.01, Number.NaN].map(violationsAt), [0, 1, 1]);
});
