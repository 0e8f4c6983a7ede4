import { canonicalAddress } from '../../domain/access/email-address.ts';
import { CONTROL_DAYS, type Operator } from '../../domain/access/operator.ts';
import type { Actor } from '../../domain/access/role.ts';
import { type Begun, SECOND_STEPS } from '../../domain/access/second-step.ts';
import type { DetailCode } from '../../domain/detail-codes.ts';
import { type ErrorDetail, ServiceError } from '../../domain/service-error.ts';
import { findOperator } from '../../store/access/operator.ts';
import { findSharedControl } from '../../store/access/operator-control.ts';
import type { Queryable } from '../../store/database.ts';
import { findInstallation } from '../../store/installation.ts';

const HOW =
  'Sign in with a code: npx partner-impact login. An admin creates the code: npx partner-impact operator create --name NAME --email ADDRESS --role ROLE';

/** Whether the actor is a person: neither the owner account nor the schedule. */
function isSignedIn({ operatorId }: Pick<Actor, 'operatorId'>): boolean {
  return operatorId.startsWith('opr_');
}

/**
 * @throws ServiceError `forbidden` for the owner account, with how to sign in.
 */
export function requireSignedIn(actor: Pick<Actor, 'operatorId' | 'standsForTwo'>): void {
  if (actor.standsForTwo) return;
  if (!isSignedIn(actor)) throw refusal(`This needs four eyes. The ${actor.operatorId} account is not a person; sign in. ${HOW}`);
}

/**
 * For the first of two operators: the name and the address of the operator who begins are known.
 *
 * @throws ServiceError `forbidden` for the owner account, and for an operator without an address.
 */
export async function requireFirstOperator(db: Queryable, actor: Pick<Actor, 'operatorId' | 'standsForTwo'>): Promise<void> {
  if (actor.standsForTwo) return requireSandbox(db);
  requireSignedIn(actor);
  await getAddress(db, actor.operatorId);
}

/**
 * For the second of two operators. The details of a refusal say why, for which step, and whose account it is (`operator`, `maker`) until
 * when (`until`): with the value in `code`.
 *
 * @throws ServiceError `forbidden` for the same person, also under another account: with the same address, or without one, or when one
 * person has held the codes of both accounts within {@link CONTROL_DAYS} days; and for the owner account on either side, which is not a
 * person.
 * @see docs/spec/settlements.md#5-operators.
 */
export async function requireSecondOperator(db: Queryable, actor: Actor, begun: Begun): Promise<void> {
  if (actor.standsForTwo) return requireSandbox(db);
  requireSignedIn(actor);
  const { operatorId } = actor;
  const { done, wanted } = SECOND_STEPS[begun.step];
  const first = await nameOf(db, begun.operatorId);
  if (operatorId === begun.operatorId)
    throw refusalOf(begun, 'same_operator', `${first} ${done}, so another operator has to ${wanted}.`);
  if (!isSignedIn(begun))
    throw refusal(
      `This needs four eyes. The ${begun.operatorId} account, which is not a person, ${done}. A signed-in operator has to do it again.`,
    );
  if ((await getAddress(db, operatorId)) === (await getAddress(db, begun.operatorId)))
    throw refusalOf(begun, 'same_address', `${first}, who ${done}, has your address, so another operator has to ${wanted}.`);
  const shared = await findSharedControl(db, operatorId, begun.operatorId);
  if (shared) throw await explainControl(db, begun, { ...shared, accounts: [operatorId, begun.operatorId] });
}

/** Why {@link requireSecondOperator} would refuse; `undefined` where it would not. */
export function explainSecondOperator(db: Queryable, actor: Actor, begun: Begun): Promise<ServiceError | undefined> {
  return refusalBy(requireSecondOperator(db, actor, begun));
}

/** Why nobody can be the second one after this operator: no person, or without an address; `undefined` where somebody can. */
export function explainFirstOperator(db: Queryable, operatorId: string): Promise<ServiceError | undefined> {
  return refusalBy(requireFirstOperator(db, { operatorId }));
}

async function refusalBy(required: Promise<void>): Promise<ServiceError | undefined> {
  try {
    await required;
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'forbidden') return error;
    throw error;
  }
}

/** In production no actor stands for two operators. */
async function requireSandbox(db: Queryable): Promise<void> {
  const installation = await findInstallation(db);
  if (installation?.environment !== 'sandbox') throw refusal('This needs four eyes: two signed-in operators.');
}

async function getAddress(db: Queryable, operatorId: string): Promise<string> {
  const operator = await findOperator(db, operatorId);
  const address = canonicalAddress(operator?.email ?? null);
  if (address !== undefined) return address;
  const sentence = `This needs four eyes with different addresses, and ${describe(operatorId, operator)} has none. An admin adds it: npx partner-impact operator set-email --operator ${operatorId} --email ADDRESS`;
  throw refusal(sentence, [
    ...whyDetails('no_address', sentence),
    detailOf('operator', operatorId, 'The operator without an address.'),
  ]);
}

interface Control {
  readonly operatorId: string;
  readonly until: Date;
  readonly accounts: readonly string[];
}

async function explainControl(db: Queryable, begun: Begun, { operatorId, until, accounts }: Control): Promise<ServiceError> {
  const maker = await nameOf(db, operatorId);
  const theirs = await Promise.all(accounts.filter((account) => account !== operatorId).map((account) => nameOf(db, account)));
  const made = `within ${CONTROL_DAYS} days ${maker} created the account ${theirs.join(' and ')} or reset its sign-in, directly or through other accounts.`;
  const then = `Until ${until.toISOString()} another operator has to ${SECOND_STEPS[begun.step].wanted}.`;
  return refusalOf(begun, 'same_maker', `${made} ${then}`, [
    detailOf('maker', operatorId, 'Who created an account of the two, or reset its sign-in.'),
    detailOf('until', until.toISOString(), 'From then on the two accounts count as two persons.'),
  ]);
}

async function nameOf(db: Queryable, operatorId: string): Promise<string> {
  return describe(operatorId, await findOperator(db, operatorId));
}

/** `Amal (opr_…)`. */
function describe(operatorId: string, operator: Operator | undefined): string {
  return operator ? `${operator.name} (${operatorId})` : operatorId;
}

function refusalOf(begun: Begun, why: Why, sentence: string, more: readonly ErrorDetail[] = []): ServiceError {
  const message = `This needs four eyes: ${sentence}`;
  const { done } = SECOND_STEPS[begun.step];
  return refusal(message, [
    ...whyDetails(why, message),
    detailOf('step', begun.step, 'What only a second operator may do.'),
    detailOf('operator', begun.operatorId, `Who ${done}.`),
    ...more,
  ]);
}

type Why = Extract<DetailCode, 'same_operator' | 'same_address' | 'same_maker' | 'no_address'>;

function whyDetails(code: Why, message: string): ErrorDetail[] {
  return [detailOf('four_eyes', code, message)];
}

function detailOf(field: string, code: string, message: string): ErrorDetail {
  return { field, code: code as DetailCode, message };
}

function refusal(sentence: string, details: readonly ErrorDetail[] = []): ServiceError {
  return new ServiceError('forbidden', sentence, { details });
}
