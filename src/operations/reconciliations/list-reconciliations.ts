import type { Database, Queryable } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { listReconciliationsInOrder, type Reconciliation } from '../../store/reconciliations/reconciliation.ts';
import { findListedSettlements, findSettlement } from '../../store/settlements/settlement.ts';
import { type FilteredPage, readFilteredPage, wantedBy } from '../filtered-page.ts';

export interface ReconciliationFilter {
  readonly partnerId?: string | undefined;
  /** A settlement of the partner. */
  readonly settlementId?: string | undefined;
  readonly status?: Reconciliation['status'] | undefined;
}

/** With the name of the period that a person knows the settlement by. */
export interface ReconciliationOfPeriod {
  readonly reconciliation: Reconciliation;
  readonly periodLabel: string;
}

/** Lists the reconciliations of all partners, of one partner, or of one of its settlements. */
export async function listReconciliationsOf(
  database: Pick<Database, 'pool' | 'isDistributed'>,
  { partnerId, settlementId, status }: ReconciliationFilter,
  page: KeysetPage<'created_at'>,
): Promise<FilteredPage<ReconciliationOfPeriod>> {
  const looked = await readFilteredPage({
    page,
    read: (part) => listReconciliationsInOrder(database.pool, { partnerId, settlementId }, part),
    isWanted: wantedBy({ status }),
  });
  const settlements = await findListedSettlements(database, looked.page);
  const labels = new Map(settlements.map(({ settlementId, period }) => [settlementId, period.label]));
  return {
    ...looked,
    page: looked.page.map((reconciliation) => ({
      reconciliation,
      periodLabel: labels.get(reconciliation.settlementId) ?? reconciliation.settlementId,
    })),
  };
}

/** A settlement is never removed. */
export async function withPeriod(db: Queryable, reconciliation: Reconciliation): Promise<ReconciliationOfPeriod> {
  const settlement = await findSettlement(db, reconciliation.partnerId, reconciliation.settlementId);
  return { reconciliation, periodLabel: settlement?.period.label ?? reconciliation.settlementId };
}
