import { breakerPauseMs, isGivenUp } from '../domain/delivery-schedule.ts';
import type { Database, Queryable } from '../store/database.ts';
import { type Attempt, recordAttempts } from '../store/delivery.ts';
import { inTransaction } from '../store/transaction.ts';
import {
  clearEndpointHealth,
  type EndpointHealth,
  lockEndpointHealth,
  lockWebhookEndpoint,
  updateEndpointHealth,
  updateWebhookEndpoint,
  type WebhookEndpoint,
} from '../store/webhook-endpoint.ts';

const LOCK_TIMEOUT_MS = 4_000;
const GONE = 410;
const GONE_REASON = 'The receiver answered 410 Gone.';

type EndpointId = Pick<WebhookEndpoint, 'partnerId' | 'endpointId'>;

/** An endpoint that was disabled because of what its attempts came to. */
export interface Disabling extends EndpointId {
  readonly reason: string;
}

/**
 * Writes attempts of one partner down: what became of their deliveries, and how their endpoints fare by now.
 *
 * @returns The endpoints that this disabled.
 */
export async function settleAttempts(database: Database, partnerId: string, attempts: readonly Attempt[]): Promise<Disabling[]> {
  const hopeless = await inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    await recordAttempts(db, partnerId, attempts);
    const reasons: Disabling[] = [];
    // In one order everywhere, so that two processes never wait for each other.
    for (const [endpointId, group] of groupByEndpoint(attempts)) {
      const reason = await noteHealth(db, { partnerId, endpointId }, group);
      if (reason !== undefined) reasons.push({ partnerId, endpointId, reason });
    }
    return reasons;
  });
  const disabled: Disabling[] = [];
  for (const disabling of hopeless) if (await disableEndpoint(database, disabling)) disabled.push(disabling);
  return disabled;
}

function groupByEndpoint(attempts: readonly Attempt[]): [endpointId: string, attempts: Attempt[]][] {
  const groups = Map.groupBy(attempts, ({ claimed }) => claimed.endpointId);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** @returns Why the endpoint is to be disabled, if it is. */
async function noteHealth(db: Queryable, endpoint: EndpointId, attempts: readonly Attempt[]): Promise<string | undefined> {
  const lastSuccess = attempts.findLastIndex(({ isSuccess }) => isSuccess);
  const failures = attempts.slice(lastSuccess + 1);
  if (lastSuccess >= 0) await clearEndpointHealth(db, endpoint);
  const isGone = attempts.some(({ status }) => status === GONE);
  if (failures.length === 0) return isGone ? GONE_REASON : undefined;
  const health = await lockEndpointHealth(db, endpoint);
  if (!health) return undefined;
  const next = worsen(health, failures.length, health.readAt);
  await updateEndpointHealth(db, endpoint, next);
  if (isGone) return GONE_REASON;
  const failingForMs = health.readAt.getTime() - (next.failingSince ?? health.readAt).getTime();
  return isGivenUp(next.failuresInRow, failingForMs) ? 'No attempt has succeeded for five days.' : undefined;
}

function worsen(health: EndpointHealth, failures: number, now: Date): EndpointHealth {
  const failuresInRow = health.failuresInRow + failures;
  const failed = { failuresInRow, failingSince: health.failingSince ?? now };
  // What was under way when it opened comes back bit by bit, and says nothing that is not known already.
  const isOpen = health.breakerOpenUntil !== null && health.breakerOpenUntil > now;
  if (isOpen) return { ...health, ...failed };
  const pauseMs = breakerPauseMs(failuresInRow, health.breakerTrips);
  return {
    ...failed,
    breakerTrips: pauseMs > 0 ? health.breakerTrips + 1 : health.breakerTrips,
    breakerOpenUntil: pauseMs > 0 ? new Date(now.getTime() + pauseMs) : null,
  };
}

/**
 * Its events are held from then on; whoever enables it sends them.
 *
 * @returns Whether this disabled it, and nobody before.
 */
async function disableEndpoint(database: Database, { partnerId, endpointId, reason }: Disabling): Promise<boolean> {
  return inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    const endpoint = await lockWebhookEndpoint(db, partnerId, endpointId);
    if (endpoint?.status !== 'active') return false;
    await updateWebhookEndpoint(db, { ...endpoint, status: 'disabled', statusReason: reason });
    return true;
  });
}
