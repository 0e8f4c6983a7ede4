import type { AdjustmentStatus } from '../../domain/adjustments/adjustment.ts';
import type { AdjustmentEffect } from '../../domain/adjustments/adjustment-effect.ts';
import { afterEveryId } from '../../domain/identifiers.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import {
  isRow,
  type ListById,
  type ListedIn,
  listedStatement,
  type PageOfIds,
  run,
  runListById,
  runListed,
  type Statement,
} from '../query.ts';
import { readExact, writeExact } from '../settlements/exact-totals.ts';

/**
 * A correction of what is settled, with the fields of its contribution that never change.
 *
 * @see docs/spec/settlements.md#3-adjustment.
 */
export interface Adjustment {
  readonly partnerId: string;
  readonly adjustmentId: string;
  readonly status: AdjustmentStatus;
  readonly transactionId: string;
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
  readonly contributionPoints: bigint;
  readonly confirmedAt: Date;
  readonly contributionRuleVersion: string;
  readonly pointConversionVersion: string;
  readonly treeCostVersion: string;
  readonly reasonCode: string;
  readonly reasonEn: string;
  readonly reasonAr: string;
  readonly pointsDelta: bigint;
  /** In 10^-12 of the currency's unit; `null` unless it is a restatement. */
  readonly amountDelta: bigint | null;
  readonly reversalOf: string | null;
  readonly draftedBy: string;
  readonly draftedAt: Date;
  readonly approvedBy: string | null;
  readonly approvedAt: Date | null;
  readonly rejectedBy: string | null;
  readonly rejectedAt: Date | null;
  /** Why it was rejected. */
  readonly note: string | null;
  readonly postedBy: string | null;
  readonly postedAt: Date | null;
  readonly settledPointsBefore: bigint | null;
  readonly settledPointsAfter: bigint | null;
  /** In 10^-12 of the currency's unit, as the two that follow; `null` where the contribution has no amount, and before it is posted. */
  readonly settledAmountBefore: bigint | null;
  readonly settledAmountAfter: bigint | null;
  /** The highest worth of the points that are settled afterwards. */
  readonly settledAmountMax: bigint | null;
  /** An admin's reason, when the settled amount exceeds that. */
  readonly beyondWorthReason: string | null;
  readonly originalSettlementId: string | null;
  readonly settlementId: string | null;
}

export type AdjustmentDraft = Pick<
  Adjustment,
  | 'partnerId'
  | 'adjustmentId'
  | 'transactionId'
  | 'partnerEventId'
  | 'partnerOrderRef'
  | 'contributionPoints'
  | 'confirmedAt'
  | 'contributionRuleVersion'
  | 'pointConversionVersion'
  | 'treeCostVersion'
  | 'reasonCode'
  | 'reasonEn'
  | 'reasonAr'
  | 'pointsDelta'
  | 'amountDelta'
  | 'reversalOf'
  | 'beyondWorthReason'
  | 'draftedBy'
>;

const COLUMNS = `partner_id as "partnerId", adjustment_id as "adjustmentId", status, transaction_id as "transactionId",
    partner_event_id as "partnerEventId", partner_order_ref as "partnerOrderRef", contribution_points as "contributionPoints",
    confirmed_at as "confirmedAt", contribution_rule_version as "contributionRuleVersion",
    point_conversion_version as "pointConversionVersion", tree_cost_version as "treeCostVersion", reason_code as "reasonCode",
    reason_en as "reasonEn", reason_ar as "reasonAr", points_delta as "pointsDelta", amount_delta as "amountDelta",
    reversal_of as "reversalOf", drafted_by as "draftedBy", drafted_at as "draftedAt", approved_by as "approvedBy",
    approved_at as "approvedAt", rejected_by as "rejectedBy", rejected_at as "rejectedAt", note, posted_by as "postedBy",
    posted_at as "postedAt", settled_points_before as "settledPointsBefore", settled_points_after as "settledPointsAfter",
    settled_amount_before as "settledAmountBefore", settled_amount_after as "settledAmountAfter",
    settled_amount_max as "settledAmountMax", beyond_worth_reason as "beyondWorthReason",
    original_settlement_id as "originalSettlementId", settlement_id as "settlementId"`;

type Amounts = 'amountDelta' | 'settledAmountBefore' | 'settledAmountAfter' | 'settledAmountMax';
type Row = Omit<Adjustment, Amounts> & Readonly<Record<Amounts, string | null>>;

