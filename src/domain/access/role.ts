/** Settlements, section 5: role; each includes the rights of the roles before it. */
export const ROLES = ['viewer', 'operator', 'approver', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Whoever changes something: a signed-in operator, the owner of the machine on its command line, or the schedule. */
export interface Actor {
  /** `opr_…`; `owner` on the command line of the machine without a sign-in; `schedule`. */
  readonly operatorId: string;
  readonly role: Role;
  /** The owner of the machine, who said why nobody who is signed in does it. */
  readonly breaksGlass?: true;
  /** A partner's key that does, in a sandbox and for its own partner, what takes two operators. */
  readonly standsForTwo?: true;
  /** Ties what one command or request changes together. */
  readonly correlationId: string;
}

/** Whoever an entry of the audit names: an actor, or a partner by the API key that its request came with, `key_…`. */
export interface AuditAuthor extends Omit<Actor, 'role'> {
  readonly role: Role | 'partner';
}

/** The owner of the machine, as the audit names it. */
export const OWNER_ID = 'owner';

export function mayAct({ role }: Actor, least: Role): boolean {
  return isAtLeast(role, least);
}

export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}
