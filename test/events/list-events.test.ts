/** listEvents: decisions, sections 1, 6 and 7. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { issueApiKey } from '../../src/operations/access/manage-api-key.ts';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { disableEndpoint, enableEndpoint } from '../../src/webhooks/endpoints/manage-endpoint.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { type Answer, Client, countByStatus, detailCodes, type TestEvent } from '../support/client.ts';
import { assertPublished, document, listMisfits } from '../support/published.ts';
import { untilSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { getOpen } from '../support/settlements.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const tools = endpointTools(service.database);
const sequencesOf = ({ body }: Answer): number[] => body.events.map(({ sequence }: { sequence: bigint }) => Number(sequence));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
/** What comes first of each partner: `settlement.created`, with the partner. */
const FIRST = 1;

describe('pages', HANG_LIMIT, () => {
  test('1,051 events by 500: each once, in order, without gaps, as the document says', async () => {
    const { client, partner } = await service.newPartner();
    const confirmed = new Set<string>();
    for (let wave = 0; wave < 7; wave++) {
      const answers = await Promise.all(Array.from({ length: 150 }, () => client.confirm()));
      for (const { body } of answers) confirmed.add(body.contribution.transaction_id);
    }
    await untilSequenced(database, partner.partnerId, FIRST + 1_050);
    const pages: Answer[] = [];
    for (let after = 0n, hasMore = true; hasMore && pages.length < 10; ) {
      const page = await client.listEvents(`?after_sequence=${after}&limit=500`);
      pages.push(page);
      ({ next_after_sequence: after, has_more: hasMore } = page.body);
    }
    assert.deepEqual(
      pages.map(({ body }) => [body.events.length, body.next_after_sequence, body.has_more]),
      [
        [500, 500n, true],
        [500, 1_000n, true],
        [51, 1_051n, false],
      ],
    );
    assert.deepEqual(pages.flatMap(sequencesOf), upTo(1_051));
    const events: TestEvent[] = pages.flatMap(({ body }) => body.events);
    assert.equal(events[0]?.event_type, 'settlement.created');
    const told = events.slice(FIRST).map((event) => event.data.contribution.transaction_id);
    assert.deepEqual(new Set(told), confirmed);
    const { schema } = document.paths['/v1/events'].get.responses['200'].content['application/json'];
    for (const { text } of pages) assert.equal(listMisfits(schema, JSON.parse(text)), '');
  });

  test('an event whose body cannot be read ends the page before it, and no page leaves it out', async () => {
    const { client, partner } = await service.newPartner();
    for (let confirmed = 0; confirmed < 4; confirmed++) await client.confirm();
    await untilSequenced(database, partner.partnerId, FIRST + 4);
    const whole = await client.listEvents();
    await database.pool.query("update event set packed_body = '\\xff' where partner_id = $1 and sequence = 3", [
      partner.partnerId,
    ]);
    const before = await client.listEvents();
    assert.deepEqual([sequencesOf(before), before.body.next_after_sequence, before.body.has_more], [[1, 2], 2n, true]);
    assertError(await client.listEvents('?after_sequence=2'), 'internal_service_unavailable');
    assert.deepEqual(sequencesOf(await client.listEvents('?after_sequence=3')), [4, 5]);
    assert.equal((await client.getEvent(whole.body.events[3].event_id)).status, 200);
  });

  test('100 from the first on when nothing is said, and the last page says that there are no more', async () => {
    const { client, partner } = await service.newPartner();
    await Promise.all(Array.from({ length: 100 - FIRST }, () => client.confirm()));
    await untilSequenced(database, partner.partnerId, 100);
    const exactly = await client.listEvents();
    assert.deepEqual([sequencesOf(exactly), exactly.body.has_more], [upTo(100), false]);
    await client.confirm();
    await untilSequenced(database, partner.partnerId, 101);
    const first = await client.listEvents();
    assert.deepEqual([sequencesOf(first), first.body.has_more, first.body.next_after_sequence], [upTo(100), true, 100n]);
    const one = await client.listEvents('?after_sequence=100&limit=1');
    assert.deepEqual([sequencesOf(one), one.body.has_more, one.body.next_after_sequence], [[101], false, 101n]);
  });

  test('an empty page keeps its place: right behind the last event, and beyond it up to the largest int64', async () => {
    const { client, partner } = await service.newPartner();
    await untilSequenced(database, partner.partnerId, FIRST);
    for (const after of ['1', '7', '9223372036854775807']) {
      const answer = await client.listEvents(`?after_sequence=${after}`, { 'x-correlation-id': 'corr-of-nothing' });
      assert.equal(answer.status, 200);
      const rest = '"has_more":false,"request":{"correlation_id":"corr-of-nothing"}';
      assert.equal(answer.text, `{"events":[],"next_after_sequence":${after},${rest}}`);
    }
  });

  test('whoever follows while others confirm sees every event once, in order', async () => {
    const { client } = await service.newPartner();
    const confirming = Promise.all(Array.from({ length: 200 }, () => client.confirm()));
    const seen: number[] = [];
    for (let after = 0n; seen.length < FIRST + 200; ) {
      const page = await client.listEvents(`?after_sequence=${after}&limit=30`);
      seen.push(...sequencesOf(page));
      after = page.body.next_after_sequence;
    }
    assert.deepEqual(countByStatus(await confirming), { 201: 200 });
    assert.deepEqual(seen, upTo(FIRST + 200));
  });
});

