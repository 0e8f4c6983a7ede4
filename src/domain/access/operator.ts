import { type CheckedSecret, newCheckedSecret, parseCheckedSecret } from './checksummed-secret.ts';
import type { Role } from './role.ts';

/** A person who may change something. @see docs/spec/settlements.md#5-operators. */
export interface Operator {
  /** `opr_…` */
  readonly operatorId: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  readonly createdAt: Date;
  /** `null` while the operator may sign in. */
  readonly disabledAt: Date | null;
}

/** What a person signs in with: a code, once, which gives a token. */
export type CredentialKind = 'code' | 'token';

const PREFIXES = { code: 'pi_code_', token: 'pi_op_' } as const satisfies Record<CredentialKind, string>;

export function newCredential(kind: CredentialKind): CheckedSecret {
  return newCheckedSecret(PREFIXES[kind]);
}

/** `undefined` for what was mistyped, or is something else. */
export function parseCredential(kind: CredentialKind, text: string): Omit<CheckedSecret, 'text'> | undefined {
  return parseCheckedSecret(PREFIXES[kind], text);
}
