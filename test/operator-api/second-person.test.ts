/** Whether one counts as another person is told before a step for two is tried, by the same rule and with the same reasons. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createOperator, disableOperator } from '../../src/operations/access/manage-operator.ts';
import { OWNER, signedIn } from '../support/actor.ts';
import { uniqueId } from '../support/client.ts';
import { type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const PATH = '/operator/v1/second-person';

let [approver, admin]: SignedInOperator[] = [];
before(async () => {
  approver = await signedInOperator(service, 'approver');
  admin = await signedInOperator(service, 'admin');
});
const as = (person: SignedInOperator | undefined) => person as SignedInOperator;

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

test('whose account one made is not, until a time; the other way round neither', async () => {
  const maker = { ...signedIn('admin'), operatorId: as(admin).operatorId };
  const email = `${uniqueId('made').toLowerCase()}@example.org`;
  const { operator } = await createOperator(service.database, maker, { name: 'Made', email, role: 'approver' });
  const { isAllowed, codes } = await judge(admin, operator.operatorId);
  assert.deepEqual([isAllowed, codes.four_eyes, codes.maker], [false, 'same_maker', as(admin).operatorId]);
  assert.ok(Date.parse(codes.until) > Date.now());
});

test('the owner account is nobody, and there is a sentence for it', async () => {
  const { isAllowed, message, codes } = await judge(approver, OWNER.operatorId);
  assert.deepEqual([isAllowed, codes], [false, {}]);
  assert.match(message, /No signed-in operator drafted the adjustment/);
});

test('the colleagues who may take a step are named: approvers who have signed in and count as another person', async () => {
  const namesAfter = async (operatorId: string) => {
    const { status, body } = await as(approver).get(`/operator/v1/second-people?operator_id=${operatorId}&step=verify_batch`);
    assert.equal(status, 200);
    return body.people.map(({ operator_id }: { operator_id: string }) => operator_id) as string[];
  };
  const maker = { ...signedIn('admin'), operatorId: as(admin).operatorId };
  const wanted = { email: `${uniqueId('new').toLowerCase()}@example.org`, name: 'New', role: 'approver' } as const;
  const { operator: unused } = await createOperator(service.database, OWNER, wanted);
  const operator = await signedInOperator(service, 'operator');
  const own = await namesAfter(as(approver).operatorId);
  assert.ok(own.includes(as(admin).operatorId));
  for (const id of [as(approver).operatorId, operator.operatorId, unused.operatorId]) assert.ok(!own.includes(id), id);
  const email = `${uniqueId('made').toLowerCase()}@example.org`;
  const { operator: made } = await createOperator(service.database, maker, { name: 'Made', email, role: 'approver' });
  assert.ok(!(await namesAfter(made.operatorId)).includes(as(admin).operatorId), 'who made the account is not another person');
  await disableOperator(service.database, OWNER, as(admin).operatorId);
  assert.ok(!(await namesAfter(as(approver).operatorId)).includes(as(admin).operatorId));
});

test('an unknown step is refused', async () => {
  assert.equal((await as(approver).get(`${PATH}?operator_id=${as(admin).operatorId}&step=sleep`)).status, 400);
});
