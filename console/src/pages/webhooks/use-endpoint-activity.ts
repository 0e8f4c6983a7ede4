import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { LIVE_MS } from '../../app/query-client.ts';

export type EndpointActivity = components['schemas']['EndpointActivity'];

const WAITING_MS = 2_000;

/** After how many milliseconds an endpoint is looked at again: what waits goes within moments where the endpoint takes it. */
export function paceOf(activity: EndpointActivity | undefined): number {
  return activity && activity.waiting.count > 0 ? WAITING_MS : LIVE_MS;
}

/** What waits at an endpoint, what stopped it, and its last day: read once for all parts of its page. */
export function useEndpointActivity(partnerId: string, endpointId: string): UseQueryResult<EndpointActivity> {
  const path = { partner_id: partnerId, endpoint_id: endpointId };
  const activity = useQuery({
    queryKey: ['endpoint-activity', path],
    refetchInterval: ({ state }) => paceOf(state.data),
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}/activity', { params: { path } })),
  });
  useFollowing(activity.data, partnerId, endpointId);
  return activity;
}

/** Where the counts have changed, the health and the list of deliveries have too: they are read again, so that the page agrees with itself. */
function useFollowing(activity: EndpointActivity | undefined, partnerId: string, endpointId: string): void {
  const queries = useQueryClient();
  const counts = activity && [activity.waiting, activity.held, activity.exhausted].map(({ count }) => count).join();
  const known = useRef(counts);
  useEffect(() => {
    if (known.current !== undefined && known.current !== counts) {
      void queries.invalidateQueries({ queryKey: ['endpoint', { partner_id: partnerId, endpoint_id: endpointId }] });
      void queries.invalidateQueries({ queryKey: ['deliveries', partnerId] });
    }
    known.current = counts;
  }, [queries, counts, partnerId, endpointId]);
}
