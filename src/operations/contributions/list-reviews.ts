import { contributionNotFound } from '../../domain/contributions/contribution-not-found.ts';
import type { ReviewReason } from '../../domain/rules/contribution-rules.ts';
import type { ContributionId, ContributionRecord } from '../../store/contributions/contribution.ts';
import { findContributionsById, findListedContributions } from '../../store/contributions/contribution.ts';
import { type ContributionReview, findContributionReview } from '../../store/contributions/contribution-review.ts';
import { listWaitingReviews, type ReviewOrder } from '../../store/contributions/waiting-review.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { type FilteredPage, readFilteredPage, wantedBy } from '../filtered-page.ts';

/** A contribution, and why it is reviewed. */
export interface ReviewedContribution {
  readonly record: ContributionRecord;
  /** `undefined` for one that was never pending. */
  readonly review: ContributionReview | undefined;
}

export interface ReviewFilter {
  readonly partnerId?: string | undefined;
  readonly reason?: ReviewReason | undefined;
  /** Opened before this: those that wait longer. */
  readonly openedBefore?: Date | undefined;
}

/** Pending contributions that an operator decides, of one partner or of all. */
export async function listOpenReviews(
  database: Pick<Database, 'pool' | 'isDistributed'>,
  { partnerId, reason, openedBefore }: ReviewFilter,
  page: KeysetPage<ReviewOrder>,
): Promise<FilteredPage<ReviewedContribution>> {
  const isLong = openedBefore === undefined || page.order.by === 'opened_at' ? undefined : true;
  const looked = await readFilteredPage({
    page,
    read: async (part) => {
      const rows = await listWaitingReviews(database.pool, { partnerId, openedBefore }, part);
      return rows.map((row) => ({ ...row, isLong: openedBefore !== undefined && row.openedAt < openedBefore }));
    },
    isWanted: wantedBy({ reason, isLong }),
  });
  return { ...looked, page: await readReviewed(database, looked.page) };
}

/** Reviews with their contributions, in the same order. */
async function readReviewed(
  database: Pick<Database, 'pool' | 'isDistributed'>,
  reviews: readonly ContributionReview[],
): Promise<ReviewedContribution[]> {
  const records = await findListedContributions(database, reviews);
  const byId = new Map(records.map((record) => [record.contribution.transactionId, record]));
  return reviews.flatMap((review) => {
    const record = byId.get(review.transactionId);
    return record ? [{ record, review }] : [];
  });
}

/** Throws `contribution_not_found`. */
export async function getReview(db: Queryable, id: ContributionId): Promise<ReviewedContribution> {
  const [record] = await findContributionsById(db, [id]);
  if (!record) throw contributionNotFound('transaction_id');
  return { record, review: await findContributionReview(db, id) };
}
