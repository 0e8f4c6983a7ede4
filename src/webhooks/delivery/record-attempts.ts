import type { Actor } from '../../domain/access/role.ts';
import { newId } from '../../domain/identifiers.ts';
import { breakerPauseMs, isGivenUp as isGivenUpAfter } from '../../domain/webhooks/retry-schedule.ts';
import { audit } from '../../operations/audit/audit.ts';
import { ENDPOINT } from '../../operations/audit/audited-kinds.ts';
import { endpointRecord } from '../../operations/audit/authorising-records.ts';
import { findDifferences } from '../../operations/audit/require-audited.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { type Attempt, recordAttempts, recordSuccesses } from '../../store/webhooks/delivery.ts';
import {
  clearEndpointHealth,
  type EndpointHealth,
  lockEndpointHealth,
  lockWebhookEndpoint,
  updateEndpointHealth,
  updateWebhookEndpoint,
  type WebhookEndpoint,
} from '../../store/webhooks/webhook-endpoint.ts';

const GONE = 410;
const GONE_REASON = 'The receiver answered 410 Gone.';

type EndpointId = Pick<WebhookEndpoint, 'partnerId' | 'endpointId'>;

/** An endpoint that was disabled because of what its attempts came to. */
export interface Disabling extends EndpointId {
  readonly reason: string;
}

/** What came of attempts for an endpoint. */
export interface Standing extends EndpointId {
  /** Nothing more goes there for now. */
  readonly isPaused: boolean;
  /** When the breaker lets the next one pass. */
  readonly pausedUntil: Date | undefined;
  /** Why these attempts disabled it, if they did. */
  readonly disabledFor: string | undefined;
}

/**
 * Writes attempts down: what became of their deliveries, and how their endpoints fare by now. Written again, because nobody knows whether
 * the first time took effect, they count no second time.
 *
 * @param partnerId Of all of them; `undefined` where they are of several.
 */
export async function settleAttempts(
  database: Database,
  partnerId: string | undefined,
  attempts: readonly Attempt[],
): Promise<Standing[]> {
  const areSuccesses = attempts.every(({ isSuccess }) => isSuccess);
  if (areSuccesses && !database.isDistributed) return settleSuccesses(database, attempts);
  const standings = await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const isNew = await recordAttempts(db, partnerId, attempts);
    const found: Standing[] = [];
    // In one order everywhere, so that two processes never wait for each other.
    for (const [endpoint, group] of groupByEndpoint(attempts))
      found.push(await recordHealth(db, endpoint, { attempts: group, added: group.filter(isNew) }));
    return found;
  });
  const settled: Standing[] = [];
  for (const { disabledFor, ...standing } of standings) {
    const isDisabled = disabledFor !== undefined && (await disableEndpoint(database, { ...standing, reason: disabledFor }));
    settled.push({ ...standing, disabledFor: isDisabled ? disabledFor : undefined });
  }
  return settled;
}

/** Nothing is asked of the database but what it writes, on one trip with the COMMIT. */
async function settleSuccesses(database: Database, attempts: readonly Attempt[]): Promise<Standing[]> {
  await inTransaction(database, USUAL_LOCK_TIMEOUT, (db, { finalStatement }) =>
    finalStatement(() => recordSuccesses(db, attempts)),
  );
  return groupByEndpoint(attempts).map(([endpoint]) => ({
    ...endpoint,
    ...{ isPaused: false, pausedUntil: undefined, disabledFor: undefined },
  }));
}

function groupByEndpoint(attempts: readonly Attempt[]): [endpoint: EndpointId, attempts: Attempt[]][] {
  const groups = Map.groupBy(attempts, ({ claimed }) => claimed.endpointId);
  const ofEndpoints = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return ofEndpoints.map(([endpointId, group]) => [{ partnerId: group[0]?.claimed.partnerId as string, endpointId }, group]);
}

interface CountedHealth {
  readonly attempts: readonly Attempt[];
  /** Those of them that were not written down before. */
  readonly added: readonly Attempt[];
}

/** `disabledFor`: why the endpoint is to be disabled, if it is. */
async function recordHealth(db: Queryable, endpoint: EndpointId, { attempts, added }: CountedHealth): Promise<Standing> {
  const lastSuccess = added.findLastIndex(({ isSuccess }) => isSuccess);
  const failures = added.slice(lastSuccess + 1);
  if (lastSuccess >= 0) await clearEndpointHealth(db, endpoint);
  const sound = { ...endpoint, isPaused: false, pausedUntil: undefined, disabledFor: undefined };
  if (attempts.every(({ isSuccess }) => isSuccess)) return sound;
  const isGone = attempts.some(({ status }) => status === GONE);
  const health = await lockEndpointHealth(db, endpoint);
  if (!health) return sound;
  const next = failures.length === 0 ? health : worsen(health, failures.length, health.readAt);
  if (failures.length > 0) await updateEndpointHealth(db, endpoint, next);
  const failingForMs = health.readAt.getTime() - (next.failingSince ?? health.readAt).getTime();
  const isGivenUp = isGivenUpAfter(next.failuresInRow, failingForMs);
  const disabledFor = isGone ? GONE_REASON : isGivenUp ? 'No attempt succeeded within five days.' : undefined;
  const isOpen = next.breakerOpenUntil !== null && next.breakerOpenUntil > health.readAt;
  const pausedUntil = isOpen ? (next.breakerOpenUntil ?? undefined) : undefined;
  return { ...endpoint, isPaused: isOpen || disabledFor !== undefined, pausedUntil, disabledFor };
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

/** In whose name an endpoint is disabled for its failures. */
function dispatcher(): Actor {
  return { operatorId: 'dispatcher', role: 'operator', correlationId: newId('corr') };
}

/**
 * Its events are held from then on; whoever enables it sends them.
 *
 * @returns Whether this disabled it, and nobody before.
 */
async function disableEndpoint(database: Database, { partnerId, endpointId, reason }: Disabling): Promise<boolean> {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const endpoint = await lockWebhookEndpoint(db, partnerId, endpointId);
    if (endpoint?.status !== 'active') return false;
    // The entry would make an edit true; what differs from the audit is sent nothing.
    if ((await findDifferences(db, ENDPOINT, [endpoint])).length > 0) return false;
    const disabled = { ...endpoint, status: 'disabled' as const, statusReason: reason };
    await updateWebhookEndpoint(db, disabled);
    await audit(db, dispatcher(), {
      ...{ action: 'endpoint.disable', partnerId, subjectId: endpointId },
      ...{ before: endpointRecord(endpoint), after: endpointRecord(disabled) },
    });
    return true;
  });
}
