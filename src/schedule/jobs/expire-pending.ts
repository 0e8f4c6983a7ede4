import { forEachSettled } from '../../concurrency/for-each-settled.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { expireOverdueContributions } from '../../operations/contributions/expire-overdue-contributions.ts';
import { eachPartner } from '../../store/access/partner.ts';
import { listPartnersWithOverdueReviews } from '../../store/contributions/contribution-review.ts';
import type { Database } from '../../store/database.ts';
import type { Job } from '../job.ts';

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
    async run({ database, actor, signal }) {
      const counts = { failed: 0, decided: 0, busy: 0 };
      const failed = (count: number) => `Pending contributions of ${pluralise(count, 'partner')} could not be failed.`;
      await forEachSettled(await partnersToAsk(database, hours), { signal, failed }, async (partnerId) => {
        const expired = await expireOverdueContributions(database, actor, { partnerId, hours, signal });
        counts.failed += expired.failed;
        counts.decided += expired.decided;
        counts.busy += expired.busy;
      });
      return counts;
    },
  };
}

/** On a cluster whose partners cannot be asked together, because a node does not answer, those of the other nodes still have their turn. */
async function partnersToAsk({ pool, isDistributed }: Database, hours: number): Promise<readonly string[]> {
  return listPartnersWithOverdueReviews(pool, hours).catch(async (error: unknown) => {
    if (!isDistributed) throw error;
    return Array.fromAsync(eachPartner(pool), ({ partnerId }) => partnerId);
  });
}
