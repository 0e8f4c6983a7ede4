import { DELIVERY_LEASE_MS } from '../../domain/webhooks/delivery-lease.ts';
import type { Database } from '../../store/database.ts';
import { type ClaimedDelivery, claimDeliveries } from '../../store/webhooks/delivery.ts';
import type { DueEndpoint } from '../../store/webhooks/due-endpoint.ts';
import { updateEndpointDueFrom } from '../../store/webhooks/endpoint-health.ts';

/** The longest time from a transaction's recorded time to its commit. A later commit is not seen until `reopenDue` finds it. */
export const COMMITTED_WITHIN_MS = 10_000;

/**
 * Claims due deliveries of an endpoint, and records from when on the next ones are due: dead rows that another snapshot keeps are then
 * not read again.
 */
export async function claimDue(
  { pool }: Pick<Database, 'pool'>,
  endpoint: Pick<DueEndpoint, 'partnerId' | 'endpointId' | 'dueFrom'>,
  limit: number,
): Promise<readonly ClaimedDelivery[]> {
  const { deliveries, dueFrom } = await claimDeliveries(pool, endpoint, { limit, leaseMs: DELIVERY_LEASE_MS });
  const next = new Date((dueFrom?.getTime() ?? 0) - COMMITTED_WITHIN_MS);
  // Rarely: each time leaves a dead row.
  if (next.getTime() - endpoint.dueFrom.getTime() >= COMMITTED_WITHIN_MS) await updateEndpointDueFrom(pool, endpoint, next);
  return deliveries;
}
