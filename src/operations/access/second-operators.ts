import type { Operator } from '../../domain/access/operator.ts';
import { isAtLeast } from '../../domain/access/role.ts';
import { listOperators } from '../../store/access/operator.ts';
import { listLiveCredentials } from '../../store/access/operator-credential.ts';
import type { Queryable } from '../../store/database.ts';
import { type Begun, explainSecondOperator } from './four-eyes.ts';

export interface SecondOperators {
  /** In the order of their creation. */
  readonly operators: readonly Operator[];
  /** Whether there may be more. */
  readonly hasMore: boolean;
}

/**
 * Who may take a step after the one who began: approvers and admins that count as another person, and that have signed in, because nobody
 * else can be asked. The step decides anew.
 *
 * @param most How many are looked for, 1 or more.
 */
export async function listSecondOperators(
  db: Queryable,
  begun: Begun,
  { most, correlationId }: { readonly most: number; readonly correlationId: string },
): Promise<SecondOperators> {
  const active = (await listOperators(db)).filter(({ role, disabledAt }) => disabledAt === null && isAtLeast(role, 'approver'));
  const credentials = await listLiveCredentials(
    db,
    active.map(({ operatorId }) => operatorId),
  );
  const signedIn = new Set(credentials.filter(({ kind }) => kind !== 'code').map(({ operatorId }) => operatorId));
  const operators: Operator[] = [];
  for (const operator of active) {
    if (!signedIn.has(operator.operatorId)) continue;
    const { operatorId, role } = operator;
    if ((await explainSecondOperator(db, { operatorId, role, correlationId }, begun)) !== undefined) continue;
    if (operators.length === most) return { operators, hasMore: true };
    operators.push(operator);
  }
  return { operators, hasMore: false };
}
