import type { Actor } from '../../domain/access/role.ts';
import { newId } from '../../domain/identifiers.ts';
import {
  afterFailures,
  DISABLED_FOR,
  disablingReason,
  type EndpointHealth,
  isCircuitOpen,
  isGone,
} from '../../domain/webhooks/endpoint-health.ts';
import { audit } from '../../operations/audit/audit.ts';
import { ENDPOINT } from '../../operations/audit/audited-kinds.ts';
import { endpointRecord } from '../../operations/audit/authorising-records.ts';
import { findDifferences } from '../../operations/audit/require-audited.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { type Attempt, recordAttempts, recordSuccesses } from '../../store/webhooks/attempt.ts';
import {
  clearEndpointHealth,
  lockEndpointHealth,
  updateEndpointFailedDelivery,
  updateEndpointHealth,
} from '../../store/webhooks/endpoint-health.ts';
import { type EndpointId, lockWebhookEndpoint, updateWebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';

/** An endpoint that was disabled for its failures. */
export interface Disabling extends EndpointId {
  readonly reason: string;
}

/** The effect of attempts on an endpoint. */
export interface EndpointOutcome extends EndpointId {
  /** Nothing more is sent to it for now. */
  readonly isPaused: boolean;
  /** When the circuit lets the next delivery pass. */
  readonly pausedUntil: Date | undefined;
  /** Why these attempts disabled it, if they did. */
  readonly disabledFor: string | undefined;
}

/**
 * Records attempts: the state of their deliveries, and the health of their endpoints. Recording is repeated after an unknown outcome, and
 * does not count twice.
 *
 * @param partnerId Of all of them; `undefined` when they are of several.
 */
export async function settleAttempts(
  database: Database,
  partnerId: string | undefined,
  attempts: readonly Attempt[],
): Promise<EndpointOutcome[]> {
  if (database.isDistributed) return settleMixed(database, partnerId, attempts);
  const failing = new Set(attempts.flatMap(({ isSuccess, claimed: { endpointId } }) => (isSuccess ? [] : [endpointId])));
  const isOfFailing = ({ claimed: { endpointId } }: Attempt) => failing.has(endpointId);
  const [healthy, mixed] = [attempts.filter((attempt) => !isOfFailing(attempt)), attempts.filter(isOfFailing)];
  return [
    ...(healthy.length > 0 ? await settleSuccesses(database, healthy) : []),
    ...(mixed.length > 0 ? await settleMixed(database, undefined, mixed) : []),
  ];
}

/** Failures, and successes at the same endpoints: their order decides what becomes of the endpoint. */
async function settleMixed(
  database: Database,
  partnerId: string | undefined,
  attempts: readonly Attempt[],
): Promise<EndpointOutcome[]> {
  const outcomes = await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const isNew = await recordAttempts(db, partnerId, attempts);
    const found: JudgedEndpoint[] = [];
    // In the same order everywhere, so that two processes never deadlock.
    for (const [endpoint, group] of groupByEndpoint(attempts))
      found.push(await recordHealth(db, endpoint, { attempts: group, added: group.filter(isNew) }));
    return found;
  });
  const settled: EndpointOutcome[] = [];
  for (const { disabledFor, failedDelivery, isRepeated, ...outcome } of outcomes) {
    const isDisabled =
      disabledFor !== undefined &&
      (await disableEndpoint(database, { ...outcome, reason: disabledFor, failedDelivery, isRepeated }));
    settled.push({ ...outcome, disabledFor: isDisabled ? disabledFor : undefined });
  }
  return settled;
}

/** Only writes are sent, in one round trip with the COMMIT. */
async function settleSuccesses(database: Database, attempts: readonly Attempt[]): Promise<EndpointOutcome[]> {
  await inTransaction(database, USUAL_LOCK_TIMEOUT, (db, { finalStatement }) =>
    finalStatement(() => recordSuccesses(db, attempts)),
  );
  return groupByEndpoint(attempts).map(([endpoint]) => ({
    ...endpoint,
    isPaused: false,
    pausedUntil: undefined,
    disabledFor: undefined,
  }));
}

/** In the order in which statements over several endpoints lock them, so that two processes never deadlock. */
function groupByEndpoint(attempts: readonly Attempt[]): [endpoint: EndpointId, attempts: Attempt[]][] {
  const place = ({ claimed }: Attempt) => `${claimed.partnerId} ${claimed.endpointId}`;
  const groups = [...Map.groupBy(attempts, place)].sort(([a], [b]) => (a < b ? -1 : 1));
  return groups.map(([, group]) => {
    const { partnerId, endpointId } = (group[0] as Attempt).claimed;
    return [{ partnerId, endpointId }, group];
  });
}

