/** Self-service: decisions, section 9. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pool, QueryConfig } from 'pg';
import { newNamedKey, writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { revokeApiKey, rotateApiKey } from '../../src/operations/access/manage-api-key.ts';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { removeShownSecrets } from '../../src/operations/access/remove-shown-secrets.ts';
import { createListContributions } from '../../src/operations/contributions/list-contributions.ts';
import { listWebhookEndpoints } from '../../src/store/webhooks/webhook-endpoint.ts';
import { replayMissing, resend } from '../../src/webhooks/endpoints/manage-delivery.ts';
import { removeEndpoint } from '../../src/webhooks/endpoints/manage-endpoint.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Answer, type Client, countByStatus, detailCodes, uniqueId } from '../support/client.ts';
import { QUIET_ZONE } from '../support/clock/quiet-zone.ts';
import { document, listMisfits } from '../support/published.ts';
import { insertContributionRule } from '../support/rules.ts';
import { testService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
/** As in production: no plain http, no address of this machine. */
const guarded = await testService({ env: { SECRETS_KEY: WEBHOOK_ENV.SECRETS_KEY, WEBHOOK_ALLOW_INSECURE: 'false' } });
const { database } = service;
const PATH = '/v1/webhook-endpoints';
const newManager = (of = service) => of.newPartner({ key: { permission: 'manage' } });
const call = (client: Client, method: string, path: string, body?: object): Promise<Answer> =>
  client.call(path, { method, ...(body && { body }) });

async function newOwnEndpoint() {
  const made = await newManager();
  const receiver = await WebhookReceiver.open();
  const answer = await made.client.post(PATH, { url: receiver.url });
  return { ...made, receiver, answer, endpointId: answer.body.webhook_endpoint.endpoint_id as string };
}

