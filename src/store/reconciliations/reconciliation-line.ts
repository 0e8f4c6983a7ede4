import type { DetailCode } from '../../domain/detail-codes.ts';
import { isInt64 } from '../../domain/numbers/int64.ts';
import type { MatchedPoints } from '../../domain/reconciliations/line-verdict.ts';
import type { ListProblem } from '../../domain/reconciliations/list-problem.ts';
import type { LineType } from '../../domain/settlements/settlement-line.ts';
import { type Column, listsOf, namesOf, unnested } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { durableRead } from '../durable-read.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { run, type Statement } from '../query.ts';
import type { LineVerdict, ReconciliationName } from './reconciliation.ts';
import { type ComparedList, listedAt, postedDeltas } from './recorded-line.ts';

export interface ReconciliationLine {
  /** The line of the list; numbers after its last line are for records that the list lacks. */
  readonly position: bigint;
  readonly verdict: LineVerdict;
  /** The type of a statement's line; `null` for a contribution of a partner's own list, and when the line does not say. */
  readonly lineType: LineType | null;
  readonly adjustmentId: string | null;
  readonly partnerEventId: string | null;
  readonly partnerOrderRef: string | null;
  /** Beyond int64 only on a carried-forward line, as are the recorded ones. */
  readonly points: bigint | null;
  readonly transactionId: string | null;
  readonly recordedOrderRef: string | null;
  readonly recordedPoints: bigint | null;
  /** With adjustments. */
  readonly recordedNetPoints: bigint | null;
  /** Which of the two the list has. */
  readonly matchedPoints: MatchedPoints | null;
  readonly recordedSettlementId: string | null;
  /** What is wrong with a malformed line. */
  readonly problems: readonly ListProblem[] | null;
}

/** The first number of the lines that the list lacks. */
export const MISSING_FROM = 10_000_000_000n;

const WRITTEN: readonly Column<ReconciliationLine>[] = [
  ['position', 'int8', (line) => line.position],
  ['verdict', 'text', (line) => line.verdict],
  ['line_type', 'text', (line) => line.lineType],
  ['adjustment_id', 'text', (line) => line.adjustmentId],
  ['partner_event_id', 'text', (line) => line.partnerEventId],
  ['partner_order_ref', 'text', (line) => line.partnerOrderRef],
  ['points', 'int8', ({ points }) => (isWide(points) ? null : points)],
  ['points_beyond_int64', 'numeric', ({ points }) => (isWide(points) ? points : null)],
  ['transaction_id', 'text', (line) => line.transactionId],
  ['recorded_order_ref', 'text', (line) => line.recordedOrderRef],
  ['recorded_points', 'int8', ({ recordedPoints }) => (isWide(recordedPoints) ? null : recordedPoints)],
  ['recorded_points_beyond_int64', 'numeric', ({ recordedPoints }) => (isWide(recordedPoints) ? recordedPoints : null)],
  ['recorded_net_points', 'int8', (line) => line.recordedNetPoints],
  ['matched_points', 'text', (line) => line.matchedPoints],
  ['recorded_settlement_id', 'text', (line) => line.recordedSettlementId],
  ['problems', 'text', ({ problems }) => problems?.map(({ field, code }) => `${field} ${code}`).join(',') ?? null],
];

/** Whether points need the wide column. */
function isWide(points: bigint | null): boolean {
  return points !== null && !isInt64(points);
}

/** `points missing,partner_event_id wrong_form`; earlier rows have an array of JSON, with sentences. */
function readProblems(text: string): ListProblem[] {
  if (text.startsWith('[')) return JSON.parse(text) as ListProblem[];
  return text.split(',').map((problem) => {
    const [field = '', code = ''] = problem.split(' ');
    return { field, code: code as DetailCode };
  });
}

const INSERT: Statement = {
  name: 'insert_reconciliation_lines',
  text: `insert into reconciliation_line (partner_id, reconciliation_id, ${namesOf(WRITTEN)})
    select $1, $2, line.* from ${unnested('line', WRITTEN, 3)}`,
};

export async function insertReconciliationLines(
  db: Queryable,
  { partnerId, reconciliationId }: ReconciliationName,
  lines: readonly ReconciliationLine[],
): Promise<void> {
  if (lines.length > 0) await run(db, INSERT, [partnerId, reconciliationId, ...listsOf(WRITTEN, lines)]);
}

const LIST_BESIDE: Statement = {
  name: 'list_settlement_beside_list',
  text: `select beside.*, case when beside."listedAt" is null and not $6 then (beside.points::numeric + ${postedDeltas('beside."transactionId"')})::text end as "netPoints"
    from (select l.line_no as "lineNo", l.line_type as "lineType", l.adjustment_id as "adjustmentId", l.partner_event_id as "partnerEventId",
      l.partner_order_ref as "partnerOrderRef", coalesce(l.points_beyond_int64, l.points)::text as points, l.transaction_id as "transactionId",
      case when l.line_type = 'carried_forward' then (
        select r.position from reconciliation_line r
        where r.partner_id = $1 and r.reconciliation_id = $2 and r.partner_event_id is null and r.verdict <> 'malformed'
          and (r.recorded_settlement_id = $3 or (r.verdict = 'duplicate_in_file'
            and coalesce(r.points_beyond_int64, r.points) = coalesce(l.points_beyond_int64, l.points)))
        order by r.position limit 1
      ) else ${listedAt('l.partner_event_id', 'l.adjustment_id')} end as "listedAt"
    from settlement_line l
    where l.partner_id = $1 and l.settlement_id = $3 and l.line_no > $4 and (l.line_type = 'contribution' or $6)
    order by l.line_no limit $5) beside order by beside."lineNo"`,
};

