import type { Contribution } from '../../domain/contributions/contribution.ts';
import type { Queryable } from '../database.ts';
import { durableRead } from '../durable-read.ts';
import { run } from '../query.ts';

/** The columns of a contribution that a list reads. */
export interface ContributionSummary {
  readonly transactionId: string;
  readonly status: Contribution['status'];
  readonly createdAt: Date;
}

const LIST = durableRead({
  name: 'list_contributions',
  text: `select transaction_id as "transactionId", status, created_at as "createdAt" from contribution
    where partner_id = $1 and transaction_id > $2 and transaction_id < $3 order by transaction_id limit $4`,
});

/** Lists contributions of one partner by id: in the order of creation, except for differences between the clocks of processes. */
export async function listContributionsBetween(
  db: Queryable,
  partnerId: string,
  { afterId, beforeId, limit }: { readonly afterId: string; readonly beforeId: string; readonly limit: number },
): Promise<ContributionSummary[]> {
  return run<ContributionSummary & Record<string, unknown>>(db, LIST, [partnerId, afterId, beforeId, limit]);
}
