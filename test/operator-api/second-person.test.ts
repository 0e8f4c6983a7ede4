/** Whether one counts as another person is told before a step for two is tried, by the same rule and with the same reasons. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Actor, Role } from '../../src/domain/access/role.ts';
import { createOperator, disableOperator, resetSignIn } from '../../src/operations/access/manage-operator.ts';
import { changeImpactBatch } from '../../src/operations/impact/change-impact-batch.ts';
import { listVerifiers } from '../../src/operations/impact/list-verifiers.ts';
import { findOperator } from '../../src/store/access/operator.ts';
import type { Queryable } from '../../src/store/database.ts';
import { enrol, OWNER, signedIn } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { uniqueId } from '../support/client.ts';
import { ADA, advanceTo, evidence, newBatch, withClosed } from '../support/environment.ts';
import { OperatorClient, PASSWORD, type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database } = service;
await enrol(database, ADA);
const PATH = '/operator/v1/second-person';

let [approver, admin]: SignedInOperator[] = [];
before(async () => {
  approver = await signedInOperator(service, 'approver');
  admin = await signedInOperator(service, 'admin');
});
const as = (person: SignedInOperator | undefined) => person as SignedInOperator;
async function actorOf({ operatorId }: { readonly operatorId: string }): Promise<Actor> {
  const role = (await findOperator(database.pool, operatorId))?.role as Role;
  return { ...signedIn(role), operatorId };
}
const newAddress = () => ({ name: 'Made', email: `${uniqueId('made').toLowerCase()}@example.org` });

async function signInWith(code: string): Promise<OperatorClient> {
  const client = new OperatorClient(service.operationsPort);
  const { status, text } = await client.post('/operator/v1/session/link', { code, password: PASSWORD });
  assert.equal(status, 200, text);
  return client;
}

/** Somebody whose account another one made, and who has signed in. */
async function madeBy(maker: { readonly operatorId: string }, role: Role): Promise<SignedInOperator> {
  const address = newAddress();
  const { operator, signInCode } = await createOperator(database, await actorOf(maker), { ...address, role });
  return Object.assign(await signInWith(signInCode), { operatorId: operator.operatorId, email: address.email });
}

async function judge(person: SignedInOperator | undefined, operatorId: string, step = 'approve_adjustment') {
  const { status, body } = await as(person).get(`${PATH}?operator_id=${operatorId}&step=${step}`);
  assert.equal(status, 200);
  const codes = Object.fromEntries(body.details.map(({ field, code }: { field: string; code: string }) => [field, code]));
  return { isAllowed: body.is_allowed, message: body.message, codes };
}

test('another person is allowed, without a reason', async () => {
  const other = await signedInOperator(service, 'operator');
  assert.deepEqual(await judge(approver, other.operatorId), { isAllowed: true, message: null, codes: {} });
});

test('oneself is not', async () => {
  const { operatorId } = as(approver);
  const { isAllowed, message, codes } = await judge(approver, operatorId, 'verify_batch');
  assert.deepEqual(
    [isAllowed, codes.four_eyes, codes.step, codes.operator],
    [false, 'same_operator', 'verify_batch', operatorId],
  );
  assert.match(message, /recorded the delivery, so another operator has to verify the batch/);
});

test('whose account one made is not, until a time; who made the own account is neither', async () => {
  const made = await madeBy(as(admin), 'approver');
  for (const [judging, judged] of [
    [as(admin), made],
    [made, as(admin)],
  ] as const) {
    const { isAllowed, codes } = await judge(judging, judged.operatorId);
    const { four_eyes, operator, maker, until } = codes;
    assert.deepEqual([isAllowed, four_eyes, operator, maker], [false, 'same_maker', judged.operatorId, as(admin).operatorId]);
    assert.ok(Date.parse(until) > Date.now());
  }
});

test('the owner account is nobody, and there is a sentence for it', async () => {
  const { isAllowed, message, codes } = await judge(approver, OWNER.operatorId);
  assert.deepEqual([isAllowed, codes], [false, {}]);
  assert.match(message, /The \w+ account, which is not a person, drafted the adjustment\./);
});

