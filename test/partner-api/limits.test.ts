/** Rate limits, sizes and overload: interface, "Limits"; decisions, sections 1 and 6. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyReply } from 'fastify';
import type { Answer } from '../../src/partner-api/answer.ts';
import { LIST_CONSTRAINT } from '../../src/partner-api/contributions/list-contributions.ts';
import { withPlainTarget } from '../../src/partner-api/http/request-target.ts';
import { LoadShedding } from '../../src/partner-api/limits/load-shedding.ts';
import { paceRefusals, SHED } from '../../src/partner-api/limits/refusal-pace.ts';
import { IN_FLIGHT_MAX } from '../../src/partner-api/limits/shedding-order.ts';
import type { TrafficClass } from '../../src/partner-api/route-policy.ts';
import { ROUTES } from '../../src/partner-api/routes.ts';
import type { SandboxApiOptions } from '../../src/partner-api/sandbox/sandbox-api-options.ts';
import { SANDBOX_ROUTES } from '../../src/partner-api/sandbox/sandbox-routes.ts';
import type { Credential } from '../../src/store/access/api-key.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { countByStatus, detailCodes } from '../support/client.ts';
import { document } from '../support/published.ts';
import { countRows } from '../support/records.ts';
import { testService } from '../support/service.ts';

const service = await testService();

describe('rate_limited: per partner and class', () => {
  test('beyond rate and burst: 429, retryable, with Retry-After in whole seconds, and nothing is stored', async () => {
    const { client, partner } = await service.newPartner({ rates: { writesPerSecond: 5 } });
    const sinceMs = performance.now();
    const answers = await Promise.all(Array.from({ length: 60 }, () => client.confirm()));
    const most = 10 + (5 * (performance.now() - sinceMs)) / 1_000;
    const counts = countByStatus(answers);
    const granted = counts[201] ?? 0;
    assert.ok(granted >= 10 && granted <= most && (counts[429] ?? 0) > 0, `${JSON.stringify(counts)}, at most ${most}`);
    for (const answer of answers.filter(({ status }) => status === 429)) {
      assert.deepEqual([answer.body.error.code, answer.body.error.retryable], ['rate_limited', true]);
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.deepEqual(detailCodes(answer), { point_restoration: 'not_authorized', next_action: 'retry_same_request' });
    }
    assert.equal((await countRows(service.database, partner.partnerId))['contribution'], counts[201]);
  });

  test('after two seconds of rest a partner may send twice its rate at once, and again after the next two', async () => {
    const { client } = await service.newPartner({ rates: { writesPerSecond: 5 } });
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => client.confirm()));
      assert.deepEqual(countByStatus(answers), { 201: 10 });
      await sleep(2_000);
    }
  });

  test('a body counts as a request for each 8 KiB of it, whatever is in it', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 150 }, (_, number) => [`member-${number}-${'x'.repeat(400)}`, 1]));
    for (const body of [JSON.stringify(unknown), 'x'.repeat(60_000)]) {
      const { client } = await service.newPartner({ rates: { writesPerSecond: 1 } });
      const large = [];
      for (let each = 0; each < 3; each++) large.push(await client.post('/v1/impact-transactions', body));
      assert.deepEqual(
        large.map(({ status }) => status),
        [400, 429, 429],
      );
      assert.match(large[1]?.headers.get('retry-after') ?? '', /^[1-9]$/);
      assert.equal((await client.findByEvent('event-of-nobody')).status, 404);
    }
  });

  test('a body counts as a request for each 200 members of it; sixteen at once are not all read', async () => {
    const { client } = await service.newPartner({ rates: { writesPerSecond: 8 } });
    const body = `{${Array.from({ length: 8_000 }, (_, number) => `"${number.toString(36)}":1`).join(',')}}`;
    const sinceMs = performance.now();
    const answers = await Promise.all(Array.from({ length: 16 }, () => client.post('/v1/impact-transactions', body)));
    // Each that is read counts as 40 requests; one on a busy machine may come when the debt of the first is paid.
    const most = Math.ceil((16 + (8 * (performance.now() - sinceMs)) / 1_000) / 40);
    const { 400: read = 0, 429: refusals = 0 } = countByStatus(answers);
    assert.ok(read >= 1 && read <= most && read + refusals === 16, `${read} read, at most ${most}; ${refusals} refused`);
    const refused = answers.find(({ status }) => status === 429);
    assert.match(refused?.headers.get('retry-after') ?? '', /^[1-9]$/);
    const wide = `{${Array.from({ length: 199 }, (_, number) => `"${number}":1`).join(',')}}`;
    const { client: other } = await service.newPartner({ rates: { writesPerSecond: 1 } });
    assert.deepEqual([(await other.post('/v1/impact-transactions', wide)).status, (await other.confirm()).status], [400, 201]);
  });

  test('a body counts as a request for each 200 elements or 20 exponents of it, in a bad calculation_id too', async () => {
    // The first leaves a debt of eight seconds.
    for (const [calculationId, writesPerSecond] of [
      [Array(1_000).fill('1e300'), 5],
      [Array(4_000).fill('1.5'), 2],
    ] as const) {
      const { client } = await service.newPartner({ rates: { writesPerSecond } });
      const bodies = ['one', 'two'].map(
        (name) =>
          `{"partner_event_id":"event-${name}","partner_order_ref":"${name}","points":1,"calculation_id":[${calculationId.join(',')}]}`,
      );
      const answers = [];
      for (const body of bodies) answers.push(await client.post('/v1/impact-transactions', body));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 429],
      );
      assert.match(answers[1]?.headers.get('retry-after') ?? '', /^[1-9]$/);
    }
  });

  test('look-ups go on while writes are limited, so that recovery never starves', async () => {
    const { client } = await service.newPartner({ rates: { writesPerSecond: 1 } });
    const writes = await Promise.all(Array.from({ length: 20 }, () => client.confirm()));
    assert.ok((countByStatus(writes)[429] ?? 0) > 0);
    assert.equal((await client.findByEvent('event-of-nobody')).status, 404);
  });

  test("one partner's rate is not another's", async () => {
    const [busy, calm] = [
      await service.newPartner({ rates: { writesPerSecond: 1 } }),
      await service.newPartner({ rates: { writesPerSecond: 1 } }),
    ];
    await Promise.all(Array.from({ length: 20 }, () => busy.client.confirm()));
    assert.equal((await calm.client.confirm()).status, 201);
  });

  test('RateLimit and RateLimit-Policy tell the rate and what is left of it', async () => {
    const { client } = await service.newPartner({ rates: { lookupsPerSecond: 7 } });
    const { headers } = await client.findByEvent('event-of-nobody');
    assert.equal(headers.get('ratelimit-policy'), '"lookups";q=14;w=2');
    assert.equal(headers.get('ratelimit'), '"lookups";r=13;t=1');
  });

  test('a refused request counts for its rate before its body is read', async () => {
    const { client } = await service.newPartner({ rates: { writesPerSecond: 1 } });
    // A debt of seven seconds.
    await client.post('/v1/impact-transactions', 'x'.repeat(60_000));
    const answer = await client.post('/v1/impact-transactions', 'not json', { 'content-type': 'text/plain' });
    assert.equal(answer.status, 429);
  });
});

describe('sizes', () => {
  const FIX = { point_restoration: 'not_authorized', next_action: 'fix_request' };

  test('a body over 64 KiB is 413, and names the body', async () => {
    const { client } = await service.newPartner();
    const answer = await client.post('/v1/impact-transactions', `{"points":${'1'.repeat(65_536)}}`);
    assertError(answer, 'invalid_request', 413);
    assert.deepEqual(detailCodes(answer), { body: 'too_many_bytes', ...FIX });
  });

  test('another media type, charset or coding is 415, and names the header', async () => {
    const { client } = await service.newPartner();
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=iso-8859-1',
      'application/jsonx',
    ];
    for (const type of types) {
      const answer = await client.confirm({}, { 'content-type': type });
      assertError(answer, 'invalid_request', 415);
      assert.deepEqual(detailCodes(answer), { 'Content-Type': 'unsupported_value', ...FIX });
    }
    for (const coding of ['gzip', 'utf-8']) {
      const encoded = await client.confirm({}, { 'content-encoding': coding });
      assertError(encoded, 'invalid_request', 415);
      assert.deepEqual(detailCodes(encoded), { 'Content-Encoding': 'unsupported_value', ...FIX });
      assert.match(encoded.body.error.message, /: leave Content-Encoding out\.$/);
    }
    assert.equal((await client.confirm({}, { 'content-type': 'application/json; charset=UTF-8' })).status, 201);
  });
});

describe('overload is shed with 503 and not queued without bound', () => {
  test('reports first, then estimates, then new confirmations; look-ups of contributions last', () => {
    const { report, estimateWrite, estimateLookup, confirmation, contributionLookup } = IN_FLIGHT_MAX;
    const order = [report, estimateWrite, estimateLookup, confirmation, contributionLookup];
    assert.deepEqual(
      order,
      [...new Set(order)].toSorted((a, b) => a - b),
    );
    /** Every other one is a report. */
    const others: Record<string, readonly [TrafficClass, number]> = {
      createDeliveryEmissionsEstimate: ['writes', estimateWrite],
      associateEmissionsEstimate: ['writes', estimateWrite],
      getDeliveryEmissionsEstimate: ['lookups', estimateLookup],
      confirmContribution: ['writes', confirmation],
      getContributionById: ['lookups', contributionLookup],
      getContributionByPartnerEventId: ['lookups', contributionLookup],
    };
    const app = fastify({ routerOptions: { constraints: { contributionList: LIST_CONSTRAINT } } });
    const policies: Record<string, readonly [TrafficClass | undefined, number | undefined]> = {};
    app.addHook('onRoute', ({ url, config }) => {
      policies[config?.operation ?? url] = [config?.policy?.trafficClass, config?.policy?.inFlightMax];
    });
    for (const route of [...ROUTES, ...SANDBOX_ROUTES]) route(app, { endpointTools: {} } as SandboxApiOptions);
    const published: string[] = Object.values<Record<string, { operationId?: string }>>(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ operationId }) => operationId ?? []);
    // The document describes it with getContributionByPartnerEventId, whose path it has.
    published.push('listContributions');
    assert.deepEqual(policies, Object.fromEntries(published.map((name) => [name, others[name] ?? ['reports', report]])));
  });

  /** Two routes whose answers the test gives, behind the gate; the key names the partner. */
  const listen = async ({ lookUpKey = async () => {} }: { lookUpKey?: () => Promise<void> } = {}) => {
    const work: (() => void)[] = [];
    const refusals: Answer[] = [];
    const onAnswer = (answer: Answer) => void refusals.push(answer);
    const traffic = { isDraining: false, lastArrivalAtMs: 0 };
    const knownCaller = (partnerId: string) => ({ partnerId, keyId: `key of ${partnerId}` });
    const gate = new LoadShedding({ traffic, knownCaller, refuseInTurn: paceRefusals(SHED), onAnswer });
    const app = fastify({ serverFactory: (handle) => createServer(withPlainTarget(gate.guard(handle))) });
    gate.learnRoutes(app);
    app.decorateRequest('context');
    app.addHook('onRequest', async (request, reply) => {
      const caller = { partnerId: request.headers['x-api-key'] } as Credential;
      request.context = { correlationId: 'corr-of-test', arrivedAtMs: 0, caller, errorCode: undefined };
      reply.raw.on('close', () => gate.leave(request));
      await lookUpKey();
      gate.admit(request);
    });
    app.addHook('preValidation', async (request) => gate.arrive(request));
    const terms = { trafficClass: 'writes', isWrite: true, recoverable: 'confirm' } as const;
    const answerLater = (_request: unknown, reply: FastifyReply) => void work.push(() => void reply.send({}));
    app.post('/work', { config: { operation: 'work', policy: { ...terms, inFlightMax: 2 } } }, answerLater);
    app.get('/work', { config: { operation: 'look', policy: { ...terms, inFlightMax: 3 } } }, answerLater);
    after(() => app.close());
    const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/work`;
    const call = (method: 'GET' | 'POST', headers = {}) =>
      fetch(url, { method, headers: { 'x-api-key': 'partner', ...headers } });
    return {
      url,
      call,
      refusals,
      finish: () => {
        for (const end of work.splice(0)) end();
      },
      isBusy: async (count: number) => {
        await waitFor(`request ${count} at work`, () => work.length >= count);
      },
    };
  };

  test('from its ceiling on a route is refused, one with a higher ceiling goes on, and afterwards all are served again', async () => {
    const { call, refusals, finish, isBusy } = await listen();
    const underWay = [call('POST'), call('POST')];
    await isBusy(2);
    const refused = await call('POST', { 'x-correlation-id': 'corr-of-refusal' });
    assert.deepEqual(
      refusals.map(({ correlationId, partnerId, keyId, limit }) => [correlationId, partnerId, keyId, limit]),
      [['corr-of-refusal', 'partner', 'key of partner', 'in_flight_early']],
    );
    const body = JSON.parse(await refused.text());
    assert.deepEqual(
      [refused.status, refused.headers.get('retry-after'), refused.headers.get('x-correlation-id')],
      [503, '1', 'corr-of-refusal'],
    );
    assert.deepEqual(
      [body.error.code, body.error.correlation_id, body.error.retryable],
      ['internal_service_unavailable', 'corr-of-refusal', true],
    );
    assert.equal(body.error.details[0].code, 'not_authorized');
    const lookup = call('GET');
    await isBusy(3);
    finish();
    assert.deepEqual(
      (await Promise.all([...underWay, lookup])).map(({ status }) => status),
      [200, 200, 200],
    );
    const next = call('POST');
    await isBusy(1);
    finish();
    assert.equal((await next).status, 200);
  });

  test('a target that names the route in another form is refused like it, before its key is looked up', async () => {
    let lookUps = 0;
    const lookUpKey = async () => void lookUps++;
    const { url, call, finish, isBusy } = await listen({ lookUpKey });
    const underWay = [call('POST'), call('POST')];
    await isBusy(2);
    const { hostname, port } = new URL(url);
    for (const path of ['/work', '/w%6Frk', '/work?query', '/work#fragment', 'http://service/work', 'HTTP://service/w%6frk']) {
      const sent = request({ hostname, port, path, method: 'POST', headers: { 'x-api-key': 'partner' } }).end();
      const [refused] = (await once(sent, 'response')) as [IncomingMessage];
      refused.resume();
      assert.deepEqual([refused.statusCode, lookUps], [503, 2], path);
    }
    finish();
    await Promise.all(underWay);
  });

  test('who leaves while its key is looked up, or before its body is there, holds no place', HANG_LIMIT, async () => {
    const lookUps: (() => void)[] = [];
    const lookUpKey = () => new Promise<void>((resolve) => void lookUps.push(resolve));
    const { url, finish, isBusy, call } = await listen({ lookUpKey });
    const head = `POST /work HTTP/1.1\r\nHost: service\r\nX-API-Key: partner\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n`;
    const { hostname, port } = new URL(url);
    for (const leaves of ['during the look-up', 'before the body']) {
      for (let left = 1; left <= 3; left++) {
        const socket = connect(Number(port), hostname);
        socket.write(head);
        await waitFor('look-up at work', () => lookUps.length > 0);
        const [found] = lookUps.splice(0);
        if (leaves === 'before the body') found?.();
        await sleep(20);
        socket.destroy();
        await once(socket, 'close');
        await sleep(20);
        found?.();
      }
    }
    const next = call('POST');
    await waitFor('look-up at work', () => lookUps.length > 0);
    lookUps[0]?.();
    await isBusy(1);
    finish();
    assert.equal((await next).status, 200);
  });
});
