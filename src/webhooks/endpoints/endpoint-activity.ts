import { idAt } from '../../domain/identifiers.ts';
import { type BoundedCount, bounded, COUNTED_MAX } from '../../operations/overview/read-overview.ts';
import { readClock } from '../../store/clock.ts';
import type { Queryable } from '../../store/database.ts';
import { type LastAttempt, listLastAttempts } from '../../store/webhooks/delivery-log.ts';
import { countDeliveriesOfEndpoint, type PeriodOutcome, readOutcomesOfEndpoint } from '../../store/webhooks/endpoint-activity.ts';
import { findEndpointStoppedBy } from '../../store/webhooks/endpoint-health.ts';
import type { EndpointId } from './endpoint-context.ts';
import { getEndpoint } from './manage-endpoint.ts';

/** What an operator looks for at an endpoint. */
export interface EndpointActivity {
  /** Of an active endpoint. */
  readonly waiting: BoundedCount;
  /** Of a disabled one. */
  readonly held: BoundedCount;
  readonly exhausted: BoundedCount;
  /** The delivery for which it is disabled or its circuit is open, with its last attempt; `null` where none is kept. */
  readonly stoppedBy: (LastAttempt & { readonly deliveryId: string }) | null;
  /** Of the last 24 hours, the earliest first: what became of the events of each. */
  readonly hours: readonly (Omit<PeriodOutcome, 'lookedAt'> & { readonly from: Date; readonly isMore: boolean })[];
}

const HOURS = 24;
const HOUR_MS = 3_600_000;
/** Of each hour, among all deliveries of the partner. */
export const LOOKED_AT_OF_HOUR = 100;
const NONE: BoundedCount = { count: 0, isMore: false };

/**
 * It reads as much as it shows, however many deliveries there are.
 *
 * @throws ServiceError `invalid_request` when there is no such endpoint.
 */
export async function readEndpointActivity(db: Queryable, id: EndpointId): Promise<EndpointActivity> {
  const { status } = await getEndpoint(db, id.partnerId, id.endpointId);
  const [counts, stoppedBy, hours] = await Promise.all([
    countDeliveriesOfEndpoint(db, id, COUNTED_MAX + 1),
    readStoppedBy(db, id),
    readHours(db, id),
  ]);
  const unended = bounded(counts.unended);
  const [waiting, held] = status === 'disabled' ? [NONE, unended] : [unended, NONE];
  return { waiting, held, exhausted: bounded(counts.exhausted), stoppedBy, hours };
}

async function readStoppedBy(db: Queryable, id: EndpointId): Promise<EndpointActivity['stoppedBy']> {
  const deliveryId = await findEndpointStoppedBy(db, id);
  if (deliveryId === undefined) return null;
  const attempt = (await listLastAttempts(db, id.partnerId, [deliveryId])).get(deliveryId);
  return attempt ? { ...attempt, deliveryId } : null;
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
