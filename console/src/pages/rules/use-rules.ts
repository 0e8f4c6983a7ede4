/** The versions of the rules that concern a partner. */
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';

type InForceRules = components['schemas']['RulesInForce'];

export const KINDS = [
  'contribution_rule',
  'point_conversion',
  'tree_cost',
] as const satisfies readonly components['schemas']['Rule']['kind'][];

/** The kinds whose default is in force, because the partner has no version of them. */
export function defaultKinds(rules: InForceRules): readonly (typeof KINDS)[number][] {
  return KINDS.filter((kind) => rules[`${kind}_version`] === 'default-1');
}

export function useRulesInForce(partnerId: string | undefined) {
  return useQuery({
    queryKey: ['rules-in-force', partnerId],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/rules', { params: { path: { partner_id: partnerId ?? '' } } })),
    enabled: partnerId !== undefined,
  });
}

/** That start later. Of a price in another currency than the partner's nothing comes into force for it. */
export function useUpcomingRules(partnerId: string | undefined, currency: string | null) {
  return useQuery({
    queryKey: ['rules-upcoming', partnerId],
    queryFn: () => {
      const query = { partner_id: partnerId ?? '', standing: 'upcoming', sort: 'starts_at' } as const;
      return answerOf(client.GET('/operator/v1/rules', { params: { query } }));
    },
    select: ({ rules }) =>
      rules.filter((rule) => rule.kind === 'contribution_rule' || rule.currency === null || rule.currency === currency),
    enabled: partnerId !== undefined,
  });
}
