import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';

export type EndpointActivity = components['schemas']['EndpointActivity'];

/** What waits at an endpoint, what stopped it, and its last day: read once for all parts of its page. */
export function useEndpointActivity(partnerId: string, endpointId: string): UseQueryResult<EndpointActivity> {
  const path = { partner_id: partnerId, endpoint_id: endpointId };
  return useQuery({
    queryKey: ['endpoint-activity', path],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}/activity', { params: { path } })),
  });
}
