import { type Actor, mayAct, type Role } from '../domain/access/role.ts';
import { ServiceError } from '../domain/service-error.ts';

/** An operation that operators call, with the least role that may. */
export type OperatorOperation<Needs, Given extends readonly unknown[], Result> = ((
  needs: Needs,
  actor: Actor,
  ...given: Given
) => Promise<Result>) & {
  readonly leastRole: Role;
};

/**
 * Declares the least role of an operation, in the one place that commands read it from too. Nothing of the operation runs for a lower role.
 * An operation that some requests need more for says so by {@link requireRole}.
 *
 * @param operation Takes the database, or what it needs besides, then who acts.
 * @throws ServiceError `forbidden`, when it is called in a lower role.
 */
export function withRole<Needs, Given extends readonly unknown[], Result>(
  leastRole: Role,
  operation: (needs: Needs, actor: Actor, ...given: Given) => Promise<Result>,
): OperatorOperation<Needs, Given, Result> {
  const checked = async (needs: Needs, actor: Actor, ...given: Given) => {
    requireRole(actor, leastRole);
    return operation(needs, actor, ...given);
  };
  return Object.assign(checked, { leastRole });
}

/** Throws `forbidden` when the actor's role is below the least that may do this. */
export function requireRole(actor: Actor, least: Role): void {
  if (mayAct(actor, least)) return;
  throw new ServiceError('forbidden', `This needs the role ${least}; ${actor.operatorId} has the role ${actor.role}.`);
}
