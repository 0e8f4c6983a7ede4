import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import { AddressLink } from '../../parts/address-link.tsx';

/** An address changes never; a removed endpoint has none any more. */
const KEPT_MS = 300_000;

/** The way to an endpoint, by its address; by its id where it is removed. */
export function EndpointLink({ partnerId, endpointId }: { readonly partnerId: string; readonly endpointId: string }) {
  const path = { partner_id: partnerId, endpoint_id: endpointId };
  const endpoint = useQuery({
    queryKey: ['endpoint-address', path],
    queryFn: () => answerOf(client.GET('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}', { params: { path } })),
    staleTime: KEPT_MS,
    refetchInterval: false,
  });
  return (
    <AddressLink to={`/webhooks/${partnerId}/${endpointId}`}>
      <bdi dir="ltr" title={endpointId}>
        {endpoint.data?.url ?? endpointId}
      </bdi>
    </AddressLink>
  );
}