interface CountedHealth {
  readonly attempts: readonly Attempt[];
  /** The attempts that the database did not have yet. */
  readonly added: readonly Attempt[];
}

interface JudgedEndpoint extends EndpointOutcome {
  /** The delivery whose attempt failed last, or disables the endpoint; `null` where none failed. */
  readonly failedDelivery: string | null;
  /** The database had some of the attempts: they may have disabled the endpoint before, without an answer to the COMMIT. */
  readonly isRepeated: boolean;
}

/** `disabledFor`: why the endpoint must be disabled. */
async function recordHealth(db: Queryable, endpoint: EndpointId, { attempts, added }: CountedHealth): Promise<JudgedEndpoint> {
  const lastSuccess = added.findLastIndex(({ isSuccess }) => isSuccess);
  const failures = added.slice(lastSuccess + 1);
  if (lastSuccess >= 0) await clearEndpointHealth(db, endpoint);
  const isRepeated = added.length < attempts.length;
  const healthy = {
    ...endpoint,
    isPaused: false,
    pausedUntil: undefined,
    disabledFor: undefined,
    failedDelivery: null,
    isRepeated,
  };
  if (attempts.every(({ isSuccess }) => isSuccess)) return healthy;
  const gone = attempts.find(({ status }) => isGone(status));
  const failedDelivery = (gone ?? attempts.findLast(({ isSuccess }) => !isSuccess))?.claimed.deliveryId ?? null;
  const health = await lockEndpointHealth(db, endpoint);
  if (!health) return healthy;
  const next = failures.length === 0 ? health : await recordFailures(db, endpoint, { health, failures, failedDelivery });
  const disabledFor = disablingReason(next, gone !== undefined, health.readAt);
  const isOpen = isCircuitOpen(next, health.readAt);
  const pausedUntil = isOpen ? (next.breakerOpenUntil ?? undefined) : undefined;
  const isPaused = isOpen || disabledFor !== undefined;
  return { ...endpoint, isPaused, pausedUntil, disabledFor, failedDelivery, isRepeated };
}

interface CountedFailures extends Pick<JudgedEndpoint, 'failedDelivery'> {
  readonly health: EndpointHealth & { readonly readAt: Date };
  readonly failures: readonly Attempt[];
}

async function recordFailures(
  db: Queryable,
  endpoint: EndpointId,
  { health, failures, failedDelivery }: CountedFailures,
): Promise<EndpointHealth> {
  const next = afterFailures(health, failures.length, health.readAt);
  await updateEndpointHealth(db, endpoint, next);
  // Attempts that were in flight when the circuit opened are not why it did.
  if (!isCircuitOpen(health, health.readAt)) await updateEndpointFailedDelivery(db, endpoint, failedDelivery);
  return next;
}

/** The actor that disables an endpoint for its failures. */
function dispatcher(): Actor {
  return { operatorId: 'dispatcher', role: 'operator', correlationId: newId('corr') };
}

/**
 * Disables an endpoint: the service holds its events, and sends them when an operator enables it.
 *
 * @returns Whether these attempts disabled it, now or before they were repeated.
 */
async function disableEndpoint(
  database: Database,
  {
    partnerId,
    endpointId,
    reason,
    failedDelivery,
    isRepeated,
  }: Disabling & Pick<JudgedEndpoint, 'failedDelivery' | 'isRepeated'>,
): Promise<boolean> {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const endpoint = await lockWebhookEndpoint(db, partnerId, endpointId);
    if (endpoint?.status !== 'active') return isRepeated && endpoint?.status === 'disabled' && endpoint.statusReason === reason;
    if (!(await isStillDue(db, { partnerId, endpointId, reason }))) return false;
    // The entry would confirm an edit; nothing is sent to an endpoint that differs from the audit.
    if ((await findDifferences(db, ENDPOINT, [endpoint])).length > 0) return false;
    const disabled = { ...endpoint, status: 'disabled' as const, statusReason: reason };
    await updateEndpointFailedDelivery(db, endpoint, failedDelivery);
    await updateWebhookEndpoint(db, disabled);
    await audit(db, dispatcher(), {
      action: 'endpoint.disable',
      partnerId,
      subjectId: endpointId,
      before: endpointRecord(endpoint),
      after: endpointRecord(disabled),
    });
    return true;
  });
}

/**
 * Whether the failures have not been cleared since they were counted, by a success or by an operator. The health is read under its own
 * lock: what comes with the endpoint is from before the wait for it. A receiver that is gone stays so.
 */
async function isStillDue(db: Queryable, { reason, ...endpoint }: Disabling): Promise<boolean> {
  const health = await lockEndpointHealth(db, endpoint);
  return health !== undefined && disablingReason(health, reason === DISABLED_FOR.gone, health.readAt) !== undefined;
}
