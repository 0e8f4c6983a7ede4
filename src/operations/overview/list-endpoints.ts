import type { EndpointHealth } from '../../domain/webhooks/endpoint-circuit.ts';
import type { Queryable } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import {
  type EndpointOrder,
  findWebhookEndpoint,
  type ListedEndpoint,
  listEndpointsInOrder,
  type WebhookEndpoint,
} from '../../store/webhooks/webhook-endpoint.ts';
import { type LookedThrough, lookThrough, wantedBy } from '../look-through.ts';

export interface EndpointFilter {
  readonly partnerId?: string | undefined;
  readonly state?: ListedEndpoint['state'] | undefined;
}

/** Endpoints of one partner or of all that are not removed. */
export async function listEndpointsForOperators(
  db: Queryable,
  filter: EndpointFilter,
  page: KeysetPage<EndpointOrder>,
): Promise<LookedThrough<WebhookEndpoint & EndpointHealth>> {
  const { state } = filter;
  const looked = await lookThrough({
    page,
    read: (part) => listEndpointsInOrder(db, filter, part),
    isWanted: wantedBy({ state }),
  });
  const found = looked.page.map(({ partnerId, endpointId }) => findWebhookEndpoint(db, partnerId, endpointId));
  return { ...looked, page: (await Promise.all(found)).flatMap((endpoint) => endpoint ?? []) };
}
