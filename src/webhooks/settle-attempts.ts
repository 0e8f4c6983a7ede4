import { breakerPauseMs, isGivenUp } from '../domain/delivery-schedule.ts';
import { type Database, inTransaction, type Queryable } from '../store/database.ts';
import { type Attempt, holdDeliveries, recordAttempts } from '../store/delivery.ts';
import {
  clearEndpointHealth,
  type EndpointHealth,
  findWebhookEndpoint,
  lockEndpointHealth,
  lockEventCounter,
  updateEndpointHealth,
  updateWebhookEndpoint,
  type WebhookEndpoint,
} from '../store/webhook-endpoint.ts';

const LOCK_TIMEOUT_MS = 4_000;
const GONE = 410;

type EndpointId = Pick<WebhookEndpoint, 'partnerId' | 'endpointId'>;

/** Writes attempts of one partner down: what became of their deliveries, and how their endpoints fare by now. */
export async function settleAttempts(database: Database, attempts: readonly Attempt[]): Promise<void> {
  const disabling = await inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    await recordAttempts(db, attempts);
    const reasons: { endpoint: EndpointId; reason: string }[] = [];
    // In one order everywhere, so that two processes never wait for each other.
    for (const [endpoint, group] of groupByEndpoint(attempts)) {
      const reason = await noteHealth(db, endpoint, group);
      if (reason !== undefined) reasons.push({ endpoint, reason });
    }
    return reasons;
  });
  for (const { endpoint, reason } of disabling) await disableEndpoint(database, endpoint, reason);
}

function groupByEndpoint(attempts: readonly Attempt[]): [EndpointId, Attempt[]][] {
  const groups = Map.groupBy(attempts, ({ claimed }) => `${claimed.partnerId} ${claimed.endpointId}`);
  return [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => [(group[0] as Attempt).claimed, group]);
}

/** @returns Why the endpoint is to be disabled, if it is. */
async function noteHealth(db: Queryable, endpoint: EndpointId, attempts: readonly Attempt[]): Promise<string | undefined> {
  const lastSuccess = attempts.findLastIndex(({ isSuccess }) => isSuccess);
  const failures = attempts.slice(lastSuccess + 1);
  if (lastSuccess >= 0) await clearEndpointHealth(db, endpoint);
  if (failures.length === 0) return undefined;
  const health = await lockEndpointHealth(db, endpoint);
  if (!health) return undefined;
  const next = worsen(health, failures.length, health.readAt);
  await updateEndpointHealth(db, endpoint, next);
  if (failures.some(({ status }) => status === GONE)) return 'The receiver answered 410 Gone.';
  const failingForMs = health.readAt.getTime() - (next.failingSince ?? health.readAt).getTime();
  return isGivenUp(next.failuresInRow, failingForMs) ? 'No attempt has succeeded for five days.' : undefined;
}

function worsen(health: EndpointHealth, failures: number, now: Date): EndpointHealth {
  const failuresInRow = health.failuresInRow + failures;
  const pauseMs = breakerPauseMs(failuresInRow, health.breakerTrips);
  return {
    failuresInRow,
    failingSince: health.failingSince ?? now,
    breakerTrips: pauseMs > 0 ? health.breakerTrips + 1 : health.breakerTrips,
    breakerOpenUntil: pauseMs > 0 ? new Date(now.getTime() + pauseMs) : null,
  };
}

/** Its events are held from then on, those that wait included; whoever enables it sends them. */
async function disableEndpoint(database: Database, { partnerId, endpointId }: EndpointId, reason: string): Promise<void> {
  await inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    await lockEventCounter(db, partnerId);
    const endpoint = await findWebhookEndpoint(db, partnerId, endpointId);
    if (endpoint?.status !== 'active') return;
    await updateWebhookEndpoint(db, { ...endpoint, status: 'disabled', statusReason: reason });
    await holdDeliveries(db, partnerId, endpointId);
  });
}
