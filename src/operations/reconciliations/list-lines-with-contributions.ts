import type { Queryable } from '../../store/database.ts';
import type { KeysetPage, Placed } from '../../store/ordered-list.ts';
import type { LineVerdict, ReconciliationName } from '../../store/reconciliations/reconciliation.ts';
import { listReconciliationLinesInOrder, type ReconciliationLine } from '../../store/reconciliations/reconciliation-line.ts';
import { type CurrentContribution, findCurrentContributions } from '../../store/reconciliations/recorded-line.ts';

/** A line as it was compared, with its contribution as it is now: one that waited then may be decided. */
export interface LineWithContribution {
  readonly line: ReconciliationLine & Placed;
  /** `undefined` of a line without one. */
  readonly contribution: CurrentContribution | undefined;
}

/** Lists the lines of a reconciliation, all or those of one verdict. */
export async function listLinesWithContributions(
  db: Queryable,
  of: ReconciliationName & { readonly verdict?: LineVerdict | undefined },
  page: KeysetPage<'position'>,
): Promise<LineWithContribution[]> {
  const lines = await listReconciliationLinesInOrder(db, of, page);
  const ids = new Set(lines.flatMap(({ transactionId }) => transactionId ?? []));
  const found = await findCurrentContributions(db, of.partnerId, [...ids]);
  const byId = new Map(found.map((contribution) => [contribution.transactionId, contribution]));
  return lines.map((line) => ({ line, contribution: byId.get(line.transactionId ?? '') }));
}
