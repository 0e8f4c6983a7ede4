import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import type { ContributionReview, ReviewPlace } from './contribution-review.ts';

/** How many wait, as far as they were counted. */
export interface WaitingReviews {
  /** `max` + 1 stands for as many or more. */
  readonly count: number;
  /** Of those that were counted. */
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

const COLUMNS = `partner_id as "partnerId", transaction_id as "transactionId", reason, counted_on::text as "countedOn",
    opened_at as "openedAt", resolved_at as "resolvedAt", resolved_by as "resolvedBy", note`;
const AFTER = "(opened_at, transaction_id) > (coalesce($1::timestamptz, '-infinity'), $2)";

const LIST: Statement = {
  name: 'list_waiting_reviews',
  text: `select ${COLUMNS} from contribution_review where resolved_at is null and ${AFTER} order by opened_at, transaction_id limit $3`,
};
const LIST_OF: Statement = {
  name: 'list_waiting_reviews_of_partner',
  text: `select ${COLUMNS} from contribution_review where partner_id = $4 and resolved_at is null and ${AFTER}
    order by opened_at, transaction_id limit $3`,
};

/** Of all partners or of one, the oldest first. */
export async function listWaitingReviews(
  db: Queryable,
  { partnerId, after, limit }: { partnerId?: string | undefined; after?: ReviewPlace | undefined; limit: number },
): Promise<ContributionReview[]> {
  const values = [after?.openedAt ?? null, after?.transactionId ?? '', limit];
  return partnerId === undefined
    ? run<ContributionReview>(db, LIST, values)
    : run<ContributionReview>(db, LIST_OF, [...values, partnerId]);
}