describe('the very bytes that are delivered', HANG_LIMIT, () => {
  test('whoever asks first: read before they are sent, sent before they are read, and read by many at once', async () => {
    const { client, partner } = await service.newPartner();
    const { partnerId } = partner;
    await untilSequenced(database, partnerId, FIRST);
    const receiver = await WebhookReceiver.open();
    const { endpointId } = await addEndpoint(tools, OWNER, { partnerId, url: receiver.url, eventTypes: [] });
    const { contribution } = (await client.confirm({ points: 9_223_372_036_854_775_807n })).body;
    await receiver.until(1);
    await disableEndpoint(database, OWNER, { partnerId, endpointId }, 'a test');
    const { partner_order_ref, transaction_id } = contribution;
    const { estimate } = (await client.estimate({ partner_order_ref })).body;
    assert.equal((await client.associate(transaction_id, estimate.calculation_id)).status, 201);
    await client.confirm({ points: 9_007_199_254_740_993n });
    await untilSequenced(database, partnerId, FIRST + 3);
    const headers = { 'x-correlation-id': 'corr-of-reading' };
    const answers = await Promise.all(Array.from({ length: 12 }, () => client.listEvents('?after_sequence=1', headers)));
    await enableEndpoint(database, OWNER, { partnerId, endpointId });
    // An attempt that was not recorded yet when the endpoint was disabled is made again: with the same bytes.
    const bodies = await untilDifferent(receiver, 3);
    const rest = '"next_after_sequence":4,"has_more":false,"request":{"correlation_id":"corr-of-reading"}';
    const expected = `{"events":[${bodies.join(',')}],${rest}}`;
    for (const { text } of answers) assert.equal(text, expected);
    assert.deepEqual(
      answers[0]?.body.events.map((event: TestEvent) => event.data.contribution.points),
      [9_223_372_036_854_775_807n, 9_223_372_036_854_775_807n, 9_007_199_254_740_993n],
    );
    for (const delivery of receiver.arrived) assertPublished(delivery);
  });

  test('a confirmation that is read after a later link tells of itself alone', async () => {
    const { client, partner } = await service.newPartner();
    const { partner_order_ref, transaction_id } = (await client.confirm()).body.contribution;
    const { calculation_id } = (await client.estimate({ partner_order_ref })).body.estimate;
    await client.associate(transaction_id, calculation_id);
    await untilSequenced(database, partner.partnerId, FIRST + 2);
    const { events } = (await client.listEvents('?after_sequence=1')).body;
    assert.deepEqual(
      events.map(({ event_type, data }: TestEvent) => [event_type, data.change, data.association.status]),
      [
        ['impact.transaction.confirmed', undefined, 'not_requested'],
        ['impact.transaction.adjusted', 'associated', 'associated'],
      ],
    );
  });
});