describe('endpoints', () => {
  test('added, listed, changed, rotated, removed: by the key, audited under it', HANG_LIMIT, async () => {
    const { client, key, partner, receiver, answer, endpointId } = await newOwnEndpoint();
    assert.equal(answer.status, 201);
    assert.match(answer.body.secret, /^whsec_/);
    assert.equal(receiver.challenges.length, 1);
    const list = await client.call(PATH);
    assert.deepEqual([list.status, list.body.webhook_endpoints.length, list.body.has_more], [200, 1, false]);
    assert.ok(!list.text.includes('whsec_'));
    const changed = await call(client, 'PATCH', `${PATH}/${endpointId}`, {
      event_types: ['settlement.closed'],
      status: 'disabled',
    });
    assert.deepEqual(
      [changed.status, changed.body.webhook_endpoint.event_types, changed.body.webhook_endpoint.status],
      [200, ['settlement.closed'], 'disabled'],
    );
    assert.equal(
      (await call(client, 'PATCH', `${PATH}/${endpointId}`, { status: 'active' })).body.webhook_endpoint.status,
      'active',
    );
    const rotated = await client.call(`${PATH}/${endpointId}/rotate-secret`, {
      method: 'POST',
      headers: { 'idempotency-key': uniqueId('key') },
    });
    assert.deepEqual([rotated.status, rotated.body.secret === answer.body.secret], [201, false]);
    assert.ok(rotated.body.webhook_endpoint.secret_rotates_at);
    assert.equal((await client.post(`${PATH}/${endpointId}/rotate-secret`, {})).status, 400);
    const activated = await client.post(`${PATH}/${endpointId}/rotate-secret`, { step: 'activate' });
    assert.deepEqual(
      [activated.status, activated.body.secret, activated.body.webhook_endpoint.secret_rotates_at],
      [201, null, null],
    );
    const since = { since: '2026-01-01T00:00:00Z', missing: 'true' };
    const ill = await client.post(`${PATH}/${endpointId}/recover`, since);
    assert.match(ill.body.error.message, /^missing must be true or false; it is a string\.$/);
    const unknown = await call(client, 'DELETE', `${PATH}/${endpointId}`, { dry_run: true });
    assert.deepEqual([unknown.status, detailCodes(unknown)], [400, { dry_run: 'unknown_field' }]);
    const inQuery = await client.call(`${PATH}/${endpointId}?dry_run=true`, { method: 'DELETE' });
    assert.deepEqual([inQuery.status, detailCodes(inQuery)], [400, { dry_run: 'unknown_field' }]);
    assert.equal((await call(client, 'GET', `${PATH}/${endpointId}`)).body.webhook_endpoint.status, 'active');
    // With the media type of a body that is not sent.
    const headers = { 'content-type': 'application/json' };
    const removed = await client.call(`${PATH}/${endpointId}`, { method: 'DELETE', headers });
    assert.deepEqual([removed.status, removed.body.webhook_endpoint.status], [200, 'removed']);
    assert.equal((await call(client, 'DELETE', `${PATH}/${endpointId}`)).status, 404);
    const { rows } = await database.pool.query(
      'select action, operator_id as by, role from audit_entry where subject_id = $1 and partner_id = $2 order by entry_no',
      [endpointId, partner.partnerId],
    );
    assert.deepEqual(new Set(rows.map(({ by, role }) => `${role} ${by}`)), new Set([`partner ${key.key.keyId}`]));
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['add', 'update', 'disable', 'enable', 'rotate-secret', 'activate-secret', 'remove'].map((each) => `endpoint.${each}`),
    );
  });

  test(
    'the same key gives the endpoint and its secret again, however many ask at once; the secret is kept sealed',
    HANG_LIMIT,
    async () => {
      const { client } = await newManager();
      const receiver = await WebhookReceiver.open();
      const headers = { 'idempotency-key': uniqueId('key') };
      const answers = await Promise.all(Array.from({ length: 5 }, () => client.post(PATH, { url: receiver.url }, headers)));
      assert.deepEqual(countByStatus(answers), { 201: 5 });
      assert.equal(new Set(answers.map(({ body }) => body.secret)).size, 1);
      assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 4);
      assert.equal(receiver.challenges.length, 1);
      const { rows } = await database.pool.query('select answer from keyed_answer where idempotency_key = $1', [
        headers['idempotency-key'],
      ]);
      assert.ok(!rows[0].answer.includes('whsec_'));
      // Copied to another key, or to another partner under the same key, the sealed answer does not open.
      const copies = [
        [client, { 'idempotency-key': uniqueId('key') }],
        [(await newManager()).client, headers],
      ] as const;
      for (const [index, [of, under]] of copies.entries()) {
        const endpoint = { url: `${receiver.url}?copy=${index}` };
        assert.equal((await of.post(PATH, endpoint, under)).status, 201);
        const { rowCount } = await database.pool.query(
          'update keyed_answer set answer = $2 where idempotency_key = $1 and answer <> $2',
          [under['idempotency-key'], rows[0].answer],
        );
        const copied = await of.post(PATH, endpoint, under);
        assert.deepEqual([rowCount, copied.status, copied.text.includes('whsec_')], [1, 503, false]);
      }
      const other = await client.post(PATH, { url: `${receiver.url}?other` }, headers);
      assertError(other, 'idempotency_conflict');
    },
  );

  test('the same key gives the secret again as long as its key is kept; after it the answer says that it was done, and the next step', async () => {
    const { client, partner } = await newManager();
    const receiver = await WebhookReceiver.open();
    const headers = { 'idempotency-key': uniqueId('key') };
    const first = await client.post(PATH, { url: receiver.url }, headers);
    assert.equal(first.status, 201, first.text);
    await database.pool.query("update keyed_answer set claimed_at = claimed_at - interval '25 hours' where partner_id = $1", [
      partner.partnerId,
    ]);
    await removeShownSecrets(database, new AbortController().signal);
    assert.equal((await client.post(PATH, { url: receiver.url }, headers)).body.secret, first.body.secret);
    const env = { ...WEBHOOK_ENV, DATABASE_URL: service.databaseUrl, SECRETS_KEY: writeNamedKey(newNamedKey('new')) };
    const changed = await testService({ env, roles: ['api'] });
    const { client: later } = await changed.newPartner({ of: partner, key: { permission: 'manage' } });
    const late = await later.post(PATH, { url: receiver.url }, headers);
    assertError(late, 'invalid_request');
    assert.deepEqual(detailCodes(late), { 'Idempotency-Key': 'not_possible' });
    assert.match(late.body.error.message, /^This request was carried out before, and .* POST …\/rotate-secret /);
    assert.equal((await later.call(PATH)).body.webhook_endpoints.length, 1);
  });

  test('only a key with manage: the others are forbidden, to read too', async () => {
    const { partner, endpointId } = await newOwnEndpoint();
    for (const permission of ['read_write', 'read_only'] as const) {
      const { client } = await service.newPartner({ of: partner, key: { permission } });
      for (const [method, path] of [
        ['GET', PATH],
        ['GET', `${PATH}/${endpointId}`],
        ['PATCH', `${PATH}/${endpointId}`],
        ['DELETE', `${PATH}/${endpointId}`],
        ['GET', `${PATH}/${endpointId}/deliveries`],
        ['POST', `${PATH}/${endpointId}/rotate-secret`],
        ['POST', `${PATH}/${endpointId}/recover`],
        ['POST', `${PATH}/deliveries/dlv_none/resend`],
        ['POST', PATH],
      ] as const)
        assert.equal((await call(client, method, path)).status, 403, `${permission} ${method} ${path}`);
    }
  });

  test('a key with manage does what read_write does', async () => {
    const { client } = await newManager();
    assert.equal((await client.confirm()).status, 201);
  });

  test('a key that is revoked, or ends, while the receiver takes its time for the challenge adds none', HANG_LIMIT, async () => {
    const revoke = (keyId: string) => revokeApiKey(database, OWNER, keyId);
    const end = (keyId: string) => rotateApiKey(database, OWNER, { environment: 'sandbox', keyId, overlapSeconds: 0 });
    for (const take of [revoke, end]) {
      const { client, key, partner } = await newManager();
      const receiver = await WebhookReceiver.open();
      const answerAtOnce = receiver.answerChallenge;
      receiver.answerChallenge = async (response, challenge) => {
        await take(key.key.keyId);
        answerAtOnce(response, challenge);
      };
      const answer = await client.post(PATH, { url: receiver.url });
      assertError(answer, 'unauthorized');
      assert.match(answer.headers.get('www-authenticate') ?? '', /^ApiKey /);
      assert.equal(receiver.challenges.length, 1);
      assert.deepEqual(await listWebhookEndpoints(database.pool, partner.partnerId), []);
    }
  });

  test('another partner’s endpoint is not found, just as none', async () => {
    const { endpointId } = await newOwnEndpoint();
    const { client: enemy } = await newManager();
    const recover = { since: '2026-01-01T00:00:00Z' };
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { status: 'disabled' }],
      ['DELETE', '', undefined],
      ['GET', '/deliveries', undefined],
    ] as const) {
      const answers = await Promise.all(
        [endpointId, 'wep_01KBJ3Y5A7C9E1G3J5M7P9R1T3', 'x'].map((id) => call(enemy, method, `${PATH}/${id}${path}`, body)),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        [404, 404, 404],
        `${method} ${path}`,
      );
      assert.equal(new Set(answers.map(({ body }) => body.error.message)).size, 1);
    }
    for (const [path, body] of [
      ['rotate-secret', {}],
      ['recover', recover],
    ] as const)
      assert.equal((await enemy.post(`${PATH}/${endpointId}/${path}`, body)).status, 404);
  });

  test('addresses inside the network are refused with the field, and nobody is contacted', async () => {
    const { client } = await newManager(guarded);
    for (const url of [
      'http://127.0.0.1:9000/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://10.0.0.1/',
      'https://169.254.169.254/latest/meta-data',
      'https://[::ffff:10.0.0.1]/',
      'https://localhost/',
      'https://0x7f000001/',
      'https://user:secret@example.com/',
      'https://example.com/#part',
      'ftp://example.com/',
      'not a url',
    ]) {
      const answer = await client.post(PATH, { url });
      assert.deepEqual([answer.status, detailCodes(answer)['url']], [400, 'unsupported_value'], url);
    }
    assert.deepEqual((await client.call(PATH)).body.webhook_endpoints, []);
  });

  test('a refusal says what to do next', HANG_LIMIT, async () => {
    const { client, receiver, endpointId } = await newOwnEndpoint();
    const refusedBecause = async (path: string, body: object) => (await client.post(path, body)).body.error.message;
    assert.match(await refusedBecause(PATH, { url: receiver.url }), /already has this address\. Use that one; .*rotate-secret/);
    const strict = await WebhookReceiver.open();
    strict.answerChallenge = (response) => void response.writeHead(401).end();
    assert.match(
      await refusedBecause(PATH, { url: strict.url }),
      /it answered 401\. Let the receiver answer the challenge without verifying its signature/,
    );
    assert.match(
      await refusedBecause(PATH, { url: 'https://example.com:81/' }),
      /The URL's port is 81, .* Give the receiver such a port, or ask the operator to add an endpoint with this one\.$/,
    );
    await call(client, 'PATCH', `${PATH}/${endpointId}`, { status: 'disabled' });
    const sample = { event_type: 'settlement.closed' };
    assert.match(await refusedBecause('/v1/sandbox/events', sample), /Add one, or make a disabled one active\./);
  });

  test(
    'what two requests at once may not do both is refused in the words of the interface, not of the command line',
    HANG_LIMIT,
    async () => {
      const { client } = await newManager();
      const receiver = await WebhookReceiver.open();
      const answerAll: (() => void)[] = [];
      receiver.answerChallenge = (response, challenge) => {
        answerAll.push(() => response.end(JSON.stringify({ challenge })));
        if (answerAll.length === 2) for (const answer of answerAll) answer();
      };
      const [one, other] = await Promise.all([
        client.post(PATH, { url: receiver.url }),
        client.post(PATH, { url: receiver.url }),
      ]);
      const [added, refused] = one.status === 201 ? [one, other] : [other, one];
      assert.deepEqual([added.status, refused.status, detailCodes(refused)['url']], [201, 400, 'not_possible']);
      assert.match(refused.body.error.message, /^Your endpoint wep_\w+ already has this address\. Use that one; /);
      const { endpoint_id: endpointId } = added.body.webhook_endpoint;
      const path = `${PATH}/${endpointId}/rotate-secret`;
      const refusedStep = async (step: string) => {
        const answer = await client.post(path, { step });
        assert.deepEqual([answer.status, detailCodes(answer)['step']], [400, 'not_possible']);
        return answer.body.error.message;
      };
      assert.match(await refusedStep('activate'), /Send \{"step":"start"\} first\.$/);
      assert.equal((await client.post(path, { step: 'start' })).status, 201);
      assert.match(await refusedStep('start'), /^There is a new secret already\. Send \{"step":"activate"\}/);
      // Between its two looks at the endpoint a request may find it removed.
      const actor = { operatorId: 'key_1', role: 'operator', isPartner: true, correlationId: uniqueId('corr') } as const;
      const gone = { partnerId: 'ptn_unknown1', endpointId, deliveryId: 'dlv_unknown1', since: new Date(0) };
      for (const [made, noun] of [
        [() => removeEndpoint(database, actor, gone), 'webhook endpoint'],
        [() => replayMissing(database, actor, gone), 'webhook endpoint'],
        [() => resend(database, actor, gone), 'delivery'],
      ] as const)
        await assert.rejects(made, new RegExp(`^ServiceError: You have no ${noun} with this `));
    },
  );

  test(
    'five at most, none twice at one address, ten additions at once; a receiver that fails the challenge gets none',
    HANG_LIMIT,
    async () => {
      const { client } = await newManager();
      const receiver = await WebhookReceiver.open();
      for (let number = 1; number <= 5; number++)
        assert.equal((await client.post(PATH, { url: `${receiver.url}?${number}` })).status, 201);
      assertError(await client.post(PATH, { url: `${receiver.url}?6` }), 'invalid_request');
      assert.equal((await client.post(PATH, { url: `${receiver.url}?1` })).status, 400);
      const { client: hasty } = await newManager();
      const answers: Answer[] = [];
      for (let number = 0; number < 12; number++) answers.push(await hasty.post(PATH, { url: `${service.baseUrl}/${number}` }));
      assert.deepEqual(countByStatus(answers), { 400: 10, 429: 2 });
      const last = answers.at(-1);
      assert.ok(Number(last?.headers.get('retry-after')) >= 1);
      assert.match(last?.body.error.message, /^A partner adds at most 10 endpoints at once, then 10 a minute\. Retry after/);
    },
  );
});

