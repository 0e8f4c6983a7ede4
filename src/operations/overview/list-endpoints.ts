import type { Queryable } from '../../store/database.ts';
import { type EndpointState, listEndpointStates } from '../../store/webhooks/delivery-backlog.ts';
import {
  type EndpointHealth,
  findWebhookEndpoint,
  listAllWebhookEndpoints,
  listWebhookEndpoints,
  type WebhookEndpoint,
} from '../../store/webhooks/webhook-endpoint.ts';

export interface EndpointFilter {
  readonly partnerId: string | undefined;
  readonly state: 'disabled' | 'failing' | undefined;
  readonly afterId: string;
  readonly limit: number;
}

export interface EndpointPage {
  readonly endpoints: readonly (WebhookEndpoint & EndpointHealth)[];
  readonly hasMore: boolean;
}

/** Endpoints of one partner or of all, in the order of their making. */
export async function listEndpointsForOperators(db: Queryable, filter: EndpointFilter): Promise<EndpointPage> {
  const { limit } = filter;
  const ids = await listIds(db, filter);
  const found = await Promise.all(
    ids.slice(0, limit).map(({ partnerId, endpointId }) => findWebhookEndpoint(db, partnerId, endpointId)),
  );
  return { endpoints: found.flatMap((endpoint) => endpoint ?? []), hasMore: ids.length > limit };
}

/** One more than is asked for, where there is more. */
async function listIds(
  db: Queryable,
  { partnerId, state, afterId, limit }: EndpointFilter,
): Promise<readonly { readonly partnerId: string; readonly endpointId: string }[]> {
  const inOrder = (one: { endpointId: string }, other: { endpointId: string }) => (one.endpointId < other.endpointId ? -1 : 1);
  if (state !== undefined || partnerId !== undefined) {
    const states = state === undefined ? [] : await listEndpointStates(db);
    const known = state === undefined ? await listWebhookEndpoints(db, partnerId as string) : states.filter(isIn(state));
    const own = known.filter((each) => partnerId === undefined || each.partnerId === partnerId);
    return own
      .filter(({ endpointId }) => endpointId > afterId)
      .toSorted(inOrder)
      .slice(0, limit + 1);
  }
  const page = await listAllWebhookEndpoints(db, { afterId, ids: null, limit: limit + 1 });
  return page;
}

function isIn(wanted: 'disabled' | 'failing') {
  return ({ state }: EndpointState) =>
    wanted === 'disabled' ? state === 'disabled' : state !== 'disabled' && state !== 'healthy';
}
