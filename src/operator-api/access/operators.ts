import type { Operator } from '../../domain/access/operator.ts';
import * as operations from '../../operations/access/manage-operator.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { listOperators as listAll } from '../../store/access/operator.ts';
import { pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, idParams, line, nullableText, nullableTime, oneOf, shape, text, time } from '../schema-parts.ts';
import { sorting } from '../sorting.ts';
import { pageOfWhole } from '../whole-list.ts';
import { Role } from './session-schemas.ts';

const OperatorBody = shape('Operator', {
  operator_id: text('The id of the operator.'),
  name: text('The name of the person.'),
  email: nullableText('The e-mail address; `null` without one.'),
  role: Role,
  status: oneOf(['active', 'disabled'], 'A disabled operator never signs in again.'),
  created_at: time('When the operator was created.'),
  disabled_at: nullableTime('When the operator was disabled; `null` while active.'),
});

function operatorToWire({ operatorId, name, email, role, createdAt, disabledAt }: Operator) {
  return {
    operator_id: operatorId,
    name,
    email,
    role,
    status: disabledAt === null ? 'active' : 'disabled',
    created_at: createdAt,
    disabled_at: disabledAt,
  };
}

const SignInCodeBody = shape('SignInCode', {
  operator: OperatorBody,
  sign_in_path: text('The path of the one-time link, with the code after `#`. It is shown this once.'),
  expires_at: time('Until when the link works.'),
});

function codeToWire({ operator, signInCode, expiresAt }: operations.SignInCode) {
  return { operator: operatorToWire(operator), sign_in_path: `/sign-in#${signInCode}`, expires_at: expiresAt };
}

const order = sorting(['created_at', 'name'], 'created_at');

export const listOperators = operatorRoute({
  operation: 'listOperators',
  method: 'GET',
  path: '/operator/v1/operators',
  tag: 'Operators',
  summary: 'List operators',
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...order.member,
      role: Type.Optional(Role),
      status: Type.Optional(oneOf(['active', 'disabled'], 'Only active ones, or only disabled ones.')),
    },
    closed,
  ),
  answer: pageOf('OperatorPage', 'operators', OperatorBody, 'The operators of the page.'),
  async handle({ tools: { database }, query }) {
    const { role, status } = query;
    const all = (await listAll(database.pool)).map(operatorToWire);
    const wanted = all.filter((each) => (role ?? each.role) === each.role && (status ?? each.status) === each.status);
    const sorted = sortedPage('listOperators', order, query, [role, status]);
    const { page, end } = pageOfWhole(wanted, sorted, ({ name, created_at, operator_id }, by) => [
      by === 'name' ? name.toLowerCase() : created_at.toISOString(),
      operator_id,
    ]);
    return { operators: page, ...end };
  },
});

export const createOperator = operatorRoute({
  operation: 'createOperator',
  method: 'POST',
  path: '/operator/v1/operators',
  tag: 'Operators',
  summary: 'Create an operator, with a one-time link',
  leastRole: operations.createOperator.leastRole,
  needsRecentSignIn: true,
  isFinal: true,
  ifSecretIsLost: 'If nobody has used the one-time link, reset the sign-in of this operator to get another one.',
  body: Type.Object(
    {
      name: line('The name of the person.', 200),
      email: Type.Optional(
        Type.String({ minLength: 3, maxLength: 254, description: 'The e-mail address. Required for approvers and admins.' }),
      ),
      role: Role,
    },
    closed,
  ),
  answer: SignInCodeBody,
  handle: ({ tools, actor, work, body: { name, email = null, role } }) =>
    work.answer(tools.database, (database) => operations.createOperator(database, actor, { name, email, role }), codeToWire),
});

const PATH = '/operator/v1/operators/:operator_id';
const params = idParams('operator_id', 'The id of the operator.');

export const changeOperatorRole = operatorRoute({
  operation: 'changeOperatorRole',
  method: 'PUT',
  path: `${PATH}/role`,
  tag: 'Operators',
  summary: 'Change the role of an operator, at once',
  leastRole: operations.changeOperatorRole.leastRole,
  needsRecentSignIn: true,
  params,
  body: Type.Object({ role: Role }, closed),
  answer: OperatorBody,
  handle: async ({ tools: { database }, actor, params: { operator_id: operatorId }, body: { role } }) =>
    operatorToWire(await operations.changeOperatorRole(database, actor, operatorId, role)),
});

export const resetSignIn = operatorRoute({
  operation: 'resetSignIn',
  method: 'POST',
  path: `${PATH}/reset-sign-in`,
  tag: 'Operators',
  summary: 'Sign an operator out everywhere, with a new one-time link',
  description:
    'The password, the second factor, the passkeys and the tokens of the operator end. For seven days the account counts as your own where four eyes are needed.',
  leastRole: operations.resetSignIn.leastRole,
  needsRecentSignIn: true,
  isFinal: true,
  ifSecretIsLost: 'If nobody has used the one-time link, reset the sign-in of this operator to get another one.',
  params,
  answer: SignInCodeBody,
  handle: ({ tools, actor, work, params: { operator_id: operatorId } }) =>
    work.answer(tools.database, (database) => operations.resetSignIn(database, actor, operatorId), codeToWire),
});

export const disableOperator = operatorRoute({
  operation: 'disableOperator',
  method: 'POST',
  path: `${PATH}/disable`,
  tag: 'Operators',
  summary: 'Disable an operator, permanently',
  leastRole: operations.disableOperator.leastRole,
  needsRecentSignIn: true,
  isFinal: true,
  params,
  answer: OperatorBody,
  handle: ({ tools, actor, work, params: { operator_id: operatorId } }) =>
    work.answer(tools.database, (database) => operations.disableOperator(database, actor, operatorId), operatorToWire),
});
