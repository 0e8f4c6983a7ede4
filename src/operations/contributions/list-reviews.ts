import { contributionNotFound } from '../../domain/contributions/contribution-not-found.ts';
import { eachPartner } from '../../store/access/partner.ts';
import type { ContributionId, ContributionRecord } from '../../store/contributions/contribution.ts';
import { findContributionsById, findContributionsOfPartners } from '../../store/contributions/contribution.ts';
import {
  type ContributionReview,
  findContributionReview,
  listOpenContributionReviews,
  type ReviewPlace,
} from '../../store/contributions/contribution-review.ts';
import type { Database, Queryable } from '../../store/database.ts';

/** A contribution, and why it is reviewed. */
export interface ReviewedContribution {
  readonly record: ContributionRecord;
  /** `undefined` for one that was never pending. */
  readonly review: ContributionReview | undefined;
}

export interface ReviewPage {
  readonly partnerId?: string | undefined;
  /** Only those that wait less long. */
  readonly after?: ReviewPlace | undefined;
  readonly limit: number;
}

/** Pending contributions, the longest waiting first: of one partner, or of all. */
export async function listReviews(
  database: Pick<Database, 'pool' | 'isDistributed'>,
  { partnerId, after, limit }: ReviewPage,
): Promise<ReviewedContribution[]> {
  const { pool } = database;
  const open: ContributionReview[] = [];
  const add = async (id: string) => open.push(...(await listOpenContributionReviews(pool, id, { after, limit })));
  if (partnerId !== undefined) await add(partnerId);
  else for await (const partner of eachPartner(pool)) await add(partner.partnerId);
  return readReviewed(database, open.toSorted(byPlace).slice(0, limit));
}

/** Reviews with their contributions, in the same order. */
export async function readReviewed(
  database: Pick<Database, 'pool' | 'isDistributed'>,
  reviews: readonly ContributionReview[],
): Promise<ReviewedContribution[]> {
  const records = await findContributionsOfPartners(database, reviews);
  const byId = new Map(records.map((record) => [record.contribution.transactionId, record]));
  return reviews.flatMap((review) => {
    const record = byId.get(review.transactionId);
    return record ? [{ record, review }] : [];
  });
}

function byPlace(one: ContributionReview, other: ContributionReview): number {
  return one.openedAt.getTime() - other.openedAt.getTime() || (one.transactionId < other.transactionId ? -1 : 1);
}

/** Throws `contribution_not_found`. */
export async function getReview(db: Queryable, id: ContributionId): Promise<ReviewedContribution> {
  const [record] = await findContributionsById(db, [id]);
  if (!record) throw contributionNotFound('transaction_id');
  return { record, review: await findContributionReview(db, id) };
}
