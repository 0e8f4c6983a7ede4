/** The versions of the rules that concern a partner. */
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';

export function useRulesInForce(partnerId: string | undefined) {
  return useQuery({
    queryKey: ['rules-in-force', partnerId],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/rules', { params: { path: { partner_id: partnerId ?? '' } } })),
    enabled: partnerId !== undefined,
  });
}

/** That start later. */
export function useUpcomingRules(partnerId: string | undefined) {
  return useQuery({
    queryKey: ['rules-upcoming', partnerId],
    queryFn: () => {
      const query = { partner_id: partnerId ?? '', standing: 'upcoming', sort: 'starts_at' } as const;
      return answerOf(client.GET('/operator/v1/rules', { params: { query } }));
    },
    enabled: partnerId !== undefined,
  });
}
