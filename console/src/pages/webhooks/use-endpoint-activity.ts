import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { LIVE_MS } from '../../app/query-client.ts';

export type EndpointActivity = components['schemas']['EndpointActivity'];

const WAITING_MS = 2_000;

/** What waits at an endpoint, what stopped it, and its last day: read once for all parts of its page. */
export function useEndpointActivity(partnerId: string, endpointId: string): UseQueryResult<EndpointActivity> {
  const path = { partner_id: partnerId, endpoint_id: endpointId };
  return useQuery({
    queryKey: ['endpoint-activity', path],
    // What waits goes within moments where the endpoint takes it.
    refetchInterval: ({ state }) => (state.data && state.data.waiting.count > 0 ? WAITING_MS : LIVE_MS),
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}/activity', { params: { path } })),
  });
}
