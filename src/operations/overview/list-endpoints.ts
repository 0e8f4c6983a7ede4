import type { EndpointHealth } from '../../domain/webhooks/endpoint-health.ts';
import type { Database } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { countUndeliveredOfEndpoints } from '../../store/webhooks/endpoint-activity.ts';
import { listUndeliveredEndpoints, type Undelivered } from '../../store/webhooks/undelivered-endpoint.ts';
import {
  type EndpointOrder,
  findListedEndpoints,
  type ListedEndpoint,
  listEndpointsInOrder,
  type WebhookEndpoint,
} from '../../store/webhooks/webhook-endpoint.ts';
import { type FilteredPage, inOrderOf, readFilteredPage, wantedBy } from '../filtered-page.ts';

export interface EndpointFilter {
  readonly partnerId?: string | undefined;
  readonly state?: ListedEndpoint['state'] | undefined;
  /** Only those with such deliveries. */
  readonly undelivered?: Undelivered | undefined;
}

export interface CountedEndpoint extends WebhookEndpoint, EndpointHealth {
  /** What waits, is held or is exhausted: `UNDELIVERED_MAX + 1` where there is more. */
  readonly undelivered: number;
}

/** Endpoints of one partner or of all that are not removed. */
export async function listEndpointsForOperators(
  database: Pick<Database, 'pool' | 'isDistributed'>,
  filter: EndpointFilter,
  page: KeysetPage<EndpointOrder>,
): Promise<FilteredPage<CountedEndpoint>> {
  const { state, undelivered: wanted } = filter;
  const looked = await readFilteredPage({
    page,
    read: (part) =>
      wanted === undefined
        ? listEndpointsInOrder(database.pool, filter, part)
        : listUndeliveredEndpoints(database, { ...filter, undelivered: wanted }, part),
    isWanted: wanted === undefined && isListOf(state, page) ? undefined : wantedBy({ state }),
  });
  const ids = looked.page.map(({ endpointId }) => endpointId);
  const [found, undelivered] = await Promise.all([
    findListedEndpoints(database, looked.page),
    countUndeliveredOfEndpoints(database, looked.page),
  ]);
  const counted = found.map((endpoint) => ({ ...endpoint, undelivered: undelivered.get(endpoint.endpointId) ?? 0 }));
  return { ...looked, page: inOrderOf(ids, counted, ({ endpointId }) => endpointId) };
}

/** Whether the list that is read has no other state. */
function isListOf(state: EndpointFilter['state'], { order }: KeysetPage<EndpointOrder>): boolean {
  return state === 'failing' || (state === 'disabled' && order.by === 'created_at');
}
