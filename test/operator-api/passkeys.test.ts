/** Passkeys: who signs in with one, and what is refused. The authenticator of this test makes its signatures itself; a browser's is in test/console. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createOwnCode } from '../../src/operations/access/manage-operator.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { OWNER } from '../support/actor.ts';
import { Authenticator } from '../support/console/authenticator.ts';
import { codeOf, OperatorClient, PASSWORD, type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database, operationsPort } = service;
const SESSION = '/operator/v1/session';
const ORIGIN = `http://localhost:${operationsPort}`;
const headers = { origin: ORIGIN };

async function addPasskey(person: SignedInOperator, authenticator = new Authenticator(ORIGIN)) {
  const begun = await person.post(`${SESSION}/passkeys/begin`, undefined, headers);
  const { challenge, options_json } = begun.body;
  const response_json = authenticator.create(options_json);
  const added = await person.post(`${SESSION}/passkeys`, { name: 'A telephone', challenge, response_json }, headers);
  return { authenticator, added, sent: { name: 'A telephone', challenge, response_json } };
}

async function begin(client = new OperatorClient(operationsPort)) {
  return { client, begun: (await client.post(`${SESSION}/passkey/begin`, undefined, headers)).body };
}

async function signIn(authenticator: Authenticator, more: object = {}) {
  const { client, begun } = await begin();
  const body = { challenge: begun.challenge, response_json: authenticator.get(begun.options_json), ...more };
  return { client, body, answer: await client.post(`${SESSION}/passkey`, body, headers) };
}

async function newLink({ operatorId }: SignedInOperator) {
  const actor = { operatorId, role: 'viewer', correlationId: 'corr_of_a_test' } as const;
  return (await createOwnCode(database, actor)).signInCode;
}

async function beginLink(code: string, totp?: string) {
  const client = new OperatorClient(operationsPort);
  const link = { code, ...(totp !== undefined && { totp }) };
  return { client, begun: await client.post(`${SESSION}/link/passkey/begin`, link, headers) };
}

async function tradeLink(code: string, totp?: string) {
  const { client, begun } = await beginLink(code, totp);
  const authenticator = new Authenticator(ORIGIN);
  if (begun.status !== 200) return { client, authenticator, answer: begun };
  const { challenge, options_json } = begun.body;
  const body = { code, name: 'A telephone', challenge, response_json: authenticator.create(options_json) };
  return { client, authenticator, answer: await client.post(`${SESSION}/link/passkey`, body, headers) };
}

const lastAction = async (operatorId: string) => {
  const text = 'select action from audit_entry where subject_id = $1 order by entry_no desc limit 1';
  return (await database.pool.query(text, [operatorId])).rows[0].action;
};

describe('a passkey', () => {
  test('is added under an entry of the audit, signs in, and is removed', async () => {
    const person = await signedInOperator(service, 'operator');
    assert.equal((await person.get(SESSION)).body.has_passkey, false);
    const { authenticator, added } = await addPasskey(person);
    assert.deepEqual([added.status, added.body.name, added.body.host], [200, 'A telephone', 'localhost']);
    assert.equal(await lastAction(person.operatorId), 'operator.add-passkey');
    assert.equal((await person.get(SESSION)).body.has_passkey, true);
    const { client, answer } = await signIn(authenticator);
    assert.deepEqual([answer.status, answer.body.operator.operator_id], [200, person.operatorId]);
    assert.equal(await lastAction(person.operatorId), 'operator.open-session');
    assert.equal((await client.get('/operator/v1/overview')).status, 200);
    const { body } = await person.get(`${SESSION}/passkeys`);
    assert.ok(body.passkeys[0].last_used_at);
    assert.equal((await client.send('DELETE', `${SESSION}/passkeys/${added.body.passkey_id}`)).status, 200);
    assert.equal(await lastAction(person.operatorId), 'operator.remove-passkey');
    assert.equal((await signIn(authenticator)).answer.status, 401);
  });

  test('is kept with the known ways to its authenticator alone, whatever the answer says of them', async () => {
    const person = await signedInOperator(service, 'viewer');
    const sent = [['x'.repeat(20_000), 'usb', { of: 'no text' }, 'internal', 'usb'], 'usb', { length: 7 }, undefined];
    for (const transports of sent) {
      const { challenge, options_json } = (await person.post(`${SESSION}/passkeys/begin`, undefined, headers)).body;
      const answer = JSON.parse(new Authenticator(ORIGIN).create(options_json));
      const response_json = JSON.stringify({ ...answer, response: { ...answer.response, transports } });
      const given = { name: 'A telephone', challenge, response_json };
      assert.equal((await person.post(`${SESSION}/passkeys`, given, headers)).status, 200);
    }
    const text = `select verifier::json -> 'transports' as kept from operator_credential where operator_id = $1 and kind = 'passkey'`;
    const { rows } = await database.pool.query(text, [person.operatorId]);
    const kept = rows.map((row) => row.kept).toSorted((one, other) => other.length - one.length);
    assert.deepEqual(kept, [['internal', 'usb'], [], [], []]);
  });

  test('answers a challenge once, and no other page, host or purpose', async () => {
    const person = await signedInOperator(service, 'viewer');
    const { authenticator, sent } = await addPasskey(person);
    const { body } = await signIn(authenticator);
    const replayed = await new OperatorClient(operationsPort).post(`${SESSION}/passkey`, body, headers);
    assert.equal(replayed.status, 401);
    assert.match(replayed.body.error.message, /its answer was used before.* Try it once more/);
    const elsewhere = new Authenticator('https://evil.example', authenticator);
    assert.equal((await signIn(elsewhere)).answer.status, 401);
    const { begun } = await begin();
    assert.equal((await signIn(authenticator, { challenge: sent.challenge })).answer.status, 400);
    const crossed = { ...sent, challenge: begun.challenge };
    assert.equal((await person.post(`${SESSION}/passkeys`, crossed, headers)).status, 400);
    const unverified = new Authenticator(ORIGIN, authenticator, { isUserVerified: false });
    assert.equal((await signIn(unverified)).answer.status, 401);
    const forged = new Authenticator(ORIGIN, {
      ...new Authenticator(ORIGIN),
      id: authenticator.id,
      userHandle: authenticator.userHandle,
    });
    assert.equal((await signIn(forged)).answer.status, 401);
    assert.equal((await signIn(authenticator)).answer.status, 200);
  });

  test('of nobody, by a name that is no id of an operator, is refused as one that is unknown', async () => {
    const { authenticator } = await addPasskey(await signedInOperator(service, 'viewer'));
    const { begun, client } = await begin();
    const answer = JSON.parse(authenticator.get(begun.options_json));
    for (const name of ['\0', '', 'opr_', `opr_${'0'.repeat(26)}\0`, 'x'.repeat(5_000)]) {
      const response = { ...answer.response, userHandle: Buffer.from(name).toString('base64url') };
      const given = { challenge: begun.challenge, response_json: JSON.stringify({ ...answer, response }) };
      assert.equal((await client.post(`${SESSION}/passkey`, given, headers)).status, 401, JSON.stringify(name));
    }
  });

  test('whose counter goes back is refused: it was copied', async () => {
    const { authenticator } = await addPasskey(await signedInOperator(service, 'viewer'));
    authenticator.counter = 7;
    assert.equal((await signIn(authenticator)).answer.status, 200);
    authenticator.counter = 3;
    assert.equal((await signIn(authenticator)).answer.status, 401);
  });

  test('of somebody else confirms no step, the own does', async () => {
    const person = await signedInOperator(service, 'approver');
    const own = await addPasskey(person);
    const other = await addPasskey(await signedInOperator(service, 'approver'));
    const again = async (authenticator: Authenticator) => {
      const { body } = await person.post(`${SESSION}/again/passkey/begin`, undefined, headers);
      const answer = { challenge: body.challenge, response_json: authenticator.get(body.options_json) };
      return person.post(`${SESSION}/again/passkey`, answer, headers);
    };
    assert.equal((await again(other.authenticator)).status, 401);
    const before = person.cookie;
    assert.equal((await again(own.authenticator)).status, 200);
    assert.notEqual(person.cookie, before);
    assert.equal(await lastAction(person.operatorId), 'operator.sign-in-again');
  });

  test('confirms a step once, and only with the challenge that it answered', async () => {
    const person = await signedInOperator(service, 'approver');
    const { authenticator } = await addPasskey(person);
    const begin = async () => (await person.post(`${SESSION}/again/passkey/begin`, undefined, headers)).body;
    const give = (challenge: string, response_json: string) =>
      person.post(`${SESSION}/again/passkey`, { challenge, response_json }, headers);
    const [first, second] = [await begin(), await begin()];
    const before = person.cookie;
    assert.equal((await give(first.challenge, authenticator.get(second.options_json))).status, 401);
    assert.equal((await give('not a challenge', authenticator.get(second.options_json))).status, 400);
    assert.equal(person.cookie, before, 'the session goes on as it was');
    assert.equal((await person.get(SESSION)).status, 200);
    const answer = authenticator.get(second.options_json);
    assert.equal((await give(second.challenge, answer)).status, 200);
    assert.equal((await give(second.challenge, answer)).status, 401, 'a replay');
    assert.equal((await give(first.challenge, authenticator.get(first.options_json))).status, 401, 'older than the last');
    const actions = 'select count(*)::int as count from audit_entry where subject_id = $1 and action = $2';
    const { rows } = await database.pool.query(actions, [person.operatorId, 'operator.sign-in-again']);
    assert.equal(rows[0].count, 1);
  });

  test('makes an old sign-in recent enough for what gives rights', async () => {
    const person = await signedInOperator(service, 'admin');
    const { authenticator } = await addPasskey(person);
    await database.pool.query(
      `update operator_credential set created_at = created_at - interval '11 minutes' where kind = 'session' and operator_id = $1`,
      [person.operatorId],
    );
    await attestRecord(database, OWNER, { kind: 'operator', id: person.operatorId, reason: 'aged by a test' });
    const step = () => person.post(`${SESSION}/passkeys/begin`, undefined, headers);
    const refused = await step();
    assert.deepEqual([refused.status, refused.body.error.details[0].code], [403, 'sign_in_again']);
    const begun = (await person.post(`${SESSION}/again/passkey/begin`, undefined, headers)).body;
    const given = { challenge: begun.challenge, response_json: authenticator.get(begun.options_json) };
    assert.equal((await person.post(`${SESSION}/again/passkey`, given, headers)).status, 200);
    assert.equal((await step()).status, 200);
  });

  test('an edited row signs nobody in, whichever of key and hash was exchanged, until it is attested', async () => {
    const person = await signedInOperator(service, 'viewer');
    const { authenticator } = await addPasskey(person);
    const stranger = new Authenticator(ORIGIN, {
      ...new Authenticator(ORIGIN),
      id: authenticator.id,
      userHandle: authenticator.userHandle,
    });
    const row = `from operator_credential where operator_id = $1 and kind = 'passkey'`;
    const { verifier, secret_sha256 } = (await database.pool.query(`select verifier, secret_sha256 ${row}`, [person.operatorId]))
      .rows[0];
    const forged = JSON.stringify({ ...JSON.parse(verifier), public_key: stranger.publicKey });
    const set = (text: string, hash: string) =>
      database.pool.query(
        `update operator_credential set verifier = $2, secret_sha256 = ${hash} where operator_id = $1 and kind = 'passkey'`,
        [person.operatorId, text],
      );
    await set(forged, 'secret_sha256');
    assert.equal((await signIn(stranger)).answer.status, 503);
    await set(forged, "sha256(convert_to($2, 'UTF8'))");
    assert.equal((await signIn(stranger)).answer.status, 503);
    await database.pool.query(
      `update operator_credential set verifier = $2, secret_sha256 = $3 where operator_id = $1 and kind = 'passkey'`,
      [person.operatorId, verifier, secret_sha256],
    );
    assert.equal((await signIn(authenticator)).answer.status, 200);
    await set(forged, "sha256(convert_to($2, 'UTF8'))");
    await attestRecord(database, OWNER, { kind: 'operator', id: person.operatorId, reason: 'seen' });
    assert.equal((await signIn(stranger)).answer.status, 200);
  });

  test('takes the place of a password at the one-time link, which works once', async () => {
    const person = await signedInOperator(service, 'viewer');
    const code = await newLink(person);
    const first = await tradeLink(code);
    assert.deepEqual([first.answer.status, first.answer.body.has_password, first.answer.body.has_passkey], [200, false, true]);
    assert.equal(await lastAction(person.operatorId), 'operator.add-passkey');
    assert.equal((await person.get(SESSION)).status, 401, 'the sessions of before have ended');
    const password = { login: person.email, password: PASSWORD };
    assert.equal((await new OperatorClient(operationsPort).post(SESSION, password)).status, 401);
    assert.equal((await signIn(first.authenticator)).answer.status, 200);
    assert.equal((await tradeLink(code)).answer.status, 401);
    const { rows } = await database.pool.query(
      "select kind from operator_credential where operator_id = $1 and ended_at is null and kind <> 'session'",
      [person.operatorId],
    );
    assert.deepEqual(rows, [{ kind: 'passkey' }]);
  });

  test('of several that trade one link at once, one is added', async () => {
    const code = await newLink(await signedInOperator(service, 'viewer'));
    const answers = await Promise.all(Array.from({ length: 4 }, () => tradeLink(code)));
    assert.deepEqual(answers.map(({ answer }) => answer.status).sort(), [200, 401, 401, 401]);
  });

  test('a link asks for the second factor before the device is asked, and checks its code', async () => {
    const person = await signedInOperator(service, 'viewer');
    const { secret, enrolment } = (await person.post(`${SESSION}/second-factor`)).body;
    await person.send('PUT', `${SESSION}/second-factor`, { body: { enrolment, totp: codeOf(secret) } });
    const code = await newLink(person);
    const { begun } = await beginLink(code);
    assert.deepEqual(
      [begun.status, begun.body.error.details[0]],
      [401, { ...begun.body.error.details[0], field: 'totp', code: 'missing' }],
    );
    const wrong = await beginLink(code, '000000');
    assert.deepEqual([wrong.begun.status, wrong.begun.body.error.details[0].code], [401, 'wrong_form']);
    assert.equal((await tradeLink(code, codeOf(secret, 'next'))).answer.status, 200);
  });

  test('a challenge opens with its own link alone, and not once there is a second factor', async () => {
    const person = await signedInOperator(service, 'viewer');
    const codes = [await newLink(person), await newLink(await signedInOperator(service, 'viewer'))];
    const authenticator = new Authenticator(ORIGIN);
    const { client, begun } = await beginLink(codes[0] as string);
    const { challenge, options_json } = begun.body;
    const body = { name: 'A telephone', challenge, response_json: authenticator.create(options_json) };
    const add = (code: string | undefined) => client.post(`${SESSION}/link/passkey`, { code, ...body }, headers);
    const field = ({ status, body: { error } }: Awaited<ReturnType<typeof add>>) => [status, error?.details[0].field];
    assert.deepEqual(field(await add(codes[1])), [400, 'challenge']);
    const { secret, enrolment } = (await person.post(`${SESSION}/second-factor`)).body;
    await person.send('PUT', `${SESSION}/second-factor`, { body: { enrolment, totp: codeOf(secret) } });
    assert.deepEqual(field(await add(codes[0])), [400, 'challenge']);
  });

  test('the last one of somebody without a password stays', async () => {
    const person = await signedInOperator(service, 'viewer');
    const { client, answer } = await tradeLink(await newLink(person));
    assert.equal(answer.status, 200);
    const [{ passkey_id }] = (await client.get(`${SESSION}/passkeys`)).body.passkeys;
    const removed = await client.send('DELETE', `${SESSION}/passkeys/${passkey_id}`);
    assert.deepEqual([removed.status, removed.body.error.details[0].field], [400, 'passkey_id']);
    assert.equal((await client.get(`${SESSION}/passkeys`)).body.passkeys.length, 1);
  });

  test('is refused at an address of digits, and to a program without a page', async () => {
    const client = new OperatorClient(operationsPort);
    const sent: Record<string, string>[] = [
      {},
      { origin: `http://127.0.0.1:${operationsPort}`, host: `127.0.0.1:${operationsPort}` },
    ];
    for (const each of sent) {
      const { status, body } = await client.post(`${SESSION}/passkey/begin`, undefined, each);
      assert.deepEqual([status, body.error.details[0].field], [400, 'Origin'], JSON.stringify(each));
    }
  });
});
