/** What was begun in a session, or with a token, that a reset of the sign-in ended before the change was written. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Actor, Role } from '../../src/domain/access/role.ts';
import { createOperator, createOwnCode, resetSignIn } from '../../src/operations/access/manage-operator.ts';
import { authenticateOperator, signIn } from '../../src/operations/access/sign-in.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { Authenticator } from '../support/console/authenticator.ts';
import { codeOf, type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database, operationsPort } = service;
const { pool } = database;
const SESSION = '/operator/v1/session';
const ORIGIN = `http://localhost:${operationsPort}`;
const headers = { origin: ORIGIN };

/** Does the work while it waits for the row of the operator, for which a reset of the sign-in waits before it. */
async function behindReset<Done>(operatorId: string, work: () => Promise<Done>): Promise<Done> {
  const holder = await pool.connect();
  const ends: Promise<unknown>[] = [];
  try {
    await holder.query('begin');
    await holder.query('select from operator where operator_id = $1 for update', [operatorId]);
    const reset = resetSignIn(database, OWNER, operatorId);
    ends.push(reset.catch(() => {}));
    await waitForWaiting('reset that waits for the row', 1);
    const late = work();
    ends.push(late.catch(() => {}));
    await waitForWaiting('change that waits behind the reset', 2);
    await holder.query('commit');
    await reset;
    return await late;
  } finally {
    // The row is free again, whatever failed.
    holder.release(true);
    await Promise.all(ends);
  }
}

async function waitForWaiting(what: string, number: number): Promise<void> {
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%from operator where%'`;
  await waitFor(what, async () => (await pool.query(waits)).rowCount === number);
}

async function readKinds(operatorId: string): Promise<string[]> {
  const text = 'select kind from operator_credential where operator_id = $1 and ended_at is null';
  return (await pool.query(text, [operatorId])).rows.map(({ kind }) => kind);
}

async function addPasskey(person: SignedInOperator) {
  const { challenge, options_json } = (await person.post(`${SESSION}/passkeys/begin`, undefined, headers)).body;
  const response_json = new Authenticator(ORIGIN).create(options_json);
  return () => person.post(`${SESSION}/passkeys`, { name: 'A telephone', challenge, response_json }, headers);
}

async function addSecondFactor(person: SignedInOperator) {
  const { secret, enrolment } = (await person.post(`${SESSION}/second-factor`)).body;
  return () => person.send('PUT', `${SESSION}/second-factor`, { body: { enrolment, totp: codeOf(secret) } });
}

async function removeSecondFactor(person: SignedInOperator) {
  await (await addSecondFactor(person))();
  return () => person.send('DELETE', `${SESSION}/second-factor`);
}

async function withToken(role: Role): Promise<Actor> {
  const wanted = { name: 'Amal', email: `${uniqueId('person').toLowerCase()}@example.org`, role };
  const { signInCode } = await createOperator(database, OWNER, wanted);
  return (await authenticateOperator(database, (await signIn(database, signInCode)).token)).actor;
}

describe('after a reset of the sign-in', () => {
  for (const [what, prepare] of [
    ['a passkey is not added', addPasskey],
    ['a second factor is not added', addSecondFactor],
    ['a second factor is not removed', removeSecondFactor],
  ] as const)
    test(`${what} by a request of before that waited for it`, async () => {
      const person = await signedInOperator(service, 'viewer');
      const change = await prepare(person);
      const { status, body } = await behindReset(person.operatorId, change);
      assert.deepEqual([status, body.error?.code], [401, 'unauthorized']);
      assert.deepEqual(await readKinds(person.operatorId), ['code'], 'the link of the reset, and nothing else');
    });

  test('a one-time link is not made by a command of before that waited for it, and that of the reset stays', async () => {
    const own = await withToken('viewer');
    const { operatorId } = own;
    const late = behindReset(operatorId, () => createOwnCode(database, own));
    await assert.rejects(late, {
      code: 'unauthorized',
      message: `The sign-in of the operator ${operatorId} ended a moment ago. Nothing more was changed.`,
    });
    assert.deepEqual(await readKinds(operatorId), ['code']);
  });

  test('a token of before changes nothing of other records either', async () => {
    const admin = await withToken('admin');
    const email = `${uniqueId('second').toLowerCase()}@example.org`;
    const makeAccount = () => createOperator(database, admin, { name: 'Second account', email, role: 'admin' });
    await resetSignIn(database, OWNER, admin.operatorId);
    await assert.rejects(makeAccount(), { code: 'unauthorized' });
    assert.equal((await pool.query('select from operator where email = $1', [email])).rowCount, 0);
  });
});
