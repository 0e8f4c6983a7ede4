import { forEachSettled } from '../../concurrency/for-each-settled.ts';
import type { Actor } from '../../domain/access/role.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { type ContributionReview, listOverdueContributionReviews } from '../../store/contributions/contribution-review.ts';
import type { Database } from '../../store/database.ts';
import { eachRow } from '../../store/each-page.ts';
import { withRole } from '../with-role.ts';
import { expirePendingContribution } from './resolve-pending-contribution.ts';

/** The most that are read at a time. Each has its own transaction. */
const CHUNK = 100;

export interface OverdueOptions {
  readonly partnerId: string;
  /** After this many hours a contribution that no operator decided is overdue. */
  readonly hours: number;
  /** Aborted when the work must stop; checked between contributions. */
  readonly signal?: AbortSignal;
}

/** How many contributions. */
export interface Expired {
  readonly failed: number;
  /** Resolved by an operator or another process at the same moment: they keep that result. */
  readonly decided: number;
  /** Locked by a decision under way: a later call fails them, unless they are decided by then. */
  readonly busy: number;
}

/**
 * Fails every overdue contribution of a partner, so that the partner can restore the points. A contribution that cannot be failed holds up
 * no other.
 *
 * @throws AggregateError When some could not be failed, after all others were.
 * @see docs/spec/decisions.md#4-pending-and-failed.
 */
export const expireOverdueContributions = withRole(
  'operator',
  async (database: Database, actor: Actor, { partnerId, hours, signal }: OverdueOptions): Promise<Expired> => {
    const counts = { failed: 0, decided: 0, busy: 0 };
    const failed = (count: number) => `${pluralise(count, 'pending contribution')} of ${partnerId} could not be failed.`;
    const overdue = eachRow<ContributionReview>(CHUNK, (after, limit) =>
      listOverdueContributionReviews(database.pool, partnerId, { hours, after, limit }),
    );
    await forEachSettled(overdue, { signal, failed }, async (review) => {
      counts[await expire(database, actor, review)]++;
    });
    return counts;
  },
);

async function expire(database: Database, actor: Actor, review: ContributionReview): Promise<keyof Expired> {
  try {
    await expirePendingContribution(database, actor, review);
    return 'failed';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'internal_service_unavailable') return 'busy';
    if (error.code === 'invalid_request') return 'decided';
    throw error;
  }
}
