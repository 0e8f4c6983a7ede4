import { ATTEMPTS_MAX } from '../domain/delivery-schedule.ts';
import type { Database } from '../store/database.ts';
import {
  type DeliveryAttemptRecord,
  findDelivery,
  insertReplayedDeliveries,
  type LoggedDelivery,
  listDeliveryAttempts,
  recoverDeliveries,
  resendDelivery,
} from '../store/delivery-log.ts';
import { closeEndpointBreaker, findWebhookEndpoint } from '../store/webhook-endpoint.ts';
import { refusal, unknownEndpoint } from './endpoint-tools.ts';

export interface DeliveryWithAttempts extends LoggedDelivery {
  /** The oldest first. */
  readonly log: readonly DeliveryAttemptRecord[];
}

/** @throws ServiceError `invalid_request` when there is none. */
export async function getDelivery({ pool }: Database, partnerId: string, deliveryId: string): Promise<DeliveryWithAttempts> {
  const delivery = await findDelivery(pool, partnerId, deliveryId);
  if (!delivery) throw unknownDelivery(partnerId, deliveryId);
  return { ...delivery, log: await listDeliveryAttempts(pool, partnerId, deliveryId) };
}

/**
 * Sends one delivery again at once, whatever became of it, with all its attempts anew: the same event id and bytes.
 *
 * @throws ServiceError `invalid_request` when there is none, or its endpoint was removed.
 */
export async function resend({ pool }: Database, partnerId: string, deliveryId: string): Promise<LoggedDelivery> {
  const before = await findDelivery(pool, partnerId, deliveryId);
  if (!before) throw unknownDelivery(partnerId, deliveryId);
  const delivery = await resendDelivery(pool, partnerId, deliveryId, ATTEMPTS_MAX);
  if (!delivery) throw refusal(`The endpoint ${before.endpointId} of this delivery was removed: nothing can be sent to it.`);
  await closeEndpointBreaker(pool, delivery);
  return delivery;
}

export interface RecoveryRequest {
  readonly partnerId: string;
  readonly endpointId: string;
  /** Of the deliveries' making, or of the events' happening. */
  readonly since: Date;
  readonly onProgress?: (sum: number) => void;
}

const DELIVERIES_AT_ONCE = 1_000;

/**
 * Sends again what was given up: the deliveries of an endpoint, made since then, whose attempts are spent.
 *
 * @returns How many.
 * @throws ServiceError `invalid_request` when there is no such endpoint.
 */
export async function recoverExhausted(database: Database, request: RecoveryRequest): Promise<number> {
  await requireEndpoint(database, request);
  const page = { ...request, attemptsMax: ATTEMPTS_MAX, limit: DELIVERIES_AT_ONCE };
  let sum = 0;
  for (let recovered = DELIVERIES_AT_ONCE; recovered === DELIVERIES_AT_ONCE; request.onProgress?.(sum)) {
    recovered = await recoverDeliveries(database.pool, page);
    sum += recovered;
  }
  await closeEndpointBreaker(database.pool, request);
  return sum;
}

/**
 * Sends events that an endpoint never got: all that happened since then and are of a kind that it wants.
 *
 * @returns How many.
 * @throws ServiceError `invalid_request` when there is no such endpoint.
 */
export async function replayMissing(database: Database, request: RecoveryRequest): Promise<number> {
  await requireEndpoint(database, request);
  const page = { ...request, attemptsMax: ATTEMPTS_MAX, limit: DELIVERIES_AT_ONCE };
  let [sum, after] = [0, 0n as bigint | null];
  while (after !== null) {
    const { made, lastSequence } = await insertReplayedDeliveries(database.pool, page, after);
    sum += made;
    after = lastSequence;
    request.onProgress?.(sum);
  }
  return sum;
}

async function requireEndpoint({ pool }: Database, { partnerId, endpointId }: RecoveryRequest): Promise<void> {
  if (!(await findWebhookEndpoint(pool, partnerId, endpointId))) throw unknownEndpoint(partnerId, endpointId);
}

function unknownDelivery(partnerId: string, deliveryId: string) {
  return refusal(`The partner ${partnerId} has no delivery ${deliveryId}. \`delivery list\` shows all that are kept.`);
}