describe('who may ask', HANG_LIMIT, () => {
  test("another partner's events are not among one's own", async () => {
    const [one, other] = [await service.newPartner(), await service.newPartner()];
    const { transaction_id } = (await one.client.confirm()).body.contribution;
    await Promise.all([untilSequenced(database, one.partner.partnerId, 2), untilSequenced(database, other.partner.partnerId, 1)]);
    const [ones, others] = [(await one.client.listEvents()).body.events, (await other.client.listEvents()).body.events];
    assert.equal(ones[1].data.contribution.transaction_id, transaction_id);
    const created = [ones[0], ...others].map(({ event_type, data }) => [event_type, data.settlement.settlement_id]);
    assert.deepEqual(
      created,
      [await getOpen(database, one.partner.partnerId), await getOpen(database, other.partner.partnerId)].map(
        ({ settlementId }) => ['settlement.created', settlementId],
      ),
    );
  });

  test('a read-only key, and a suspended partner', async () => {
    const { client, partner } = await service.newPartner();
    await client.confirm();
    await untilSequenced(database, partner.partnerId, FIRST + 1);
    const terms = { name: 'reader', permission: 'read_only', allowedAddresses: [], expiresAt: null } as const;
    const { apiKey } = await issueApiKey(database, OWNER, { environment: 'sandbox', partnerId: partner.partnerId, ...terms });
    await suspendPartner(database, OWNER, partner.partnerId);
    assert.deepEqual(sequencesOf(await new Client(service.baseUrl, apiKey).listEvents()), [1, 2]);
  });

  test('rate_limited by the rate of reports; look-ups and confirmations go on', async () => {
    const { client } = await service.newPartner({ rates: { reportsPerSecond: 2 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.listEvents()));
    const refused = answers.filter(({ status }) => status === 429);
    assert.ok(refused.length >= 10 && refused.length < 20, JSON.stringify(countByStatus(answers)));
    assert.deepEqual([refused[0]?.body.error.code, refused[0]?.body.error.retryable], ['rate_limited', true]);
    assert.match(refused[0]?.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.equal(refused[0]?.headers.get('ratelimit-policy'), '"reports";q=4;w=2');
    assert.equal((await client.findByEvent('event-of-nobody')).status, 404);
    assert.equal((await client.confirm()).status, 201);
  });

  test('HEAD answers as GET, without the body', async () => {
    const { client } = await service.newPartner();
    const head = await client.call('/v1/events?limit=1', { method: 'HEAD' });
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal(head.headers.get('cache-control'), 'no-store');
    assert.ok(head.headers.get('x-correlation-id'));
    assert.equal((await client.call('/v1/events?limit=0', { method: 'HEAD' })).status, 400);
  });
});

describe('invalid_request names the member, its form and what to do', HANG_LIMIT, () => {
  const AFTER = /^after_sequence must be a whole number from 0 to 9223372036854775807 in plain digits; .*leave it out for 0\.$/;
  const LIMIT = /^limit must be a whole number from 1 to 500 in plain digits; .*leave it out for 100\.$/;
  const cases: [query: string, details: Record<string, string>, message: RegExp][] = [
    ['?limit=0', { limit: 'too_small' }, LIMIT],
    ['?limit=501', { limit: 'too_large' }, LIMIT],
    ['?limit=9223372036854775808', { limit: 'too_large' }, LIMIT],
    ['?limit=5%20', { limit: 'wrong_form' }, LIMIT],
    ['?limit=+5', { limit: 'wrong_form' }, LIMIT],
    ['?limit=%2B5', { limit: 'wrong_form' }, LIMIT],
    ['?limit=-5', { limit: 'wrong_form' }, LIMIT],
    ['?limit=05', { limit: 'wrong_form' }, LIMIT],
    ['?limit=5.0', { limit: 'wrong_form' }, LIMIT],
    ['?limit=1e2', { limit: 'wrong_form' }, LIMIT],
    ['?limit=0x10', { limit: 'wrong_form' }, LIMIT],
    ['?limit=%D9%A5', { limit: 'wrong_form' }, LIMIT],
    ['?limit=5%0A', { limit: 'wrong_form' }, LIMIT],
    ['?limit=', { limit: 'wrong_form' }, LIMIT],
    ['?limit', { limit: 'wrong_form' }, LIMIT],
    [
      '?limit=5&limit=5',
      { limit: 'wrong_type' },
      /^limit occurs 2 times in the query; send it once, as a whole number from 1 to 500/,
    ],
    ['?after_sequence=-1', { after_sequence: 'wrong_form' }, AFTER],
    ['?after_sequence=9223372036854775808', { after_sequence: 'too_large' }, AFTER],
    [`?after_sequence=${'9'.repeat(4_000)}`, { after_sequence: 'too_large' }, AFTER],
    ['?after_sequence=evt_1', { after_sequence: 'wrong_form' }, AFTER],
    [
      '?after_sequence=1&after_sequence=2',
      { after_sequence: 'wrong_type' },
      /^after_sequence occurs 2 times in the query; send it once/,
    ],
    [
      '?after=5',
      { after: 'unknown_field' },
      /^after is not a field of this operation in the query; did you mean after_sequence\?$/,
    ],
    ['?limit[]=5', { 'limit[]': 'unknown_field' }, /did you mean limit\?$/],
    ['?Limit=5', { Limit: 'unknown_field' }, /did you mean limit\?$/],
    [
      '?limit=0&after_sequence=x&more=1',
      { after_sequence: 'wrong_form', limit: 'too_small', more: 'unknown_field' },
      /^3 problems: /,
    ],
  ];
  for (const [query, details, message] of cases) {
    test(query.slice(0, 60), async () => {
      const { client } = await service.newPartner();
      const answer = await client.listEvents(query);
      assertError(answer, 'invalid_request');
      assert.deepEqual(detailCodes(answer), details);
      assert.match(answer.body.error.message, message);
    });
  }

  test('the bounds themselves are taken', async () => {
    const { client } = await service.newPartner();
    for (const query of ['?limit=1', '?limit=500', '?after_sequence=0', '?after_sequence=9223372036854775807&limit=500'])
      assert.equal((await client.listEvents(query)).status, 200, query);
  });
});

/** Waits until so many different bodies have arrived, and gives them in the order of their events. */
async function untilDifferent(receiver: WebhookReceiver, count: number): Promise<string[]> {
  for (let arrivals = count; ; arrivals++) {
    const arrived = (await receiver.until(arrivals)).toSorted((a, b) => a.event.sequence - b.event.sequence);
    const bodies = [...new Set(arrived.map(({ body }) => body.toString()))];
    if (bodies.length >= count) return bodies;
  }
}