test(
  '200 additions in 24 hours, removed ones included: beyond them rate_limited until the first is a day old',
  HANG_LIMIT,
  async () => {
    const { client, partner, receiver, endpointId } = await newOwnEndpoint();
    const { partnerId } = partner;
    await call(client, 'DELETE', `${PATH}/${endpointId}`);
    // As if the partner had added and removed 199 more before.
    await database.pool.query(
      `insert into webhook_endpoint select (jsonb_populate_record(e, jsonb_build_object('endpoint_id', e.endpoint_id || n,
      'url', e.url || n, 'created_at', e.created_at - n * interval '6 minutes'))).*
    from webhook_endpoint e cross join generate_series(1, 199) n where partner_id = $1`,
      [partnerId],
    );
    const refused = await client.post(PATH, { url: `${receiver.url}?again` });
    assertError(refused, 'rate_limited');
    const secondsLeft = Number(refused.headers.get('retry-after'));
    assert.ok(secondsLeft > 4 * 3_600 && secondsLeft <= 5 * 3_600, `${secondsLeft}`);
    assert.equal(receiver.challenges.length, 1);
    assert.deepEqual(await listWebhookEndpoints(database.pool, partnerId), []);
    await database.pool.query(
      `update webhook_endpoint set created_at = created_at - interval '5 hours' where partner_id = $1 and endpoint_id like '%199'`,
      [partnerId],
    );
    const answers = await Promise.all([1, 2, 3].map((number) => client.post(PATH, { url: `${receiver.url}?${number}` })));
    assert.deepEqual(countByStatus(answers), { 201: 1, 429: 2 });
  },
);