export interface ListedSettlementLine {
  readonly lineNo: number;
  readonly lineType: LineType;
  readonly adjustmentId: string | null;
  readonly partnerEventId: string | null;
  readonly partnerOrderRef: string | null;
  readonly points: bigint;
  /** With every posted adjustment, of a contribution that a partner's list lacks; a statement has lines of its own for them. */
  readonly netPoints: bigint | null;
  readonly transactionId: string | null;
  /** `null` when the list does not name it. */
  readonly listedAt: bigint | null;
}

/** The contributions of a settlement, and whether the list has them; of a statement, all lines. */
export async function listSettlementBesideList(
  db: Queryable,
  { partnerId, reconciliationId, settlementId, isStatement }: ComparedList & { readonly isStatement: boolean },
  { afterLine, limit }: { afterLine: number; limit: number },
): Promise<ListedSettlementLine[]> {
  type Row = Omit<ListedSettlementLine, 'points' | 'netPoints'> & { readonly points: string; readonly netPoints: string | null };
  const values = [partnerId, reconciliationId, settlementId, afterLine, limit, isStatement];
  const rows = await run<Row>(db, LIST_BESIDE, values);
  return rows.map(({ points, netPoints, ...row }) => {
    return { ...row, points: BigInt(points), netPoints: netPoints === null ? null : BigInt(netPoints) };
  });
}

const SHOWN = `position, verdict, line_type as "lineType", adjustment_id as "adjustmentId", partner_event_id as "partnerEventId",
    partner_order_ref as "partnerOrderRef", coalesce(points, points_beyond_int64)::text as points, transaction_id as "transactionId",
    recorded_order_ref as "recordedOrderRef", coalesce(recorded_points, recorded_points_beyond_int64)::text as "recordedPoints",
    recorded_net_points as "recordedNetPoints", matched_points as "matchedPoints", recorded_settlement_id as "recordedSettlementId",
    problems`;

const LIST = durableRead({
  name: 'list_reconciliation_lines',
  text: `select ${SHOWN} from reconciliation_line where partner_id = $1 and reconciliation_id = $2 and position > $3 order by position limit $4`,
});
const LIST_VERDICT = durableRead({
  name: 'list_reconciliation_lines_of_verdict',
  text: `select ${SHOWN} from reconciliation_line
    where partner_id = $1 and reconciliation_id = $2 and verdict = $5 and position > $3 order by position limit $4`,
});

type LineRow = Omit<ReconciliationLine, 'points' | 'recordedPoints' | 'problems'> & {
  readonly points: string | null;
  readonly recordedPoints: string | null;
  readonly problems: string | null;
};

export interface ReconciliationLinePage extends ReconciliationName {
  readonly after: bigint;
  readonly limit: number;
  readonly verdict?: LineVerdict | undefined;
}

export async function listReconciliationLines(
  db: Queryable,
  { partnerId, reconciliationId, after, limit, verdict }: ReconciliationLinePage,
): Promise<ReconciliationLine[]> {
  const values = [partnerId, reconciliationId, after, limit];
  const rows = await (verdict ? run<LineRow>(db, LIST_VERDICT, [...values, verdict]) : run<LineRow>(db, LIST, values));
  return rows.map(readRow);
}

function readRow<Row extends LineRow>({ points, recordedPoints, problems, ...row }: Row) {
  return {
    ...row,
    points: points === null ? null : BigInt(points),
    recordedPoints: recordedPoints === null ? null : BigInt(recordedPoints),
    problems: problems === null ? null : readProblems(problems),
  };
}

const IN_ORDER: KeysetList<'position'> = {
  name: 'list_reconciliation_lines_in_order',
  select: SHOWN,
  from: 'reconciliation_line',
  orders: { position: [['position', 'int8']] },
};

/** All lines of a reconciliation, or those of one verdict. */
export async function listReconciliationLinesInOrder(
  db: Queryable,
  { partnerId, reconciliationId, verdict }: ReconciliationName & { readonly verdict?: LineVerdict | undefined },
  page: KeysetPage<'position'>,
): Promise<(ReconciliationLine & Placed)[]> {
  const conditions = { partner_id: partnerId, reconciliation_id: reconciliationId, verdict };
  return (await listByKeyset<LineRow, 'position'>(db, IN_ORDER, conditions, page)).map(readRow);
}

/** One position at most, so that there is one plan: a list of positions may be compared with every line, whatever is known of the table. */
const DELETE: Statement = {
  name: 'delete_reconciliation_lines',
  text: `delete from reconciliation_line where partner_id = $1 and reconciliation_id = $2 and position <= coalesce((
      select position from reconciliation_line where partner_id = $1 and reconciliation_id = $2 order by position limit 1 offset $3::int8 - 1
    ), 9223372036854775807) returning 1`,
};

/** @returns How many were removed, `limit` at most. */
export async function deleteReconciliationLines(
  db: Queryable,
  { partnerId, reconciliationId }: ReconciliationName,
  limit: number,
): Promise<number> {
  return (await run(db, DELETE, [partnerId, reconciliationId, limit])).length;
}
