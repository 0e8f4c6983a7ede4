import { pluralise } from '../../domain/pluralise.ts';
import { ESTIMATE_BYTES } from '../../domain/quotas/stored-bytes.ts';
import { AHEAD_YEARS_MAX, advancedBy } from '../../domain/sandbox/advance-clock.ts';
import { invalidRequest, problem, ServiceError } from '../../domain/service-error.ts';
import type { Database } from '../../store/database.ts';
import { allowLongStatements } from '../../store/query.ts';
import {
  advanceSandboxClock,
  findSandboxClock,
  hasEstimatesToMove,
  lockSandboxClock,
  type SandboxClock,
} from '../../store/sandbox/sandbox-clock.ts';
import { listSimulatedEndsDueOf } from '../../store/sandbox/simulated-end.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { getPartner } from '../access/manage-partner.ts';
import { audit } from '../audit/audit.ts';
import { expireOverdueContributions } from '../contributions/expire-overdue-contributions.ts';
import { refuseSpent } from '../quotas/quota-refusals.ts';
import type { StorageUsage } from '../quotas/storage-usage.ts';
import { closeSettlement } from '../settlements/close-settlement.ts';
import type { SettlementTools } from '../settlements/settlement-tools.ts';
import { endSimulatedReview } from './end-simulated-reviews.ts';
import { actorOf, requireSandbox, type SandboxCaller } from './sandbox-actor.ts';

export interface ClockTools {
  readonly settlementTools: SettlementTools;
  /** After this many hours a pending contribution fails automatically. */
  readonly reviewExpiryHours: number;
}

export interface WantedAdvance {
  /** ISO 8601 duration. */
  readonly advance: string;
  /** One idempotency key advances the clock once. */
  readonly idempotencyKey: string;
  readonly usage: Pick<StorageUsage, 'count' | 'isSpent'>;
}

/** What an advance did, and the clock after it. */
export interface Advanced {
  readonly clock: Date;
  readonly estimatesEnded: number;
  readonly contributionsEnded: number;
  readonly contributionsExpired: number;
  readonly settlementIds: readonly string[];
}

const LONG = { timeoutMs: 30_000 };
const NONE_MOVED = { moved: 0, ended: 0 };
const CHUNK = 100;
/** One for each month that a clock can be ahead, and the settlement that was open before. */
const CLOSINGS_MAX = AHEAD_YEARS_MAX * 12 + 24;

function clockOf({ now, aheadMs }: SandboxClock): Date {
  return new Date(now.getTime() + Number(aheadMs));
}

/**
 * Advances the clock of one partner of a sandbox, and does what is then due: estimates expire, pending contributions end or fail,
 * settlements close one after another, each with its events. The time of other partners does not change.
 *
 * @throws ServiceError `invalid_request` for an invalid duration, or one that is too long; `rate_limited` while the quota of the day is
 * spent and an estimate is alive without a link: its row is written anew.
 */
export async function advanceClock(
  database: Database,
  caller: SandboxCaller,
  { advance, idempotencyKey, usage }: WantedAdvance,
  tools: ClockTools,
): Promise<Advanced> {
  await requireSandbox(database);
  const { partnerId } = caller;
  const partner = await getPartner(database.pool, partnerId);
  const { clock, estimates } = await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    await allowLongStatements(db, LONG);
    const held = await lockSandboxClock(db, partnerId);
    // The request with this key advanced the clock and was not answered: only the remaining work is done.
    if (held.advancedUnder.includes(idempotencyKey)) return { clock: clockOf(held), estimates: NONE_MOVED };
    const [before, after] = [clockOf(held), advancedBy(clockOf(held), advance, partner.timeZone)];
    if (!after)
      throw refusal('wrong_form', 'advance must be an ISO 8601 duration of a second or more, such as P1M, P3D or PT36H.');
    if (after > latest(held.now))
      throw refusal(
        'too_large',
        `The clock would be more than ${AHEAD_YEARS_MAX} years ahead; it shows ${before.toISOString()}.`,
      );
    // What moves no estimate stores nothing that the quota counts.
    refuseSpent(usage.isSpent(partnerId) && (await hasEstimatesToMove(db, { partnerId, now: held.now }, LONG)));
    const byMs = BigInt(after.getTime() - before.getTime());
    const estimates = await advanceSandboxClock(db, { partnerId, byMs, now: held.now, idempotencyKey }, LONG);
    const entry = { action: 'sandbox.advance-clock', partnerId, subjectId: partnerId };
    await audit(db, actorOf(caller), { ...entry, before: { clock: before }, after: { clock: after } });
    return { clock: after, estimates };
  });
  usage.count(partnerId, estimates.moved * ESTIMATE_BYTES);
  const contributionsEnded = await endAll(database, caller);
  const overdue = { partnerId, hours: tools.reviewExpiryHours };
  const { failed: contributionsExpired, busy } = await expireOverdueContributions(database, actorOf(caller), overdue);
  if (busy > 0) throw unfinished(busy);
  const settlementIds = await closeAll(database, caller, { clock, tools });
  return { clock, estimatesEnded: estimates.ended, contributionsEnded, contributionsExpired, settlementIds };
}

/** The current time of the partner's clock. */
export async function readSandboxClock({ pool }: Database, partnerId: string): Promise<Date> {
  return clockOf(await findSandboxClock(pool, partnerId));
}

function latest(now: Date): Date {
  const end = new Date(now);
  end.setUTCFullYear(end.getUTCFullYear() + AHEAD_YEARS_MAX);
  return end;
}

async function endAll(database: Database, { partnerId, correlationId }: SandboxCaller): Promise<number> {
  let ended = 0;
  for (let isMore = true; isMore; ) {
    const due = await listSimulatedEndsDueOf(database.pool, partnerId, CHUNK);
    for (const end of due) await endSimulatedReview(database, end, correlationId);
    ended += due.length;
    isMore = due.length === CHUNK;
  }
  return ended;
}

async function closeAll(
  database: Database,
  caller: SandboxCaller,
  { clock, tools }: { readonly clock: Date; readonly tools: ClockTools },
): Promise<string[]> {
  const { partnerId } = caller;
  const closing = { partnerId, isEarly: false, now: clock };
  const ids: string[] = [];
  while (ids.length < CLOSINGS_MAX) {
    const outcome = await closeSettlement(database, actorOf(caller), closing, tools.settlementTools);
    if (!outcome) break;
    ids.push(outcome.closed.settlementId);
  }
  return ids;
}

/** The retried request does the remaining work as soon as its key is free: after a minute. */
function unfinished(busy: number): ServiceError {
  const message = `The clock was advanced, but an operator is resolving ${pluralise(busy, 'contribution')}. Send the same request again in a minute.`;
  return new ServiceError('internal_service_unavailable', message, { headers: { 'retry-after': '60' } });
}

function refusal(code: 'wrong_form' | 'too_large', message: string): ServiceError {
  return invalidRequest([problem('advance', code, message)]);
}
