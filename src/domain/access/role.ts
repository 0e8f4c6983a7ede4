/** Settlements, section 5: role; each includes the rights of the roles before it. */
export const ROLES = ['viewer', 'operator', 'approver', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/**
 * Who makes a change: a signed-in operator, the owner account on the command line of the machine, the schedule, or a partner by the API
 * key of its request.
 */
export interface Actor {
  /** `opr_…`; `owner` on the command line of the machine without a sign-in; `schedule`; `key_…`. */
  readonly operatorId: string;
  /** What the actor may do. */
  readonly role: Role;
  /** What an operator is signed in with, a session or a token: once it has ended, it changes nothing more. */
  readonly credentialId?: string;
  /** A partner's API key, which the audit names with the role `partner`. */
  readonly isPartner?: true;
  /** The owner account, with the reason why no signed-in operator acts. */
  readonly breaksGlass?: true;
  /** In a sandbox a partner's API key does alone, for its own partner, what otherwise takes two operators. */
  readonly standsForTwo?: true;
  /** Links all changes of one command or request. */
  readonly correlationId: string;
}

/** The author of an audit entry: an actor, or a partner whose statement needs no role. */
export interface AuditAuthor extends Omit<Actor, 'role'> {
  readonly role: Role | 'partner';
}

/** The owner account, as the audit names it. */
export const OWNER_ID = 'owner';

export function mayAct({ role }: Actor, least: Role): boolean {
  return isAtLeast(role, least);
}

export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}
