import type { AcknowledgementStatus, SettlementStatus } from '../../domain/settlements/settlement.ts';
import { readPeriodFilter } from '../../domain/settlements/settlement-period.ts';
import type { Database } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { findListedSettlements, type Settlement } from '../../store/settlements/settlement.ts';
import {
  type ClosedOrder,
  type ListedSettlement,
  listClosedSettlements,
  listSettlementsOfPartner,
} from '../../store/settlements/settlement-list.ts';
import { type FilteredPage, inOrderOf, readFilteredPage, wantedBy } from '../filtered-page.ts';

type Listing = Pick<Database, 'pool' | 'isDistributed'>;

export interface ClosedFilter {
  readonly acknowledgement?: AcknowledgementStatus | undefined;
  /** As {@link readPeriodFilter} reads it. */
  readonly period?: string | undefined;
  /** Given with the order of `payable_amount`: amounts of two currencies have no order. */
  readonly currency?: string | undefined;
}

/** Closed settlements of all partners. */
export async function listClosedOfAll(
  database: Listing,
  { acknowledgement, period, currency }: ClosedFilter,
  page: KeysetPage<ClosedOrder>,
): Promise<FilteredPage<Settlement>> {
  const { by } = page.order;
  const { month, periodLabel } = readPeriodFilter(period);
  const indexed = {
    month: by === 'closed_at' ? month : undefined,
    currency: by === 'payable_amount' ? currency : undefined,
  };
  const looked = await readFilteredPage({
    page,
    read: (part) => listClosedSettlements(database.pool, indexed, part),
    isWanted: wantedBy({
      acknowledgement,
      month: indexed.month === undefined ? month : undefined,
      periodLabel,
      currency: indexed.currency === undefined ? currency : undefined,
    }),
  });
  return { ...looked, page: await readEach(database, looked.page) };
}

/** The settlements of one partner. */
export async function listOfPartner(
  database: Listing,
  { partnerId, ...wanted }: { partnerId: string; status?: SettlementStatus; acknowledgement?: AcknowledgementStatus },
  page: KeysetPage<'period'>,
): Promise<FilteredPage<Settlement>> {
  const looked = await readFilteredPage({
    page,
    read: (part) => listSettlementsOfPartner(database.pool, partnerId, part),
    isWanted: wantedBy(wanted),
  });
  return { ...looked, page: await readEach(database, looked.page) };
}

async function readEach(database: Listing, listed: readonly ListedSettlement[]): Promise<Settlement[]> {
  const ids = listed.map(({ settlementId }) => settlementId);
  return inOrderOf(ids, await findListedSettlements(database, listed), ({ settlementId }) => settlementId);
}
