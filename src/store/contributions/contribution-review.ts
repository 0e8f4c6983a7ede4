import type { ReviewReason } from '../../domain/rules/contribution-rules.ts';
import { insertListed, type ListedInsert, NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import type { NodeReader, OfAllPartners } from '../node-reader.ts';
import { run, type Statement } from '../query.ts';
import type { ContributionId } from './contribution.ts';

/** Why a contribution began as pending, and how it was resolved. */
export interface ContributionReview extends ContributionId {
  readonly reason: ReviewReason;
  /** The day whose cap it counts for, as `2026-11-20`; `null` when it was not counted. */
  readonly countedOn: string | null;
  readonly openedAt: Date;
  /** `null` while the contribution is pending, as are the two that follow. */
  readonly resolvedAt: Date | null;
  readonly resolvedBy: string | null;
  /** The operator's reason for the resolution. */
  readonly note: string | null;
}

const COLUMNS = `partner_id as "partnerId", transaction_id as "transactionId", reason, counted_on::text as "countedOn",
    opened_at as "openedAt", resolved_at as "resolvedAt", resolved_by as "resolvedBy", note`;

export interface OpenedReview extends ContributionId {
  readonly reason: ReviewReason;
  readonly countedOn: string | null;
}

const OPENED: ListedInsert<OpenedReview> = {
  table: 'contribution_review',
  columns: [
    ['partner_id', 'text', (review) => review.partnerId],
    ['transaction_id', 'text', (review) => review.transactionId],
    ['reason', 'text', (review) => review.reason],
    ['counted_on', 'date', (review) => review.countedOn],
  ],
  computed: () => ({ opened_at: NOW }),
  onStored: 'fail',
  returning: 'transaction_id',
};

export async function insertContributionReviews(db: Queryable, reviews: readonly OpenedReview[]): Promise<void> {
  await insertListed(db, OPENED, reviews);
}

const FIND: Statement = {
  name: 'find_contribution_review',
  text: `select ${COLUMNS} from contribution_review where partner_id = $1 and transaction_id = $2`,
};

/** `undefined` for a contribution that was never pending. */
export async function findContributionReview(
  db: Queryable,
  { partnerId, transactionId }: ContributionId,
): Promise<ContributionReview | undefined> {
  const [review] = await run<ContributionReview>(db, FIND, [partnerId, transactionId]);
  return review;
}

const LIST_OPEN_IDS: Statement = {
  name: 'list_open_contribution_review_ids',
  text: `select transaction_id as "transactionId" from contribution_review
    where partner_id = $1 and resolved_at is null and transaction_id > $2 order by transaction_id limit 1000`,
};

/** Lists the ids of a partner's contributions with an open review, in their order, a thousand at most. */
export async function listOpenContributionReviewIds(db: Queryable, partnerId: string, afterId: string): Promise<string[]> {
  const rows = await run<{ transactionId: string }>(db, LIST_OPEN_IDS, [partnerId, afterId]);
  return rows.map(({ transactionId }) => transactionId);
}

/** The order leads to the index by the time of opening, which ends at what is overdue; another one would read every open review. */
const LIST_PARTNERS_OVERDUE: OfAllPartners = {
  name: 'list_partners_with_overdue_reviews',
  write: (ofPartners) => `select distinct partner_id as "partnerId" from (
      select partner_id from contribution_review
      where ${ofPartners('partner_id')} and resolved_at is null and opened_at <= now() - make_interval(hours => $1)
      order by opened_at, transaction_id
    ) overdue`,
};

/** Lists the partners with a review that has been open for this many hours, in no order. */
export async function listPartnersWithOverdueReviews(nodes: NodeReader, hours: number): Promise<string[]> {
  return (await nodes.read<{ partnerId: string }>(LIST_PARTNERS_OVERDUE, [hours])).map(({ partnerId }) => partnerId);
}

/** A position among the open reviews. Times are stored to the millisecond. */
export type ReviewPlace = Pick<ContributionReview, 'openedAt' | 'transactionId'>;

const LIST_OVERDUE: Statement = {
  name: 'list_overdue_contribution_reviews',
  text: `select ${COLUMNS} from contribution_review
    where partner_id = $1 and resolved_at is null and opened_at <= now() - make_interval(hours => $2)
      and (opened_at, transaction_id) > (coalesce($3::timestamptz, '-infinity'), $4)
    order by opened_at, transaction_id limit $5`,
};

/**
 * Lists the reviews of one partner that have been open for this many hours, the oldest first.
 *
 * @param after The last one that was listed before.
 */
export async function listOverdueContributionReviews(
  db: Queryable,
  partnerId: string,
  { hours, after, limit }: { hours: number; after?: ReviewPlace | undefined; limit: number },
): Promise<ContributionReview[]> {
  const place = [after?.openedAt ?? null, after?.transactionId ?? ''];
  return run<ContributionReview>(db, LIST_OVERDUE, [partnerId, hours, ...place, limit]);
}

const RESOLVE: Statement = {
  name: 'update_contribution_review_resolved',
  text: `update contribution_review set resolved_at = ${NOW}, resolved_by = $3, note = $4
    where partner_id = $1 and transaction_id = $2 and resolved_at is null`,
};

export async function updateContributionReviewResolved(
  db: Queryable,
  { partnerId, transactionId }: ContributionId,
  { resolvedBy, note }: { readonly resolvedBy: string; readonly note: string },
): Promise<void> {
  await run(db, RESOLVE, [partnerId, transactionId, resolvedBy, note]);
}
