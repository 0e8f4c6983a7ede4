import type { AcknowledgementStatus } from '../../domain/settlements/settlement.ts';
import type { VersionTotals } from '../../domain/settlements/settlement-totals.ts';
import type { Queryable } from '../database.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { run, type Statement } from '../query.ts';
import { readExact, readVersions } from './exact-totals.ts';
import { acknowledgementStatus } from './settlement-acknowledgement.ts';

/** A closed settlement, as far as it can be pooled. */
export interface PoolableSettlement {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly periodLabel: string;
  readonly periodStart: Date;
  /** Itself not part of it. */
  readonly periodEnd: Date;
  readonly timeZone: string;
  readonly closedAt: Date;
  readonly contributionCount: bigint;
  /** The points of its contributions and adjustments together. */
  readonly points: bigint;
  /** Of the amount; `null` without a value, whatever currency the partner has. */
  readonly currency: string | null;
  /** Net and carried in, exact, in 10^-12 of the currency's unit; `null` without a value. */
  readonly amount: bigint | null;
  /** Contributions and adjustments, without what is carried in. */
  readonly byVersion: readonly VersionTotals[];
  /** `null` without contributions, as it cannot be pooled. */
  readonly acknowledgement: AcknowledgementStatus | null;
}

interface Row extends Omit<PoolableSettlement, 'points' | 'amount' | 'byVersion'> {
  readonly points: string;
  readonly amount: string | null;
  readonly byVersion: string;
}

/** The acknowledgement is read for what may be pooled alone, as thousands are looked at. */
const columnsOf = (
  partnerId: string,
) => `s.partner_id as "partnerId", s.settlement_id as "settlementId", s.period_label as "periodLabel",
      s.period_start as "periodStart", s.period_end as "periodEnd", s.period_timezone as "timeZone", s.closed_at as "closedAt",
      s.contribution_count as "contributionCount", (s.gross_points + s.adjustment_points)::text as points, s.currency,
      s.exact_amount::text as amount, s.totals_by_version as "byVersion",
      case when s.contribution_count > 0 then ${acknowledgementStatus(partnerId)} end as acknowledgement`;
const COLUMNS = columnsOf('s.partner_id');

const readRow = <Read extends Row>(row: Read) => ({
  ...row,
  points: BigInt(row.points),
  currency: row.amount === null ? null : row.currency,
  amount: readExact(row.amount),
  byVersion: readVersions(row.byVersion),
});

const LIST_POOLED: Statement = {
  name: 'list_pooled_totals',
  text: `select ${COLUMNS} from impact_batch_settlement p
    join settlement s on s.partner_id = p.partner_id and s.settlement_id = p.settlement_id
    where p.impact_batch_id = $1 and (p.partner_id, p.settlement_id) > ($2, $3)
    order by p.partner_id, p.settlement_id limit $4`,
};

export type PooledPlace = Pick<PoolableSettlement, 'partnerId' | 'settlementId'>;

/** The settlements of a batch, in the order of the ids of their partners. */
export async function listPooledTotals(
  db: Queryable,
  impactBatchId: string,
  { after, limit }: { readonly after: PooledPlace | undefined; readonly limit: number },
): Promise<PoolableSettlement[]> {
  const values = [impactBatchId, after?.partnerId ?? '', after?.settlementId ?? '', limit];
  return (await run<Row & Record<string, unknown>>(db, LIST_POOLED, values)).map(readRow);
}

const POOLED: KeysetList<'partner_id'> = {
  name: 'list_pooled_in_order',
  select: COLUMNS,
  from: 'impact_batch_settlement p join settlement s on s.partner_id = p.partner_id and s.settlement_id = p.settlement_id',
  orders: {
    partner_id: [
      ['p.partner_id', 'text'],
      ['p.settlement_id', 'text'],
    ],
  },
};

/** The settlements of a batch, of all partners or of one. */
export async function listPooledInOrder(
  db: Queryable,
  { impactBatchId, partnerId }: { readonly impactBatchId: string; readonly partnerId?: string | undefined },
  page: KeysetPage<'partner_id'>,
): Promise<(PoolableSettlement & Placed)[]> {
  const conditions = { 'p.impact_batch_id': impactBatchId, 'p.partner_id': partnerId };
  return (await listByKeyset<Row, 'partner_id'>(db, POOLED, conditions, page)).map(readRow);
}

/** SQL for the condition that the closed settlement `s` has contributions and is in no batch yet; `partnerId` is SQL. */
const isFree = (partnerId: string) => `s.contribution_count > 0 and (
        select p.settlement_id from impact_batch_settlement p where p.partner_id = ${partnerId} and p.settlement_id = s.settlement_id
      ) is null`;

const UNPOOLED: Statement = {
  name: 'list_unpooled_settlements',
  text: `select s.settlement_id as "settlementId" from settlement s
    where s.partner_id = $1 and $2 in (s.period_label, left(s.period_label, 7)) and s.status = 'closed' and ${isFree('$1')}`,
};

/** The closed settlements with contributions that are in no batch yet, of a calendar month such as `2026-11` or of one period. */
export async function listUnpooledSettlements(db: Queryable, partnerId: string, period: string): Promise<PooledPlace[]> {
  const rows = await run<Pick<PooledPlace, 'settlementId'>>(db, UNPOOLED, [partnerId, period]);
  return rows.map(({ settlementId }) => ({ partnerId, settlementId }));
}

const listClosed = (name: string, partnerId: string): KeysetList<'closed_at'> => ({
  name,
  select: `${columnsOf(partnerId)}, ${isFree(partnerId)} as "isFree"`,
  from: 'settlement s',
  where: "s.status = 'closed'",
  orders: {
    closed_at: [
      ['s.closed_at', 'timestamptz'],
      ['s.settlement_id', 'text'],
    ],
  },
});
const CLOSED = listClosed('list_closed_for_pooling', 's.partner_id');
/** A distributed database asks the partner's node alone when each table is told the partner, which is the list's first condition. */
const CLOSED_OF_ONE = listClosed('list_closed_of_one_for_pooling', '$2');

/** Closed settlements of all partners or of one, or those of a calendar month; `isFree` where they have contributions and are in no batch. */
export async function listClosedForPooling(
  db: Queryable,
  { month, partnerId }: { readonly month?: string | undefined; readonly partnerId?: string | undefined },
  page: KeysetPage<'closed_at'>,
): Promise<(PoolableSettlement & Placed & { readonly isFree: boolean })[]> {
  const list = partnerId === undefined ? CLOSED : CLOSED_OF_ONE;
  const conditions = { 's.partner_id': partnerId, 'left(s.period_label, 7)': month };
  return (await listByKeyset<Row & { readonly isFree: boolean }, 'closed_at'>(db, list, conditions, page)).map(readRow);
}
