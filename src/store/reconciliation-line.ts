import type { ContributionStatus } from '../domain/lifecycle.ts';
import type { ErrorDetail } from '../domain/service-error.ts';
import type { Queryable } from './database.ts';
import { durableRead } from './durable-read.ts';
import type { LineVerdict, ReconciliationName } from './reconciliation.ts';
import { type Column, listsOf, namesOf, unnested } from './rows.ts';
import { run, type Statement } from './statement.ts';

export interface ReconciliationLine {
  /** The line of the list; beyond any of them for what is missing in it. */
  readonly position: bigint;
  readonly verdict: LineVerdict;
  readonly partnerEventId: string | null;
  readonly partnerOrderRef: string | null;
  readonly points: bigint | null;
  readonly transactionId: string | null;
  readonly recordedOrderRef: string | null;
  readonly recordedPoints: bigint | null;
  readonly recordedSettlementId: string | null;
  readonly problems: readonly ErrorDetail[] | null;
}

/** Where the lines begin that are missing in the list. */
export const MISSING_FROM = 10_000_000_000n;

const WRITTEN: readonly Column<ReconciliationLine>[] = [
  ['position', 'int8', (line) => line.position],
  ['verdict', 'text', (line) => line.verdict],
  ['partner_event_id', 'text', (line) => line.partnerEventId],
  ['partner_order_ref', 'text', (line) => line.partnerOrderRef],
  ['points', 'int8', (line) => line.points],
  ['transaction_id', 'text', (line) => line.transactionId],
  ['recorded_order_ref', 'text', (line) => line.recordedOrderRef],
  ['recorded_points', 'int8', (line) => line.recordedPoints],
  ['recorded_settlement_id', 'text', (line) => line.recordedSettlementId],
  ['problems', 'text', ({ problems }) => problems && JSON.stringify(problems)],
];

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

/** What the service has of an event, and where the list named it before. */
export interface RecordedEvent {
  readonly partnerEventId: string;
  readonly transactionId: string | null;
  readonly status: ContributionStatus | null;
  readonly partnerOrderRef: string | null;
  readonly points: bigint | null;
  readonly settlementId: string | null;
  readonly listedBeforeAt: bigint | null;
}

const FIND_RECORDED: Statement = {
  name: 'find_recorded_events',
  text: `select wanted.partner_event_id as "partnerEventId", c.transaction_id as "transactionId", c.status,
      c.partner_order_ref as "partnerOrderRef", c.points,
      (
        select l.settlement_id from settlement_line l
        where l.partner_id = $1 and l.transaction_id = c.transaction_id and l.line_type = 'contribution'
      ) as "settlementId",
      (
        select r.position from reconciliation_line r
        where r.partner_id = $1 and r.reconciliation_id = $2 and r.partner_event_id = wanted.partner_event_id order by r.position limit 1
      ) as "listedBeforeAt"
    from unnest($3::text[]) as wanted (partner_event_id) left join lateral (
      select transaction_id, status, partner_order_ref, points from contribution k
      where k.partner_id = $1 and k.partner_event_id = wanted.partner_event_id
      offset 0
    ) c on true`,
};

export async function findRecordedEvents(
  db: Queryable,
  { partnerId, reconciliationId }: ReconciliationName,
  partnerEventIds: readonly string[],
): Promise<Map<string, RecordedEvent>> {
  const rows = await run<RecordedEvent>(db, FIND_RECORDED, [partnerId, reconciliationId, partnerEventIds]);
  return new Map(rows.map((row) => [row.partnerEventId, row]));
}

const LIST_MISSING: Statement = {
  name: 'list_missing_in_list',
  text: `select l.line_no as "lineNo", l.partner_event_id as "partnerEventId", l.partner_order_ref as "partnerOrderRef", l.points,
      l.transaction_id as "transactionId", (
        select r.position from reconciliation_line r
        where r.partner_id = $1 and r.reconciliation_id = $2 and r.partner_event_id = l.partner_event_id order by r.position limit 1
      ) as "listedAt"
    from settlement_line l
    where l.partner_id = $1 and l.settlement_id = $3 and l.line_no > $4 and l.line_type = 'contribution' order by l.line_no limit $5`,
};

export interface ListedSettlementLine {
  readonly lineNo: number;
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
  readonly points: bigint;
  readonly transactionId: string;
  /** `null` where the list does not name it. */
  readonly listedAt: bigint | null;
}

/** The contributions of a settlement, and whether the list has them. */
export async function listSettlementBesideList(
  db: Queryable,
  { partnerId, reconciliationId, settlementId }: ReconciliationName & { readonly settlementId: string },
  { afterLine, limit }: { afterLine: number; limit: number },
): Promise<ListedSettlementLine[]> {
  return run<ListedSettlementLine>(db, LIST_MISSING, [partnerId, reconciliationId, settlementId, afterLine, limit]);
}

const SHOWN = `position, verdict, partner_event_id as "partnerEventId", partner_order_ref as "partnerOrderRef", points,
    transaction_id as "transactionId", recorded_order_ref as "recordedOrderRef", recorded_points as "recordedPoints",
    recorded_settlement_id as "recordedSettlementId", problems`;

const LIST = durableRead({
  name: 'list_reconciliation_lines',
  text: `select ${SHOWN} from reconciliation_line where partner_id = $1 and reconciliation_id = $2 and position > $3 order by position limit $4`,
});
const LIST_VERDICT = durableRead({
  name: 'list_reconciliation_lines_of_verdict',
  text: `select ${SHOWN} from reconciliation_line
    where partner_id = $1 and reconciliation_id = $2 and verdict = $5 and position > $3 order by position limit $4`,
});

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
  type Row = Omit<ReconciliationLine, 'problems'> & { problems: string | null };
  const rows = await (verdict ? run<Row>(db, LIST_VERDICT, [...values, verdict]) : run<Row>(db, LIST, values));
  return rows.map((row) => ({ ...row, problems: row.problems === null ? null : JSON.parse(row.problems) }));
}

const DELETE: Statement = {
  name: 'delete_reconciliation_lines',
  text: `delete from reconciliation_line where partner_id = $1 and reconciliation_id = $2 and position in (
      select position from reconciliation_line where partner_id = $1 and reconciliation_id = $2 order by position limit $3
    ) returning 1`,
};

/** @returns How many were removed, `limit` at most. */
export async function deleteReconciliationLines(
  db: Queryable,
  { partnerId, reconciliationId }: ReconciliationName,
  limit: number,
): Promise<number> {
  return (await run(db, DELETE, [partnerId, reconciliationId, limit])).length;
}