function readRow(row: Row): Adjustment {
  return {
    ...row,
    amountDelta: readExact(row.amountDelta),
    settledAmountBefore: readExact(row.settledAmountBefore),
    settledAmountAfter: readExact(row.settledAmountAfter),
    settledAmountMax: readExact(row.settledAmountMax),
  };
}

const INSERT: Statement = {
  name: 'insert_adjustment',
  text: `insert into adjustment (partner_id, adjustment_id, transaction_id, partner_event_id, partner_order_ref, contribution_points,
      confirmed_at, contribution_rule_version, point_conversion_version, tree_cost_version, reason_code, reason_en, reason_ar,
      points_delta, amount_delta, reversal_of, drafted_by, beyond_worth_reason, drafted_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, ${NOW}) returning ${COLUMNS}`,
};

/**
 * @throws pg.DatabaseError 23505 of `adjustment_one_reversal` when another one reverses the same.
 */
export async function insertAdjustment(db: Queryable, draft: AdjustmentDraft): Promise<Adjustment> {
  const [row] = await run<Row>(db, INSERT, [
    draft.partnerId,
    draft.adjustmentId,
    draft.transactionId,
    draft.partnerEventId,
    draft.partnerOrderRef,
    draft.contributionPoints,
    draft.confirmedAt,
    draft.contributionRuleVersion,
    draft.pointConversionVersion,
    draft.treeCostVersion,
    draft.reasonCode,
    draft.reasonEn,
    draft.reasonAr,
    draft.pointsDelta,
    writeExact(draft.amountDelta),
    draft.reversalOf,
    draft.draftedBy,
    draft.beyondWorthReason,
  ]);
  return readRow(row as Row);
}

const FIND: Statement = {
  name: 'find_adjustment',
  text: `select ${COLUMNS} from adjustment where ${isRow({ partnerId: '$1', key: 'adjustment_id', value: '$2' })}`,
};
const LOCK: Statement = { name: 'lock_adjustment', text: `${FIND.text} for update` };

export async function findAdjustment(db: Queryable, partnerId: string, adjustmentId: string): Promise<Adjustment | undefined> {
  const [row] = await run<Row>(db, FIND, [partnerId, adjustmentId]);
  return row && readRow(row);
}

const FIND_LISTED = listedStatement(
  'find_listed_adjustments',
  { table: 'adjustment', alias: 'a', key: 'adjustment_id' },
  (rows) => `select ${COLUMNS} from ${rows}`,
);

/** Finds adjustments of any partners. Their order is undefined. */
export async function findListedAdjustments(
  database: ListedIn,
  listed: readonly Pick<Adjustment, 'partnerId' | 'adjustmentId'>[],
): Promise<Adjustment[]> {
  const keys = listed.map(({ partnerId, adjustmentId }) => [partnerId, adjustmentId] as const);
  return (await runListed<Row>(database, FIND_LISTED, keys)).map(readRow);
}

/** Finds an adjustment like {@link findAdjustment}, and locks it until the transaction ends. */
export async function lockAdjustment(db: Queryable, partnerId: string, adjustmentId: string): Promise<Adjustment | undefined> {
  const [row] = await run<Row>(db, LOCK, [partnerId, adjustmentId]);
  return row && readRow(row);
}

const LIST: Statement = {
  name: 'list_adjustments',
  text: `select ${COLUMNS} from adjustment where partner_id = $1 and adjustment_id < $2 and ($3::text is null or status = $3)
    order by adjustment_id desc limit $4`,
};

/** The latest first. */
export async function listAdjustments(
  db: Queryable,
  partnerId: string,
  {
    beforeId = afterEveryId('adj'),
    status = null,
    limit,
  }: { beforeId?: string | undefined; status?: AdjustmentStatus | null; limit: number },
): Promise<Adjustment[]> {
  return (await run<Row>(db, LIST, [partnerId, beforeId, status, limit])).map(readRow);
}

const LIST_ALL: ListById = { name: 'list_all_adjustments', select: `select ${COLUMNS} from adjustment`, id: 'adjustment_id' };

/** Adjustments of all partners. */
export async function listAllAdjustments(db: Queryable, page: PageOfIds): Promise<Adjustment[]> {
  return (await runListById<Row>(db, LIST_ALL, page)).map(readRow);
}

