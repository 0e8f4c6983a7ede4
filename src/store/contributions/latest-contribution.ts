import type { Queryable } from '../database.ts';
import { joinPartnerIds, partnerIdsIn } from '../partner-ids.ts';
import { run, type Statement } from '../query.ts';
import type { ContributionId } from './contribution.ts';

type Row = ContributionId & Record<string, unknown>;

/** The latest of each partner: the table of the counters has a row of every partner, and stands where its contributions do. */
const LATEST_OF_EACH: Statement = {
  name: 'list_partners_by_latest_contribution',
  text: `select c.partner_id as "partnerId", latest.transaction_id as "transactionId"
    from event_counter c cross join lateral (
      select transaction_id from contribution where partner_id = c.partner_id order by transaction_id desc limit 1
    ) latest
    order by latest.transaction_id desc limit $1`,
};

const LATEST_OF_SOME: Statement = {
  name: 'list_latest_contributions',
  text: `select c.partner_id as "partnerId", latest.transaction_id as "transactionId"
    from event_counter c cross join lateral (
      select transaction_id from contribution where partner_id = c.partner_id order by transaction_id desc limit $2
    ) latest
    where c.partner_id = any (${partnerIdsIn('$1')}) order by latest.transaction_id desc limit $2`,
};

/**
 * The latest contributions of all partners, the latest first: one key for each partner is looked up, and as many rows are read of each of
 * the partners that have one of the latest.
 */
export async function listLatestContributions(db: Queryable, limit: number): Promise<ContributionId[]> {
  const partners = await run<Row>(db, LATEST_OF_EACH, [limit]);
  const ids = joinPartnerIds(partners.map(({ partnerId }) => partnerId));
  return partners.length === 0 ? [] : run<Row>(db, LATEST_OF_SOME, [ids, limit]);
}
