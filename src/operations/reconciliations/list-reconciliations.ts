import type { Queryable } from '../../store/database.ts';
import {
  listLatestReconciliations,
  listReconciliations,
  type Reconciliation,
} from '../../store/reconciliations/reconciliation.ts';

export interface ReconciliationFilter {
  readonly partnerId: string | undefined;
  /** Of the partner. */
  readonly settlementId: string | undefined;
  /** The id that the page begins before; empty for the first. */
  readonly beforeId: string;
  readonly limit: number;
}

export interface ReconciliationPage {
  readonly reconciliations: readonly Reconciliation[];
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
  const reconciliations = found.slice(0, limit);
  return {
    reconciliations,
    lastId: reconciliations.at(-1)?.reconciliationId ?? filter.beforeId,
    hasMore: found.length > limit,
  };
}
