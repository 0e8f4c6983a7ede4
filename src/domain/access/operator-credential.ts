import { type CheckedSecret, newCheckedSecret, parseCheckedSecret } from './checksummed-secret.ts';

/** What a person signs in with for a program or a browser: a code, once, which gives a token or a session. */
export type SecretKind = 'code' | 'token' | 'session';

/** What is kept as that with which it is checked; a second factor beside the password. */
export type VerifierKind = 'password' | 'totp' | 'passkey';

/** All that a person signs in with. */
export type CredentialKind = SecretKind | VerifierKind;

const HOUR_SECONDS = 60 * 60;

/** How long each of these is valid: a code until it is used, a session unless it is idle for too long. */
export const CREDENTIAL_SECONDS = {
  code: 24 * HOUR_SECONDS,
  token: 30 * 24 * HOUR_SECONDS,
  session: 12 * HOUR_SECONDS,
} as const satisfies Record<SecretKind, number>;

/** A session ends when the person did nothing in it for this time. */
export const SESSION_IDLE_SECONDS = 30 * 60;

/** The sessions of an operator at once. Each audit entry of the operator lists them all, so that their number has an end. */
export const SESSIONS_MAX = 20;

/** Stands for no end: a password, second factor or passkey lasts until the operator or an admin removes or replaces it. */
export const LASTING_CREDENTIAL_SECONDS = 10 * 365 * 24 * 60 * 60;

const PREFIXES = { code: 'pi_code_', token: 'pi_op_', session: 'pi_session_' } as const satisfies Record<SecretKind, string>;

export function newCredential(kind: SecretKind): CheckedSecret {
  return newCheckedSecret(PREFIXES[kind]);
}

/** `undefined` for what was mistyped, or is something else. */
export function parseCredential(kind: SecretKind, text: string): Omit<CheckedSecret, 'text'> | undefined {
  return parseCheckedSecret(PREFIXES[kind], text);
}
