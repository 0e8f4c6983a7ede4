import type { ContributionStatus } from '../../domain/contributions/contribution-status.ts';
import type { Queryable } from '../database.ts';
import { durableRead } from '../durable-read.ts';
import { rowOf, rowOfName, run, type Statement } from '../query.ts';
import type { ReconciliationName } from './reconciliation.ts';

/** The service's records beside the lines of a partner's list. */

export interface ComparedList extends ReconciliationName {
  /** The settlement that the list is compared with. */
  readonly settlementId: string;
}

/** The service's record of an event, and where the list named it before. */
export interface RecordedEvent {
  readonly partnerEventId: string;
  readonly transactionId: string | null;
  readonly status: ContributionStatus | null;
  readonly partnerOrderRef: string | null;
  readonly points: bigint | null;
  /** With the adjustments that this settlement or an earlier one closed over. */
  readonly netPoints: bigint | null;
  /** With every posted adjustment. */
  readonly netPointsNow: bigint | null;
  readonly settlementId: string | null;
  readonly listedBeforeAt: bigint | null;
}

/** SQL: the line of the list that named it first. Both parameters are SQL; the adjustment of a contribution is `null`. */
export const listedAt = (event: string, adjustment: string) => `(
        select r.position from reconciliation_line r
        where r.partner_id = $1 and r.reconciliation_id = $2 and r.partner_event_id = ${event}
          and r.adjustment_id is not distinct from ${adjustment} and r.verdict <> 'malformed'
        order by r.position limit 1
      )`;

/** SQL: what the posted adjustments change of the points of a contribution. The parameter is SQL. */
export const postedDeltas = (transactionId: string) => `(
        select coalesce(sum(a.points_delta), 0) from adjustment a
        where a.partner_id = $1 and a.transaction_id = ${transactionId} and a.status = 'posted'
      )`;

const CONTRIBUTION = rowOfName('contribution', {
  partnerId: '$1',
  key: 'partner_event_id',
  value: 'wanted.partner_event_id',
});

const FIND_EVENTS: Statement = {
  name: 'find_recorded_events',
  text: `select wanted.partner_event_id as "partnerEventId", c.transaction_id as "transactionId", c.status,
      c.partner_order_ref as "partnerOrderRef", c.points, (c.points + (
        select coalesce(sum(a.points_delta), 0)
        from adjustment a join settlement s on s.partner_id = a.partner_id and s.settlement_id = a.settlement_id
          join settlement compared on compared.partner_id = a.partner_id and compared.settlement_id = $4
        where a.partner_id = $1 and a.transaction_id = c.transaction_id and s.sequence <= compared.sequence
      ))::text as "netPoints",
      (c.points + ${postedDeltas('c.transaction_id')})::text as "netPointsNow",
      (
        select l.settlement_id from settlement_line l
        where l.partner_id = $1 and l.transaction_id = c.transaction_id and l.line_type = 'contribution'
      ) as "settlementId", ${listedAt('wanted.partner_event_id', 'null')} as "listedBeforeAt"
    from unnest($3::text[]) as wanted (partner_event_id) left join lateral ${CONTRIBUTION} c on true`,
};

type EventRow = Omit<RecordedEvent, 'netPoints' | 'netPointsNow'> & {
  readonly netPoints: string | null;
  readonly netPointsNow: string | null;
};

export async function findRecordedEvents(
  db: Queryable,
  { partnerId, reconciliationId, settlementId }: ComparedList,
  partnerEventIds: readonly string[],
): Promise<Map<string, RecordedEvent>> {
  if (partnerEventIds.length === 0) return new Map();
  const rows = await run<EventRow>(db, FIND_EVENTS, [partnerId, reconciliationId, partnerEventIds, settlementId]);
  const read = ({ netPoints, netPointsNow, ...row }: EventRow): RecordedEvent => {
    return { ...row, netPoints: readWhole(netPoints), netPointsNow: readWhole(netPointsNow) };
  };
  return new Map(rows.map((row) => [row.partnerEventId, read(row)]));
}

/** A contribution that lines name, as it is now. */
export interface CurrentContribution {
  readonly transactionId: string;
  readonly status: ContributionStatus;
  /** With every posted adjustment. */
  readonly netPoints: bigint;
}

const CURRENT = rowOf('contribution', { partnerId: '$1', key: 'transaction_id', value: 'wanted.transaction_id' });

const FIND_CURRENT = durableRead({
  name: 'find_current_contributions',
  text: `select c.transaction_id as "transactionId", c.status, (c.points + ${postedDeltas('c.transaction_id')})::text as "netPoints"
    from unnest($2::text[]) as wanted (transaction_id) cross join lateral ${CURRENT} c`,
});

