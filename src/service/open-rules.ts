import type { ContributionRules } from '../domain/rules/contribution-rules.ts';
import { openRuleCache, type RuleCache } from '../operations/rules/rule-cache.ts';
import type { Database } from '../store/database.ts';
import { correctIdentifierClock } from './identifier-clock.ts';
import type { ReportErrors } from './report-errors.ts';

/** The rules in the database, or those that replace them. */
export function openRules(
  database: Database,
  rulesOf: ((partnerId: string) => ContributionRules) | undefined,
  report: ReportErrors,
  countUnverified: () => void,
): RuleCache {
  if (rulesOf) return { rulesOf: ({ partnerId }) => rulesOf(partnerId), close() {} };
  return openRuleCache(database, {
    onError: report('warn', 'the rules could not be read; the service tries again'),
    onUnverified: report(
      'error',
      'a rule differs from the audit: where it would be in force, confirmations are answered with 503; `rule verify` names all',
    ),
    onRefused: countUnverified,
    onClock: correctIdentifierClock,
  });
}
