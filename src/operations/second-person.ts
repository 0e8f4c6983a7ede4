import type { Actor } from '../domain/role.ts';
import { ServiceError } from '../domain/service-error.ts';
import type { Queryable } from '../store/database.ts';
import { shareAddress } from '../store/operator.ts';

const HOW =
  'Sign in with a code: npx partner-impact login. An admin, or the owner of the machine, makes it: npx partner-impact operator create --name NAME --role ROLE';

/** Whether it is a person known by name: neither the owner of the machine nor the schedule. */
export function isSignedIn({ operatorId }: Pick<Actor, 'operatorId'>): boolean {
  return operatorId.startsWith('opr_');
}

/**
 * For the first of two people: whoever begins what another person has to approve is known by name.
 *
 * @throws ServiceError `forbidden` for the owner of the machine, with how to sign in.
 */
export function requireSignedIn(actor: Actor): void {
  if (!isSignedIn(actor)) throw refusal(`This takes two people, and "${actor.operatorId}" is nobody in particular. ${HOW}`);
}

/**
 * For the second of two people.
 *
 * @param firstOperatorId Who began it.
 * @throws ServiceError `forbidden` for the same person, also under another id with the same address, and for the owner of the machine on either side, who may be anybody.
 */
export async function requireSecondPerson(db: Queryable, actor: Actor, firstOperatorId: string): Promise<void> {
  requireSignedIn(actor);
  if (actor.operatorId === firstOperatorId)
    throw refusal(`This takes two people, and ${firstOperatorId} began it: another operator has to approve it.`);
  if (!isSignedIn({ operatorId: firstOperatorId }))
    throw refusal(
      `This takes two people, and it was begun by "${firstOperatorId}", who may be anybody, you too: a signed-in operator has to begin it anew.`,
    );
  if (await shareAddress(db, actor.operatorId, firstOperatorId))
    throw refusal(
      `This takes two people, and ${firstOperatorId}, who began it, has your address: another operator has to approve it.`,
    );
}

function refusal(sentence: string): ServiceError {
  return new ServiceError('forbidden', sentence);
}
