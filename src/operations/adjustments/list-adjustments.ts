import type { AdjustmentStatus } from '../../domain/adjustments/adjustment.ts';
import { type Adjustment, AFTER_LAST_ADJUSTMENT, findAdjustment, listAdjustments } from '../../store/adjustments/adjustment.ts';
import { listLatestAdjustments } from '../../store/adjustments/waiting-adjustment.ts';
import type { Queryable } from '../../store/database.ts';

export interface AdjustmentFilter {
  readonly partnerId: string | undefined;
  readonly status: AdjustmentStatus | undefined;
  /** The id that the page begins before; empty for the first. */
  readonly beforeId: string;
  readonly limit: number;
}

export interface AdjustmentPage {
  readonly adjustments: readonly Adjustment[];
  readonly lastId: string;
  readonly hasMore: boolean;
}

/** A page looks at no more, so that a rare status costs no more than any: it may be short, and more follows. */
const LOOKED_AT_MAX = 2_000;

/** Of one partner or of all, the latest first. */
export async function listAdjustmentsOf(db: Queryable, filter: AdjustmentFilter): Promise<AdjustmentPage> {
  const { partnerId, status, limit } = filter;
  const beforeId = filter.beforeId === '' ? AFTER_LAST_ADJUSTMENT : filter.beforeId;
  if (partnerId === undefined) return listOfAll(db, { ...filter, beforeId });
  const found = await listAdjustments(db, partnerId, { beforeId, status: status ?? null, limit: limit + 1 });
  const adjustments = found.slice(0, limit);
  return { adjustments, lastId: adjustments.at(-1)?.adjustmentId ?? filter.beforeId, hasMore: found.length > limit };
}

async function listOfAll(db: Queryable, { status, beforeId, limit }: AdjustmentFilter): Promise<AdjustmentPage> {
  const waiting = status === 'draft' || status === 'approved' ? status : undefined;
  const isRead = status === undefined || waiting !== undefined;
  const max = isRead ? limit + 1 : LOOKED_AT_MAX;
  const looked = await listLatestAdjustments(db, { waiting, beforeId, limit: max });
  const wanted = looked.filter((each) => status === undefined || each.status === status);
  const page = wanted.slice(0, limit);
  const found = await Promise.all(page.map(({ partnerId, adjustmentId }) => findAdjustment(db, partnerId, adjustmentId)));
  const last = wanted.length > limit ? page.at(-1) : looked.at(-1);
  return {
    adjustments: found.flatMap((adjustment) => adjustment ?? []),
    lastId: last?.adjustmentId ?? beforeId,
    hasMore: wanted.length > limit || looked.length === max,
  };
}
