import type { ReviewReason } from '../../domain/rules/contribution-rules.ts';
import { findContributionsById } from '../../store/contributions/contribution.ts';
import type { ContributionReview } from '../../store/contributions/contribution-review.ts';
import { listWaitingReviews, type ReviewOrder } from '../../store/contributions/waiting-review.ts';
import type { Queryable } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { type LookedThrough, lookThrough, wantedBy } from '../look-through.ts';
import type { ReviewedContribution } from './list-reviews.ts';

export interface ReviewFilter {
  readonly partnerId?: string | undefined;
  readonly reason?: ReviewReason | undefined;
  /** Opened before this: those that wait longer. */
  readonly openedBefore?: Date | undefined;
}

/** Pending contributions that an operator decides, of one partner or of all. */
export async function listReviewsThatWait(
  db: Queryable,
  { partnerId, reason, openedBefore }: ReviewFilter,
  page: KeysetPage<ReviewOrder>,
): Promise<LookedThrough<ReviewedContribution>> {
  const isLong = openedBefore === undefined || page.order.by === 'opened_at' ? undefined : true;
  const looked = await lookThrough({
    limit: page.limit,
    read: async (limit) => {
      const rows = await listWaitingReviews(db, { partnerId, openedBefore }, { ...page, limit });
      return rows.map((row) => ({ ...row, isLong: openedBefore !== undefined && row.openedAt < openedBefore }));
    },
    isWanted: wantedBy({ reason, isLong }),
  });
  return { ...looked, page: await readContributions(db, looked.page) };
}

async function readContributions(db: Queryable, reviews: readonly ContributionReview[]): Promise<ReviewedContribution[]> {
  const ofPartners = [...Map.groupBy(reviews, ({ partnerId }) => partnerId).values()];
  // A distributed database finds those of one partner at a time.
  const records = (await Promise.all(ofPartners.map((ofOne) => findContributionsById(db, ofOne)))).flat();
  const byId = new Map(records.map((record) => [record.contribution.transactionId, record]));
  return reviews.flatMap((review) => {
    const record = byId.get(review.transactionId);
    return record ? [{ record, review }] : [];
  });
}