test('a change of a partner that changes nothing is not recorded', async () => {
  const { client, endpointId } = await newOwnEndpoint();
  const [states, entries] = [
    [{ status: 'active' }, { event_types: [] }, { status: 'disabled' }, { status: 'disabled' }, { status: 'active' }],
    () => database.pool.query('select action from audit_entry where subject_id = $1 order by entry_no', [endpointId]),
  ] as const;
  const change = async (state: object) => assert.equal((await call(client, 'PATCH', `${PATH}/${endpointId}`, state)).status, 200);
  for (const state of states) await change(state);
  assert.deepEqual(
    (await entries()).rows.map(({ action }) => action),
    ['endpoint.add', 'endpoint.disable', 'endpoint.enable'],
  );
  // To enable an endpoint that fails is a change: its failures are reset.
  await database.pool.query('update endpoint_health set failing_since = now() where endpoint_id = $1', [endpointId]);
  for (const state of [{ event_types: [] }, { status: 'active' }, { status: 'active' }]) await change(state);
  await database.pool.query('update endpoint_health set failing_since = now() where endpoint_id = $1', [endpointId]);
  for (const state of [{ status: 'disabled' }, { status: 'disabled' }, { event_types: [] }]) await change(state);
  assert.deepEqual(
    (await entries()).rows.slice(3).map(({ action }) => action),
    ['endpoint.enable', 'endpoint.disable'],
  );
});