describe('who may verify a delivered batch', () => {
  /** Delivered by one and, where there is another, corrected by that one. */
  async function newDelivered(recorder: SignedInOperator, corrector?: SignedInOperator): Promise<string> {
    const batch = await newBatch(database, [await withClosed(service, 1)]);
    const { impactBatchId } = batch;
    await advanceTo(database, batch, 'in_progress');
    await changeImpactBatch(database, await actorOf(recorder), impactBatchId, {
      changeType: 'advanced',
      to: 'delivered',
      reason: null,
    });
    const correction = { changeType: 'corrected', quantity: 2n, reason: null } as const;
    if (corrector) await changeImpactBatch(database, await actorOf(corrector), impactBatchId, correction);
    return impactBatchId;
  }
  const ask = (impactBatchId: string) => as(approver).get(`/operator/v1/second-people?impact_batch_id=${impactBatchId}`);

  test('those whom the service accepts: other people than who recorded the delivery, and than who corrected it', async () => {
    const [recorder, corrector] = [await signedInOperator(service, 'admin'), await signedInOperator(service, 'admin')];
    const ofRecorder = await madeBy(recorder, 'admin');
    const made = [ofRecorder, await madeBy(ofRecorder, 'approver'), await madeBy(corrector, 'approver')];
    const reset = await signedInOperator(service, 'approver');
    const { signInCode } = await resetSignIn(database, await actorOf(corrector), reset.operatorId);
    await signInWith(signInCode);
    const [other, operator] = [await signedInOperator(service, 'approver'), await signedInOperator(service, 'operator')];
    const { operator: unused } = await createOperator(database, OWNER, { ...newAddress(), role: 'approver' });
    const former = await signedInOperator(service, 'approver');
    await disableOperator(database, OWNER, former.operatorId);
    const impactBatchId = await newDelivered(recorder, corrector);

    const { operators, whyNobody } = await listVerifiers(database.pool, impactBatchId, { most: 1_000 });
    const named = operators.map(({ operatorId }) => operatorId);
    assert.deepEqual(whyNobody, []);
    const refused = [...made, reset, recorder, corrector].map(({ operatorId }) => operatorId);
    assert.deepEqual(
      named.filter((id) => [...refused, operator.operatorId, unused.operatorId, former.operatorId].includes(id)),
      [],
    );
    assert.ok(named.includes(other.operatorId));
    const verify = { changeType: 'advanced', to: 'verified', reason: null } as const;
    const proof = { changeType: 'evidence_added', evidence: evidence(), reason: null } as const;
    await changeImpactBatch(database, await actorOf(recorder), impactBatchId, proof);
    for (const operatorId of refused) {
      const actor = { ...signedIn('approver'), operatorId };
      await assert.rejects(changeImpactBatch(database, actor, impactBatchId, verify), { code: 'forbidden' }, operatorId);
    }
    await changeImpactBatch(database, await actorOf(other), impactBatchId, verify);
  });

  test('an account that the corrector made may verify what the corrector did not correct', async () => {
    const [recorder, corrector] = [await signedInOperator(service, 'admin'), await signedInOperator(service, 'admin')];
    const { operatorId } = await madeBy(corrector, 'approver');
    const namesOf = async (impactBatchId: string) =>
      (await listVerifiers(database.pool, impactBatchId, { most: 1_000 })).operators.map((each) => each.operatorId);
    assert.ok((await namesOf(await newDelivered(recorder))).includes(operatorId));
    assert.ok(!(await namesOf(await newDelivered(recorder, corrector))).includes(operatorId));
  });

  test('five are named, also where the first of them corrected the trees, by as many statements however many there are', async () => {
    const impactBatchId = await newDelivered(await signedInOperator(service, 'operator'), as(admin));
    const countStatements = async () => {
      let count = 0;
      const query = (...args: Parameters<typeof database.pool.query>) => {
        count++;
        return database.pool.query(...args);
      };
      await listVerifiers({ query } as Queryable, impactBatchId, { most: 5 });
      return count;
    };
    const before = await countStatements();
    for (let n = 0; n < 6; n++) await signedInOperator(service, 'approver');
    assert.equal(await countStatements(), before);
    const { status, body } = await ask(impactBatchId);
    assert.deepEqual([status, body.people.length, body.has_more, body.details], [200, 5, true, []]);
    assert.deepEqual(body.people[0], { operator_id: as(approver).operatorId, name: 'The approver' });
  });

  test('nobody, with the reason, while who recorded the delivery has no address', async () => {
    const recorder = await signedInOperator(service, 'operator');
    const impactBatchId = await newDelivered(recorder);
    const removed = 'update operator set email = null, email_canonical = null where operator_id = $1';
    await asSuperuser(database.pool, async (client) => void (await client.query(removed, [recorder.operatorId])));
    const { status, body } = await ask(impactBatchId);
    const codes = body.details.map(({ field, code }: { field: string; code: string }) => [field, code]);
    assert.deepEqual([status, body.people, body.has_more], [200, [], false]);
    assert.deepEqual(codes, [
      ['four_eyes', 'no_address'],
      ['operator', recorder.operatorId],
    ]);
  });

  test('a batch that is not delivered is refused, and one that does not exist is not found', async () => {
    const { impactBatchId } = await newBatch(database, []);
    const { status, body } = await ask(impactBatchId);
    assert.deepEqual([status, body.error.details[0].code], [400, 'not_possible']);
    assertError(await ask('batch_of_nobody'), 'invalid_request', 404);
  });
});

test('an unknown step is refused', async () => {
  assert.equal((await as(approver).get(`${PATH}?operator_id=${as(admin).operatorId}&step=sleep`)).status, 400);
});
