import { canonicalAddress } from '../../domain/access/email-address.ts';
import { CONTROL_DAYS } from '../../domain/access/operator.ts';
import type { Actor } from '../../domain/access/role.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { findOperator } from '../../store/access/operator.ts';
import { findSharedControl } from '../../store/access/operator-control.ts';
import type { Queryable } from '../../store/database.ts';
import { findInstallation } from '../../store/installation.ts';

const HOW =
  'Sign in with a code: npx partner-impact login. An admin creates the code: npx partner-impact operator create --name NAME --email ADDRESS --role ROLE';

/** Whether the actor is a person: neither the owner account nor the schedule. */
export function isSignedIn({ operatorId }: Pick<Actor, 'operatorId'>): boolean {
  return operatorId.startsWith('opr_');
}

/**
 * @throws ServiceError `forbidden` for the owner account, with how to sign in.
 */
export function requireSignedIn(actor: Actor): void {
  if (actor.standsForTwo) return;
  if (!isSignedIn(actor)) throw refusal(`This needs four eyes. The ${actor.operatorId} account is not a person; sign in. ${HOW}`);
}

/**
 * For the first of two operators: the name and the address of the operator who begins are known.
 *
 * @throws ServiceError `forbidden` for the owner account, and for an operator without an address.
 */
export async function requireFirstOperator(db: Queryable, actor: Actor): Promise<void> {
  if (actor.standsForTwo) return requireSandbox(db);
  requireSignedIn(actor);
  await getAddress(db, actor.operatorId);
}

/**
 * For the second of two operators.
 *
 * @param firstOperatorId The operator who began.
 * @throws ServiceError `forbidden` for the same person, also under another account: with the same address, or without one, or when one
 * person has held the codes of both accounts within {@link CONTROL_DAYS} days; and for the owner account on either side, which is not a
 * person.
 * @see docs/spec/settlements.md#5-operators.
 */
export async function requireSecondOperator(db: Queryable, actor: Actor, firstOperatorId: string): Promise<void> {
  if (actor.standsForTwo) return requireSandbox(db);
  requireSignedIn(actor);
  const { operatorId } = actor;
  if (operatorId === firstOperatorId)
    throw refusal(`This needs four eyes: ${firstOperatorId} drafted it, so another operator has to approve it.`);
  if (!isSignedIn({ operatorId: firstOperatorId }))
    throw refusal(
      `This needs four eyes. The draft has no signed-in author (${firstOperatorId}); a signed-in operator has to create it again.`,
    );
  if ((await getAddress(db, operatorId)) === (await getAddress(db, firstOperatorId)))
    throw refusal(
      `This needs four eyes: ${firstOperatorId}, who drafted it, has your address, so another operator has to approve it.`,
    );
  const shared = await findSharedControl(db, operatorId, firstOperatorId);
  if (shared) throw refusal(explainControl(shared, [operatorId, firstOperatorId]));
}

/** In production no actor stands for two operators. */
async function requireSandbox(db: Queryable): Promise<void> {
  const installation = await findInstallation(db);
  if (installation?.environment !== 'sandbox') throw refusal('This needs four eyes: two signed-in operators.');
}

async function getAddress(db: Queryable, operatorId: string): Promise<string> {
  const address = canonicalAddress((await findOperator(db, operatorId))?.email ?? null);
  if (address !== undefined) return address;
  throw refusal(
    `This needs four eyes with different addresses, and ${operatorId} has none. An admin adds it: npx partner-impact operator set-email --operator ${operatorId} --email ADDRESS`,
  );
}

function explainControl(shared: { operatorId: string; until: Date }, accounts: readonly string[]): string {
  const theirs = accounts.filter((account) => account !== shared.operatorId).join(' and ');
  return `This needs four eyes: within ${CONTROL_DAYS} days ${shared.operatorId} created the account ${theirs} or reset its sign-in, directly or through other accounts. Until ${shared.until.toISOString()} another operator has to approve it.`;
}

function refusal(sentence: string): ServiceError {
  return new ServiceError('forbidden', sentence);
}