test('paused_until is a time to come, of an active endpoint', async () => {
  const { client, endpointId } = await newOwnEndpoint();
  const shown = async () => {
    const { body } = await client.call(`${PATH}/${endpointId}`);
    const list = await client.call(PATH);
    assert.deepEqual(list.body.webhook_endpoints, [body.webhook_endpoint]);
    return body.webhook_endpoint.paused_until as string | null;
  };
  const text =
    'update endpoint_health set breaker_trips = 1, breaker_open_until = now() + $2::interval where endpoint_id = $1 returning *';
  const openFor = async (duration: string) =>
    (await database.pool.query(text, [endpointId, duration])).rows[0].breaker_open_until;
  await openFor('-1 second');
  assert.equal(await shown(), null);
  const until = await openFor('10 minutes');
  assert.equal(await shown(), until.toISOString());
  await database.pool.query("update webhook_endpoint set status = 'disabled' where endpoint_id = $1", [endpointId]);
  assert.equal(await shown(), null);
});

test('sixty changes at once: beyond them rate_limited, and look-ups go on', HANG_LIMIT, async () => {
  const { client, endpointId } = await newOwnEndpoint();
  const answers = await Promise.all(
    Array.from({ length: 150 }, () => call(client, 'PATCH', `${PATH}/${endpointId}`, { event_types: [] })),
  );
  const { 429: refused = 0 } = countByStatus(answers);
  // The one that added the endpoint counts too, and each second that they run allows another.
  assert.ok(refused >= 1 && refused <= 91, JSON.stringify(countByStatus(answers)));
  const { body } = answers.find(({ status }) => status === 429) as Answer;
  assert.match(
    body.error.message,
    /^A partner makes at most 60 changes of its endpoints at once, then 60 a minute\. Retry after/,
  );
  assert.equal((await client.call(PATH)).status, 200);
});

