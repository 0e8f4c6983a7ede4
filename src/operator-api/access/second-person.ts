import { SECOND_STEPS, type SecondStep } from '../../domain/access/second-step.ts';
import { explainSecondOperator } from '../../operations/access/four-eyes.ts';
import { listVerifiers } from '../../operations/impact/list-verifiers.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { operatorRoute } from '../route.ts';
import { closed, flag, listOf, nullableText, oneOf, shape, text } from '../schema-parts.ts';

const STEPS = Object.keys(SECOND_STEPS) as SecondStep[];

const query = Type.Object(
  {
    operator_id: Type.String({ minLength: 1, maxLength: 64, description: 'Who did what comes before the step.' }),
    step: oneOf(STEPS, 'The step that only another person may take.'),
  },
  closed,
);

const Detail = shape('SecondPersonDetail', {
  field: text('The name of what it tells.'),
  code: text('The value of what it tells.'),
  message: text('A sentence.'),
});

export const judgeSecondPerson = operatorRoute({
  operation: 'judgeSecondPerson',
  method: 'GET',
  path: '/operator/v1/second-person',
  tag: 'Operators',
  summary: 'Say whether one may take a step for two people after somebody else',
  description: 'The step itself decides anew: what is said here may have changed by then.',
  leastRole: 'viewer',
  query,
  answer: shape('SecondPerson', {
    is_allowed: Type.Boolean({ description: 'Whether one is another person, as far as the service can tell.' }),
    message: nullableText('The reason for which one is not another person; `null` where one is.'),
    details: listOf(Detail, 'The same as names and values, as in the refusal of the step.'),
  }),
  async handle({ tools, actor, query: { operator_id: operatorId, step } }) {
    const refusal = await explainSecondOperator(tools.database.pool, actor, { operatorId, step });
    return { is_allowed: refusal === undefined, message: refusal?.message ?? null, details: refusal?.details ?? [] };
  },
});

const NAMED_MAX = 5;

export const findSecondPeople = operatorRoute({
  operation: 'findSecondPeople',
  method: 'GET',
  path: '/operator/v1/second-people',
  tag: 'Operators',
  summary: 'Say who may verify a delivered impact batch',
  description: `Approvers and admins who have signed in, and count as another person than who recorded the delivery and than who last corrected its trees, ${NAMED_MAX} at most. The verification itself decides anew.`,
  leastRole: 'viewer',
  query: Type.Object(
    { impact_batch_id: Type.String({ minLength: 1, maxLength: 64, description: 'The id of the batch, which is `delivered`.' }) },
    closed,
  ),
  answer: shape('SecondPeople', {
    people: listOf(
      shape('SecondPeoplePerson', { operator_id: text('The id of the operator.'), name: text('The name of the person.') }),
      'In the order of their accounts; empty where nobody may.',
    ),
    has_more: flag('Whether there may be more of them.'),
    details: listOf(
      Detail,
      'The reasons for which nobody may, whoever it is, as in the refusal of the verification; empty otherwise.',
    ),
  }),
  async handle({ tools, query: { impact_batch_id: impactBatchId } }) {
    const { operators, hasMore, whyNobody } = await listVerifiers(tools.database.pool, impactBatchId, { most: NAMED_MAX });
    const people = operators.map(({ operatorId, name }) => ({ operator_id: operatorId, name }));
    return { people, has_more: hasMore, details: whyNobody };
  },
});
