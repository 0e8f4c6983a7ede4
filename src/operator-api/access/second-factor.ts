import * as operations from '../../operations/access/manage-second-factor.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { operatorRoute } from '../route.ts';
import { closed, flag, shape, text } from '../schema-parts.ts';

const PATH = '/operator/v1/session/second-factor';
const HasSecondFactor = shape('SecondFactorState', {
  has_second_factor: flag('Whether a sign-in needs a code of an authenticator app.'),
});

export const beginSecondFactor = operatorRoute({
  operation: 'beginSecondFactor',
  method: 'POST',
  path: PATH,
  tag: 'Sign-in',
  summary: 'Begin to add a second factor',
  description: 'Nothing changes until the first code of the authenticator app comes back with the `enrolment`.',
  leastRole: 'viewer',
  needsRecentSignIn: true,
  answer: shape('BegunSecondFactor', {
    secret: text('The secret in base 32, to type into the authenticator app.'),
    uri: text('The same as `otpauth://totp/…`, to show as a picture.'),
    enrolment: text('To send with the first code.'),
  }),
  handle: ({ tools, actor }) => operations.beginSecondFactor(tools, actor),
});

export const confirmSecondFactor = operatorRoute({
  operation: 'confirmSecondFactor',
  method: 'PUT',
  path: PATH,
  tag: 'Sign-in',
  summary: 'Add the second factor',
  description: 'From then on every sign-in needs a code of the authenticator app. It replaces an earlier second factor.',
  leastRole: 'viewer',
  needsRecentSignIn: true,
  body: Type.Object(
    {
      enrolment: Type.String({ minLength: 1, maxLength: 1_024, description: 'What the begin answered.' }),
      totp: Type.String({ minLength: 6, maxLength: 6, description: 'The code of the authenticator app.' }),
    },
    closed,
  ),
  answer: HasSecondFactor,
  async handle({ tools, actor, body }) {
    await operations.addSecondFactor(tools, actor, body);
    return { has_second_factor: true };
  },
});

export const removeSecondFactor = operatorRoute({
  operation: 'removeSecondFactor',
  method: 'DELETE',
  path: PATH,
  tag: 'Sign-in',
  summary: 'Remove the second factor',
  leastRole: 'viewer',
  needsRecentSignIn: true,
  answer: HasSecondFactor,
  async handle({ tools, actor }) {
    await operations.removeSecondFactor(tools, actor);
    return { has_second_factor: false };
  },
});
