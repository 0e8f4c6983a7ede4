/** What a new passkey may say of the make of its authenticator: the service asks for nothing of it, and reads no certificate. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createOwnCode } from '../../src/operations/access/manage-operator.ts';
import { attestByAndroid, attestByMaker, attestBySelf } from '../support/console/attestations.ts';
import { type Attestation, type Attested, Authenticator, map } from '../support/console/authenticator.ts';
import { OperatorClient, type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database, operationsPort } = service;
const SESSION = '/operator/v1/session';
const ORIGIN = `http://localhost:${operationsPort}`;
const headers = { origin: ORIGIN };

type Attest = (attested: Attested) => Attestation;

async function add(person: SignedInOperator, attest?: Attest) {
  const { challenge, options_json } = (await person.post(`${SESSION}/passkeys/begin`, undefined, headers)).body;
  const response_json = new Authenticator(ORIGIN).create(options_json, attest);
  return person.post(`${SESSION}/passkeys`, { name: 'A telephone', challenge, response_json }, headers);
}

async function addByLink({ operatorId }: SignedInOperator, attest: Attest) {
  const actor = { operatorId, role: 'viewer', correlationId: 'corr_of_a_test' } as const;
  const { signInCode: code } = await createOwnCode(database, actor);
  const client = new OperatorClient(operationsPort);
  const { challenge, options_json } = (await client.post(`${SESSION}/link/passkey/begin`, { code }, headers)).body;
  const response_json = new Authenticator(ORIGIN).create(options_json, attest);
  return client.post(`${SESSION}/link/passkey`, { code, name: 'A telephone', challenge, response_json }, headers);
}

const passkeysOf = async (person: SignedInOperator) => (await person.get(`${SESSION}/passkeys`)).body.passkeys;

/** Counts who asks it for anything. */
async function listen(): Promise<{ readonly url: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, answer) => {
    asked.push(url);
    answer.end();
  });
  server.listen(0, '127.0.0.1');
  after(() => server.close());
  await new Promise((listening) => server.once('listening', listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test('the service asks no address that a certificate in the answer of an authenticator names, and keeps no such passkey', async () => {
  const { url, asked } = await listen();
  const person = await signedInOperator(service, 'viewer');
  const added = await add(person, attestByAndroid(`${url}/signed-in`));
  const byLink = await addByLink(person, attestByAndroid(`${url}/link`));
  assert.deepEqual(asked, []);
  assert.deepEqual([added.status, added.body.error.details[0].field], [400, 'response_json']);
  assert.deepEqual([byLink.status, byLink.body.error.details[0].field], [400, 'response_json']);
  assert.deepEqual(await passkeysOf(person), []);
});

test('a passkey with the certificate of a maker, or in a format that needs one, is refused', async () => {
  const person = await signedInOperator(service, 'viewer');
  const formats = ['tpm', 'apple', 'android-key', 'android-safetynet', 'fido-u2f', 'compound', ''];
  const empty = formats.map((format) => () => ({ format, statement: map({}) }));
  for (const attest of [attestByMaker, ...empty]) {
    const { status, body } = await add(person, attest);
    assert.deepEqual([status, body.error?.details[0].field], [400, 'response_json'], attest.toString());
  }
  assert.deepEqual(await passkeysOf(person), []);
});

test('a passkey that signs for itself is added, as is one that says nothing of its make', async () => {
  const person = await signedInOperator(service, 'viewer');
  assert.equal((await add(person, attestBySelf)).status, 200);
  assert.equal((await add(person)).status, 200);
  const { status } = await add(person, (attested) => attestBySelf({ ...attested, signed: Buffer.from('something else') }));
  assert.equal(status, 400, 'signed something else');
  assert.equal((await passkeysOf(person)).length, 2);
});
