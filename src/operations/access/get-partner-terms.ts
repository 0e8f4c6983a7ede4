import type { ContributionRules } from '../../domain/rules/contribution-rules.ts';
import { findPartner, type Partner } from '../../store/access/partner.ts';
import type { Database } from '../../store/database.ts';

/** What a partner is told of itself, and the rules in force for it now. */
export interface PartnerTerms {
  readonly partner: Partner;
  readonly rules: ContributionRules;
}

export type GetPartnerTerms = (partnerId: string, atMs: number) => Promise<PartnerTerms>;

/** The rules of one partner at a moment, as `performance.now()` counts. */
type Rules = (partner: Partner, atMs: number) => ContributionRules | Promise<ContributionRules>;

export function getPartnerTermsBy({ pool }: Database, rulesOf: Rules): GetPartnerTerms {
  return async (partnerId, atMs) => {
    const partner = await findPartner(pool, partnerId);
    if (!partner) throw new Error(`The partner ${partnerId} has a key and no row.`);
    return { partner, rules: await rulesOf(partner, atMs) };
  };
}
