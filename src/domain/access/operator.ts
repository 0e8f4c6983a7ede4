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

/**
 * The operator who created an account, or reset its sign-in, has held its code: for this many days the account counts as that operator's
 * own.
 */
export const CONTROL_DAYS = 7;
