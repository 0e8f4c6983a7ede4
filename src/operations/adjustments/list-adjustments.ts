import { type AdjustmentStatus, adjustmentAmount } from '../../domain/adjustments/adjustment.ts';
import { type Adjustment, findListedAdjustments } from '../../store/adjustments/adjustment.ts';
import { listContributionsSettledOn } from '../../store/adjustments/settled-adjustment.ts';
import {
  type AdjustmentOrder,
  type ListedAdjustment,
  listAdjustmentsInOrder,
  listWaitingAdjustments,
} from '../../store/adjustments/waiting-adjustment.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { KeysetPage, Placed } from '../../store/ordered-list.ts';
import { type FilteredPage, inOrderOf, readFilteredPage, wantedBy } from '../filtered-page.ts';
import { readPricesOfPartners } from '../rules/rule-prices.ts';

export interface AdjustmentFilter {
  readonly partnerId?: string | undefined;
  readonly status?: AdjustmentStatus | undefined;
  readonly reasonCode?: string | undefined;
  /** A settlement of the partner: only adjustments of contributions that have their line on it. */
  readonly settlementId?: string | undefined;
}

/** An adjustment with what it changes of the settled amount. */
export interface PricedAdjustment {
  readonly adjustment: Adjustment;
  /** In 10^-12 of the currency's unit; `null` where the version of its contribution has no value. */
  readonly amount: bigint | null;
  readonly currency: string | null;
}

type Listed = ListedAdjustment & Placed;

/** Lists the adjustments of one partner, or of all partners, with their amounts. */
export async function listAdjustmentsOf(
  database: Pick<Database, 'pool' | 'isDistributed'>,
  filter: AdjustmentFilter,
  page: KeysetPage<AdjustmentOrder>,
): Promise<FilteredPage<PricedAdjustment>> {
  const { pool: db } = database;
  const { partnerId, status, reasonCode, settlementId } = filter;
  const isWaiting = partnerId === undefined && (status === 'draft' || status === 'approved');
  const isOn = settlementId === undefined ? undefined : true;
  const looked = await readFilteredPage({
    page,
    read: async (part) => withIsOn(db, filter, await read(db, filter, part)),
    isWanted: wantedBy({ status: isWaiting ? undefined : status, reasonCode, isOn }),
  });
  const ids = looked.page.map(({ adjustmentId }) => adjustmentId);
  const found = await findListedAdjustments(database, looked.page);
  return {
    ...looked,
    page: await withPrices(
      db,
      inOrderOf(ids, found, ({ adjustmentId }) => adjustmentId),
    ),
  };
}

async function withPrices(db: Queryable, adjustments: readonly Adjustment[]): Promise<PricedAdjustment[]> {
  const prices = await readPricesOfPartners(db, adjustments);
  return adjustments.map((adjustment) => {
    const { currency = null, values } = prices.get(adjustment.partnerId) ?? {};
    const amount = adjustmentAmount(adjustment, values?.get(adjustment.pointConversionVersion) ?? null);
    return { adjustment, amount, currency: amount === null ? null : currency };
  });
}

function read(db: Queryable, { partnerId, status }: AdjustmentFilter, page: KeysetPage<AdjustmentOrder>): Promise<Listed[]> {
  if (partnerId === undefined && (status === 'draft' || status === 'approved')) return listWaitingAdjustments(db, status, page);
  return listAdjustmentsInOrder(db, partnerId, page);
}

/** Whether the line of its contribution is on the settlement. */
async function withIsOn(
  db: Queryable,
  { partnerId, settlementId }: AdjustmentFilter,
  looked: readonly Listed[],
): Promise<readonly (Listed & { readonly isOn?: boolean })[]> {
  if (partnerId === undefined || settlementId === undefined) return looked;
  const ids = looked.map(({ transactionId }) => transactionId);
  const on = await listContributionsSettledOn(db, { partnerId, settlementId }, ids);
  return looked.map((each) => ({ ...each, isOn: on.has(each.transactionId) }));
}
