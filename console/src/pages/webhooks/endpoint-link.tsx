import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import { AddressLink } from '../../parts/address-link.tsx';

/** An address changes never; a removed endpoint has none any more. */
const KEPT_MS = 300_000;

interface EndpointLinkProps {
  readonly partnerId: string;
  readonly endpointId: string;
}

/** The way to an endpoint, by its address; by its id where it is removed. */
export function EndpointLink(endpoint: EndpointLinkProps) {
  return (
    <AddressLink to={`/webhooks/${endpoint.partnerId}/${endpoint.endpointId}`}>
      <EndpointAddress {...endpoint} />
    </AddressLink>
  );
}

export function EndpointAddress({ partnerId, endpointId }: EndpointLinkProps) {
  return (
    <bdi dir="ltr" title={endpointId}>
      {useEndpointAddress(partnerId, endpointId)}
    </bdi>
  );
}

/** The id until the address is known. */
export function useEndpointAddress(partnerId: string, endpointId: string | undefined = ''): string {
  const path = { partner_id: partnerId, endpoint_id: endpointId };
  const endpoint = useQuery({
    queryKey: ['endpoint-address', path],
    queryFn: () => answerOf(client.GET('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}', { params: { path } })),
    enabled: endpointId !== '',
    staleTime: KEPT_MS,
    refetchInterval: false,
  });
  return endpoint.data?.url ?? endpointId;
}
