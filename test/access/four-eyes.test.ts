/** Two people are two accounts with different addresses, neither made nor reset by the other within seven days (settlements, section 5). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Operator } from '../../src/domain/access/operator.ts';
import { CONTROL_DAYS } from '../../src/domain/access/operator.ts';
import type { Actor, Role } from '../../src/domain/access/role.ts';
import { requireFirstOperator, requireSecondOperator } from '../../src/operations/access/four-eyes.ts';
import {
  changeOperatorRole,
  createOperator,
  disableOperator,
  enterAddress,
  resetSignIn,
} from '../../src/operations/access/manage-operator.ts';
import { approveFailure, draftFailure } from '../../src/operations/contributions/record-failure.ts';
import type { Database } from '../../src/store/database.ts';
import { enrolled, OWNER, signedIn } from '../support/actor.ts';
import { uniqueId } from '../support/client.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database } = service;
const { pool } = database;
const { partner } = await service.newPartner();
const { partnerId } = partner;

const actorOf = ({ operatorId, role }: Operator): Actor => ({ ...signedIn(role), operatorId });
const addressOf = () => `${uniqueId('person').toLowerCase()}@example.org`;

async function makeBy(actor: Actor, role: Role, email: string | null = addressOf()): Promise<Actor> {
  return actorOf((await createOperator(database, actor, { name: 'Badr', email, role })).operator);
}

/** Every account is seven days older, and every reset longer ago: to the second, so that what was decided by the day is still today's. */
async function ageControl(): Promise<void> {
  const text = `update audit_entry set recorded_at = recorded_at - interval '${CONTROL_DAYS} days' where action like 'operator.%'`;
  await asSuperuser(pool, async (client) => void (await client.query(text)));
}

const begunBy = ({ operatorId }: Actor) => ({ operatorId, step: 'approve_failure' }) as const;
const mayApprove = (second: Actor, first: Actor) => requireSecondOperator(pool, second, begunBy(first));

/** In both directions. */
async function assertTwo(one: Actor, other: Actor): Promise<void> {
  await mayApprove(one, other);
  await mayApprove(other, one);
}

async function assertNotTwo(one: Actor, other: Actor, why: RegExp): Promise<void> {
  for (const [second, first] of [
    [one, other],
    [other, one],
  ] as const)
    await assert.rejects(mayApprove(second, first), { code: 'forbidden', message: why });
}

