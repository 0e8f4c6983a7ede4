/** Estimates, associations, settlements and lists of the SDK, against a real service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import * as sdk from '../../sdk/src/index.ts';
import { VERSION } from '../../sdk/src/version.ts';
import { ERROR_CODES } from '../../src/domain/error-codes.ts';
import { answerProxy, type Fault } from '../support/answer-proxy.ts';
import { uniqueId } from '../support/client.ts';
import { ROOT } from '../support/document-blocks.ts';
import { withClosed } from '../support/environment.ts';
import { type TestPartner, testService } from '../support/service.ts';
import { getOpen } from '../support/settlements.ts';

const service = await testService({ roles: ['api', 'webhooks', 'schedule'] });
const usual = await service.newPartner();

function clientOf({ key }: TestPartner, baseUrl = service.baseUrl): sdk.PartnerImpact {
  return new sdk.PartnerImpact({ baseUrl, apiKey: key.apiKey, timeoutMs: 5_000 });
}

async function behind(partner: TestPartner, faults: readonly Fault[]) {
  const proxy = await answerProxy(service.baseUrl, faults);
  return { ...proxy, impact: clientOf(partner, proxy.baseUrl) };
}

const car = (orderRef = uniqueId('order')) => ({ orderRef, distanceKm: '12.345', vehicleCategory: 'car_gasoline' });

describe('estimates', { concurrency: 4 }, () => {
  test('an estimate, its calculation and its factors, in exact decimals', async () => {
    const { estimates } = clientOf(usual);
    const made = await estimates.create(car());
    assert.deepEqual([made.rawEmissionsGco2e, made.estimatedEmissionsKgco2e], ['2561.71095', '2.56171095']);
    assert.equal(made.display.formattedAr, '2.56 كجم من مكافئ ثاني أكسيد الكربون');
    assert.deepEqual(await estimates.get(made.calculationId), made);
    assert.equal((await estimates.calculation(made.calculationId)).steps.at(0)?.result, '2561.71095');
    const [factors] = await Array.fromAsync(estimates.factors());
    assert.equal(factors?.emissionFactorVersion, made.emissionFactorVersion);
  });

  test('one estimate and one key, although the first two answers are lost', async () => {
    const { impact, exchanges, keys } = await behind(usual, ['answer_lost', 'answer_cut', 'none']);
    const orderRef = uniqueId('order');
    await impact.estimates.create(car(orderRef));
    assert.deepEqual([exchanges, keys.size], [['POST answer_lost', 'POST answer_cut', 'POST 201'], 1]);
  });

  for (const [change, error] of [
    [{ distanceKm: '201' }, sdk.InvalidDistanceError],
    [{ vehicleCategory: 'bicycle' }, sdk.UnsupportedVehicleError],
    [{ orderRef: 'طلب' }, sdk.InvalidRequestError],
  ] as const)
    test(`${error.name}, with its details`, async () => {
      await assert.rejects(clientOf(usual).estimates.create({ ...car(), ...change }), (thrown) => {
        assert.ok(thrown instanceof error && thrown instanceof sdk.ServiceError);
        assert.ok(thrown.details.length > 0 && thrown.correlationId !== '' && thrown.name === error.name);
        return true;
      });
    });

  test('EstimateNotFoundError; an id with a slash stays in its place', async () => {
    for (const id of ['calc_unknown', '../settlements', 'a/b?c#d'])
      await assert.rejects(clientOf(usual).estimates.get(id), sdk.EstimateNotFoundError);
  });

  test('ConnectionError when nobody listens, with its cause', async () => {
    const impact = clientOf(usual, 'http://127.0.0.1:9');
    await assert.rejects(impact.estimates.create(car(), { deadlineMs: 0 }), (thrown) => {
      assert.ok(thrown instanceof sdk.ConnectionError && thrown instanceof sdk.NoAnswerError);
      return thrown.cause instanceof Error;
    });
  });

  test('AbortedError, at once', async () => {
    await assert.rejects(clientOf(usual).estimates.create(car(), { signal: AbortSignal.abort() }), sdk.AbortedError);
  });

  test('RateLimitedError, when waiting would take longer than there is time', async () => {
    const error = { code: 'rate_limited', message: 'slow down', retryable: true, correlation_id: 'corr_12345' };
    const fault = { status: 429, headers: { 'retry-after': '3600' }, body: JSON.stringify({ error }) };
    const { impact, exchanges } = await behind(usual, [fault]);
    await assert.rejects(impact.estimates.create(car()), sdk.RateLimitedError);
    assert.equal(exchanges.length, 1);
  });
});

describe('associations', { concurrency: 4 }, () => {
  const confirmed = async (orderRef: string) => {
    const { body } = await usual.client.confirm({ partner_order_ref: orderRef });
    return body.contribution.transaction_id as string;
  };

  test('a link, and the same link again, although the answer is lost', async () => {
    const { impact } = await behind(usual, ['none', 'answer_lost', 'none']);
    const orderRef = uniqueId('order');
    const { calculationId } = await impact.estimates.create(car(orderRef));
    const ids = { calculationId, transactionId: await confirmed(orderRef) };
    const link = await impact.associations.create(ids);
    assert.equal(link.calculationId, calculationId);
    assert.deepEqual(await impact.associations.create(ids), link);
  });

  test('CalculationMismatchError, ContributionNotFoundError, EstimateNotFoundError', async () => {
    const { estimates, associations } = clientOf(usual);
    const { calculationId } = await estimates.create(car());
    const transactionId = await confirmed(uniqueId('order'));
    await assert.rejects(associations.create({ transactionId, calculationId }), sdk.CalculationMismatchError);
    await assert.rejects(associations.create({ transactionId: 'txn_unknown', calculationId }), sdk.ContributionNotFoundError);
    await assert.rejects(associations.create({ transactionId, calculationId: 'calc_unknown' }), sdk.EstimateNotFoundError);
  });
});

describe('contributions', { concurrency: 4 }, () => {
  const recorded = async (partner: TestPartner, orderRef = uniqueId('order')) => {
    const intent = sdk.PartnerImpact.intent({ orderRef, points: 2n ** 63n - 1n });
    const impact = clientOf(partner);
    const other = () => '';
    const transactionId = (await impact.confirm(intent)).match({
      pending: other,
      failed: other,
      refused: other,
      unknown: other,
      confirmed: (confirmed) => confirmed.transactionId,
    });
    return { intent, impact, transactionId };
  };

  test('by its id and by its event, with all digits, and without a status from which somebody could restore points', async () => {
    const { intent, impact, transactionId } = await recorded(usual);
    const found = await impact.contributions.get(transactionId);
    const { contribution, association } = found;
    assert.deepEqual(
      [contribution.transactionId, contribution.partnerEventId, contribution.points, contribution.failedAt, association],
      [transactionId, intent.eventId, 2n ** 63n - 1n, null, { status: 'not_requested' }],
    );
    assert.ok(contribution.confirmedAt !== null && !('status' in contribution) && !('nonRefundable' in contribution));
    assert.deepEqual(await impact.contributions.getByEvent(intent.eventId), found);
  });

  test('what is not recorded, and what another partner has, is ContributionNotFoundError', async () => {
    const { intent, transactionId } = await recorded(usual);
    const { contributions } = clientOf(await service.newPartner());
    for (const id of ['txn_unknown', '../settlements', transactionId])
      await assert.rejects(contributions.get(id), sdk.ContributionNotFoundError);
    for (const id of ['event-unknown', intent.eventId])
      await assert.rejects(contributions.getByEvent(id), sdk.ContributionNotFoundError);
    await assert.rejects(contributions.getByEvent('event-1&status=failed'), sdk.InvalidRequestError);
  });

  test('of a period, the oldest first, although an answer is lost', async () => {
    const partner = await service.newPartner();
    const before = await recorded(partner);
    const { contribution: first } = await before.impact.contributions.get(before.transactionId);
    const later = [await recorded(partner), await recorded(partner)];
    const { impact, exchanges } = await behind(partner, ['answer_lost', 'none']);
    const list = async (period: sdk.RecordedPeriod) => {
      const listed = await Array.fromAsync(impact.contributions.list(period));
      assert.ok(
        listed.every((each) => !('status' in each || 'nonRefundable' in each)),
        'nothing says that points may be restored',
      );
      return listed.map(({ partnerEventId }) => partnerEventId);
    };
    const from = new Date(Date.parse(first.createdAt) + 1);
    assert.deepEqual(
      await list({ from }),
      later.map(({ intent }) => intent.eventId),
    );
    assert.equal(exchanges[0], 'GET answer_lost');
    assert.deepEqual(await list({ to: from }), [before.intent.eventId]);
    assert.deepEqual(await list({ from: new Date(0), to: new Date(1) }), []);
  });

  test('a period without a time, or with one that is none, is refused before anything is sent', async () => {
    const { contributions } = clientOf(usual, 'http://127.0.0.1:9');
    for (const [period, field] of [
      [{}, 'from'],
      [{ from: new Date('never') }, 'from'],
      [{ to: '2026-11-27' as unknown as Date }, 'to'],
    ] as const)
      assert.throws(
        () => contributions.list(period),
        (thrown) => thrown instanceof sdk.InvalidValueError && thrown.field === field,
      );
  });
});

test('a distance that is a number is an error that names the field', async () => {
  const distanceKm = 12.3 as unknown as string;
  await assert.rejects(
    clientOf(usual).estimates.create({ ...car(), distanceKm }),
    (thrown) => thrown instanceof sdk.InvalidValueError && thrown.field === 'distanceKm',
  );
});

test('the environmental status of a contribution, without a word about the contribution itself', async () => {
  const { body } = await usual.client.confirm();
  const status = await clientOf(usual).environmentalStatus(body.contribution.transaction_id);
  assert.equal(status.status, 'recorded');
  assert.equal('contributionStatus' in status, false);
});

describe('settlements', { concurrency: 4 }, () => {
  test('list, get and lines, with bigints', async () => {
    const partner = await withClosed(service, 3, 0);
    const { settlements } = clientOf(partner);
    const all = await Array.fromAsync(settlements.list());
    assert.deepEqual(
      all.map(({ sequence }) => sequence),
      [3n, 2n, 1n],
    );
    const first = all.at(-1) as sdk.Settlement;
    assert.deepEqual([first.payablePoints, first.contributionCount, first.status], [750n, 3n, 'closed']);
    assert.deepEqual(await settlements.get(first.settlementId), first);
    const lines = await Array.fromAsync(settlements.lines(first.settlementId));
    assert.deepEqual(
      lines.map(({ lineNo, points }) => [lineNo, points]),
      [
        [1n, 250n],
        [2n, 250n],
        [3n, 250n],
      ],
    );
  });

  test('a list goes on over pages and lost answers, and gives every record once', async () => {
    const all = Array.from({ length: 7 }, (_none, index) => ({ settlement_id: `stl_${index}`, sequence: index }));
    const page = (from: number, to: number): Fault => ({
      status: 200,
      body: JSON.stringify({ settlements: all.slice(from, to), next_after: `p${to}`, has_more: to < all.length }),
    });
    const { impact, exchanges } = await behind(usual, [
      page(0, 3),
      'request_lost',
      { status: 502, body: '' },
      page(3, 6),
      page(6, 7),
    ]);
    const given = await Array.fromAsync(impact.settlements.list());
    assert.deepEqual(
      given.map(({ settlementId }) => settlementId),
      all.map(({ settlement_id }) => settlement_id),
    );
    assert.equal(exchanges.length, 5);
  });

  const textOf = async (pieces: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(pieces)).toString();

  test('verified gives the bytes of the statement, although its connection breaks twice', async () => {
    const partner = await withClosed(service, 40);
    const { settlementId } = partner.closed[0] as { settlementId: string };
    const { text } = await partner.client.call(`/v1/settlements/${settlementId}/statement.csv`);
    const { impact, exchanges } = await behind(partner, ['none', 'answer_cut', 'answer_lost', 'none']);
    assert.equal(await textOf(impact.settlements.verified(settlementId)), text);
    assert.deepEqual(exchanges, ['GET 200', 'GET answer_cut', 'GET answer_lost', 'GET 200']);
  });

  test('verified throws for other bytes, and for a settlement that is open', async () => {
    const partner = await withClosed(service, 1);
    const { settlementId } = partner.closed[0] as { settlementId: string };
    const { text } = await partner.client.call(`/v1/settlements/${settlementId}/statement.csv`);
    const { impact } = await behind(partner, ['none', { status: 200, body: text.replace('250', '251') }]);
    await assert.rejects(textOf(impact.settlements.verified(settlementId)), sdk.StatementMismatchError);
    const open = await getOpen(service.database, partner.partnerId);
    await assert.rejects(textOf(clientOf(partner).settlements.verified(open.settlementId)), sdk.SettlementOpenError);
    await assert.rejects(textOf(clientOf(partner).settlements.verified('stl_unknown')), sdk.InvalidRequestError);
  });

  test('reconcile takes an async iterable and gives one, although the upload and its answer are lost', async () => {
    const partner = await withClosed(service, 3);
    const { settlementId } = partner.closed[0] as { settlementId: string };
    const lines = await Array.fromAsync(clientOf(partner).settlements.lines(settlementId));
    async function* own() {
      for (const { partnerEventId, partnerOrderRef, points } of lines.slice(1))
        yield { eventId: partnerEventId ?? '', orderRef: partnerOrderRef ?? '', points };
      yield { eventId: 'event-nobody-knows', orderRef: 'order, "quoted"', points: 2n ** 63n - 1n };
    }
    const { impact, keys } = await behind(partner, ['request_lost', 'answer_lost', 'none']);
    const result = await Array.fromAsync(impact.settlements.reconcile(settlementId, own()));
    assert.deepEqual(result.map(({ verdict }) => verdict).sort(), ['malformed', 'matched', 'matched', 'missing_in_partner_file']);
    assert.equal(keys.size, 1);
    const options = { verdict: 'missing_in_service', idempotencyKey: uniqueId('key') } as const;
    const unknown = [{ eventId: 'event-nobody-knows', orderRef: 'order-1', points: 2n ** 63n - 1n }];
    for (let time = 0; time < 2; time++) {
      const [missing, ...others] = await Array.fromAsync(impact.settlements.reconcile(settlementId, unknown, options));
      assert.deepEqual([missing?.points, missing?.partnerEventId, others], [2n ** 63n - 1n, 'event-nobody-knows', []]);
    }
  });

  test('reconcile goes on in another process with the stored key, although the first was aborted after its upload', async () => {
    const partner = await withClosed(service, 3);
    const { settlementId } = partner.closed[0] as { settlementId: string };
    const lines = await Array.fromAsync(clientOf(partner).settlements.lines(settlementId));
    const own = lines.map(({ partnerEventId, partnerOrderRef, points }) => ({
      eventId: partnerEventId ?? '',
      orderRef: partnerOrderRef ?? '',
      points,
    }));
    const options = { idempotencyKey: uniqueId('key') };
    const ending = new AbortController();
    const first = new sdk.PartnerImpact({
      baseUrl: service.baseUrl,
      apiKey: partner.key.apiKey,
      fetch(input, init) {
        if (init.method === 'GET') ending.abort();
        return fetch(input, init);
      },
    });
    const aborted = Array.fromAsync(first.settlements.reconcile(settlementId, own, { ...options, signal: ending.signal }));
    await assert.rejects(aborted, sdk.AbortedError);
    const result = await Array.fromAsync(clientOf(partner).settlements.reconcile(settlementId, own, options));
    assert.deepEqual(
      result.map(({ verdict }) => verdict),
      own.map(() => 'matched'),
    );
    const { rows } = await service.database.pool.query('select status from reconciliation where settlement_id = $1', [
      settlementId,
    ]);
    assert.deepEqual(rows, [{ status: 'done' }]);
  });

  test('acknowledge', async () => {
    const partner = await withClosed(service, 1);
    const { settlementId } = partner.closed[0] as { settlementId: string };
    const done = await clientOf(partner).settlements.acknowledge(settlementId, { status: 'accepted', reference: 'payment-1' });
    assert.deepEqual([done.status, done.reference], ['accepted', 'payment-1']);
  });
});

describe('the package', () => {
  test('has a class for each error code of the service', () => {
    const names = Object.keys(sdk);
    for (const code of Object.keys(ERROR_CODES)) {
      const pascal = code.replace(/(?:^|_)([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
      const name = code === 'internal_service_unavailable' ? 'ServiceUnavailableError' : `${pascal}Error`;
      assert.ok(names.includes(name), name);
    }
  });

  test('has the version of its package.json', () => {
    assert.equal(VERSION, JSON.parse(readFileSync(join(ROOT, 'sdk/package.json'), 'utf8')).version);
  });

  for (const [title, options] of [
    ['a key with a line end', { apiKey: 'pi_sandbox_secret\n' }],
    ['no key', { apiKey: '' }],
    ['a key that is no text', { apiKey: undefined as unknown as string }],
    ['an address that is none', { baseUrl: 'localhost:8080' }],
    ['a user name in the address', { baseUrl: 'https://me:secret@service.example' }],
    ['the path of the interface in the address', { baseUrl: 'https://service.example/v1' }],
    ['the path of these pages in the address', { baseUrl: 'https://service.example/docs/' }],
    ['a query in the address', { baseUrl: 'https://service.example/?a=1' }],
    ['a production key without encryption', { apiKey: 'pi_live_secret', baseUrl: 'http://service.example' }],
    ['a time-out of nothing', { timeoutMs: 0 }],
  ] as const)
    test(`ConfigurationError for ${title}, without the value`, () => {
      const given = { baseUrl: 'http://127.0.0.1:9', apiKey: 'pi_sandbox_secret', ...options };
      assert.throws(
        () => new sdk.PartnerImpact(given),
        (error) => error instanceof sdk.ConfigurationError && !error.message.includes('secret'),
      );
    });

  for (const [field, fields] of [
    ['points', { points: 0n }],
    ['points', { points: -1n }],
    ['points', { points: 2n ** 63n }],
    ['points', { points: 250 as unknown as bigint }],
    ['points', { points: '250' as unknown as bigint }],
    ['orderRef', { orderRef: '' }],
    ['orderRef', { orderRef: 1234 as unknown as string }],
    ['orderRef', { orderRef: 'طلب-1' }],
    ['orderRef', { orderRef: 'x'.repeat(129) }],
    ['orderRef', { orderRef: 'order-1\n' }],
    ['customerRef', { customerRef: 'سارة' }],
    ['customerRef', { customerRef: '\ud800' }],
    ['customerRef', { customerRef: 'sara@example.com' }],
    ['calculationId', { calculationId: 'short' }],
  ] as const)
    test(`InvalidValueError for ${field} ${Object.values(fields).map((value) => JSON.stringify(String(value)).slice(0, 30))}, without the value`, () => {
      assert.throws(
        () => sdk.PartnerImpact.intent({ orderRef: 'order-1', points: 5n, ...fields }),
        (error) => error instanceof sdk.InvalidValueError && error.field === field && !/سارة|sara|طلب/.test(error.message),
      );
    });

  for (const points of [Number(2n ** 53n + 1n), '250', 2n ** 63n])
    test(`InvalidValueError for ${typeof points} ${points} in a list to reconcile; nothing is sent`, async () => {
      const impact = new sdk.PartnerImpact({ baseUrl: 'http://127.0.0.1:9', apiKey: 'pi_sandbox_secret' });
      const lines = [{ eventId: 'event-12345', orderRef: 'order-1', points: points as bigint }];
      await assert.rejects(
        impact.settlements.reconcile('stl_1', lines).next(),
        (error) => error instanceof sdk.InvalidValueError && error.field === 'points',
      );
    });

  for (const deadlineMs of [Number.NaN, -1, '5' as unknown as number])
    test(`ConfigurationError for a deadline of ${deadlineMs}`, async () => {
      const intent = sdk.PartnerImpact.intent({ orderRef: 'order-1', points: 5n });
      await assert.rejects(clientOf(usual, 'http://127.0.0.1:9').confirm(intent, { deadlineMs }), sdk.ConfigurationError);
    });

  test('an intent survives JSON, is frozen, and reads again; what is none does not', async () => {
    const intent = sdk.PartnerImpact.intent({ orderRef: 'order-1', points: 2n ** 63n - 1n, customerRef: 'c-1' });
    assert.deepEqual(sdk.PartnerImpact.readIntent(JSON.parse(JSON.stringify(intent))), intent);
    assert.deepEqual(Object.keys(intent), ['eventId', 'idempotencyKey', 'orderRef', 'points', 'customerRef']);
    assert.ok(Object.isFrozen(intent));
    const impact = clientOf(usual, 'http://127.0.0.1:9');
    for (const stored of [
      null,
      'text',
      {},
      { ...intent, points: '1.5' },
      { ...intent, points: 5n },
      { ...intent, eventId: 'short' },
    ])
      await assert.rejects(impact.confirm(stored as sdk.Intent), sdk.InvalidValueError);
    for (const points of [5, 5n])
      assert.throws(() => sdk.PartnerImpact.readIntent({ ...intent, points }), {
        name: 'InvalidValueError',
        message: "points must be its digits as a string, such as '250'. Nothing was sent.",
      });
    await assert.rejects(impact.confirm({ orderRef: 'order-1', points: '5' } as sdk.Intent), {
      message: 'intent must be an object that PartnerImpact.intent made. Nothing was sent.',
    });
  });

  test('an id that is missing is an error that names it, and never that nothing is recorded', async () => {
    const impact = clientOf(usual, 'http://127.0.0.1:9');
    const { contributions, estimates, associations, settlements } = impact;
    for (const id of [undefined, null, '', 5] as unknown as string[]) {
      const calls: [name: string, call: () => Promise<unknown>][] = [
        ['transactionId', () => contributions.get(id)],
        ['eventId', () => contributions.getByEvent(id)],
        ['calculationId', () => estimates.get(id)],
        ['calculationId', () => estimates.calculation(id)],
        ['transactionId', () => associations.create({ transactionId: id, calculationId: 'calc_1' })],
        ['settlementId', () => settlements.get(id)],
        ['settlementId', async () => settlements.lines(id).next()],
        ['settlementId', () => settlements.verified(id).next()],
        ['settlementId', () => settlements.reconcile(id, []).next()],
        ['settlementId', () => settlements.acknowledge(id, { status: 'accepted' })],
        ['transactionId', () => impact.environmentalStatus(id)],
      ];
      for (const [field, call] of calls)
        await assert.rejects(call, (error) => error instanceof sdk.InvalidValueError && error.field === field, String(call));
    }
  });
});

test('JSON of something else than the service is BrokenAnswerError, in every call', async () => {
  const other = { status: 200, body: '{"hello":"world"}' };
  const { impact } = await behind(usual, [other]);
  const { estimates, associations, contributions, settlements } = impact;
  const listed = [{ eventId: 'event-1', orderRef: 'order-1', points: 1n }];
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    'estimates.create': () => estimates.create(car()),
    'estimates.get': () => estimates.get('calc_12345678'),
    'estimates.calculation': () => estimates.calculation('calc_12345678'),
    'estimates.factors': () => Array.fromAsync(estimates.factors()),
    'associations.create': () => associations.create({ transactionId: 'txn_12345678', calculationId: 'calc_12345678' }),
    'contributions.get': () => contributions.get('txn_12345678'),
    'contributions.getByEvent': () => contributions.getByEvent('event-1'),
    'contributions.list': () => Array.fromAsync(contributions.list({ from: new Date(0) })),
    'settlements.list': () => Array.fromAsync(settlements.list()),
    'settlements.get': () => settlements.get('stl_12345678'),
    'settlements.lines': () => Array.fromAsync(settlements.lines('stl_12345678')),
    'settlements.verified': () => Array.fromAsync(settlements.verified('stl_12345678')),
    'settlements.reconcile': () => Array.fromAsync(settlements.reconcile('stl_12345678', listed)),
    'settlements.acknowledge': () => settlements.acknowledge('stl_12345678', { status: 'accepted' }),
    environmentalStatus: () => impact.environmentalStatus('txn_12345678'),
    catchUp: () => impact.events.receiver(`whsec_${'a'.repeat(32)}`, new sdk.MemoryInbox(), {}).catchUp(),
  };
  for (const [name, call] of Object.entries(calls))
    await assert.rejects(call, (thrown) => {
      assert.ok(thrown instanceof sdk.BrokenAnswerError, `${name}: ${thrown}`);
      return thrown.status === 200;
    });
});
