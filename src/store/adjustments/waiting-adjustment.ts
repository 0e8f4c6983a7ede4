import type { AdjustmentStatus } from '../../domain/adjustments/adjustment.ts';
import type { Queryable } from '../database.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { run, type Statement } from '../query.ts';

const COUNT: Statement = {
  name: 'count_waiting_adjustments',
  text: `select (select count(*) from (select 1 from adjustment where status = 'draft' order by adjustment_id limit $1) counted)::int4 as draft,
      (select count(*) from (select 1 from adjustment where status = 'approved' order by adjustment_id limit $1) counted)::int4 as approved`,
};

/** Drafts that wait for a second operator, and what was approved and is not posted; `max` + 1 stands for as many or more. */
export async function countWaitingAdjustments(
  db: Queryable,
  max: number,
): Promise<{ readonly draft: number; readonly approved: number }> {
  const [row] = await run<{ draft: number; approved: number }>(db, COUNT, [max + 1]);
  return row ?? { draft: 0, approved: 0 };
}

/** An adjustment of any partner. */
export interface ListedAdjustment {
  readonly partnerId: string;
  readonly adjustmentId: string;
  readonly transactionId: string;
  readonly status: AdjustmentStatus;
  readonly reasonCode: string;
}

export type AdjustmentOrder = 'drafted_at' | 'points_delta';

const LIST: KeysetList<AdjustmentOrder> = {
  name: 'list_adjustments',
  select:
    'partner_id as "partnerId", adjustment_id as "adjustmentId", transaction_id as "transactionId", status, reason_code as "reasonCode"',
  from: 'adjustment',
  // An id contains the time of its making.
  orders: {
    drafted_at: [['adjustment_id', 'text']],
    points_delta: [
      ['points_delta', 'int8'],
      ['adjustment_id', 'text'],
    ],
  },
};

export type WaitingStatus = 'draft' | 'approved';

/** Written out, as the index has it. */
const WAITING = {
  draft: { ...LIST, name: 'list_draft_adjustments', where: "status = 'draft'" },
  approved: { ...LIST, name: 'list_approved_adjustments', where: "status = 'approved'" },
} satisfies Record<WaitingStatus, KeysetList<AdjustmentOrder>>;

/** Lists the adjustments of one partner, or of all partners. */
export async function listAdjustmentsInOrder(
  db: Queryable,
  partnerId: string | undefined,
  page: KeysetPage<AdjustmentOrder>,
): Promise<(ListedAdjustment & Placed)[]> {
  return listByKeyset<ListedAdjustment, AdjustmentOrder>(db, LIST, { partner_id: partnerId }, page);
}

/** Lists the adjustments of all partners that an operator has to approve, or has to post. */
export async function listWaitingAdjustments(
  db: Queryable,
  status: WaitingStatus,
  page: KeysetPage<AdjustmentOrder>,
): Promise<(ListedAdjustment & Placed)[]> {
  return listByKeyset<ListedAdjustment, AdjustmentOrder>(db, WAITING[status], {}, page);
}
