import { idAt } from '../../domain/identifiers.ts';
import { DELIVERY_LEASE_MS } from '../../domain/webhooks/delivery-lease.ts';
import { BOUNDED_COUNT_MAX, type BoundedCount, bounded } from '../../operations/overview/read-overview.ts';
import { readClock } from '../../store/clock.ts';
import type { Queryable } from '../../store/database.ts';
import { type DeliveryAttemptRecord, findLastAttempt } from '../../store/webhooks/attempt-log.ts';
import { countDeliveriesOfEndpoint, type PeriodOutcome, readOutcomesOfEndpoint } from '../../store/webhooks/endpoint-activity.ts';
import { findEndpointFailedDelivery } from '../../store/webhooks/endpoint-health.ts';
import type { EndpointId } from '../../store/webhooks/webhook-endpoint.ts';
import { getEndpoint } from './manage-endpoint.ts';

/** The last attempt of a delivery that failed. */
export type FailedAttempt = DeliveryAttemptRecord & { readonly deliveryId: string };

/** What an operator looks for at an endpoint. */
export interface EndpointActivity {
  /** What waits for the endpoint; 0 while it is disabled. */
  readonly waiting: BoundedCount;
  /** What the service holds for a disabled endpoint; 0 while it is active. */
  readonly held: BoundedCount;
  readonly exhausted: BoundedCount;
  /** The delivery for which the service disabled it or its circuit is open, with its last attempt; `null` where none is kept. */
  readonly stoppedBy: FailedAttempt | null;
  /**
   * The last failed attempt where the endpoint fails and is not paused, or failed when an operator disabled it; `null` where none is kept.
   */
  readonly lastFailure: FailedAttempt | null;
  /** What became of the events of each of the last 24 hours, the earliest first. */
  readonly hours: readonly (Omit<PeriodOutcome, 'lookedAt'> & { readonly from: Date; readonly isMore: boolean })[];
}

const HOURS = 24;
const HOUR_MS = 3_600_000;
/** The most deliveries of the partner that are looked at for each hour. */
export const LOOKED_AT_OF_HOUR = 100;
const NONE: BoundedCount = { count: 0, isMore: false };

/**
 * It reads as much as it shows, however many deliveries there are.
 *
 * @throws ServiceError `invalid_request` when there is no such endpoint.
 */
export async function readEndpointActivity(db: Queryable, id: EndpointId): Promise<EndpointActivity> {
  const { status } = await getEndpoint(db, id.partnerId, id.endpointId);
  const [counts, failure, hours] = await Promise.all([
    countDeliveriesOfEndpoint(db, id, BOUNDED_COUNT_MAX + 1),
    readFailure(db, id),
    readHours(db, id),
  ]);
  const unended = bounded(counts.unended);
  const [waiting, held] = status === 'disabled' ? [NONE, unended] : [unended, NONE];
  return { waiting, held, exhausted: bounded(counts.exhausted), ...failure, hours };
}

async function readFailure(db: Queryable, id: EndpointId): Promise<Pick<EndpointActivity, 'stoppedBy' | 'lastFailure'>> {
  const none = { stoppedBy: null, lastFailure: null };
  const failed = await findEndpointFailedDelivery(db, id);
  if (!failed) return none;
  const { deliveryId, failingSince, isStopped } = failed;
  const last = await findLastAttempt(db, id.partnerId, deliveryId);
  if (!last) return none;
  const attempt = { ...last, deliveryId };
  if (isStopped) return { ...none, stoppedBy: attempt };
  // One from before the last success has nothing to do with why it fails now. An attempt is recorded within its lease.
  const isOfNow = failingSince !== null && attempt.startedAt.getTime() >= failingSince.getTime() - DELIVERY_LEASE_MS;
  return { ...none, lastFailure: isOfNow ? attempt : null };
}

async function readHours(db: Queryable, id: EndpointId): Promise<EndpointActivity['hours']> {
  const now = await readClock(db);
  const lastMs = now.getTime() - (now.getTime() % HOUR_MS);
  const starts = Array.from({ length: HOURS }, (_, index) => lastMs - (HOURS - 1 - index) * HOUR_MS);
  const periods = starts.map((startMs) => ({ fromId: idAt('dlv', startMs), toId: idAt('dlv', startMs + HOUR_MS) }));
  const outcomes = await readOutcomesOfEndpoint(db, id, { periods, limit: LOOKED_AT_OF_HOUR });
  return outcomes.map(({ lookedAt, ...outcome }, index) => ({
    ...outcome,
    from: new Date(starts[index] as number),
    isMore: lookedAt === LOOKED_AT_OF_HOUR,
  }));
}
