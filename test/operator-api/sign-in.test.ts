/** Who gets a session, and what ends it. */

import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';
import { newCredential } from '../../src/domain/access/operator-credential.ts';
import { newNamedKey, writeNamedKey } from '../../src/domain/audit/named-key.ts';
import {
  createFirstCode,
  createOperator,
  createOwnCode,
  disableOperator,
  resetSignIn,
} from '../../src/operations/access/manage-operator.ts';
import { signIn as signInOnMachine } from '../../src/operations/access/sign-in.ts';
import { verifyAudit } from '../../src/operations/audit/verify-audit.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { openDatabase } from '../../src/store/database.ts';
import { claimInstallation } from '../../src/store/installation.ts';
import { auditKeys, OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { codeOf, OperatorClient, PASSWORD, signedInOperator } from '../support/operator-client.ts';
import { connect as connectTo } from '../support/postgres/connect.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database, operationsPort } = service;
const SESSION = '/operator/v1/session';
const KEYS = Object.fromEntries(['SECRETS_KEY', 'AUDIT_KEY'].map((name) => [name, writeNamedKey(newNamedKey('test'))]));
const PRODUCTION = { SERVICE_ENVIRONMENT: 'production', ...KEYS };

async function newPerson(role: 'viewer' | 'admin' = 'viewer') {
  const email = `${randomUUID()}@example.org`;
  const { operator, signInCode } = await createOperator(database, OWNER, { name: 'Amal', email, role });
  return { email, operatorId: operator.operatorId, code: signInCode };
}

const browser = () => new OperatorClient(operationsPort);
const signIn = (client: OperatorClient, login: string, password = PASSWORD, totp?: string) =>
  client.post(SESSION, { login, password, ...(totp !== undefined && { totp }) });
const lastAction = async (operatorId: string) => {
  const { rows } = await database.pool.query(
    'select action, operator_id from audit_entry where subject_id = $1 order by entry_no desc limit 1',
    [operatorId],
  );
  return rows[0];
};

/** Waits until so many sessions wait for a row. */
async function untilWaiting(sessions: number): Promise<void> {
  await waitFor(`number of ${sessions} sessions that wait for a lock`, async () => (await listWaiting()).length >= sessions);
}

async function isWaitingFor(table: string): Promise<boolean> {
  return (await listWaiting()).some((query) => query.includes(` from ${table} `));
}

async function listWaiting(): Promise<string[]> {
  const { rows } = await database.pool.query(
    "select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.map(({ query }) => query);
}

describe('the one-time link', () => {
  test('sets a password and opens a session, once', async () => {
    const { email, operatorId, code } = await newPerson();
    const first = browser();
    const opened = await first.post(`${SESSION}/link`, { code, password: PASSWORD });
    assert.equal(opened.status, 200);
    assert.equal(opened.body.operator.operator_id, operatorId);
    assert.deepEqual(await lastAction(operatorId), { action: 'operator.set-password', operator_id: operatorId });
    assert.equal((await first.get(SESSION)).body.operator.email, email);
    const again = await browser().post(`${SESSION}/link`, { code, password: PASSWORD });
    assert.equal(again.status, 401);
    assert.equal(again.headers['set-cookie'], undefined);
    assert.equal((await signIn(browser(), email)).status, 200);
  });

  test('two at once: one session', async () => {
    const { code } = await newPerson();
    const answers = await Promise.all(
      Array.from({ length: 3 }, (_, index) => browser().post(`${SESSION}/link`, { code, password: `${PASSWORD} ${index}` })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401]);
  });

  test('an expired one, and one of a disabled operator, are refused', async () => {
    const expired = await newPerson();
    await database.pool.query("update operator_credential set expires_at = now() - interval '1 second' where operator_id = $1", [
      expired.operatorId,
    ]);
    assert.equal((await browser().post(`${SESSION}/link`, { code: expired.code, password: PASSWORD })).status, 401);
    const disabled = await newPerson();
    await disableOperator(database, OWNER, disabled.operatorId);
    assert.equal((await browser().post(`${SESSION}/link`, { code: disabled.code, password: PASSWORD })).status, 401);
  });

  test('a password that cannot be taken uses no link', async () => {
    const { email, code } = await newPerson();
    for (const password of ['short', 'aaaaaaaaaaaaaaaa', 'x'.repeat(200), `${email.split('@')[0]} 12345`]) {
      const { status, body } = await browser().post(`${SESSION}/link`, { code, password });
      assert.deepEqual([status, body.error.details[0].field], [400, 'password'], password);
    }
    assert.equal((await browser().post(`${SESSION}/link`, { code, password: PASSWORD })).status, 200);
  });

  test('a link of the own replaces the password and ends the sessions', async () => {
    const person = await signedInOperator(service, 'viewer');
    const { signInCode } = await createOwnCode(database, {
      operatorId: person.operatorId,
      role: 'viewer',
      correlationId: 'corr_of_a_test',
    });
    const other = browser();
    assert.equal((await other.post(`${SESSION}/link`, { code: signInCode, password: 'eight black figs 17' })).status, 200);
    assert.equal((await person.get(SESSION)).status, 401);
    assert.equal((await signIn(browser(), person.email)).status, 401);
    assert.equal((await signIn(browser(), person.email, 'eight black figs 17')).status, 200);
  });
});

describe('the password', () => {
  test('signs in by address or id, in any case of the address', async () => {
    const { email, operatorId } = await signedInOperator(service, 'viewer');
    for (const login of [email, email.toUpperCase(), operatorId])
      assert.equal((await signIn(browser(), login)).status, 200, login);
  });

  test('a wrong one and an unknown operator are answered alike', async () => {
    const { email } = await signedInOperator(service, 'viewer');
    const [wrong, unknown] = [await signIn(browser(), email, 'not the password'), await signIn(browser(), 'nobody@example.org')];
    const said = ({ status, body }: typeof wrong) => [status, body.error.code, body.error.message];
    assert.deepEqual(said(wrong), said(unknown));
    assert.equal(wrong.status, 401);
  });

  test('wrong ones, and those after five wrong ones, are counted, and no other sign-in is', async () => {
    const counts = async () => {
      const text = await (await fetch(`http://127.0.0.1:${operationsPort}/metrics`)).text();
      const count = (code: string) =>
        Number(
          new RegExp(`^partner_impact_operator_sign_ins_refused_total\\{code="${code}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
        );
      return [count('unauthorized'), count('rate_limited')] as const;
    };
    const { email, code } = await newPerson();
    assert.equal((await browser().post(`${SESSION}/link`, { code, password: PASSWORD })).status, 200);
    const [wrong, waiting] = await counts();
    assert.equal((await signIn(browser(), email)).status, 200);
    for (let attempt = 0; attempt < 5; attempt++)
      assert.equal((await signIn(browser(), email, 'seven green pears 42')).status, 401);
    assert.equal((await signIn(browser(), email)).status, 429);
    const { status } = await browser().post(
      `${SESSION}/link/passkey/begin`,
      { code: newCredential('code').text },
      { origin: `http://localhost:${operationsPort}` },
    );
    assert.equal(status, 401, 'a link that is none, for a passkey');
    assert.deepEqual(await counts(), [wrong + 6, waiting + 1]);
  });

  test('five wrong ones in a row: then even the right one waits, whoever sends it', async () => {
    const { email, operatorId } = await signedInOperator(service, 'viewer');
    const wrong = await Promise.all(Array.from({ length: 8 }, () => signIn(browser(), email, 'not the password')));
    const counts = Map.groupBy(wrong, ({ status }) => status);
    assert.equal(counts.get(401)?.length, 5);
    assert.equal(counts.get(429)?.length, 3);
    const refused = await signIn(browser(), email);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers['retry-after']) > 30);
    await database.pool.query(
      "update operator_credential set attempted_at = now() - interval '61 seconds' where operator_id = $1 and kind = 'password'",
      [operatorId],
    );
    assert.equal((await signIn(browser(), email)).status, 200);
    assert.equal((await signIn(browser(), email, 'not the password')).status, 401);
  });

  test('one that nobody has is counted in the same way: neither the answers nor the wait tell whose account there is', async () => {
    const [{ email: ofOperator }, { email: withoutPassword, operatorId }] = [
      await signedInOperator(service, 'viewer'),
      await newPerson(),
    ];
    const guess = async (login: string) => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(browser(), login, 'not the password')));
      return [...answers, await signIn(browser(), login.replace('@example', '@EXAMPLE'), 'not the password')].map(
        ({ status, headers, body }) => {
          const [waitSeconds, message] = [Number(headers['retry-after'] ?? 0), body.error.message as string];
          return `${status} ${message.replaceAll(/\d+/g, '…')} ${waitSeconds > 30 && waitSeconds <= 60 ? 'a minute' : waitSeconds}`;
        },
      );
    };
    const expected = (await guess(ofOperator)).sort();
    assert.match(expected.at(-1) ?? '', /^429 .* a minute$/);
    for (const login of [withoutPassword, `${randomUUID()}@example.org`, randomUUID()])
      assert.deepEqual((await guess(login)).sort(), expected, login);
    assert.equal((await signIn(browser(), operatorId, 'not the password')).status, 429);
  });

  test('many who guess at once keep nobody out: connections take turns to sign in', async () => {
    const usual = await testService({ passwordCosts: 'usual' });
    const { email } = await signedInOperator(usual, 'viewer');
    const client = () => new OperatorClient(usual.operationsPort);
    const guesses = Array.from({ length: 4 }, () => signIn(client(), `${randomUUID()}@example.org`, 'not the password'));
    // More than may wait, on one connection.
    const guesser = connect(usual.operationsPort, '127.0.0.1').resume();
    for (let sent = 0; sent < 300; sent++) {
      const guess = JSON.stringify({ login: `${randomUUID()}@example.org`, password: 'not the password' });
      const head = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${guess.length}`;
      guesser.write(`POST ${SESSION} HTTP/1.1\r\n${head}\r\n\r\n${guess}`);
    }
    await Promise.race(guesses);
    const { status, text } = await signIn(client(), email);
    assert.equal(status, 200, text);
    assert.deepEqual(new Set((await Promise.all(guesses)).map((answer) => answer.status)), new Set([401]));
    guesser.destroy();
  });

  test('is kept as a hash that another installation could not use, and never as itself', async () => {
    const usual = await testService({ passwordCosts: 'usual' });
    const { operatorId, email } = await signedInOperator(usual, 'viewer');
    const { rows } = await usual.database.pool.query(
      "select * from operator_credential where operator_id = $1 and kind = 'password'",
      [operatorId],
    );
    assert.match(rows[0].verifier, /^\$scrypt\$ln=16,r=8,p=2\$[\w-]{22}\$[\w-]{43}$/);
    assert.deepEqual(rows[0].secret_sha256, createHash('sha256').update(rows[0].verifier).digest());
    const client = () => new OperatorClient(usual.operationsPort);
    assert.equal((await signIn(client(), email)).status, 200);
    assert.equal((await signIn(client(), email, 'not the password')).status, 401);
  });

  test('a hash that somebody exchanged in the database signs nobody in', async () => {
    const [victim, thief] = [await signedInOperator(service, 'admin'), await signedInOperator(service, 'viewer')];
    const put = (sha: string) =>
      database.pool.query(
        `update operator_credential c set verifier = t.verifier ${sha} from operator_credential t
          where c.operator_id = $1 and c.kind = 'password' and t.operator_id = $2 and t.kind = 'password'`,
        [victim.operatorId, thief.operatorId],
      );
    await put('');
    assert.equal((await signIn(browser(), victim.email)).status, 503);
    await put(', secret_sha256 = t.secret_sha256');
    assert.equal((await signIn(browser(), victim.email)).status, 503);
  });

  test('a new one that cannot be taken is no attempt with the old one, however often', async () => {
    const person = await signedInOperator(service, 'viewer');
    const change = (new_password: string) => person.post(`${SESSION}/password`, { password: PASSWORD, new_password });
    for (let attempt = 1; attempt <= 6; attempt++) {
      const { status, body } = await change('aaaaaaaaaaaaaaaa');
      assert.deepEqual([status, body.error.details?.[0].field], [400, 'new_password']);
    }
    assert.equal((await signIn(browser(), person.email)).status, 200);
    assert.equal((await change('eight black figs 17')).status, 200);
  });

  test('changing it ends all other sessions', async () => {
    const person = await signedInOperator(service, 'viewer');
    const elsewhere = browser();
    await signIn(elsewhere, person.email);
    const former = person.cookie;
    const changed = await person.post(`${SESSION}/password`, { password: PASSWORD, new_password: 'eight black figs 17' });
    assert.equal(changed.status, 200);
    assert.notEqual(person.cookie, former);
    assert.equal((await elsewhere.get(SESSION)).status, 401);
    assert.equal((await person.get(SESSION)).status, 200);
    assert.equal((await signIn(browser(), person.email)).status, 401);
  });
});

describe('a session', () => {
  test('has a cookie that no script reads and no other site sends, and no token in the database', async () => {
    const { email } = await signedInOperator(service, 'viewer');
    const client = browser();
    const [cookie = ''] = (await signIn(client, email)).headers['set-cookie'] ?? [];
    assert.match(cookie, /^__Host-partner-impact-operator-sandbox=pi_session_\w+; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
    const token = client.cookie.split('=')[1] as string;
    const { rows } = await database.pool.query('select * from operator_credential');
    assert.ok(!JSON.stringify(rows).includes(token.slice(25)));
  });

  test('of a sandbox and one of production are beside each other in a browser, which sends a cookie to every port', async () => {
    const production = await testService({ env: PRODUCTION });
    const [here, there] = [await signedInOperator(service, 'viewer'), await signedInOperator(production, 'admin')];
    // As a browser keeps them: one of each name, the last.
    const kept = new Map([here, there].map(({ cookie }) => cookie.split('=', 2) as [string, string]));
    for (const client of [here, there]) client.cookie = [...kept].map((each) => each.join('=')).join('; ');
    assert.equal((await here.get(SESSION)).body.operator?.operator_id, here.operatorId);
    assert.equal((await there.get(SESSION)).body.operator?.operator_id, there.operatorId);
    const [ended = ''] = (await here.send('DELETE', SESSION)).headers['set-cookie'] ?? [];
    assert.match(ended, /^__Host-partner-impact-operator-sandbox=; /);
    assert.equal((await there.get(SESSION)).status, 200);
  });

  test('is never one that the browser brought along', async () => {
    const [thief, victim] = [await signedInOperator(service, 'viewer'), await signedInOperator(service, 'admin')];
    const shared = browser();
    shared.cookie = thief.cookie;
    await signIn(shared, victim.email);
    assert.notEqual(shared.cookie, thief.cookie);
    assert.equal((await thief.get(SESSION)).status, 401);
    assert.equal((await shared.get(SESSION)).body.operator.operator_id, victim.operatorId);
  });

  test('of somebody else who used the browser before ends, and that person signs in again', async () => {
    const [before, now] = [await signedInOperator(service, 'viewer'), await signedInOperator(service, 'viewer')];
    const shared = browser();
    shared.cookie = before.cookie;
    assert.equal((await signIn(shared, now.email)).status, 200);
    assert.equal((await before.get(SESSION)).status, 401);
    assert.deepEqual(await lastAction(before.operatorId), { action: 'operator.sign-out', operator_id: now.operatorId });
    assert.equal((await signIn(browser(), before.email)).status, 200);
  });

  test('of two people who change their browsers at the same time end, and both sign in', async () => {
    const people = [await signedInOperator(service, 'viewer'), await signedInOperator(service, 'viewer')] as const;
    const ids = people.map(({ operatorId }) => operatorId);
    const hold = async (text: string) => {
      const holder = await connectTo(service.databaseUrl);
      await holder.query('begin');
      await holder.query(`${text} for update`, [ids]);
      return holder;
    };
    const operators = await hold('select from operator where operator_id = any ($1)');
    const browsers = people.map(({ cookie }) => Object.assign(browser(), { cookie }));
    const answers = Promise.all(browsers.map((each, index) => signIn(each, people[1 - index]?.email ?? '')));
    await untilWaiting(2);
    // Each has locked an operator then, or waits for the other to end.
    const passwords = await hold("select from operator_credential where operator_id = any ($1) and kind = 'password'");
    await operators.query('rollback');
    await waitFor('session that waits for a password', () => isWaitingFor('operator_credential'));
    await untilWaiting(2);
    await passwords.query('rollback');
    assert.deepEqual(
      (await answers).map(({ status }) => status),
      [200, 200],
    );
  });

  test('there are 20 of a person: one more ends that which was used least recently', async () => {
    const person = await signedInOperator(service, 'viewer');
    const others = Array.from({ length: 20 }, browser);
    await database.pool.query(
      "update operator_credential set created_at = created_at - interval '2 minutes' where operator_id = $1",
      [person.operatorId],
    );
    await attestRecord(database, OWNER, { kind: 'operator', id: person.operatorId, reason: 'a test moved the times' });
    for (const other of others) assert.equal((await signIn(other, person.email)).status, 200);
    assert.equal((await person.get(SESSION)).status, 401);
    for (const other of others) assert.equal((await other.get(SESSION)).status, 200);
  });

  test('a sign-out confirms no password that somebody wrote into the database', async () => {
    const [person, thief] = [await signedInOperator(service, 'admin'), await signedInOperator(service, 'viewer')];
    await database.pool.query(
      `insert into operator_credential (credential_id, operator_id, kind, secret_sha256, verifier, created_at, expires_at)
        select $3, $1, kind, secret_sha256, verifier, created_at + interval '1 hour', expires_at from operator_credential
        where operator_id = $2 and kind = 'password'`,
      [person.operatorId, thief.operatorId, newCredential('session').id],
    );
    assert.equal((await person.send('DELETE', SESSION)).status, 200);
    assert.equal((await person.get(SESSION)).status, 401);
    assert.equal((await signIn(browser(), person.email)).status, 503);
    await attestRecord(database, OWNER, { kind: 'operator', id: person.operatorId, reason: 'the end of a test' });
  });

  test('ends by signing out', async () => {
    const person = await signedInOperator(service, 'viewer');
    const former = person.cookie;
    assert.equal((await person.send('DELETE', SESSION)).status, 200);
    person.cookie = former;
    assert.equal((await person.get(SESSION)).status, 401);
    assert.equal((await lastAction(person.operatorId)).action, 'operator.sign-out');
  });

  test('ends after 30 minutes without a request of the person, and after 12 hours whatever was done', async () => {
    const idle = await signedInOperator(service, 'viewer');
    const set = (operatorId: string, columns: string) =>
      database.pool.query(`update operator_credential set ${columns} where operator_id = $1 and kind = 'session'`, [operatorId]);
    await set(idle.operatorId, "last_used_at = now() - interval '29 minutes'");
    assert.equal((await idle.get(SESSION, { 'x-refresh': 'true' })).status, 200);
    await set(idle.operatorId, "last_used_at = now() - interval '31 minutes'");
    assert.equal((await idle.get(SESSION)).status, 401);
    const old = await signedInOperator(service, 'viewer');
    const { body } = await old.get(SESSION);
    const hours = (Date.parse(body.expires_at) - Date.parse(body.signed_in_at)) / 3_600_000;
    assert.equal(hours, 12);
    await set(old.operatorId, "expires_at = now() - interval '1 second'");
    assert.equal((await old.get(SESSION)).status, 401);
  });

  test('a page that asks for news by itself keeps none alive', async () => {
    const person = await signedInOperator(service, 'viewer');
    const lastUsed = async () => {
      const { rows } = await database.pool.query(
        "select last_used_at from operator_credential where operator_id = $1 and kind = 'session' and ended_at is null",
        [person.operatorId],
      );
      return rows[0].last_used_at;
    };
    await person.get(SESSION, { 'x-refresh': 'true' });
    assert.equal(await lastUsed(), null);
    await person.get(SESSION);
    assert.notEqual(await lastUsed(), null);
  });

  test('has the role of this moment, and ends with the operator and with a reset of the sign-in', async () => {
    const [disabled, reset] = [await signedInOperator(service, 'viewer'), await signedInOperator(service, 'viewer')];
    await disableOperator(database, OWNER, disabled.operatorId);
    assert.equal((await disabled.get(SESSION)).status, 401);
    await resetSignIn(database, OWNER, reset.operatorId);
    assert.equal((await reset.get(SESSION)).status, 401);
    assert.equal((await signIn(browser(), reset.email)).status, 401);
  });

  test('a session, or a role, that somebody wrote into the database is nobody', async () => {
    const person = await signedInOperator(service, 'viewer');
    await database.pool.query("update operator set role = 'admin' where operator_id = $1", [person.operatorId]);
    assert.equal((await person.get(SESSION)).status, 503);
    const planted = await signedInOperator(service, 'viewer');
    const other = await signedInOperator(service, 'admin');
    await database.pool.query("update operator_credential set operator_id = $2 where operator_id = $1 and kind = 'session'", [
      planted.operatorId,
      other.operatorId,
    ]);
    assert.equal((await planted.get(SESSION)).status, 503);
  });
});

describe('the second factor', () => {
  test('is asked for at every sign-in, and each code works once', async () => {
    const person = await signedInOperator(service, 'viewer');
    const begun = (await person.post(`${SESSION}/second-factor`)).body;
    assert.match(begun.uri, /^otpauth:\/\/totp\/.*secret=/);
    const wrong = await person.send('PUT', `${SESSION}/second-factor`, { body: { enrolment: begun.enrolment, totp: '000000' } });
    assert.equal(wrong.status, 400);
    const first = codeOf(begun.secret);
    const added = await person.send('PUT', `${SESSION}/second-factor`, { body: { enrolment: begun.enrolment, totp: first } });
    assert.equal(added.status, 200, added.text);
    const missing = await signIn(browser(), person.email);
    assert.deepEqual(
      [missing.status, missing.body.error.details[0].field, missing.body.error.details[0].code],
      [401, 'totp', 'missing'],
    );
    assert.equal((await signIn(browser(), person.email, PASSWORD, first)).status, 401);
    const code = codeOf(begun.secret, 'next');
    const answers = await Promise.all([1, 2].map(() => signIn(browser(), person.email, PASSWORD, code)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
    const { rows } = await database.pool.query(
      "select verifier from operator_credential where operator_id = $1 and kind = 'totp'",
      [person.operatorId],
    );
    assert.ok(!rows[0].verifier.includes(begun.secret));
  });

  test('an enrolment of somebody else is refused', async () => {
    const [one, other] = [await signedInOperator(service, 'viewer'), await signedInOperator(service, 'viewer')];
    const { enrolment, secret } = (await one.post(`${SESSION}/second-factor`)).body;
    const { status } = await other.send('PUT', `${SESSION}/second-factor`, { body: { enrolment, totp: codeOf(secret) } });
    assert.equal(status, 400);
  });

  test('a link replaces the password, and not the second factor', async () => {
    const person = await signedInOperator(service, 'viewer');
    const { enrolment, secret } = (await person.post(`${SESSION}/second-factor`)).body;
    await person.send('PUT', `${SESSION}/second-factor`, { body: { enrolment, totp: codeOf(secret) } });
    const actor = { operatorId: person.operatorId, role: 'viewer', correlationId: 'corr_of_a_test' } as const;
    const { signInCode: code } = await createOwnCode(database, actor);
    assert.equal((await browser().post(`${SESSION}/link`, { code, password: PASSWORD })).status, 401);
    const totp = codeOf(secret, 'next');
    assert.equal((await browser().post(`${SESSION}/link`, { code, password: PASSWORD, totp })).status, 200);
  });

  test('adding and removing one needs a recent sign-in', async () => {
    const person = await signedInOperator(service, 'viewer');
    await makeOld(person.operatorId);
    for (const method of ['POST', 'DELETE']) {
      const { status, body } = await person.send(method, `${SESSION}/second-factor`);
      assert.deepEqual([status, body.error.details[0].code], [403, 'sign_in_again']);
    }
    const former = person.cookie;
    assert.equal((await person.post(`${SESSION}/again`, { password: 'not the password' })).status, 401);
    assert.equal((await person.post(`${SESSION}/again`, { password: PASSWORD })).status, 200);
    assert.notEqual(person.cookie, former);
    assert.equal((await person.send('POST', `${SESSION}/second-factor`)).status, 200);
    person.cookie = former;
    assert.equal((await person.get(SESSION)).status, 401);
  });

  test('is sealed under the first key at the next sign-in, so that the old key may be removed; before, the answer says what is missing', async () => {
    const [old, added] = ['old', 'added'].map((id) => writeNamedKey(newNamedKey(id)));
    const open = (keys: string, env = {}) => testService({ env: { SECRETS_KEY: keys, ...env }, roles: ['api'] });
    const first = await open(old as string);
    const sameDatabase = { DATABASE_URL: first.databaseUrl };
    const [both, last] = await Promise.all([open(`${added},${old}`, sameDatabase), open(added as string, sameDatabase)]);
    const { pool } = first.database;
    const enrol = async () => {
      const person = await signedInOperator(first, 'viewer');
      const { enrolment, secret } = (await person.post(`${SESSION}/second-factor`)).body;
      const body = { enrolment, totp: codeOf(secret) };
      assert.equal((await person.send('PUT', `${SESSION}/second-factor`, { body })).status, 200);
      // Each sign-in below may use the code of now.
      const signInTo = async ({ operationsPort: port }: typeof first) => {
        await pool.query("update operator_credential set last_step = null where kind = 'totp'");
        return signIn(new OperatorClient(port), person.email, PASSWORD, codeOf(secret));
      };
      return { ...person, secret, signInTo };
    };
    const keyOf = async (operatorId: string) => {
      const live = "where operator_id = $1 and kind = 'totp' and ended_at is null";
      const { rows } = await pool.query(`select split_part(verifier, '.', 2) as key from operator_credential ${live}`, [
        operatorId,
      ]);
      return rows.map(({ key }) => key);
    };
    const [byPassword, byLink, away] = [await enrol(), await enrol(), await enrol()];
    assert.equal((await byPassword.signInTo(both)).status, 200);
    const actor = { operatorId: byLink.operatorId, role: 'viewer', correlationId: 'corr_of_a_test' } as const;
    const { signInCode: code } = await createOwnCode(first.database, actor);
    await pool.query("update operator_credential set last_step = null where kind = 'totp'");
    const link = { code, password: PASSWORD, totp: codeOf(byLink.secret) };
    assert.equal((await new OperatorClient(both.operationsPort).post(`${SESSION}/link`, link)).status, 200);
    for (const { operatorId, signInTo } of [byPassword, byLink]) {
      assert.deepEqual(await keyOf(operatorId), ['added']);
      assert.equal((await signInTo(last)).status, 200);
    }
    assert.deepEqual(await keyOf(away.operatorId), ['old']);
    const { status, body } = await away.signInTo(last);
    assert.equal(status, 503);
    assert.deepEqual([body.error.details?.[0].field, body.error.details?.[0].code], ['totp', 'unreadable']);
    assert.match(body.error.message, /key .*SECRETS_KEY.*doctor/);
    assert.equal((await away.signInTo(both)).status, 200);
    assert.equal((await verifyAudit(first.database, {})).fault, null);
  });

  /** The password was given eleven minutes ago, and the audit says so. */
  async function makeOld(operatorId: string): Promise<void> {
    await database.pool.query(
      "update operator_credential set created_at = created_at - interval '11 minutes' where operator_id = $1 and kind = 'session'",
      [operatorId],
    );
    await attestRecord(database, OWNER, { kind: 'operator', id: operatorId, reason: 'aged by a test' });
  }
});

test('the audit is whole after all of this, and no entry holds a secret', async () => {
  const { fault } = await verifyAudit(database, {});
  assert.equal(fault, null);
  const { rows } = await database.pool.query('select before_json, after_json from audit_entry');
  assert.doesNotMatch(JSON.stringify(rows), /scrypt|pi_session_|pi_code_|olives/);
});

test('a sandbox that nobody has signed in to gives a link at each start, and none after that', async () => {
  const own = await testDatabase();
  const fresh = openDatabase({ databaseUrl: own.databaseUrl, poolSize: 2, auditKeys });
  after(() => fresh.close());
  await claimInstallation(fresh.pool, 'sandbox');
  const first = { name: 'Sandbox admin', email: 'admin@sandbox.example', role: 'admin' } as const;
  const made = await Promise.all([1, 2, 3].map(() => createFirstCode(fresh, OWNER, first)));
  const codes = [...made, await createFirstCode(fresh, OWNER, first)].flatMap((code) => code ?? []);
  assert.ok(codes.length >= 2);
  assert.equal((await fresh.pool.query('select from operator')).rowCount, 1);
  await signInOnMachine(fresh, codes[0] as string);
  for (const code of codes) await assert.rejects(signInOnMachine(fresh, code), { code: 'unauthorized' });
  assert.equal(await createFirstCode(fresh, OWNER, first), undefined);
});