describe('deliveries', () => {
  test('listed page by page, sent again by either path, and recovered', HANG_LIMIT, async () => {
    const { client, partner, receiver, endpointId } = await newOwnEndpoint();
    for (let number = 0; number < 3; number++) await client.confirm();
    await untilDeliveries(
      database,
      partner.partnerId,
      (all) => all.length >= 3 && all.every(({ status }) => status === 'delivered'),
    );
    const first = await client.call(`${PATH}/${endpointId}/deliveries?limit=2`);
    assert.deepEqual([first.status, first.body.deliveries.length, first.body.has_more], [200, 2, true]);
    const { last_attempt } = first.body.deliveries[0];
    assert.deepEqual([Number(last_attempt.status), last_attempt.error_class], [200, null]);
    const second = await client.call(`${PATH}/${endpointId}/deliveries?limit=2&after=${first.body.next_after}`);
    const ids = [...first.body.deliveries, ...second.body.deliveries].map(({ delivery_id }) => delivery_id);
    assert.equal(new Set(ids).size, ids.length);
    const before = receiver.arrived.length;
    for (const path of [`${PATH}/deliveries/${ids[0]}/resend`, `${PATH}/${endpointId}/deliveries/${ids[1]}/resend`])
      assert.equal((await client.post(path, {})).status, 201, path);
    await receiver.until(before + 2);
    const { client: enemy } = await newManager();
    assert.equal((await enemy.post(`${PATH}/deliveries/${ids[0]}/resend`, {})).status, 404);
    await database.pool.query(
      `update delivery set status = 'exhausted', ended_at = now() where partner_id = $1 and delivery_id = $2`,
      [partner.partnerId, ids[2]],
    );
    const recovered = await client.post(`${PATH}/${endpointId}/recover`, { since: '2026-01-01T00:00:00Z' });
    assert.deepEqual([recovered.status, recovered.body.recovered], [201, 1n]);
    await receiver.until(before + 3);
    const mistaken = await client.post(`${PATH}/${endpointId}/recover`, { since: 'yesterday' });
    assert.equal(mistaken.status, 400);
    assert.match(mistaken.body.error.message, /^since must be a time of ISO 8601 with its zone, such as /);
  });
});

