import { LOOKED_AT_MAX, wantedBy } from '../../operations/filtered-page.ts';
import type { Queryable } from '../../store/database.ts';
import type { DeliveryStatus } from '../../store/webhooks/delivery.ts';
import {
  type LoggedDelivery,
  listDeliveries,
  listDeliveriesBetween,
  listUnendedIds,
  lookAtDeliveries,
} from '../../store/webhooks/delivery-log.ts';

/** After every possible id: where the first page begins. */
export const LATEST_DELIVERY = 'dlv_zzzz';

interface Source {
  readonly pool: Queryable;
  readonly isDistributed: boolean;
}

interface Wanted {
  readonly partnerId: string;
  /** Only those to this endpoint. */
  readonly endpointId: string | undefined;
  readonly status: DeliveryStatus | undefined;
  /** Only those that sort before it, which are older. */
  readonly beforeId: string;
  readonly limit: number;
}

export interface DeliveryPage {
  /** The newest first. It may be short, or empty, although more follow. */
  readonly deliveries: readonly LoggedDelivery[];
  /** Where the next page begins. */
  readonly lastId: string;
  readonly hasMore: boolean;
}

/**
 * Lists the deliveries of a partner, or those to one endpoint. It reads {@link LOOKED_AT_MAX} deliveries at most that are not on the page;
 * of the exhausted and the failed ones of a whole partner it reads all, for they are few and stand anywhere.
 */
export async function listDeliveryPage(database: Source, wanted: Wanted): Promise<DeliveryPage> {
  const { pool, isDistributed } = database;
  const { partnerId, beforeId, limit } = wanted;
  if (await isFoundByIndex(database, wanted)) {
    const found = await listDeliveries(pool, partnerId, { ...wanted, isDistributed, limit: limit + 1 });
    return pageOf(found, limit, { lastId: found.at(-1)?.deliveryId ?? beforeId, hasMore: false });
  }
  const { lastId, count } = await lookAtDeliveries(pool, partnerId, { beforeId, limit: LOOKED_AT_MAX });
  if (lastId === null) return { deliveries: [], lastId: beforeId, hasMore: false };
  const found = await listDeliveriesBetween(pool, { ...wanted, fromId: lastId, limit: limit + 1 });
  return pageOf(found, limit, { lastId, hasMore: count === LOOKED_AT_MAX });
}

/** Lists the deliveries of one event. It reads {@link LOOKED_AT_MAX} of them at most. */
export async function listDeliveryPageOfEvent(
  { pool }: Pick<Source, 'pool'>,
  { partnerId, endpointId, status, beforeId, limit, eventId }: Wanted & { readonly eventId: string },
): Promise<DeliveryPage> {
  const found = await listDeliveries(pool, partnerId, { eventId, beforeId, limit: LOOKED_AT_MAX });
  const isWanted = wantedBy({ endpointId, status }) ?? (() => true);
  const end = { lastId: found.at(-1)?.deliveryId ?? beforeId, hasMore: found.length === LOOKED_AT_MAX };
  return pageOf(found.filter(isWanted), limit, end);
}

/** Of a whole partner, the list has this order; so has what was exhausted at an endpoint. What waits has another: few are sorted. */
async function isFoundByIndex({ pool }: Pick<Source, 'pool'>, { status, ...wanted }: Wanted): Promise<boolean> {
  if (status === 'exhausted') return true;
  if (wanted.endpointId === undefined && (status === undefined || status === 'failed')) return true;
  if (status !== 'waiting' && status !== 'held' && status !== 'dropped') return false;
  return (await listUnendedIds(pool, wanted, LOOKED_AT_MAX)).length < LOOKED_AT_MAX;
}

function pageOf(found: readonly LoggedDelivery[], limit: number, end: Omit<DeliveryPage, 'deliveries'>): DeliveryPage {
  const deliveries = found.slice(0, limit);
  const last = deliveries.at(-1);
  if (found.length > limit && last) return { deliveries, lastId: last.deliveryId, hasMore: true };
  return { deliveries, ...end };
}
