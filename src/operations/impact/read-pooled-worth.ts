import { countWorth, treeCostsOf, type Worth } from '../../domain/impact/pooled-worth.ts';
import type { Queryable } from '../../store/database.ts';
import { eachRow } from '../../store/each-page.ts';
import { listRuleVersions } from '../../store/rules/rule-version.ts';
import {
  type ClosedPlace,
  listClosedForPooling,
  listPooledTotals,
  type PoolableSettlement,
} from '../../store/settlements/poolable-settlement.ts';

/** A settlement with what its points are worth. */
export interface WorthOfSettlement {
  readonly settlement: PoolableSettlement;
  readonly worth: Worth;
}

/** A page looks at no more, so that what is rare costs no more than any: it may be short, and more follows. */
const LOOKED_AT_MAX = 2_000;

export interface UnpooledFilter {
  readonly partnerId: string | undefined;
  readonly period: string | undefined;
  readonly before: ClosedPlace | undefined;
  readonly limit: number;
}

/** Closed settlements with contributions that are in no batch, of all partners, the latest first. */
export async function listUnpooledOfAll(
  db: Queryable,
  { partnerId, period, before, limit }: UnpooledFilter,
): Promise<{
  readonly settlements: readonly WorthOfSettlement[];
  readonly last: ClosedPlace | undefined;
  readonly hasMore: boolean;
}> {
  const looked = await listClosedForPooling(db, { before, limit: LOOKED_AT_MAX });
  const wanted = looked.filter(
    (each) =>
      each.isFree &&
      (partnerId === undefined || each.partnerId === partnerId) &&
      (period === undefined || each.periodLabel === period),
  );
  const page = wanted.slice(0, limit);
  return {
    settlements: await withWorth(db, page),
    last: wanted.length > limit ? page.at(-1) : looked.at(-1),
    hasMore: wanted.length > limit || looked.length === LOOKED_AT_MAX,
  };
}

/** A page of the settlements of a batch. */
export async function listSettlementsOfBatch(
  db: Queryable,
  impactBatchId: string,
  page: Parameters<typeof listPooledTotals>[2],
): Promise<WorthOfSettlement[]> {
  return withWorth(db, await listPooledTotals(db, impactBatchId, page));
}

const PAGE_SIZE = 1_000;

/** What all settlements of a batch are worth together, by currency. */
export async function readPooledWorth(db: Queryable, impactBatchId: string): Promise<Worth[]> {
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
    return { settlement, worth: counter.worth()[0] as Worth };
  });
}
