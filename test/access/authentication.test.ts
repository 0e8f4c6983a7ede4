/** Who may call: interface, "Authentication"; decisions, section 5. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, mock, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { newApiKey, parseApiKey } from '../../src/domain/access/api-key.ts';
import { revokeApiKey, rotateApiKey } from '../../src/operations/access/manage-api-key.ts';
import { resumePartner, suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { authenticator } from '../../src/partner-api/access/authenticate.ts';
import { CREDENTIALS_POOL_SIZE } from '../../src/partner-api/access/credential-memory.ts';
import { failureLimit } from '../../src/partner-api/limits/failure-limit.ts';
import { openDatabase } from '../../src/store/database.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { Client, countByStatus, detailCodes, newConfirmation, uniqueId } from '../support/client.ts';
import { countRows } from '../support/records.ts';
import { type TestPartner, testService } from '../support/service.ts';

const service = await testService();
const { client, key, partner } = await service.newPartner();
const { database } = service;

/** Every operation, each with an identifier of a record that exists. */
const { contribution } = (await client.confirm()).body;
const { estimate } = (await client.estimate()).body;
const OPERATIONS: [string, string, string, unknown?][] = [
  ['confirmContribution', 'POST', '/v1/impact-transactions', newConfirmation()],
  ['getContributionByPartnerEventId', 'GET', `/v1/impact-transactions?partner_event_id=${contribution.partner_event_id}`],
  ['getContributionById', 'GET', `/v1/impact-transactions/${contribution.transaction_id}`],
  [
    'createDeliveryEmissionsEstimate',
    'POST',
    '/v1/emissions/estimates',
    { partner_order_ref: 'o', distance_km: '1', distance_unit: 'km', vehicle_category: 'car_gasoline' },
  ],
  ['getDeliveryEmissionsEstimate', 'GET', `/v1/emissions/estimates/${estimate.calculation_id}`],
  [
    'associateEmissionsEstimate',
    'POST',
    `/v1/impact-transactions/${contribution.transaction_id}/emissions-associations`,
    { calculation_id: estimate.calculation_id },
  ],
  ['listEvents', 'GET', '/v1/events'],
  ['getEvent', 'GET', `/v1/events/${contribution.transaction_id.replace('txn_', 'evt_')}`],
];

function callAll(apiKey: string) {
  const caller = new Client(service.baseUrl, apiKey);
  return Promise.all(
    OPERATIONS.map(([, method, path, body]) =>
      caller.call(path, { method, headers: { 'idempotency-key': uniqueId('key') }, ...(body !== undefined && { body }) }),
    ),
  );
}

const WRONG_CHARACTER = key.apiKey.endsWith('0') ? '1' : '0';
const UNUSABLE: [string, string][] = [
  ['missing', ''],
  ['malformed', 'not-a-key'],
  ['with a typing error', key.apiKey.slice(0, -1) + WRONG_CHARACTER],
  ['cut short', key.apiKey.slice(0, -1)],
  ['unknown', newApiKey('sandbox').apiKey],
  ['of the other environment', newApiKey('production').apiKey],
];

describe('unauthorized: 401 with WWW-Authenticate on every operation, and nothing is stored', () => {
  for (const [title, apiKey] of UNUSABLE) {
    test(`a key that is ${title}`, async () => {
      const before = await countRows(database, partner.partnerId);
      for (const answer of await callAll(apiKey)) {
        assertError(answer, 'unauthorized');
        assert.ok(answer.headers.get('www-authenticate'));
      }
      assert.deepEqual(await countRows(database, partner.partnerId), before);
    });
  }

  test('a known key id with another secret is refused like an unknown key: the same message', async () => {
    const keys = [forge(key.key.keyId, newApiKey('sandbox').apiKey), newApiKey('sandbox').apiKey, 'not-a-key'];
    const answers = await Promise.all(keys.map((apiKey) => new Client(service.baseUrl, apiKey).get('txn_x')));
    assert.deepEqual(countByStatus(answers), { 401: 3 });
    assert.equal(new Set(answers.map(({ body }) => body.error.message)).size, 1);
  });

  test('a key of the other environment is told so: its prefix shows it', async () => {
    const answer = await new Client(service.baseUrl, newApiKey('production').apiKey).confirm();
    assert.match(answer.body.error.message, /key of the production environment/);
  });

  test('an expired and a revoked key share the message of an unknown one', async () => {
    const expired = await service.newPartner({ key: { expiresAt: new Date(Date.now() - 1000) } });
    const revoked = await service.newPartner();
    await revokeApiKey(database, OWNER, revoked.key.key.keyId);
    const unknown = await new Client(service.baseUrl, newApiKey('sandbox').apiKey).confirm();
    for (const { client: caller } of [expired, revoked]) {
      const answer = await caller.confirm();
      assert.equal(answer.status, 401);
      assert.equal(answer.body.error.message, unknown.body.error.message);
    }
  });

  test('an error of authentication on a confirmation carries the recovery verdict', async () => {
    const answer = await new Client(service.baseUrl, 'not-a-key').confirm();
    assert.deepEqual(detailCodes(answer), { point_restoration: 'not_authorized', next_action: 'fix_request' });
  });
});