type Reversal = Pick<Adjustment, 'adjustmentId' | 'status'>;

const FIND_REVERSAL: Statement = {
  name: 'find_reversal',
  text: `select adjustment_id as "adjustmentId", status from adjustment
    where partner_id = $1 and reversal_of = $2 and status <> 'rejected'`,
};

/** The reversal of an adjustment, unless it is rejected. */
export async function findReversal(db: Queryable, partnerId: string, adjustmentId: string): Promise<Reversal | undefined> {
  const [row] = await run<Reversal>(db, FIND_REVERSAL, [partnerId, adjustmentId]);
  return row;
}

const SUM_POSTED: Statement = {
  name: 'sum_posted_deltas',
  text: `select coalesce(sum(points_delta), 0)::text as points, coalesce(sum(amount_delta), 0)::text as amount from adjustment
    where partner_id = $1 and transaction_id = $2 and status = 'posted'`,
};

/** All posted deltas of a contribution, of points and of restatements. They do not change while the contribution's row is locked. */
export async function sumPostedDeltas(
  db: Queryable,
  partnerId: string,
  transactionId: string,
): Promise<{ points: bigint; amount: bigint }> {
  const [row] = await run<{ points: string; amount: string }>(db, SUM_POSTED, [partnerId, transactionId]);
  return { points: BigInt(row?.points ?? 0), amount: readExact(row?.amount ?? '0') ?? 0n };
}

type Step = Pick<Adjustment, 'partnerId' | 'adjustmentId'>;

const APPROVE: Statement = {
  name: 'update_adjustment_approved',
  text: `update adjustment set status = 'approved', approved_by = $3, approved_at = ${NOW}
    where partner_id = $1 and adjustment_id = $2 returning ${COLUMNS}`,
};

export async function updateAdjustmentApproved(
  db: Queryable,
  { partnerId, adjustmentId }: Step,
  by: string,
): Promise<Adjustment> {
  const [row] = await run<Row>(db, APPROVE, [partnerId, adjustmentId, by]);
  return readRow(row as Row);
}

const REJECT: Statement = {
  name: 'update_adjustment_rejected',
  text: `update adjustment set status = 'rejected', rejected_by = $3, note = $4, rejected_at = ${NOW}
    where partner_id = $1 and adjustment_id = $2 returning ${COLUMNS}`,
};

export async function updateAdjustmentRejected(
  db: Queryable,
  { partnerId, adjustmentId }: Step,
  { by, note }: { by: string; note: string },
): Promise<Adjustment> {
  const [row] = await run<Row>(db, REJECT, [partnerId, adjustmentId, by, note]);
  return readRow(row as Row);
}

const POST: Statement = {
  name: 'update_adjustment_posted',
  text: `update adjustment set status = 'posted', posted_by = $3, posted_at = ${NOW}, settled_points_before = $4, settled_points_after = $5,
      settled_amount_before = $6, settled_amount_after = $7, settled_amount_max = $8, original_settlement_id = $9
    where partner_id = $1 and adjustment_id = $2 returning ${COLUMNS}`,
};

export interface Posting extends AdjustmentEffect {
  readonly by: string;
  readonly originalSettlementId: string | null;
}

/** The table refuses an adjustment that leaves what is settled outside its bounds. */
export async function updateAdjustmentPosted(
  db: Queryable,
  { partnerId, adjustmentId }: Step,
  { by, originalSettlementId, ...effect }: Posting,
): Promise<Adjustment> {
  const amounts = [effect.settledAmountBefore, effect.settledAmountAfter, effect.settledAmountMax].map(writeExact);
  const points = [effect.settledPointsBefore, effect.settledPointsAfter];
  const [row] = await run<Row>(db, POST, [partnerId, adjustmentId, by, ...points, ...amounts, originalSettlementId]);
  return readRow(row as Row);
}

const LIST_OF_CONTRIBUTION: Statement = {
  name: 'list_adjustments_of_contribution',
  text: `select ${COLUMNS} from adjustment where partner_id = $1 and transaction_id = $2 order by adjustment_id`,
};

/** All of a contribution, in the order of their making. */
export async function listAdjustmentsOfContribution(
  db: Queryable,
  partnerId: string,
  transactionId: string,
): Promise<Adjustment[]> {
  return (await run<Row>(db, LIST_OF_CONTRIBUTION, [partnerId, transactionId])).map(readRow);
}
