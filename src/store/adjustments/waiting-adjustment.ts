import type { AdjustmentStatus } from '../../domain/adjustments/adjustment.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

const COUNT: Statement = {
  name: 'count_waiting_adjustments',
  text: `select (select count(*) from (select from adjustment where status = 'draft' order by adjustment_id limit $1) counted)::int4 as draft,
      (select count(*) from (select from adjustment where status = 'approved' order by adjustment_id limit $1) counted)::int4 as approved`,
};

/** Drafts that wait for a second operator, and what was approved and is not posted; `max` + 1 stands for as many or more. */
export async function countWaitingAdjustments(
  db: Queryable,
  max: number,
): Promise<{ readonly draft: number; readonly approved: number }> {
  const [row] = await run<{ draft: number; approved: number }>(db, COUNT, [max + 1]);
  return row ?? { draft: 0, approved: 0 };
}

const LATEST: Statement = {
  name: 'list_latest_adjustments',
  text: `select partner_id as "partnerId", adjustment_id as "adjustmentId", status from adjustment
    where adjustment_id < $1 order by adjustment_id desc limit $2`,
};
const WAITING = (status: 'draft' | 'approved'): Statement => ({
  name: `list_${status}_adjustments`,
  text: `select partner_id as "partnerId", adjustment_id as "adjustmentId", status from adjustment
    where status = '${status}' and adjustment_id < $1 order by adjustment_id desc limit $2`,
});
const OF_STATUS = { draft: WAITING('draft'), approved: WAITING('approved') };

/** An adjustment of any partner. */
export interface ListedAdjustment {
  readonly partnerId: string;
  readonly adjustmentId: string;
  readonly status: AdjustmentStatus;
}

/** Of all partners, the latest first: all, or those that wait. */
export async function listLatestAdjustments(
  db: Queryable,
  { waiting, beforeId, limit }: { waiting?: 'draft' | 'approved' | undefined; beforeId: string; limit: number },
): Promise<ListedAdjustment[]> {
  const statement = waiting === undefined ? LATEST : OF_STATUS[waiting];
  return run<ListedAdjustment & Record<string, unknown>>(db, statement, [beforeId, limit]);
}
