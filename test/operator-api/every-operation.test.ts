/** What each operation of the interface refuses, whoever asks: no session, a low role, another site, another host, an ended session. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ROLES, type Role } from '../../src/domain/access/role.ts';
import type { OperatorRoute } from '../../src/operator-api/route.ts';
import { ROUTES } from '../../src/operator-api/routes.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { OperatorClient, type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database, operationsPort } = service;

/** Of a request that would change something, if it were let in; nothing of it is read before it is refused. */
const pathOf = ({ path }: OperatorRoute) => path.replaceAll(/:\w+/g, 'an_id');
const callOf = (client: OperatorClient, route: OperatorRoute, headers: Record<string, string> = {}) =>
  client.send(route.method, pathOf(route), { headers, ...(route.body && { body: {} }) });
const auditHead = async () => (await database.pool.query('select last_no from audit_head')).rows;

const people = new Map<Role, SignedInOperator>();
before(async () => {
  for (const role of ROLES) people.set(role, await signedInOperator(service, role));
});
const personOf = (role: Role) => people.get(role) as SignedInOperator;

describe('every operation', () => {
  test('has an id of its own, a role, and a change has the token', () => {
    assert.ok(ROUTES.length > 15);
    assert.equal(new Set(ROUTES.map(({ operation }) => operation)).size, ROUTES.length);
    assert.equal(new Set(ROUTES.map(({ method, path }) => `${method} ${path}`)).size, ROUTES.length);
    assert.deepEqual(
      ROUTES.filter(({ leastRole }) => leastRole === 'nobody').map(({ operation }) => operation),
      ['signIn', 'signInWithLink', 'beginPasskeySignIn', 'beginPasskeyWithLink', 'signInWithLinkAndPasskey', 'signInWithPasskey'],
    );
    for (const { operation, method, isFinal } of ROUTES) if (method === 'GET') assert.ok(!isFinal, operation);
  });

  for (const route of ROUTES) {
    const { operation, leastRole, method } = route;
    describe(operation, () => {
      let head: unknown;
      before(async () => (head = await auditHead()));
      after(async () => assert.deepEqual(await auditHead(), head, 'a refusal changes nothing'));

      test('carries the headers that keep a page from being framed, read or sniffed', async () => {
        const { headers } = await callOf(new OperatorClient(operationsPort), route);
        assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/);
        assert.equal(headers['x-content-type-options'], 'nosniff');
        assert.equal(headers['x-frame-options'], 'DENY');
        assert.equal(headers['referrer-policy'], 'no-referrer');
        assert.equal(headers['cache-control'], 'no-store');
        assert.equal(headers['access-control-allow-origin'], undefined);
        assert.ok(headers['x-correlation-id']);
      });

      test('another host name is 421', async () => {
        for (const host of ['evil.example', `evil.example:${operationsPort}`, 'localhost.evil.example']) {
          const { status } = await callOf(personOf('admin'), route, { host });
          assert.equal(status, 421, host);
        }
      });

      test('a page of another site is forbidden, whoever is signed in', async () => {
        const strangers: Record<string, string>[] = [
          { origin: 'https://evil.example' },
          { origin: 'null' },
          { origin: `http://localhost:${operationsPort + 1}` },
          { origin: `https://localhost.evil.example:${operationsPort}` },
          { 'sec-fetch-site': 'cross-site' },
          { 'sec-fetch-site': 'same-site' },
        ];
        for (const headers of strangers) {
          const { status, body } = await callOf(personOf('admin'), route, headers);
          assert.deepEqual([status, body.error.details?.[0].code], [403, 'other_origin'], JSON.stringify(headers));
        }
      });

      if (leastRole === 'nobody') return;

      test('nobody is signed in, or the session has ended: unauthorized', async () => {
        const nobody = new OperatorClient(operationsPort);
        assert.equal((await callOf(nobody, route)).status, 401);
        const stranger = new OperatorClient(operationsPort);
        stranger.cookie = `__Host-partner-impact-operator-sandbox=pi_session_${'a'.repeat(61)}`;
        assert.equal((await callOf(stranger, route)).status, 401);
      });

      if (method !== 'GET')
        test('without the token of the session: forbidden', async () => {
          const admin = personOf('admin');
          for (const token of ['', 'a'.repeat(43), personOf('viewer').csrfToken]) {
            const { status, body } = await callOf(admin, route, { 'x-csrf-token': token });
            assert.deepEqual([status, body.error.details[0].field], [403, 'X-CSRF-Token'], token);
          }
        });

      if (method !== 'GET' && !route.body && !route.takesFile)
        test('takes no body, so each member of one is unknown', async () => {
          const body = { operation: 1, key_id: 'another' };
          const { status, body: answer } = await personOf('admin').send(method, pathOf(route), { body });
          assert.deepEqual(
            [status, answer.error.details?.map(({ field, code }: { field: string; code: string }) => [field, code])],
            [400, Object.keys(body).map((field) => [field, 'unknown_field'])],
          );
        });

      const below = ROLES[ROLES.indexOf(leastRole) - 1];
      if (below !== undefined)
        test(`a ${below} is forbidden`, async () => {
          const { status, body } = await callOf(personOf(below), route);
          assert.deepEqual([status, body.error.code], [403, 'forbidden']);
          assert.match(
            body.error.message,
            new RegExp(`^This needs the role ${leastRole}; opr_\\w+ has the role ${below}\\. An admin changes it`),
          );
        });
    });
  }
});

test('an ended session is refused everywhere', async () => {
  const person = await signedInOperator(service, 'admin');
  const former = person.cookie;
  await person.send('DELETE', '/operator/v1/session');
  person.cookie = former;
  for (const route of ROUTES.filter(({ leastRole }) => leastRole !== 'nobody'))
    assert.equal((await callOf(person, route)).status, 401, route.operation);
});

test('its own page is let in', async () => {
  const origin = `http://localhost:${operationsPort}`;
  const { status } = await personOf('viewer').get('/operator/v1/session', { origin, 'sec-fetch-site': 'same-origin' });
  assert.equal(status, 200);
});

test('an unknown path, a body that is no JSON, and a body without end, are refused in the envelope', async () => {
  const admin = personOf('admin');
  assertError(await admin.get('/operator/v1/nothing'), 'invalid_request', 404);
  const { status } = await admin.send('POST', '/operator/v1/session', { headers: { 'content-type': 'text/plain' }, body: {} });
  assert.equal(status, 415);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  assert.equal((await admin.send('POST', '/operator/v1/session', { headers: form, body: {} })).status, 415);
});
