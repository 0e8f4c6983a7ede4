import type { Queryable } from '../../store/database.ts';
import {
  listLatestReconciliations,
  listReconciliations,
  type Reconciliation,
} from '../../store/reconciliations/reconciliation.ts';
import { findSettlement } from '../../store/settlements/settlement.ts';

export interface ReconciliationFilter {
  readonly partnerId: string | undefined;
  /** Of the partner. */
  readonly settlementId: string | undefined;
  /** The id that the page begins before; empty for the first. */
  readonly beforeId: string;
  readonly limit: number;
}

/** With the name of the period that a person knows the settlement by. */
export interface ReconciliationOfPeriod {
  readonly reconciliation: Reconciliation;
  readonly periodLabel: string;
}

export interface ReconciliationPage {
  readonly reconciliations: readonly ReconciliationOfPeriod[];
  readonly lastId: string;
  readonly hasMore: boolean;
}

/** Of all partners, of one, or of one of its settlements; the latest first. */
export async function listReconciliationsOf(db: Queryable, filter: ReconciliationFilter): Promise<ReconciliationPage> {
  const { partnerId, settlementId, limit } = filter;
  const place = { ...(filter.beforeId !== '' && { beforeId: filter.beforeId }), limit: limit + 1 };
  const found =
    partnerId === undefined
      ? await listLatestReconciliations(db, place)
      : await listReconciliations(db, partnerId, { ...place, settlementId });
  const page = found.slice(0, limit);
  return {
    reconciliations: await Promise.all(page.map((each) => withPeriod(db, each))),
    lastId: page.at(-1)?.reconciliationId ?? filter.beforeId,
    hasMore: found.length > limit,
  };
}

/** A settlement is never removed. */
export async function withPeriod(db: Queryable, reconciliation: Reconciliation): Promise<ReconciliationOfPeriod> {
  const settlement = await findSettlement(db, reconciliation.partnerId, reconciliation.settlementId);
  return { reconciliation, periodLabel: settlement?.period.label ?? reconciliation.settlementId };
}
