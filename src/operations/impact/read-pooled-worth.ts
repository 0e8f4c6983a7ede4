import { countWorth, type PooledWorth, treeCostsOf } from '../../domain/impact/pooled-worth.ts';
import { readPeriodFilter } from '../../domain/settlements/settlement-period.ts';
import type { Queryable } from '../../store/database.ts';
import { eachRow } from '../../store/each-page.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { listRuleVersions } from '../../store/rules/rule-version.ts';
import {
  listClosedForPooling,
  listPooledInOrder,
  listPooledTotals,
  type PoolableSettlement,
} from '../../store/settlements/poolable-settlement.ts';
import { type FilteredPage, readFilteredPage, wantedBy } from '../filtered-page.ts';

/** A settlement with what its points are worth. */
export interface WorthOfSettlement {
  readonly settlement: PoolableSettlement;
  readonly worth: PooledWorth;
}

export interface UnpooledFilter {
  readonly partnerId?: string | undefined;
  /** As {@link readPeriodFilter} reads it. */
  readonly period?: string | undefined;
}

/** Closed settlements with contributions that are in no batch, of all partners. */
export async function listUnpooledOfAll(
  db: Queryable,
  { partnerId, period }: UnpooledFilter,
  page: KeysetPage<'closed_at'>,
): Promise<FilteredPage<WorthOfSettlement>> {
  const { month, periodLabel } = readPeriodFilter(period);
  const looked = await readFilteredPage({
    page,
    read: (part) => listClosedForPooling(db, { month, partnerId }, part),
    isWanted: wantedBy({ isFree: true, periodLabel }),
  });
  return { ...looked, page: await withWorth(db, looked.page) };
}

/** A page of the settlements of a batch. */
export async function listSettlementsOfBatch(
  db: Queryable,
  batch: Parameters<typeof listPooledInOrder>[1],
  page: KeysetPage<'partner_id'>,
): Promise<FilteredPage<WorthOfSettlement>> {
  const looked = await readFilteredPage({
    page,
    read: (part) => listPooledInOrder(db, batch, part),
    isWanted: undefined,
  });
  return { ...looked, page: await withWorth(db, looked.page) };
}

const PAGE_SIZE = 1_000;

/** What all settlements of a batch are worth together, by currency. */
export async function readPooledWorth(db: Queryable, impactBatchId: string): Promise<PooledWorth[]> {
  const counter = countWorth(treeCostsOf(await listRuleVersions(db)));
  const settlements = eachRow<PoolableSettlement>(PAGE_SIZE, (after, limit) =>
    listPooledTotals(db, impactBatchId, { after, limit }),
  );
  for await (const settlement of settlements) counter.add(settlement);
  return counter.worth();
}

async function withWorth(db: Queryable, settlements: readonly PoolableSettlement[]): Promise<WorthOfSettlement[]> {
  const costs = treeCostsOf(await listRuleVersions(db));
  return settlements.map((settlement) => {
    const counter = countWorth(costs);
    counter.add(settlement);
    return { settlement, worth: counter.worth()[0] as PooledWorth };
  });
}