const MADE = /within 7 days \w+ \(opr_\w+\) created the account \w+ \(opr_.* or reset its sign-in/;

describe('an account is its maker’s own for seven days', () => {
  test('an admin approves no draft of an account that he made, nor with it his own: 999 999 points stay', async () => {
    const [admin] = await enrolled(database, 'admin');
    const second = await makeBy(admin, 'approver');
    const never = { partnerId, partnerEventId: uniqueId('event'), partnerOrderRef: uniqueId('order'), points: 999_999n };
    const { failureId } = await draftFailure(database, admin, { ...never, reason: 'a test' });
    await assert.rejects(approveFailure(database, second, { partnerId, failureId }), { code: 'forbidden', message: MADE });
    const { rows } = await pool.query('select 1 from contribution where partner_event_id = $1', [never.partnerEventId]);
    assert.equal(rows.length, 0);
    await assertNotTwo(admin, second, MADE);
  });

  test('two accounts of one maker are one, although the maker does nothing', async () => {
    const [admin] = await enrolled(database, 'admin');
    await assertNotTwo(await makeBy(admin, 'operator'), await makeBy(admin, 'approver'), MADE);
  });

  test('a chain of accounts leads back to its maker', async () => {
    const [admin] = await enrolled(database, 'admin');
    let last = admin;
    for (let length = 0; length < 5; length++) last = await makeBy(last, 'admin');
    await assertNotTwo(admin, last, MADE);
    await assertNotTwo(await makeBy(admin, 'approver'), last, MADE);
  });

  test('a reset does the same: of an old account, of one between, and also where another one is reset last', async () => {
    const [admin, other, colleague, third] = await enrolled(database, 'admin', 'admin', 'approver', 'approver');
    await assertTwo(admin, colleague);
    await resetSignIn(database, admin, colleague.operatorId);
    await assertNotTwo(admin, colleague, MADE);
    await assertTwo(other, colleague);
    await resetSignIn(database, other, colleague.operatorId);
    await assertNotTwo(admin, colleague, MADE);
    await assertNotTwo(other, colleague, MADE);
    await resetSignIn(database, admin, other.operatorId);
    await resetSignIn(database, other, third.operatorId);
    await assertNotTwo(admin, third, MADE);
  });

  test('rings of resets end, and a reset of oneself makes nobody another', async () => {
    const [one, other, third] = await enrolled(database, 'admin', 'admin', 'approver');
    await resetSignIn(database, one, one.operatorId);
    await assertTwo(one, third);
    await resetSignIn(database, one, other.operatorId);
    await resetSignIn(database, other, one.operatorId);
    await assertNotTwo(one, other, MADE);
    await assertTwo(one, third);
  });

  test('after seven days by the clock of the database it is a person of its own; the refusal says when', async () => {
    const [admin] = await enrolled(database, 'admin');
    const second = await makeBy(admin, 'approver');
    const refusal = await mayApprove(second, admin).catch((error: Error) => error.message);
    const [, until = ''] = /Until (\S+) another operator/.exec(String(refusal)) ?? [];
    const { rows } = await pool.query<{ due: Date }>(
      "select recorded_at + interval '7 days' as due from audit_entry where subject_id = $1",
      [second.operatorId],
    );
    assert.equal(until, rows[0]?.due.toISOString());
    await ageControl();
    await assertTwo(admin, second);
  });

  test('accounts that the owner of a sandbox made are two; in production they are not', async () => {
    const [one, other] = await enrolled(database, 'operator', 'approver');
    await assertTwo(one, other);
    await Promise.all(standForTwo(database));
    const production = await testService({ env: {} });
    const [ada, bea] = await enrolled(production.database, 'operator', 'approver');
    await production.database.pool.query("update installation set environment = 'production'");
    await assert.rejects(requireSecondOperator(production.database.pool, bea, begunBy(ada)), /within 7 days owner created/);
    const refusal = { code: 'forbidden', message: /two signed-in operators/ };
    await Promise.all(standForTwo(production.database).map((required) => assert.rejects(required, refusal)));
  });
});

/** As what a sandbox does by itself: first and second step by one actor. */
function standForTwo({ pool }: Database): Promise<void>[] {
  const actor: Actor = { ...signedIn('admin'), operatorId: 'sandbox', standsForTwo: true };
  return [requireFirstOperator(pool, actor), requireSecondOperator(pool, actor, begunBy(actor))];
}

describe('one mailbox is one person', () => {
  const forms = ['amal@example.org', 'AMAL@example.org', 'amal+2@example.org', 'amal+@Example.Org'];

  test('a second account with the same address is refused in every form, and one at once of twenty is made', async () => {
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => makeBy(OWNER, 'approver', forms[index % forms.length])),
    );
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const form of forms) await assert.rejects(makeBy(OWNER, 'viewer', form), /Another operator has the address/);
  });

  test('what looks like another address is none: a trailing full stop, a Cyrillic letter, a full-width one', async () => {
    for (const email of ['amal@example.org.', 'аmal@example.org', 'ａmal@example.org', 'amal@ехample.org', '"amal"@example.org'])
      await assert.rejects(makeBy(OWNER, 'approver', email), { code: 'invalid_request', message: /^email: It must/ });
  });

  test('who was disabled and made anew is no second person, under a plus sign neither', async () => {
    const before = await makeBy(OWNER, 'approver', 'huda@example.org');
    await disableOperator(database, OWNER, before.operatorId);
    await assertNotTwo(await makeBy(OWNER, 'approver', 'Huda+again@example.org'), before, /has your address/);
  });
});

describe('an approver has an address', () => {
  test('neither an approver nor an admin is made without one, nor raised to it', async () => {
    for (const role of ['approver', 'admin'] as const) {
      await assert.rejects(makeBy(OWNER, role, null), { code: 'invalid_request', message: /needs an e-mail address.*set-email/ });
      const { operatorId } = await makeBy(OWNER, 'operator', null);
      await assert.rejects(changeOperatorRole(database, OWNER, operatorId, role), /needs an e-mail address/);
      await enterAddress(database, OWNER, operatorId, addressOf());
      assert.equal((await changeOperatorRole(database, OWNER, operatorId, role)).role, role);
    }
  });

  test('one from before is nobody’s second person, and nobody’s first, until an admin has entered it', async () => {
    const [approver] = await enrolled(database, 'approver');
    const { operatorId } = await makeBy(OWNER, 'operator', null);
    const nameless = { ...signedIn('approver'), operatorId };
    await assertNotTwo(nameless, approver, /needs four eyes with different addresses, and Badr \(opr_\w+\) has none.*set-email/);
    await assert.rejects(requireFirstOperator(pool, nameless), { code: 'forbidden', message: /set-email --operator opr_/ });
    await enterAddress(database, OWNER, operatorId, addressOf());
    await assertTwo(nameless, approver);
  });

  test('it is entered once, and is nobody else’s', async () => {
    const [{ operatorId }, other] = [await makeBy(OWNER, 'viewer', null), await makeBy(OWNER, 'viewer', 'taken@example.org')];
    await assert.rejects(enterAddress(database, OWNER, operatorId, 'Taken+x@example.org'), /Another operator has the address/);
    await assert.rejects(enterAddress(database, OWNER, operatorId, 'nobody'), /an address such as/);
    await assert.rejects(
      enterAddress(database, OWNER, other.operatorId, addressOf()),
      /already has the address taken@example.org/,
    );
    await assert.rejects(enterAddress(database, signedIn('approver'), operatorId, addressOf()), { code: 'forbidden' });
  });
});
