import type { ContributionRecord } from '../../store/contributions/contribution.ts';
import type { Queryable } from '../../store/database.ts';
import { readPartnerNames } from '../terminal/partner-names.ts';

/** A contribution in a question: what an operator compares with what the partner says. */
export async function describeContribution(db: Queryable, { partnerId, contribution }: ContributionRecord): Promise<string> {
  const { transactionId, partnerEventId, partnerOrderRef, points } = contribution;
  const partner = (await readPartnerNames(db, [partnerId]))(partnerId);
  return `the contribution ${transactionId} of ${partner} (event ${partnerEventId}, order ${partnerOrderRef}, ${points} points)`;
}
