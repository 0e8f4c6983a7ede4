import { pluralise } from '../../domain/pluralise.ts';
import { expireOverdueContributions } from '../../operations/contributions/expire-overdue-contributions.ts';
import { forEachPartner } from '../../operations/for-each-partner.ts';
import { listPartnersWithOverdueReviews } from '../../store/contributions/contribution-review.ts';
import { NodeReader } from '../../store/node-reader.ts';
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
      const nodes = new NodeReader(database);
      const partners = (await listPartnersWithOverdueReviews(nodes, hours)).map((partnerId) => ({ partnerId }));
      await forEachPartner(nodes, partners, { signal, failed }, async ({ partnerId }) => {
        const expired = await expireOverdueContributions(database, actor, { partnerId, hours, signal });
        counts.failed += expired.failed;
        counts.decided += expired.decided;
        counts.busy += expired.busy;
      });
      return counts;
    },
  };
}
