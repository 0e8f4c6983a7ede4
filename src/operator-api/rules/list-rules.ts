import { ruleSubject } from '../../operations/rules/verified-rules.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { readClock } from '../../store/clock.ts';
import { listRuleVersions, type RuleRecord } from '../../store/rules/rule-version.ts';
import { pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, oneOf } from '../schema-parts.ts';
import { sorting } from '../sorting.ts';
import { pageOfWhole } from '../whole-list.ts';
import { Kind, RULE_STANDINGS, Rule, ruleToWire, standingsOf } from './rule-schemas.ts';

const id = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }));
const order = sorting(['starts_at', 'created_at', 'kind'], '-starts_at');

export const listRules = operatorRoute({
  operation: 'listRules',
  method: 'GET',
  path: '/operator/v1/rules',
  tag: 'Rules',
  summary: 'List all versions of rules',
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...order.member,
      kind: Type.Optional(Kind),
      partner_id: id('Only those that can apply to this partner.'),
      standing: Type.Optional(oneOf(RULE_STANDINGS, 'Only those that stand so.')),
    },
    closed,
  ),
  answer: pageOf('RulePage', 'rules', Rule, 'The versions of the page.'),
  async handle({ tools: { database }, query }) {
    const { kind, partner_id: partnerId, standing } = query;
    const all = await listRuleVersions(database.pool);
    const standingOf = standingsOf(all, await readClock(database.pool));
    const wanted = all.filter(
      (rule) =>
        (kind === undefined || rule.kind === kind) &&
        (partnerId === undefined || rule.partnerId === null || rule.partnerId === partnerId) &&
        (standing === undefined || standing === standingOf(rule)),
    );
    const sorted = sortedPage('listRules', order, query, [kind, partnerId, standing]);
    const { page, end } = pageOfWhole(wanted, sorted, (rule, by) => [keyOf(rule, by), ruleSubject(rule)]);
    return { rules: page.map((rule) => ruleToWire(rule, standingOf(rule))), ...end };
  },
});

function keyOf(rule: RuleRecord, by: 'starts_at' | 'created_at' | 'kind'): string {
  if (by === 'kind') return `${rule.kind} ${rule.startsAt.toISOString()}`;
  return (by === 'starts_at' ? rule.startsAt : rule.createdAt).toISOString();
}
