import { type ContributionRules, DEFAULT_RULES } from '../../domain/rules/contribution-rules.ts';
import { type ContributionRecord, findContributionsById } from '../../store/contributions/contribution.ts';
import { searchContributionsOf } from '../../store/contributions/contribution-search.ts';
import { type CountedDay, findCountedDay } from '../../store/contributions/daily-count.ts';
import type { Queryable } from '../../store/database.ts';
import { findRuleVersion } from '../../store/rules/rule-version.ts';
import type { ReviewedContribution } from '../contributions/list-reviews.ts';

type ReviewRules = Pick<ContributionRules, 'reviewThreshold' | 'dailyPointsCap' | 'dailyCountCap'>;

/** What an operator looks at before a decision. */
export interface ReviewContext {
  /** What counts on the day of the contribution; `null` where it was not counted. */
  readonly day: CountedDay | null;
  /** Of the rule under which the contribution was recorded, whatever is in force now. */
  readonly rules: ReviewRules;
  /** The contributions of the same order, the earliest first: all but failed ones, and 50 of those at most. */
  readonly orderHistory: readonly ContributionRecord[];
}

const HISTORY_MAX = 50;

export async function readReviewContext(db: Queryable, { record, review }: ReviewedContribution): Promise<ReviewContext> {
  const { partnerId, contribution } = record;
  const order = { name: 'partner_order_ref', value: contribution.partnerOrderRef, limit: HISTORY_MAX } as const;
  const countedOn = review?.countedOn ?? null;
  const [day, rules, ids] = await Promise.all([
    countedOn === null ? null : findCountedDay(db, partnerId, countedOn),
    findRecordedRules(db, contribution.contributionRuleVersion),
    searchContributionsOf(db, partnerId, order),
  ]);
  const orderHistory = ids.length === 0 ? [] : await findContributionsById(db, ids);
  return {
    day: day ?? null,
    rules,
    orderHistory: orderHistory.toSorted(
      (one, other) => one.contribution.createdAt.getTime() - other.contribution.createdAt.getTime(),
    ),
  };
}

/** The defaults where the label is theirs, and where its version was taken out of the database, which verifications report. */
async function findRecordedRules(db: Queryable, version: string): Promise<ReviewRules> {
  const rule = await findRuleVersion(db, 'contribution_rule', version);
  return rule?.kind === 'contribution_rule' ? rule : DEFAULT_RULES;
}
