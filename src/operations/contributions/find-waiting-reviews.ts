import type { ReviewReason } from '../../domain/rules/contribution-rules.ts';
import { listWaitingReviews, type ReviewOrder } from '../../store/contributions/waiting-review.ts';
import type { Database } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { type LookedThrough, lookThrough, wantedBy } from '../look-through.ts';
import { type ReviewedContribution, readReviewed } from './list-reviews.ts';

export interface ReviewFilter {
  readonly partnerId?: string | undefined;
  readonly reason?: ReviewReason | undefined;
  /** Opened before this: those that wait longer. */
  readonly openedBefore?: Date | undefined;
}

/** Pending contributions that an operator decides, of one partner or of all. */
export async function listReviewsThatWait(
  database: Pick<Database, 'pool' | 'isDistributed'>,
  { partnerId, reason, openedBefore }: ReviewFilter,
  page: KeysetPage<ReviewOrder>,
): Promise<LookedThrough<ReviewedContribution>> {
  const isLong = openedBefore === undefined || page.order.by === 'opened_at' ? undefined : true;
  const looked = await lookThrough({
    page,
    read: async (part) => {
      const rows = await listWaitingReviews(database.pool, { partnerId, openedBefore }, part);
      return rows.map((row) => ({ ...row, isLong: openedBefore !== undefined && row.openedAt < openedBefore }));
    },
    isWanted: wantedBy({ reason, isLong }),
  });
  return { ...looked, page: await readReviewed(database, looked.page) };
}