/** A key with the id of one and the secret of another, and a right checksum. */
function forge(keyId: string, otherKey: string): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const unchecked = `pi_sandbox_${keyId}${otherKey.slice('pi_sandbox_'.length + 12, -6)}`;
  let rest = crc32(unchecked);
  let checksum = '';
  for (let index = 0; index < 6; index++, rest = Math.floor(rest / 62)) checksum = alphabet.charAt(rest % 62) + checksum;
  assert.ok(parseApiKey(unchecked + checksum));
  return unchecked + checksum;
}

describe('forbidden: 403', () => {
  test('a read-only key reads, and writes nothing', async () => {
    const reader = await service.newPartner({ key: { permission: 'read_only' } });
    const before = await countRows(database, reader.partner.partnerId);
    const answers = await callAll(reader.key.apiKey);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 404, 404, 403, 404, 403, 200, 404],
    );
    assertError(answers[0], 'forbidden');
    assert.deepEqual(await countRows(database, reader.partner.partnerId), before);
  });

  test('an address outside the list of the key', async () => {
    const elsewhere = await service.newPartner({ key: { allowedAddresses: ['203.0.113.0/24', '2001:db8::/32'] } });
    for (const answer of await callAll(elsewhere.key.apiKey)) assertError(answer, 'forbidden');
    const here = await service.newPartner({ key: { allowedAddresses: ['203.0.113.7', '127.0.0.0/8'] } });
    assert.equal((await here.client.confirm()).status, 201);
  });

  test("the forwarded address counts only from a trusted proxy, and then the proxy's own does not", async () => {
    const listed = await service.newPartner({ key: { allowedAddresses: ['203.0.113.7'] } });
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    assert.equal((await listed.client.confirm({}, headers)).status, 403);
    const behindProxy = await testService({ env: { DATABASE_URL: service.databaseUrl, TRUSTED_PROXIES: '127.0.0.0/8' } });
    const forwarded = new Client(behindProxy.baseUrl, listed.key.apiKey);
    assert.equal((await forwarded.confirm({}, headers)).status, 201);
    assert.equal((await forwarded.confirm({}, { 'x-forwarded-for': '203.0.113.7, 198.51.100.1' })).status, 403);
  });
});

