import type { ReviewReason } from '../../domain/rules/contribution-rules.ts';
import { findContributionsById } from '../../store/contributions/contribution.ts';
import type { ContributionReview, ReviewPlace } from '../../store/contributions/contribution-review.ts';
import { listWaitingReviews } from '../../store/contributions/waiting-review.ts';
import type { Queryable } from '../../store/database.ts';
import type { ReviewedContribution } from './list-reviews.ts';

export interface ReviewFilter {
  readonly partnerId: string | undefined;
  readonly reason: ReviewReason | undefined;
  /** Opened before this: those that wait longer. */
  readonly openedBefore: Date | undefined;
  readonly after: ReviewPlace | undefined;
  readonly limit: number;
}

/** A page looks at no more, so that a rare reason costs no more than any: it may be short, and more follows. */
const LOOKED_AT_MAX = 2_000;

/** Pending contributions that an operator decides, the longest waiting first, over all partners. */
export async function listReviewsThatWait(
  db: Queryable,
  { partnerId, reason, openedBefore, after, limit }: ReviewFilter,
): Promise<{
  readonly reviews: readonly ReviewedContribution[];
  readonly last: ReviewPlace | undefined;
  readonly hasMore: boolean;
}> {
  const max = reason === undefined ? limit + 1 : LOOKED_AT_MAX;
  const looked = await listWaitingReviews(db, { partnerId, after, limit: max });
  const early = openedBefore === undefined ? looked : looked.filter(({ openedAt }) => openedAt < openedBefore);
  const wanted = early.filter((review) => reason === undefined || review.reason === reason);
  const page = wanted.slice(0, limit);
  const last = wanted.length > limit ? page.at(-1) : early.at(-1);
  // Whatever is left out for its time comes after all that is wanted.
  const hasMore = wanted.length > limit || (looked.length === max && early.length === looked.length);
  return { reviews: await readContributions(db, page), last, hasMore };
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
