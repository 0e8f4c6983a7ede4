import type { AcknowledgementStatus, SettlementStatus } from '../../domain/settlements/settlement.ts';
import type { Queryable } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { findListedSettlements, type Settlement } from '../../store/settlements/settlement.ts';
import {
  type ClosedOrder,
  type ListedSettlement,
  listClosedSettlements,
  listSettlementsOfPartner,
} from '../../store/settlements/settlement-list.ts';
import { inOrderOf, type LookedThrough, lookThrough, wantedBy } from '../look-through.ts';

export interface ClosedFilter {
  readonly acknowledgement?: AcknowledgementStatus | undefined;
  readonly period?: string | undefined;
  /** Given with the order of `payable_amount`: amounts of two currencies have no order. */
  readonly currency?: string | undefined;
}

/** Closed settlements of all partners. */
export async function listClosedOfAll(
  db: Queryable,
  { acknowledgement, period, currency }: ClosedFilter,
  page: KeysetPage<ClosedOrder>,
): Promise<LookedThrough<Settlement>> {
  const { by } = page.order;
  const indexed = {
    period: by === 'closed_at' ? period : undefined,
    currency: by === 'payable_amount' ? currency : undefined,
  };
  const looked = await lookThrough({
    page,
    read: (part) => listClosedSettlements(db, indexed, part),
    isWanted: wantedBy({
      acknowledgement,
      periodLabel: indexed.period === undefined ? period : undefined,
      currency: indexed.currency === undefined ? currency : undefined,
    }),
  });
  return { ...looked, page: await readEach(db, looked.page) };
}

/** The settlements of one partner. */
export async function listOfPartner(
  db: Queryable,
  { partnerId, ...wanted }: { partnerId: string; status?: SettlementStatus; acknowledgement?: AcknowledgementStatus },
  page: KeysetPage<'period'>,
): Promise<LookedThrough<Settlement>> {
  const looked = await lookThrough({
    page,
    read: (part) => listSettlementsOfPartner(db, partnerId, part),
    isWanted: wantedBy(wanted),
  });
  return { ...looked, page: await readEach(db, looked.page) };
}

async function readEach(db: Queryable, listed: readonly ListedSettlement[]): Promise<Settlement[]> {
  const ids = listed.map(({ settlementId }) => settlementId);
  return inOrderOf(ids, await findListedSettlements(db, listed), ({ settlementId }) => settlementId);
}
