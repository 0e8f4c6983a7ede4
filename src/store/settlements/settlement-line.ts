import { isInt64 } from '../../domain/numbers/int64.ts';
import type { LineType, SettlementLine } from '../../domain/settlements/settlement-line.ts';
import type { Queryable } from '../database.ts';
import { durableRead } from '../durable-read.ts';
import { eachRow } from '../each-page.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { run, type Statement } from '../query.ts';
import { readExact, writeExact } from './exact-totals.ts';

interface LineRow {
  readonly line_no: number;
  readonly line_type: LineType;
  readonly transaction_id: string | null;
  readonly adjustment_id: string | null;
  readonly partner_event_id: string | null;
  readonly partner_order_ref: string | null;
  readonly points: string;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly confirmed_at: Date | null;
  readonly posted_at: Date | null;
  readonly contribution_rule_version: string | null;
  readonly point_conversion_version: string | null;
  readonly tree_cost_version: string | null;
  readonly calculation_id: string | null;
  readonly association_status: SettlementLine['associationStatus'];
  readonly reason_code: string | null;
  readonly original_settlement_id: string | null;
}

function readRow(row: LineRow): SettlementLine {
  return {
    lineNo: row.line_no,
    lineType: row.line_type,
    transactionId: row.transaction_id,
    adjustmentId: row.adjustment_id,
    partnerEventId: row.partner_event_id,
    partnerOrderRef: row.partner_order_ref,
    points: BigInt(row.points),
    amount: readExact(row.amount),
    currency: row.currency,
    confirmedAt: row.confirmed_at,
    postedAt: row.posted_at,
    contributionRuleVersion: row.contribution_rule_version,
    pointConversionVersion: row.point_conversion_version,
    treeCostVersion: row.tree_cost_version,
    calculationId: row.calculation_id,
    associationStatus: row.association_status,
    reasonCode: row.reason_code,
    originalSettlementId: row.original_settlement_id,
  };
}

const COLUMNS = `line_no, line_type, transaction_id, adjustment_id, partner_event_id, partner_order_ref,
    coalesce(points_beyond_int64, points)::text as points, amount, currency,
    confirmed_at, posted_at, contribution_rule_version, point_conversion_version, tree_cost_version, calculation_id,
    association_status, reason_code, original_settlement_id`;

const LIST = durableRead({
  name: 'list_settlement_lines',
  text: `select ${COLUMNS} from settlement_line where partner_id = $1 and settlement_id = $2 and line_no > $3 order by line_no limit $4`,
});

export interface LinePage {
  readonly partnerId: string;
  readonly settlementId: string;
  /** 0 is before the first. */
  readonly afterLine: number;
  readonly limit: number;
}

export async function listSettlementLines(
  db: Queryable,
  { partnerId, settlementId, afterLine, limit }: LinePage,
): Promise<SettlementLine[]> {
  return (await run<LineRow>(db, LIST, [partnerId, settlementId, afterLine, limit])).map(readRow);
}

const IN_ORDER: KeysetList<'line_no'> = {
  name: 'list_lines_in_order',
  select: COLUMNS,
  from: 'settlement_line',
  orders: { line_no: [['line_no', 'int8']] },
};
/** Has the condition of the index of lines without a contribution, so that it uses that index. Such lines are few. */
const NO_CONTRIBUTION = { ...IN_ORDER, name: 'list_other_lines_in_order', where: "line_type <> 'contribution'" };

/** All lines of a settlement, or those of one type. */
export async function listLinesInOrder(
  db: Queryable,
  {
    partnerId,
    settlementId,
    lineType,
  }: { readonly partnerId: string; readonly settlementId: string; readonly lineType?: LineType | undefined },
  page: KeysetPage<'line_no'>,
): Promise<(SettlementLine & Placed)[]> {
  const list = lineType === undefined || lineType === 'contribution' ? IN_ORDER : NO_CONTRIBUTION;
  const conditions = { partner_id: partnerId, settlement_id: settlementId, line_type: lineType };
  const rows = await listByKeyset<LineRow, 'line_no'>(db, list, conditions, page);
  return rows.map((row) => ({ ...readRow(row), place: row.place }));
}

const FIND: Statement = {
  name: 'find_settlement_lines',
  text: `select ${COLUMNS} from settlement_line
    where partner_id = $1 and settlement_id = $2 and line_type = 'contribution' and transaction_id = any ($3::text[])
    union all select ${COLUMNS} from settlement_line
    where partner_id = $1 and settlement_id = $2 and line_type = 'adjustment' and adjustment_id = any ($4::text[])
    order by line_no`,
};

/** The lines of a settlement that settle one of these records. */
export async function findSettlementLines(
  db: Queryable,
  { partnerId, settlementId }: Pick<LinePage, 'partnerId' | 'settlementId'>,
  { transactionIds, adjustmentIds }: { readonly transactionIds: readonly string[]; readonly adjustmentIds: readonly string[] },
): Promise<SettlementLine[]> {
  return (await run<LineRow>(db, FIND, [partnerId, settlementId, transactionIds, adjustmentIds])).map(readRow);
}

const PAGE_SIZE = 1_000;

/** All lines in order, page by page: a million need no more memory than a thousand. */
export function eachSettlementLine(
  db: Queryable,
  { partnerId, settlementId }: Pick<LinePage, 'partnerId' | 'settlementId'>,
): AsyncGenerator<SettlementLine> {
  return eachRow<SettlementLine>(PAGE_SIZE, (last, limit) =>
    listSettlementLines(db, { partnerId, settlementId, afterLine: last?.lineNo ?? 0, limit }),
  );
}

const INSERT_CARRIED: Statement = {
  name: 'insert_carried_line',
  text: `insert into settlement_line (partner_id, settlement_id, line_no, line_type, points, points_beyond_int64, amount, currency,
      original_settlement_id)
    values ($1, $2, $3, 'carried_forward', $4, $5, $6, $7, $8)`,
};

export interface CarriedLine extends Pick<SettlementLine, 'lineNo' | 'points' | 'amount' | 'currency'> {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly originalSettlementId: string;
}

/** A sum may be below int64. */
export async function insertCarriedLine(db: Queryable, line: CarriedLine): Promise<void> {
  const { partnerId, settlementId, lineNo, points, amount, currency, originalSettlementId } = line;
  const both = isInt64(points) ? [points, null] : [null, points];
  const values = [partnerId, settlementId, lineNo, ...both, writeExact(amount), currency, originalSettlementId];
  await run(db, INSERT_CARRIED, values);
}
