import { canonicalAddress } from '../../domain/access/email-address.ts';
import type { Operator } from '../../domain/access/operator.ts';
import { isAtLeast } from '../../domain/access/role.ts';
import type { Begun } from '../../domain/access/second-step.ts';
import type { ErrorDetail } from '../../domain/service-error.ts';
import { listOperators } from '../../store/access/operator.ts';
import { listControllers } from '../../store/access/operator-control.ts';
import { listLiveCredentials } from '../../store/access/operator-credential.ts';
import type { Queryable } from '../../store/database.ts';
import { explainFirstOperator } from './four-eyes.ts';

export interface SecondOperators {
  /** In the order of their creation. */
  readonly operators: readonly Operator[];
  /** Whether there may be more. */
  readonly hasMore: boolean;
  /** Why nobody may, whoever it is, as in the refusal of the step; empty where that depends on the person. */
  readonly whyNobody: readonly ErrorDetail[];
}

/**
 * The most approvers that are judged, the first by their creation: for each of them the service looks up in the audit who created them.
 */
const JUDGED_MAX = 100;

/**
 * Who may take a step after those who began, by the rule of `requireSecondOperator`: approvers and admins that count as another person than
 * each of them, and that have signed in, because nobody else can be asked. The step decides anew.
 *
 * @param begun One or more.
 * @param most How many are named, 1 or more.
 */
export async function listSecondOperators(
  db: Queryable,
  begun: readonly Begun[],
  { most }: { readonly most: number },
): Promise<SecondOperators> {
  for (const { operatorId } of begun) {
    const refusal = await explainFirstOperator(db, operatorId);
    if (refusal) return { operators: [], hasMore: false, whyNobody: refusal.details };
  }
  const firsts = begun.map(({ operatorId }) => operatorId);
  const candidates = await listCandidates(db, firsts);
  const judged = candidates.slice(0, JUDGED_MAX);
  const controllers = await listControllers(db, [...firsts, ...judged.map(({ operatorId }) => operatorId)]);
  const controllersOf = (operatorId: string) => controllers.get(operatorId) ?? new Set([operatorId]);
  const isOther = ({ operatorId }: Operator) =>
    firsts.every((first) => controllersOf(operatorId).isDisjointFrom(controllersOf(first)));
  const found = judged.filter(isOther);
  return {
    operators: found.slice(0, most),
    hasMore: found.length > most || candidates.length > judged.length,
    whyNobody: [],
  };
}

/** Approvers and admins who have signed in, under another address than each of the first operators. */
async function listCandidates(db: Queryable, firsts: readonly string[]): Promise<Operator[]> {
  const operators = await listOperators(db);
  const addressOf = ({ email }: Operator) => canonicalAddress(email);
  const taken = new Set(operators.filter(({ operatorId }) => firsts.includes(operatorId)).map(addressOf));
  const isOfAnother = (operator: Operator) => {
    const address = addressOf(operator);
    return address !== undefined && !taken.has(address);
  };
  const active = operators
    .filter(({ role, disabledAt }) => disabledAt === null && isAtLeast(role, 'approver'))
    .filter(isOfAnother);
  const credentials = await listLiveCredentials(
    db,
    active.map(({ operatorId }) => operatorId),
  );
  const signedIn = new Set(credentials.filter(({ kind }) => kind !== 'code').map(({ operatorId }) => operatorId));
  return active.filter(({ operatorId }) => signedIn.has(operatorId));
}
