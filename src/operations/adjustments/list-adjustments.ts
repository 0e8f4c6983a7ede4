import type { AdjustmentStatus } from '../../domain/adjustments/adjustment.ts';
import { type Adjustment, AFTER_LAST_ADJUSTMENT, findAdjustment, listAdjustments } from '../../store/adjustments/adjustment.ts';
import { listAdjustmentsBeside } from '../../store/adjustments/settled-adjustment.ts';
import { listLatestAdjustments } from '../../store/adjustments/waiting-adjustment.ts';
import type { Queryable } from '../../store/database.ts';

export interface AdjustmentFilter {
  readonly partnerId: string | undefined;
  readonly status: AdjustmentStatus | undefined;
  /** Of the partner: only those of contributions that have their line on it. */
  readonly settlementId?: string | undefined;
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
  const { settlementId } = filter;
  if (partnerId !== undefined && settlementId !== undefined)
    return listOfSettlement(db, { partnerId, settlementId }, { ...filter, beforeId });
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
  return readPage(db, { looked, wanted, isAll: looked.length < max }, { beforeId, limit });
}

async function listOfSettlement(
  db: Queryable,
  settlement: { readonly partnerId: string; readonly settlementId: string },
  { status, beforeId, limit }: AdjustmentFilter,
): Promise<AdjustmentPage> {
  const { partnerId } = settlement;
  const looked = await listAdjustmentsBeside(db, settlement, { beforeId, limit: LOOKED_AT_MAX });
  const wanted = looked.filter(({ isOn }) => isOn).map(({ adjustmentId }) => ({ partnerId, adjustmentId }));
  const page = await readPage(db, { looked, wanted, isAll: looked.length < LOOKED_AT_MAX }, { beforeId, limit });
  return { ...page, adjustments: page.adjustments.filter((each) => status === undefined || each.status === status) };
}

interface LookedAt {
  readonly looked: readonly { readonly adjustmentId: string }[];
  readonly wanted: readonly { readonly partnerId: string; readonly adjustmentId: string }[];
  /** No more follow. */
  readonly isAll: boolean;
}

async function readPage(
  db: Queryable,
  { looked, wanted, isAll }: LookedAt,
  { beforeId, limit }: Pick<AdjustmentFilter, 'beforeId' | 'limit'>,
): Promise<AdjustmentPage> {
  const page = wanted.slice(0, limit);
  const found = await Promise.all(page.map(({ partnerId, adjustmentId }) => findAdjustment(db, partnerId, adjustmentId)));
  const last = wanted.length > limit ? page.at(-1) : looked.at(-1);
  return {
    adjustments: found.flatMap((adjustment) => adjustment ?? []),
    lastId: last?.adjustmentId ?? beforeId,
    hasMore: wanted.length > limit || !isAll,
  };
}
