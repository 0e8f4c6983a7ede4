import type { Queryable } from '../database.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Orders, type Placed } from '../ordered-list.ts';
import { run, type Statement } from '../query.ts';
import type { ContributionReview } from './contribution-review.ts';

/** How many wait, as far as they were counted. */
export interface WaitingReviews {
  /** `max` + 1 stands for as many or more. */
  readonly count: number;
  /** The points of those that were counted. */
  readonly points: bigint;
  readonly oldestAt: Date | null;
}

const COUNT: Statement = {
  name: 'count_waiting_reviews',
  text: `select count(*)::int4 as count, coalesce(sum(c.points), 0)::text as points, min(r.opened_at) as "oldestAt"
    from (select partner_id, transaction_id, opened_at from contribution_review where resolved_at is null
      order by opened_at, transaction_id limit $1) r
    join contribution c on c.partner_id = r.partner_id and c.transaction_id = r.transaction_id`,
};

export async function countWaitingReviews(db: Queryable, max: number): Promise<WaitingReviews> {
  const [row] = await run<{ count: number; points: string; oldestAt: Date | null }>(db, COUNT, [max + 1]);
  return { count: row?.count ?? 0, points: BigInt(row?.points ?? 0), oldestAt: row?.oldestAt ?? null };
}

export type ReviewOrder = 'opened_at' | 'points';

const COLUMNS = `r.partner_id as "partnerId", r.transaction_id as "transactionId", r.reason, r.counted_on::text as "countedOn",
    r.opened_at as "openedAt", r.resolved_at as "resolvedAt", r.resolved_by as "resolvedBy", r.note`;

const ORDERS = {
  opened_at: [
    ['r.opened_at', 'timestamptz'],
    ['r.transaction_id', 'text'],
  ],
  points: [
    ['c.points', 'int8'],
    ['c.transaction_id', 'text'],
  ],
} satisfies Orders<ReviewOrder>;

const BY_TIME: KeysetList<ReviewOrder> = {
  name: 'list_waiting_reviews',
  select: COLUMNS,
  orders: ORDERS,
  from: 'contribution_review r',
  where: 'r.resolved_at is null',
};
/** A contribution is pending as long as its review is open. */
const BY_POINTS: KeysetList<ReviewOrder> = {
  ...BY_TIME,
  from: 'contribution c',
  where: "c.status = 'pending'",
  completion: {
    row: 'c',
    join: 'join contribution_review r on r.partner_id = c.partner_id and r.transaction_id = c.transaction_id',
  },
};

export interface WaitingFilter {
  readonly partnerId?: string | undefined;
  readonly openedBefore?: Date | undefined;
}

/** Lists the open reviews of one partner, or of all partners. */
export async function listWaitingReviews(
  db: Queryable,
  { partnerId, openedBefore }: WaitingFilter,
  page: KeysetPage<ReviewOrder>,
): Promise<(ContributionReview & Placed)[]> {
  const isByTime = page.order.by === 'opened_at';
  const conditions = isByTime ? { 'r.partner_id': partnerId, 'r.opened_at <': openedBefore } : { 'c.partner_id': partnerId };
  return listByKeyset<ContributionReview, ReviewOrder>(db, isByTime ? BY_TIME : BY_POINTS, conditions, page);
}
