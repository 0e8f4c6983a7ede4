import type { Database } from '../database.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { rowOf } from '../query.ts';
import { IS_EXHAUSTED } from './delivery.ts';
import { endpointsWith, IS_WAITING } from './delivery-backlog.ts';
import { HEALTH_JOIN } from './endpoint-health.ts';
import { HANDED_OVER } from './hand-over.ts';
import { ENDPOINTS_IN_ORDER, type EndpointOrder, type ListedEndpoint } from './webhook-endpoint.ts';

/** `waiting`: deliveries wait for an active endpoint. `exhausted`: the attempts of deliveries are spent, and nobody sent them again. */
export const UNDELIVERED = ['waiting', 'exhausted'] as const;

export type Undelivered = (typeof UNDELIVERED)[number];

const KEY = { partnerId: 'b.partner_id', key: 'endpoint_id', value: 'b.endpoint_id' };
const WITH_RECORDS = `b cross join lateral ${rowOf('webhook_endpoint', KEY)} e cross join lateral ${rowOf('endpoint_health', KEY)} h`;
const WITH_RECORDS_ANYWHERE = `b join webhook_endpoint e on e.partner_id = b.partner_id and e.endpoint_id = b.endpoint_id ${HEALTH_JOIN}`;
const FOUND = 'select b.partner_id, b.endpoint_id from b';

/** On a distributed database each node finds its rows. */
const anywhere = (condition: string) =>
  `(select d.partner_id, d.endpoint_id from delivery d where ${condition} group by d.partner_id, d.endpoint_id) ${WITH_RECORDS_ANYWHERE}`;

/** What the backlog counts, found as it is counted there. */
const FROM: Readonly<Record<Undelivered, { readonly oneServer: string; readonly anywhere: string }>> = {
  waiting: {
    oneServer: `(${endpointsWith(IS_WAITING, 'next_attempt_at')} ${FOUND}
      union select d.partner_id, d.endpoint_id from delivery_hand_over h ${HANDED_OVER}) ${WITH_RECORDS}`,
    anywhere: anywhere(IS_WAITING),
  },
  exhausted: {
    oneServer: `(${endpointsWith(IS_EXHAUSTED, 'delivery_id')} ${FOUND}) ${WITH_RECORDS}`,
    anywhere: anywhere(IS_EXHAUSTED),
  },
};

/**
 * Lists the endpoints of one partner, or of all partners, with such deliveries. In the order of `failing_since` it lists only those that
 * fail. It costs as much as there are such endpoints; on a distributed database as much as there are such deliveries.
 */
export async function listUndeliveredEndpoints(
  { pool, isDistributed }: Pick<Database, 'pool' | 'isDistributed'>,
  { partnerId, undelivered }: { readonly partnerId?: string | undefined; readonly undelivered: Undelivered },
  page: KeysetPage<EndpointOrder>,
): Promise<(ListedEndpoint & Placed)[]> {
  const isByFailure = page.order.by === 'failing_since';
  const isListed = undelivered === 'waiting' || isByFailure ? "e.status = 'active'" : "e.status <> 'removed'";
  const list: KeysetList<EndpointOrder> = {
    ...ENDPOINTS_IN_ORDER,
    name: `list_endpoints_with_${undelivered}`,
    from: FROM[undelivered][isDistributed ? 'anywhere' : 'oneServer'],
    where: `${isListed}${isByFailure ? ' and h.failing_since is not null' : ''}`,
  };
  return listByKeyset(pool, list, { 'b.partner_id': partnerId }, page);
}
