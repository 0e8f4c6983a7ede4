import type { Actor } from '../../domain/access/role.ts';
import { DELIVERY_BYTES } from '../../domain/quotas/stored-bytes.ts';
import { recordNotFound } from '../../domain/service-error.ts';
import { ATTEMPTS_MAX } from '../../domain/webhooks/retry-schedule.ts';
import { audit } from '../../operations/audit/audit.ts';
import { type StorageUsage, UNCOUNTED } from '../../operations/quotas/storage-usage.ts';
import { withRole } from '../../operations/with-role.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { findSequenceBefore } from '../../store/events/find-sequence-before.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { type DeliveryAttemptRecord, listDeliveryAttempts } from '../../store/webhooks/attempt-log.ts';
import { findDelivery, type LoggedDelivery } from '../../store/webhooks/delivery-log.ts';
import { closeEndpointBreaker } from '../../store/webhooks/endpoint-health.ts';
import { watchEndpoints } from '../../store/webhooks/endpoint-watch.ts';
import { insertReplayedDeliveries, recoverDeliveries, resendDelivery } from '../../store/webhooks/resent-delivery.ts';
import { findWebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import { aboutEndpoint, deliveryNotFound, type FollowUp, followUp, refusal, unknownEndpoint } from './endpoint-context.ts';

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
 * Sends one delivery again at once, whatever its status, with all attempts again: the same event id and bytes.
 *
 * @throws ServiceError `forbidden`; `invalid_request` when there is none, or its endpoint was removed.
 */
export const resend = withRole(
  'operator',
  async (
    database: Database,
    actor: Actor,
    { partnerId, deliveryId }: { partnerId: string; deliveryId: string },
  ): Promise<LoggedDelivery> => {
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const before = await findDelivery(db, partnerId, deliveryId);
      if (!before) throw unknownDelivery(partnerId, deliveryId, actor);
      const delivery = await resendDelivery(db, partnerId, deliveryId, ATTEMPTS_MAX);
      if (!delivery)
        throw refusal(`The endpoint ${before.endpointId} of this delivery was removed, so nothing can be sent to it.`);
      await closeEndpointBreaker(db, delivery);
      await watchEndpoints(db, database, [delivery]);
      const record = ({ status, attempts }: LoggedDelivery) => ({ status, attempts });
      const entry = { action: 'delivery.resend', partnerId, subjectId: deliveryId };
      await audit(db, actor, { ...entry, before: record(before), after: record(delivery) });
      return delivery;
    });
  },
);

export interface RecoveryRequest extends FollowUp {
  readonly partnerId: string;
  readonly endpointId: string;
  /** When the deliveries were exhausted, or when the events happened. */
  readonly since: Date;
}

export interface ReplayRequest extends RecoveryRequest {
  /** Counts what is made for a partner on its own request, and ends it with the quota of the day; operators have no quota. */
  readonly usage?: Pick<StorageUsage, 'count' | 'isSpent'>;
}

const DELIVERIES_AT_ONCE = 1_000;

/**
 * Sends deliveries of an endpoint again that were exhausted since then. Each thousand has its own transaction, with an audit entry.
 *
 * @returns How many.
 * @throws ServiceError `forbidden`; `invalid_request` when there is no such endpoint.
 */
export const recoverExhausted = withRole(
  'operator',
  async (database: Database, actor: Actor, request: RecoveryRequest): Promise<number> => {
    await requireEndpoint(database, actor, request);
    const page = { ...request, attemptsMax: ATTEMPTS_MAX, limit: DELIVERIES_AT_ONCE };
    let sum = 0;
    let last = { count: DELIVERIES_AT_ONCE, lastId: '' };
    while (last.count === DELIVERIES_AT_ONCE) {
      const { lastId } = last;
      last = await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
        const recovered = await recoverDeliveries(db, page, lastId);
        await recordRecovery(database, db, actor, { request, action: 'delivery.recover', count: recovered.count });
        return recovered;
      });
      sum += last.count;
      request.onProgress?.(sum);
    }
    await followUp(() => closeEndpointBreaker(database.pool, request), request);
    return sum;
  },
);

export interface Replayed {
  readonly count: number;
  /** Whether events are left, because the quota of bytes of the day is spent. */
  readonly hasMore: boolean;
}

/**
 * Sends events that an endpoint never got: all since then of a type that it subscribes to.
 *
 * @throws ServiceError `forbidden`; `invalid_request` when there is no such endpoint.
 */
export const replayMissing = withRole(
  'operator',
  async (database: Database, actor: Actor, { usage = UNCOUNTED, ...request }: ReplayRequest): Promise<Replayed> => {
    await requireEndpoint(database, actor, request);
    const page = { ...request, attemptsMax: ATTEMPTS_MAX, limit: DELIVERIES_AT_ONCE };
    let count = 0;
    let after: bigint | null = await findSequenceBefore(database.pool, request.partnerId, request.since);
    while (after !== null && !usage.isSpent(request.partnerId)) {
      const from = after;
      const { made, lastSequence } = await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
        const replayed = await insertReplayedDeliveries(db, page, from);
        await recordRecovery(database, db, actor, { request, action: 'delivery.replay-missing', count: replayed.made });
        return replayed;
      });
      usage.count(request.partnerId, made * DELIVERY_BYTES);
      count += made;
      after = lastSequence;
      request.onProgress?.(count);
    }
    return { count, hasMore: after !== null };
  },
);

interface RecordedRecovery {
  readonly request: RecoveryRequest;
  readonly action: string;
  readonly count: number;
}

/** Watches the endpoint and writes the entry of the audit. Does neither where nothing was made due. */
async function recordRecovery(
  database: Database,
  db: Queryable,
  actor: Actor,
  { request, action, count }: RecordedRecovery,
): Promise<void> {
  if (count === 0) return;
  await watchEndpoints(db, database, [request]);
  const after = { since: request.since, deliveries: count };
  await audit(db, actor, aboutEndpoint(request, { action, before: null, after }));
}

async function requireEndpoint({ pool }: Database, actor: Actor, { partnerId, endpointId }: RecoveryRequest): Promise<void> {
  if (!(await findWebhookEndpoint(pool, partnerId, endpointId))) throw unknownEndpoint({ partnerId, endpointId }, actor);
}

function unknownDelivery(partnerId: string, deliveryId: string, actor?: Actor) {
  if (actor?.isPartner) return deliveryNotFound();
  return recordNotFound(
    'delivery_id',
    `The partner ${partnerId} has no delivery ${deliveryId}. \`delivery list\` shows all that are kept.`,
  );
}
