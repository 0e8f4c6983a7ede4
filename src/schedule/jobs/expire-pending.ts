import { forEachSettled } from '../../concurrency/for-each-settled.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { expirePendingContribution } from '../../operations/contributions/resolve-pending-contribution.ts';
import { eachPartner } from '../../store/access/partner.ts';
import { type ContributionReview, listOverdueContributionReviews } from '../../store/contributions/contribution-review.ts';
import type { Database } from '../../store/database.ts';
import type { Job, JobContext } from '../job.ts';

/** The most of a partner at a time, each in its own transaction. */
const CHUNK = 100;

/**
 * Fails contributions that no operator decided within this many hours, so that their partners can restore the points. A contribution that
 * an operator or another process resolves at the same moment keeps that result.
 *
 * @see docs/spec/decisions.md#4-pending-and-failed.
 */
export function expirePending({ hours }: { readonly hours: number }): Job {
  return {
    name: 'expire-pending',
    description: `fails contributions that are undecided after ${hours} hours`,
    pattern: '*/5 * * * *',
    async run(context) {
      const counts = { failed: 0, decided: 0 };
      const failed = (count: number) => `Pending contributions of ${pluralise(count, 'partner')} could not be failed.`;
      await forEachSettled(eachPartner(context.database.pool), { ...context, failed }, ({ partnerId }) =>
        expireOf(partnerId, { ...context, hours, counts }),
      );
      return counts;
    },
  };
}

interface Expiry extends JobContext {
  readonly hours: number;
  /** How many failed here, and how many were resolved elsewhere meanwhile. */
  readonly counts: { failed: number; decided: number };
}

async function expireOf(partnerId: string, expiry: Expiry): Promise<void> {
  const { database, hours, signal } = expiry;
  for (let isMore = true; isMore && !signal.aborted; ) {
    const overdue = await listOverdueContributionReviews(database.pool, partnerId, { hours, limit: CHUNK });
    const failedBefore = expiry.counts.failed;
    const failed = (count: number) => `${pluralise(count, 'pending contribution')} of ${partnerId} could not be failed.`;
    await forEachSettled(overdue, { signal, failed }, (review) => expire(database, review, expiry));
    isMore = overdue.length === CHUNK && expiry.counts.failed > failedBefore;
  }
}

async function expire(database: Database, review: ContributionReview, { actor, counts }: Expiry): Promise<void> {
  try {
    await expirePendingContribution(database, actor, review);
    counts.failed++;
  } catch (error) {
    // It is final by now, or locked by a decision: a later run finds out.
    if (!(error instanceof ServiceError)) throw error;
    counts.decided++;
  }
}