describe('GET /v1/partner', () => {
  test('tells every key its name, status, bounds in force, rates, currency, time zone and environment', async () => {
    const { client, partner } = await service.newPartner({
      key: { permission: 'read_only' },
      rates: { writesPerSecond: 7, lookupsPerSecond: 11, reportsPerSecond: 13 },
    });
    const { status, body } = await client.call('/v1/partner');
    assert.equal(status, 200);
    assert.deepEqual(body.partner, {
      partner_id: partner.partnerId,
      name: 'Test partner',
      status: 'active',
      bounds: {
        contribution_rule_version: 'default-1',
        point_conversion_version: 'default-1',
        tree_cost_version: 'default-1',
        points_min: 1n,
        points_max: 9_223_372_036_854_775_807n,
        reviews_everything: false,
        review_threshold: null,
        daily_points_cap: null,
        daily_count_cap: null,
      },
      rates: { writes_per_second: 7n, lookups_per_second: 11n, reports_per_second: 13n },
      currency: null,
      time_zone: QUIET_ZONE,
      environment: 'sandbox',
    });
  });

  test('tells a suspended partner so, and the bounds of its own rule', async () => {
    const { client, partner } = await service.newPartner();
    const { partnerId } = partner;
    const limits = { review_threshold: 500, daily_points_cap: 10_000, daily_count_cap: 20, reviews_everything: true };
    const label = await insertContributionRule(database, { partnerId, ...limits, points_min: 10, points_max: 1_000 });
    await suspendPartner(database, OWNER, partnerId);
    const { status, bounds } = await waitFor('partner with its own rule', async () => {
      const { partner: told } = (await client.call('/v1/partner')).body;
      return told.bounds.contribution_rule_version === label && told;
    });
    assert.equal(status, 'suspended');
    assert.deepEqual(bounds, {
      contribution_rule_version: label,
      point_conversion_version: 'default-1',
      tree_cost_version: 'default-1',
      points_min: 10n,
      points_max: 1_000n,
      reviews_everything: true,
      review_threshold: 500n,
      daily_points_cap: 10_000n,
      daily_count_cap: 20n,
    });
  });

  test('the bounds are those by which a contribution is refused', HANG_LIMIT, async () => {
    const { client, partner } = await service.newPartner();
    await insertContributionRule(database, { partnerId: partner.partnerId, points_min: 10 });
    const boundsOf = async () => (await client.call('/v1/partner')).body.partner.bounds;
    await waitFor('bound of the new rule', async () => (await boundsOf()).points_min === 10n, boundsOf);
    assertError(await client.confirm({ points: 9 }), 'invalid_point_amount');
  });
});

