import { type Actor, mayAct, type Role } from '../domain/access/role.ts';
import { ServiceError } from '../domain/service-error.ts';

/** An operation of operators, with its least role. */
export type OperatorOperation<Needs, Given extends readonly unknown[], Result> = ((
  needs: Needs,
  actor: Actor,
  ...given: Given
) => Promise<Result>) & {
  readonly leastRole: Role;
};

/**
 * Declares the least role of an operation, in the one place that commands read it from too. Nothing of the operation runs for a lower
 * role. An operation for which some requests need a higher role calls {@link requireRole} too.
 *
 * @param operation Takes the database, or what it needs besides, then the actor.
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

/** Throws `forbidden` when the actor's role is below the least role. */
export function requireRole(actor: Actor, least: Role): void {
  if (mayAct(actor, least)) return;
  const message = `This needs the role ${least}; ${actor.operatorId} has the role ${actor.role}. An admin changes it with \`operator change-role\`.`;
  throw new ServiceError('forbidden', message);
}
