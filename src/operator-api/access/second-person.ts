import { SECOND_STEPS, type SecondStep } from '../../domain/access/second-step.ts';
import { explainSecondOperator } from '../../operations/access/four-eyes.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { operatorRoute } from '../route.ts';
import { closed, listOf, nullableText, oneOf, shape, text } from '../schema-parts.ts';

const STEPS = Object.keys(SECOND_STEPS) as SecondStep[];

export const judgeSecondPerson = operatorRoute({
  operation: 'judgeSecondPerson',
  method: 'GET',
  path: '/operator/v1/second-person',
  tag: 'Operators',
  summary: 'Say whether one may take a step for two people after somebody else',
  description: 'The step itself decides anew: what is said here may have changed by then.',
  leastRole: 'viewer',
  query: Type.Object(
    {
      operator_id: Type.String({ minLength: 1, maxLength: 64, description: 'Who did what comes before the step.' }),
      step: oneOf(STEPS, 'The step that only another person may take.'),
    },
    closed,
  ),
  answer: shape('SecondPerson', {
    is_allowed: Type.Boolean({ description: 'Whether one is another person, as far as the service can tell.' }),
    message: nullableText('Why not; `null` where one is.'),
    details: listOf(
      shape('SecondPersonDetail', { field: text('What it says.'), code: text('Its value.'), message: text('A sentence.') }),
      'The same as names and values, as in the refusal of the step.',
    ),
  }),
  async handle({ tools, actor, query: { operator_id: operatorId, step } }) {
    const refusal = await explainSecondOperator(tools.database.pool, actor, { operatorId, step });
    return { is_allowed: refusal === undefined, message: refusal?.message ?? null, details: refusal?.details ?? [] };
  },
});