describe('the list of contributions by time', () => {
  const LIST = '/v1/impact-transactions';
  const described = document.paths[LIST].get['x-list'].responses['200'].content['application/json'].schema;

  test('in the order of time, page by page, by status and by bounds', async () => {
    const { client } = await service.newPartner();
    const made: string[] = [];
    for (let number = 0; number < 5; number++) made.push((await client.confirm()).body.contribution.transaction_id);
    const pending = (await client.confirm({}, { 'x-sandbox-scenario': 'pending' })).body.contribution.transaction_id;
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { status, body, text } = await client.call(`${LIST}?limit=2${after && `&after=${after}`}`);
      assert.equal(status, 200);
      assert.equal(listMisfits(described, JSON.parse(text)), '');
      seen.push(...body.contributions.map(({ transaction_id }: { transaction_id: string }) => transaction_id));
      if (!body.has_more) break;
      after = body.next_after;
    }
    assert.deepEqual(seen.slice(0, 5), made);
    const idsOf = async (query: string) =>
      (await client.call(`${LIST}?${query}`)).body.contributions.map(
        ({ transaction_id }: { transaction_id: string }) => transaction_id,
      );
    assert.deepEqual(await idsOf('status=pending'), [pending]);
    const { created_at } = (await client.get(made[2] as string)).body.contribution;
    const [from, before] = [
      await idsOf(`created_after=${created_at}&status=confirmed`),
      await idsOf(`created_before=${created_at}`),
    ];
    assert.ok(from.includes(made[2]) && from.includes(made[4]) && !before.includes(made[2]) && before.includes(made[0]));
    assert.deepEqual(await idsOf('created_after=2099-01-01T00:00:00Z'), []);
  });

  test('a page without a filter reads one row more than it has', async () => {
    const { client, partner } = await service.newPartner();
    for (let count = 0; count < 6; count++) assert.equal((await client.confirm()).status, 201);
    let read = 0;
    const query = async (statement: QueryConfig) => {
      const answer = await database.pool.query(statement);
      if (/^list_contributions/.test(statement.name ?? '')) read += answer.rows.length;
      return answer;
    };
    const pool = { query } as unknown as Pool;
    const list = createListContributions({ ...database, pool }, { concurrency: 1 });
    const all = {
      partnerId: partner.partnerId,
      afterId: '',
      createdAfter: undefined,
      createdBefore: undefined,
      status: undefined,
    };
    const { records, hasMore } = await list({ ...all, limit: 2 });
    assert.deepEqual([records.length, hasMore, read], [2, true, 3]);
  });

  test('a look-up stays a look-up: without its event it is refused, beside it the members of a list are', async () => {
    const { client } = await service.newPartner();
    const bare = await client.call(LIST);
    assert.deepEqual([bare.status, detailCodes(bare)['partner_event_id']], [400, 'missing']);
    assert.equal((await client.call(`${LIST}?partner_event_id=some-event-1&status=confirmed`)).status, 400);
    assert.equal((await client.call(`${LIST}?status=all`)).status, 400);
    for (const time of ['20261120', '2026-02-30T00:00:00Z', '2026-04-31T00:00:00Z', '2026-13-01T00:00:00Z'])
      assert.equal((await client.call(`${LIST}?created_after=${time}`)).status, 400, time);
    assert.equal((await client.call(`${LIST}?created_after=2028-02-29T23:59:59%2B03:00`)).status, 200);
    const { body } = await client.call(`${LIST}?created_after=2028-02-29T23:59:59+03:00`);
    assert.match(body.error.message, /In an address, write \+ as %2B\.$/);
    const all = detailCodes(await client.call(`${LIST}?created_after=2026-11-20&created_before=&limit=0&status=all`));
    assert.deepEqual(
      ['created_after', 'created_before', 'limit', 'status'].map((field) => all[field]),
      ['wrong_form', 'wrong_form', 'too_small', 'unsupported_value'],
    );
    assert.equal((await client.findByEvent('never-seen-event')).status, 404);
    assert.equal((await client.call(`${LIST}?status=confirmed`, { method: 'POST' })).status, 400);
  });

  test('HEAD answers as GET', async () => {
    const { client } = await service.newPartner();
    for (const query of ['?limit=1', '?status=pending', '?status=all', '']) {
      const [got, head] = [await client.call(LIST + query), await client.call(LIST + query, { method: 'HEAD' })];
      assert.deepEqual([head.status, head.text], [got.status, ''], query);
      const [policy, own] = [got, head].map(({ headers }) => headers.get('ratelimit-policy'));
      assert.equal(own, policy, query);
    }
  });

  test('nobody sees another partner’s, nor goes on from their page', async () => {
    const [{ client }, { client: enemy }] = [await service.newPartner(), await service.newPartner()];
    await client.confirm();
    const { next_after } = (await client.call(`${LIST}?limit=1`)).body;
    assert.deepEqual((await enemy.call(`${LIST}?limit=10`)).body.contributions, []);
    assert.equal((await enemy.call(`${LIST}?after=${next_after}`)).status, 400);
  });
});
