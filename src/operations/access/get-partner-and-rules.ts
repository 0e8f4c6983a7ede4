import type { ContributionRules } from '../../domain/rules/contribution-rules.ts';
import { findPartner, type Partner } from '../../store/access/partner.ts';
import type { Database } from '../../store/database.ts';

/** A partner's own record, and the rules in force for it now. */
export interface PartnerAndRules {
  readonly partner: Partner;
  readonly rules: ContributionRules;
}

export type GetPartnerAndRules = (partnerId: string, atMs: number) => Promise<PartnerAndRules>;

/** The rules of one partner at a moment, in the time of `performance.now()`. */
type Rules = (partner: Partner, atMs: number) => ContributionRules | Promise<ContributionRules>;

export function createGetPartnerAndRules({ pool }: Database, rulesOf: Rules): GetPartnerAndRules {
  return async (partnerId, atMs) => {
    const partner = await findPartner(pool, partnerId);
    if (!partner) throw new Error(`The partner ${partnerId} has a key and no row.`);
    return { partner, rules: await rulesOf(partner, atMs) };
  };
}
