import { readPeriodFilter } from '../../domain/settlements/settlement-period.ts';
import type { Queryable } from '../../store/database.ts';
import { eachRow } from '../../store/each-page.ts';
import {
  listClosedForPooling,
  listUnpooledSettlements,
  type PoolableSettlement,
} from '../../store/settlements/poolable-settlement.ts';
import { wantedBy } from '../filtered-page.ts';
import type { SettlementsOfPartner } from './insert-poolable.ts';

export interface Unpooled {
  /** A month or one period, as {@link readPeriodFilter} reads it. */
  readonly period: string;
  /** All partners unless given. */
  readonly partnerId?: string | undefined;
}

/** The closed settlements with contributions that are in no batch: a row for each partner with any, in the order of their ids. */
export async function findUnpooled(db: Queryable, { period, partnerId }: Unpooled): Promise<SettlementsOfPartner[]> {
  const found =
    partnerId === undefined
      ? await Array.fromAsync(eachUnpooled(db, period))
      : await listUnpooledSettlements(db, partnerId, period);
  return [...Map.groupBy(found, (settlement) => settlement.partnerId)]
    .map(([id, settlements]) => ({ partnerId: id, settlementIds: settlements.map(({ settlementId }) => settlementId) }))
    .sort((one, other) => (one.partnerId < other.partnerId ? -1 : 1));
}

const PAGE_SIZE = 1_000;

/** Reads every closed settlement of the month, so that it costs as much as these, however many partners there are. */
async function* eachUnpooled(
  db: Queryable,
  period: string,
): AsyncGenerator<Pick<PoolableSettlement, 'partnerId' | 'settlementId'>> {
  const { month, periodLabel } = readPeriodFilter(period);
  const isWanted = wantedBy({ isFree: true, periodLabel });
  type Row = Awaited<ReturnType<typeof listClosedForPooling>>[number];
  const order = { by: 'closed_at', isDescending: false } as const;
  const settlements = eachRow<Row>(PAGE_SIZE, (last, limit) =>
    listClosedForPooling(db, { month }, { order, after: last?.place, limit }),
  );
  for await (const settlement of settlements) if (isWanted?.(settlement)) yield settlement;
}
