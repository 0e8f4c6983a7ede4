import { pluralise } from '../../domain/pluralise.ts';
import { expireOverdueContributions } from '../../operations/contributions/expire-overdue-contributions.ts';
import { forEachPartner } from '../../operations/for-each-partner.ts';
import {
  listPartnersWithOverdueReviews,
  listPartnersWithReviewsAhead,
  updateReviewsAhead,
} from '../../store/contributions/contribution-review.ts';
import { NodeReader } from '../../store/node-reader.ts';
import type { Job } from '../job.ts';

/**
 * Fails contributions that no operator decided within this many hours, so that their partners can restore the points. A contribution that
 * an operator or another process resolves at the same moment keeps that result. What a clock that was ahead has opened waits from now on.
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
      const nodes = new NodeReader(database);
      const ahead = new Set(await listPartnersWithReviewsAhead(nodes));
      const overdue = await listPartnersWithOverdueReviews(nodes, hours);
      const partners = [...ahead.union(new Set(overdue))].map((partnerId) => ({ partnerId }));
      await forEachPartner(nodes, partners, { signal, failed }, async ({ partnerId }) => {
        if (ahead.has(partnerId)) await updateReviewsAhead(database.pool, partnerId);
        const expired = await expireOverdueContributions(database, actor, { partnerId, hours, signal });
        counts.failed += expired.failed;
        counts.decided += expired.decided;
        counts.busy += expired.busy;
      });
      return counts;
    },
  };
}