/** In no order. */
export async function findCurrentContributions(
  db: Queryable,
  partnerId: string,
  transactionIds: readonly string[],
): Promise<CurrentContribution[]> {
  type Row = Omit<CurrentContribution, 'netPoints'> & { readonly netPoints: string };
  const rows = transactionIds.length === 0 ? [] : await run<Row>(db, FIND_CURRENT, [partnerId, transactionIds]);
  return rows.map((row) => ({ ...row, netPoints: BigInt(row.netPoints) }));
}

/** The record of a statement's line besides a contribution. */
export interface RecordedStatementLine {
  readonly transactionId: string | null;
  readonly partnerEventId: string | null;
  readonly partnerOrderRef: string | null;
  readonly points: bigint;
  /** `null` while no settlement has closed over it. */
  readonly settlementId: string | null;
}

export interface RecordedAdjustment {
  /** `null` when none is posted. */
  readonly line: RecordedStatementLine | null;
  readonly listedBeforeAt: bigint | null;
}

/** An adjustment belongs to an event; under another event it is unknown. */
export interface AdjustmentName {
  readonly adjustmentId: string;
  readonly partnerEventId: string;
}

const FIND_ADJUSTMENTS: Statement = {
  name: 'find_recorded_adjustments',
  text: `select wanted.adjustment_id as "adjustmentId", wanted.partner_event_id as "partnerEventId", a.transaction_id as "transactionId",
      a.partner_order_ref as "partnerOrderRef", a.points_delta as points, a.settlement_id as "settlementId",
      ${listedAt('wanted.partner_event_id', 'wanted.adjustment_id')} as "listedBeforeAt"
    from unnest($3::text[], $4::text[]) as wanted (adjustment_id, partner_event_id) left join lateral (
      select transaction_id, partner_order_ref, points_delta, settlement_id from adjustment k
      where k.partner_id = $1 and k.adjustment_id = wanted.adjustment_id and k.partner_event_id = wanted.partner_event_id
        and k.status = 'posted'
      offset 0
    ) a on true`,
};

type AdjustmentRow = AdjustmentName &
  Omit<RecordedStatementLine, 'points'> & { readonly points: bigint | null; readonly listedBeforeAt: bigint | null };

/** The posted ones, and where the list named each before. */
export async function findRecordedAdjustments(
  db: Queryable,
  { partnerId, reconciliationId }: ReconciliationName,
  wanted: readonly AdjustmentName[],
): Promise<(name: AdjustmentName) => RecordedAdjustment | undefined> {
  if (wanted.length === 0) return () => undefined;
  const columns = [wanted.map(({ adjustmentId }) => adjustmentId), wanted.map(({ partnerEventId }) => partnerEventId)];
  const rows = await run<AdjustmentRow>(db, FIND_ADJUSTMENTS, [partnerId, reconciliationId, ...columns]);
  const keyOf = ({ adjustmentId, partnerEventId }: AdjustmentName) => `${adjustmentId} ${partnerEventId}`;
  const found = new Map(
    rows.map(({ points, listedBeforeAt, ...row }) => [
      keyOf(row),
      { line: points === null ? null : { ...row, points }, listedBeforeAt },
    ]),
  );
  return (name) => found.get(keyOf(name));
}

/** The carried-forward line is the first line of the next settlement. */
const FIND_CARRIED: Statement = {
  name: 'find_recorded_carried_line',
  text: `select coalesce(l.points_beyond_int64, l.points)::text as points, l.settlement_id as "settlementId" from settlement_line l
    where l.partner_id = $1 and l.line_no = 1 and l.line_type = 'carried_forward' and l.original_settlement_id = $2
      and l.settlement_id = (
        select next.settlement_id from settlement next where next.partner_id = $1 and next.sequence = (
          select s.sequence + 1 from settlement s where s.partner_id = $1 and s.settlement_id = $2
        )
      )`,
};

export async function findRecordedCarried(
  db: Queryable,
  partnerId: string,
  originalSettlementId: string,
): Promise<RecordedStatementLine | undefined> {
  type Row = { readonly points: string; readonly settlementId: string };
  const [row] = await run<Row>(db, FIND_CARRIED, [partnerId, originalSettlementId]);
  const none = { transactionId: null, partnerEventId: null, partnerOrderRef: null };
  return row && { ...none, settlementId: row.settlementId, points: BigInt(row.points) };
}

function readWhole(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}
