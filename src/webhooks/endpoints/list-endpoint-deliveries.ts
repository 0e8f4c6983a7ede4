import { LOOKED_AT_MAX } from '../../operations/filtered-page.ts';
import type { Database } from '../../store/database.ts';
import type { DeliveryStatus } from '../../store/webhooks/delivery.ts';
import {
  type LoggedDelivery,
  listDeliveries,
  listDeliveriesBetween,
  listUnendedIds,
  lookAtDeliveries,
} from '../../store/webhooks/delivery-log.ts';

interface Wanted {
  readonly partnerId: string;
  readonly endpointId: string;
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

/** Lists the deliveries to an endpoint. It reads {@link LOOKED_AT_MAX} deliveries at most that are not on the page. */
export async function listEndpointDeliveries(
  database: Pick<Database, 'pool' | 'isDistributed'>,
  wanted: Wanted,
): Promise<DeliveryPage> {
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

/** What has failed has an index in this order. What waits has one in another order: few are sorted. */
async function isFoundByIndex({ pool }: Pick<Database, 'pool'>, { status, ...endpoint }: Wanted): Promise<boolean> {
  if (status === 'exhausted') return true;
  if (status !== 'waiting' && status !== 'held' && status !== 'dropped') return false;
  return (await listUnendedIds(pool, endpoint, LOOKED_AT_MAX)).length < LOOKED_AT_MAX;
}

function pageOf(found: readonly LoggedDelivery[], limit: number, end: Omit<DeliveryPage, 'deliveries'>): DeliveryPage {
  const deliveries = found.slice(0, limit);
  const last = deliveries.at(-1);
  if (found.length > limit && last) return { deliveries, lastId: last.deliveryId, hasMore: true };
  return { deliveries, ...end };
}