describe('within ten seconds on every instance (decisions, section 5)', () => {
  /** An instance of its own, whose clock the test moves. */
  function instance() {
    const clock = { ms: 1_000, now: () => clock.ms };
    const told = { onUse: () => {}, onUnverified: () => {} };
    const authenticate = authenticator({ database, environment: 'sandbox', failures: failureLimit(), ...told, clock });
    return { clock, of: (apiKey: string) => authenticate({ apiKey, address: '127.0.0.1' }) };
  }

  test('a revoked key is refused', async () => {
    const { key: issued } = await service.newPartner();
    const { clock, of } = instance();
    await of(issued.apiKey);
    await revokeApiKey(database, OWNER, issued.key.keyId);
    clock.ms += 10_000;
    await assert.rejects(of(issued.apiKey), { code: 'unauthorized' });
  });

  test('a suspension holds, and its end', async () => {
    const { key: issued, partner: suspended } = await service.newPartner();
    const { clock, of } = instance();
    assert.equal((await of(issued.apiKey)).isSuspended, false);
    await suspendPartner(database, OWNER, suspended.partnerId);
    clock.ms += 10_000;
    assert.equal((await of(issued.apiKey)).isSuspended, true);
    await resumePartner(database, OWNER, suspended.partnerId);
    clock.ms += 10_000;
    assert.equal((await of(issued.apiKey)).isSuspended, false);
  });

  test('a key that was unknown is known soon after it is issued', async () => {
    const { clock, of } = instance();
    const later = newApiKey('sandbox');
    await assert.rejects(of(later.apiKey), { code: 'unauthorized' });
    await database.pool.query(
      "insert into api_key (key_id, partner_id, secret_sha256, name, permission) values ($1, $2, $3, 'late', 'read_write')",
      [later.keyId, partner.partnerId, later.secretSha256],
    );
    await attestRecord(database, OWNER, { kind: 'api_key', id: later.keyId, reason: 'made by a test' });
    clock.ms += 10_000;
    assert.equal((await of(later.apiKey)).partnerId, partner.partnerId);
  });

  test('a key expires at its time even while it is remembered', async () => {
    const { key: issued } = await service.newPartner({ key: { expiresAt: new Date(Date.now() + 60_000) } });
    const { clock, of } = instance();
    await database.pool.query("update api_key set expires_at = now() + interval '1999 milliseconds' where key_id = $1", [
      issued.key.keyId,
    ]);
    await attestRecord(database, OWNER, { kind: 'api_key', id: issued.key.keyId, reason: 'brought forward by a test' });
    await of(issued.apiKey);
    clock.ms += 2_000;
    await assert.rejects(of(issued.apiKey), { code: 'unauthorized' });
  });
});

describe('within ten seconds for a request that began before (decisions, section 5)', () => {
  /** Sends a confirmation whose last byte comes ten seconds later by the service's clock, after `between`. */
  async function confirmSlowly({ key, client: caller }: TestPartner, between: () => Promise<unknown>): Promise<string> {
    const body = JSON.stringify(newConfirmation());
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    const fields = ['Host: service', `X-API-Key: ${key.apiKey}`, `Idempotency-Key: ${uniqueId('key')}`, 'Connection: close'];
    const content = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    socket.write(`POST /v1/impact-transactions HTTP/1.1\r\n${[...fields, ...content].join('\r\n')}\r\n\r\n${body.slice(0, -1)}`);
    let received = '';
    socket.on('data', (text) => (received += text));
    // Answered later, so that the head that was sent before has been judged.
    await caller.findByEvent('event-of-nobody');
    await between();
    const now = performance.now.bind(performance);
    const later = mock.method(performance, 'now', () => now() + 10_000);
    try {
      socket.write(body.slice(-1));
      await once(socket, 'close');
      return received;
    } finally {
      later.mock.restore();
    }
  }

  test('a key that is revoked before the last byte of a confirmation records nothing', async () => {
    const slow = await service.newPartner();
    const received = await confirmSlowly(slow, () => revokeApiKey(database, OWNER, slow.key.key.keyId));
    assert.match(received, /^HTTP\/1\.1 401 /);
    assert.equal((await countRows(database, slow.partner.partnerId))['contribution'], 0);
  });

  test('a partner that is suspended before the last byte of a confirmation records nothing', async () => {
    const slow = await service.newPartner();
    const received = await confirmSlowly(slow, () => suspendPartner(database, OWNER, slow.partner.partnerId));
    assert.match(received, /^HTTP\/1\.1 403 .*partner_suspended/s);
    assert.equal((await countRows(database, slow.partner.partnerId))['contribution'], 0);
  });

  test('a key that is as it was confirms, however slowly', async () => {
    const received = await confirmSlowly(await service.newPartner(), async () => {});
    assert.match(received, /^HTTP\/1\.1 201 /);
  });
});

describe('rotation', () => {
  test('the new key works at once on the same terms, the old one until its overlap ends', async () => {
    const old = await service.newPartner({ key: { permission: 'read_only', allowedAddresses: ['127.0.0.1'] } });
    const { issued, old: replaced } = await rotateApiKey(database, OWNER, { environment: 'sandbox', keyId: old.key.key.keyId });
    assert.deepEqual([issued.key.permission, issued.key.allowedAddresses], ['read_only', ['127.0.0.1']]);
    assert.ok(Math.abs((replaced.expiresAt?.getTime() ?? 0) - Date.now() - 24 * 60 * 60 * 1000) < 60_000);
    assert.equal((await new Client(service.baseUrl, issued.apiKey).findByEvent('event-of-nobody')).status, 404);
    assert.equal((await old.client.findByEvent('event-of-nobody')).status, 404);
  });

  test('an overlap of nothing ends the old key at once; an earlier end is never put off', async () => {
    const old = await service.newPartner();
    await rotateApiKey(database, OWNER, { environment: 'sandbox', keyId: old.key.key.keyId, overlapSeconds: 0 });
    assert.equal((await old.client.confirm()).status, 401);
    const rotation = { environment: 'sandbox', keyId: old.key.key.keyId, expiresAt: null } as const;
    const { old: again } = await rotateApiKey(database, OWNER, rotation);
    assert.ok((again.expiresAt?.getTime() ?? 0) <= Date.now());
  });
});

