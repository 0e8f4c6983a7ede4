import { ROLES } from '../../domain/access/role.ts';
import type { OpenedSession, OperatorSession } from '../../operations/access/operator-session.ts';
import { Type } from '../../partner-api/schema-type.ts';
import type { OperatorApiOptions } from '../app.ts';
import { closed, count, flag, nullableText, oneOf, shape, text, time } from '../schema-parts.ts';

export const Role = oneOf(ROLES, 'The role. Each role includes the rights of the roles before it.');

/** What a person is told of the service with the session. */
export type ServiceSettings = Pick<OperatorApiOptions, 'environment' | 'eventDays'>;

export const Session = shape('Session', {
  operator: shape('SignedInOperator', {
    operator_id: text('The id of the operator.'),
    name: text('The name of the person.'),
    email: nullableText('The e-mail address; `null` without one.'),
    role: Role,
  }),
  environment: oneOf(['sandbox', 'production'], 'The environment of the service.'),
  event_days: count('For how many days events are kept, with their deliveries and attempts.'),
  csrf_token: text('Every change sends it as `X-CSRF-Token`.'),
  signed_in_at: time(
    'When the operator gave the password or a passkey. Operations with `x-needs-recent-sign-in` need a sign-in of the last 10 minutes.',
  ),
  expires_at: time('When the session ends. It also ends after 30 minutes without a request of the person.'),
  has_second_factor: flag('Whether a sign-in needs a code of an authenticator app.'),
  has_password: flag('Whether the operator has a password. Who came by the one-time link with a passkey has none.'),
  has_passkey: flag('Whether the operator may sign in with a passkey instead of the password.'),
});

export function sessionToWire(session: OperatorSession, { environment, eventDays }: ServiceSettings) {
  const { operator, csrfToken, signedInAt, expiresAt, hasSecondFactor, hasPassword, hasPasskey } = session;
  const { operatorId, name, email, role } = operator;
  return {
    operator: { operator_id: operatorId, name, email, role },
    environment,
    event_days: eventDays,
    csrf_token: csrfToken,
    signed_in_at: signedInAt,
    expires_at: expiresAt,
    has_second_factor: hasSecondFactor,
    has_password: hasPassword,
    has_passkey: hasPasskey,
  };
}

const password = Type.String({ minLength: 1, maxLength: 512, description: 'The password.' });
const newPassword = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'The new password: 12 to 128 characters, without the name or the e-mail address of the person.',
});
const totp = Type.Optional(
  Type.String({ minLength: 6, maxLength: 6, description: 'The code of the authenticator app. Required with a second factor.' }),
);

export const SignInBody = Type.Object(
  {
    login: Type.String({ minLength: 1, maxLength: 254, description: 'The e-mail address or the id of the operator.' }),
    password,
    totp,
  },
  closed,
);
export const linkMembers = {
  code: Type.String({ minLength: 1, maxLength: 128, description: 'The code of the one-time link.' }),
  totp,
};
export const SignInByCodeBody = Type.Object({ ...linkMembers, password: newPassword }, closed);
export const LinkBody = Type.Object(linkMembers, closed);
export const PasswordBody = Type.Object({ password, totp }, closed);
export const ChangePasswordBody = Type.Object({ password, new_password: newPassword, totp }, closed);

export type { OpenedSession };
