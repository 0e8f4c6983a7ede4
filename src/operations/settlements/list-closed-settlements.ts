import type { AcknowledgementStatus } from '../../domain/settlements/settlement.ts';
import type { Queryable } from '../../store/database.ts';
import { findSettlement, type Settlement } from '../../store/settlements/settlement.ts';
import { type ClosedPlace, listClosedSettlements } from '../../store/settlements/settlement-list.ts';

export interface ClosedFilter {
  readonly acknowledgement: AcknowledgementStatus | undefined;
  readonly before: ClosedPlace | undefined;
  readonly limit: number;
}

/** A page looks at no more, so that a rare answer costs no more than any: it may be short, and more follows. */
const LOOKED_AT_MAX = 2_000;

/** Closed settlements of all partners, the latest first. */
export async function listClosedOfAll(
  db: Queryable,
  { acknowledgement, before, limit }: ClosedFilter,
): Promise<{ readonly settlements: readonly Settlement[]; readonly last: ClosedPlace | undefined; readonly hasMore: boolean }> {
  const max = acknowledgement === undefined ? limit + 1 : LOOKED_AT_MAX;
  const looked = await listClosedSettlements(db, { before, limit: max });
  const wanted = looked.filter((each) => acknowledgement === undefined || each.acknowledgement === acknowledgement);
  const page = wanted.slice(0, limit);
  const found = await Promise.all(page.map(({ partnerId, settlementId }) => findSettlement(db, partnerId, settlementId)));
  return {
    settlements: found.flatMap((settlement) => settlement ?? []),
    last: wanted.length > limit ? page.at(-1) : looked.at(-1),
    hasMore: wanted.length > limit || looked.length === max,
  };
}