describe('the end of a key outlives its rotation', () => {
  const DAY_MS = 24 * 3_600_000;
  const rotate = (keyId: string, terms: { overlapSeconds?: number; expiresAt?: Date | null } = {}) =>
    rotateApiKey(database, OWNER, { environment: 'sandbox', keyId, ...terms });
  const keyUntil = async (expiresAt: Date | null) => (await service.newPartner({ key: { expiresAt } })).key.key.keyId;

  test('the new key ends when the old one would have; another end, or none, has to be given', async () => {
    const [end, other] = [new Date(Date.now() + 30 * DAY_MS), new Date(Date.now() + 60 * DAY_MS)];
    assert.deepEqual((await rotate(await keyUntil(end))).issued.key.expiresAt, end);
    assert.deepEqual((await rotate(await keyUntil(end), { expiresAt: other })).issued.key.expiresAt, other);
    assert.equal((await rotate(await keyUntil(end), { expiresAt: null })).issued.key.expiresAt, null);
    assert.equal((await rotate(await keyUntil(null))).issued.key.expiresAt, null);
    assert.deepEqual((await rotate(await keyUntil(null), { expiresAt: end })).issued.key.expiresAt, end);
  });

  test('an end within the overlap is not kept: it has to be said, and nothing is made until then', async () => {
    const partner = await service.newPartner({ key: { expiresAt: new Date(Date.now() + DAY_MS / 2) } });
    const { keyId } = partner.key.key;
    const isRefused = (keyIdOf: string) =>
      assert.rejects(rotate(keyIdOf), /would expire with it\. .*--expires-at TIME.*--without-end/);
    await isRefused(keyId);
    const { rows } = await database.pool.query('select key_id, expires_at from api_key where partner_id = $1', [
      partner.partner.partnerId,
    ]);
    assert.deepEqual(rows, [{ key_id: keyId, expires_at: partner.key.key.expiresAt }]);
    const later = await rotate(keyId, { overlapSeconds: 60 });
    assert.deepEqual(later.issued.key.expiresAt, partner.key.key.expiresAt);
    // Rotated already, it runs out with its overlap.
    await isRefused(keyId);
  });
});

