import type { ContributionRules } from '../../domain/rules/contribution-rules.ts';
import { rulesInForce } from '../../domain/rules/rule-versions.ts';
import { findPartner } from '../../store/access/partner.ts';
import { readClock } from '../../store/clock.ts';
import { type ContributionRecord, findContributionsById } from '../../store/contributions/contribution.ts';
import { searchContributionsOf } from '../../store/contributions/contribution-search.ts';
import { type CountedDay, findCountedDay } from '../../store/contributions/daily-count.ts';
import type { Queryable } from '../../store/database.ts';
import { listRuleVersions } from '../../store/rules/rule-version.ts';
import type { ReviewedContribution } from '../contributions/list-reviews.ts';

/** What an operator looks at before a decision. */
export interface ReviewContext {
  /** What counts on the day of the contribution; `null` where it was not counted. */
  readonly day: CountedDay | null;
  readonly rules: ContributionRules;
  /** The contributions of the same order, the earliest first: all but failed ones, and 50 of those at most. */
  readonly orderHistory: readonly ContributionRecord[];
}

const HISTORY_MAX = 50;

export async function readReviewContext(db: Queryable, { record, review }: ReviewedContribution): Promise<ReviewContext> {
  const { partnerId, contribution } = record;
  const order = { name: 'partner_order_ref', value: contribution.partnerOrderRef, limit: HISTORY_MAX } as const;
  const countedOn = review?.countedOn ?? null;
  const [day, versions, ids, now] = await Promise.all([
    countedOn === null ? null : findCountedDay(db, partnerId, countedOn),
    listRuleVersions(db),
    searchContributionsOf(db, partnerId, order),
    readClock(db),
  ]);
  const orderHistory = ids.length === 0 ? [] : await findContributionsById(db, ids);
  const partner = await findPartner(db, partnerId);
  return {
    day: day ?? null,
    rules: rulesInForce(
      versions.filter(({ withdrawnAt }) => withdrawnAt === null),
      { partnerId, currency: partner?.currency ?? null },
      now,
    ),
    orderHistory: orderHistory.toSorted(
      (one, other) => one.contribution.createdAt.getTime() - other.contribution.createdAt.getTime(),
    ),
  };
}