describe('keys that nobody has', () => {
  const unknownKeys = (count: number) => Array.from({ length: count }, () => newApiKey('sandbox').apiKey);

  /** An instance of its own: what it asks the database, and whoever asks it. */
  function watchedInstance() {
    const clock = { ms: 1_000, now: () => clock.ms };
    const own = openDatabase({
      databaseUrl: service.databaseUrl,
      poolSize: CREDENTIALS_POOL_SIZE,
      auditKeys: database.auditKeys,
    });
    after(() => own.close());
    const statements = mock.method(own.pool, 'query').mock;
    const authenticate = authenticator({
      database: own,
      environment: 'sandbox',
      failures: failureLimit(clock),
      onUse: () => {},
      onUnverified: () => {},
      clock,
    });
    const from = (address: string, apiKey: string) => authenticate({ apiKey, address });
    return { clock, from, statements };
  }

  /** From one address, all at once: how each ended. */
  const flood = (from: ReturnType<typeof watchedInstance>['from'], count: number) =>
    Promise.all(
      unknownKeys(count).map((apiKey) =>
        from('198.51.100.1', apiKey).then(
          () => 'let in',
          ({ code }) => code,
        ),
      ),
    );

  test('are looked up together, and push out no key that is known', async () => {
    const { from, statements } = watchedInstance();
    await from('203.0.113.1', key.apiKey);
    const before = statements.callCount();
    const refusals = new Set<string>();
    for (let part = 0; part < 11; part++) for (const code of await flood(from, 1_000)) refusals.add(code);
    assert.ok(refusals.isSubsetOf(new Set(['unauthorized', 'rate_limited'])), [...refusals].join());
    assert.ok(statements.callCount() - before <= 100, `${statements.callCount() - before} statements`);
    const after = statements.callCount();
    assert.equal((await from('203.0.113.1', key.apiKey)).partnerId, partner.partnerId);
    assert.equal(statements.callCount(), after);
  });

  test('make nobody else wait: neither a key that was known, nor a new one from another address', async () => {
    const { clock, from } = watchedInstance();
    const { key: fresh, partner: freshPartner } = await service.newPartner();
    await from('203.0.113.1', key.apiKey);
    await flood(from, 300);
    clock.ms += 5_000;
    const order: string[] = [];
    const flooded = flood(from, 2_000).then(() => order.push('the flood'));
    const known = from('203.0.113.1', key.apiKey).then(({ partnerId }) => order.push(partnerId));
    const first = from('203.0.113.2', fresh.apiKey).then(({ partnerId }) => order.push(partnerId));
    await Promise.all([flooded, known, first]);
    assert.deepEqual(new Set(order.slice(0, 2)), new Set([partner.partnerId, freshPartner.partnerId]));
  });

  test('from an address refuse no valid key from there, new or known', async () => {
    const { clock, from } = watchedInstance();
    const { key: fresh, partner: freshPartner } = await service.newPartner();
    await from('198.51.100.1', key.apiKey);
    const flooded = flood(from, 3_000);
    clock.ms += 5_000;
    const found = await Promise.all([fresh, key].map(({ apiKey }) => from('198.51.100.1', apiKey)));
    assert.deepEqual(
      found.map(({ partnerId }) => partnerId),
      [freshPartner.partnerId, partner.partnerId],
    );
    await flooded;
  });

  test('are not asked for again until they may have been issued', async () => {
    const { clock, from, statements } = watchedInstance();
    const [unknown = ''] = unknownKeys(1);
    const refuse = () => assert.rejects(from('198.51.100.1', unknown), { code: 'unauthorized' });
    await refuse();
    const before = statements.callCount();
    await refuse();
    assert.equal(statements.callCount(), before);
    clock.ms += 10_000;
    await refuse();
    assert.equal(statements.callCount(), before + 1);
  });

  test('a key that is looked up for many requests counts once, and not at all when it is right', async () => {
    const { clock, from } = watchedInstance();
    const { key: fresh } = await service.newPartner();
    await Promise.all(Array.from({ length: 300 }, () => from('198.51.100.1', fresh.apiKey)));
    assert.deepEqual(await flood(from, 1), ['unauthorized']);
    assert.ok((await flood(from, 201)).includes('rate_limited'));
    clock.ms += 60_000;
    assert.deepEqual(await flood(from, 1), ['unauthorized']);
  });
});

describe('secrets', () => {
  test('the database holds no key: only its id and a hash of its secret', async () => {
    const { rows } = await database.pool.query('select to_jsonb(k)::text as text from api_key k where key_id = $1', [
      key.key.keyId,
    ]);
    const secret = key.apiKey.slice('pi_sandbox_'.length + 12, -6);
    assert.equal(rows.length, 1);
    assert.ok(!rows[0].text.includes(secret));
  });

  test('no CORS: a browser is given no permission', async () => {
    const answer = await client.call('/v1/impact-transactions?partner_event_id=event-of-nobody', {
      headers: { origin: 'https://shop.example' },
    });
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    const preflight = await client.call('/v1/impact-transactions', {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    assert.equal(preflight.status, 405);
  });
});

describe('failed authentications are limited per address (decisions, section 6)', () => {
  test('many wrong keys are answered 429 with Retry-After, and a valid key from the same address is not harmed', async () => {
    const fresh = await testService({ env: { DATABASE_URL: service.databaseUrl } });
    const wrong = new Client(fresh.baseUrl, newApiKey('sandbox').apiKey);
    const answers = await Promise.all(Array.from({ length: 300 }, () => wrong.get('txn_x')));
    const counts = countByStatus(answers);
    assert.ok((counts[401] ?? 0) > 0 && (counts[429] ?? 0) > 0, JSON.stringify(counts));
    for (const refused of answers.filter(({ status }) => status === 429)) {
      assertError(refused, 'rate_limited');
      assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    }
    assert.equal((await new Client(fresh.baseUrl, key.apiKey).confirm()).status, 201);
  });
});
