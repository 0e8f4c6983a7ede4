import { idAt } from '../../domain/identifiers.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { isRow, type LongStatements, run, runLong, type Statement } from '../query.ts';

/** The clock of a partner of a sandbox. */
export interface SandboxClock {
  /** The database's own time. */
  readonly now: Date;
  readonly aheadMs: bigint;
}

/** The locked clock: nobody else advances it. */
export interface HeldClock extends SandboxClock {
  /** The keys of the requests that advanced it last. */
  readonly advancedUnder: readonly string[];
}

const INSERT: Statement = {
  name: 'insert_sandbox_clock',
  text: `insert into sandbox_clock (partner_id, ahead_ms, advanced_at) values ($1, 0, ${NOW}) on conflict do nothing`,
};

/** At least fifteen keys, and the spaces between them. A partner has fewer requests that were not answered yet. */
const KEPT_CHARACTERS = 2_000;

/** Of so many characters the first ones may be the end of a key, which is the key of another request. */
const LOCK: Statement = {
  name: 'lock_sandbox_clock',
  text: `select ${NOW} as now, ahead_ms as "aheadMs", coalesce(
      (string_to_array(advanced_under, ' '))[case when length(advanced_under) < ${KEPT_CHARACTERS} then 1 else 2 end:], '{}') as "advancedUnder"
    from sandbox_clock where partner_id = $1 for update`,
};

/** Another advance of the same partner's clock waits until the transaction ends. */
export async function lockSandboxClock(db: Queryable, partnerId: string): Promise<HeldClock> {
  await run(db, INSERT, [partnerId]);
  const [clock] = await run<HeldClock & Record<string, unknown>>(db, LOCK, [partnerId]);
  return clock as HeldClock;
}

const FIND: Statement = {
  name: 'find_sandbox_clock',
  text: `select ${NOW} as now, coalesce((select ahead_ms from sandbox_clock where partner_id = $1), 0)::int8 as "aheadMs"`,
};

export async function findSandboxClock(db: Queryable, partnerId: string): Promise<SandboxClock> {
  const [clock] = await run<SandboxClock & Record<string, unknown>>(db, FIND, [partnerId]);
  return clock as SandboxClock;
}

export interface Advance {
  readonly partnerId: string;
  readonly byMs: bigint;
  /** The database's own time. */
  readonly now: Date;
  readonly idempotencyKey: string;
}

const ADVANCE: Statement = {
  name: 'advance_sandbox_clock',
  text: `update sandbox_clock set ahead_ms = ahead_ms + $2::int8, advanced_at = ${NOW},
      advanced_under = right(coalesce(advanced_under || ' ', '') || $3, ${KEPT_CHARACTERS})
    where partner_id = $1`,
};

/** A live estimate is at most a day old; the time in its id may be slightly off. */
const ALIVE_MS = 25 * 3_600_000;

const oldestAlive = (now: Date) => idAt('calc', now.getTime() - ALIVE_MS);

/**
 * A time, `$2` ms earlier. In UTC without its zone: that depends on no setting of the session, and only such an expression may change a
 * column of a distributed table.
 */
const earlier = (time: string) => `((${time}) at time zone 'UTC' - $2::int8 * interval '1 millisecond') at time zone 'UTC'`;

const LINK = isRow({ partnerId: '$1', key: 'calculation_id', value: 'e.calculation_id' });

/** Of the estimates `e` of a partner, those that an advance moves: with a link an estimate never expires. */
const isMoved = ({ oldest, now }: { readonly oldest: string; readonly now: string }) =>
  `partner_id = $1 and calculation_id >= ${oldest} and coalesce(ends_at, expires_at) > ${now}
        and (select transaction_id from emissions_link where ${LINK}) is null`;

const FIND_MOVED: Statement = {
  name: 'find_estimate_to_bring_forward',
  text: `select calculation_id from estimate e where ${isMoved({ oldest: '$2', now: '$3' })} order by calculation_id limit 1`,
};

/** Whether an advance would write any row of an estimate anew. */
export async function hasEstimatesToMove(
  db: Queryable,
  { partnerId, now }: Pick<Advance, 'partnerId' | 'now'>,
  long: LongStatements,
): Promise<boolean> {
  return (await runLong(db, FIND_MOVED, [partnerId, oldestAlive(now), now], long)).length > 0;
}

const BRING_ESTIMATES: Statement = {
  name: 'bring_estimates_forward',
  text: `with moved as (
      update estimate e set ends_at = greatest(${earlier('coalesce(ends_at, expires_at)')}, $4)
      where ${isMoved({ oldest: '$3', now: '$4' })}
      returning ends_at <= $4 as has_ended
    )
    select count(*)::int4 as moved, count(*) filter (where has_ended)::int4 as ended from moved`,
};

const BRING_REVIEWS: Statement = {
  name: 'bring_reviews_forward',
  text: `update contribution_review set opened_at = ${earlier('opened_at')} where partner_id = $1 and resolved_at is null`,
};

const BRING_ENDS: Statement = {
  name: 'bring_simulated_ends_forward',
  text: `update sandbox_due set due_at = ${earlier('due_at')} where partner_id = $1`,
};

/** Estimates of which a new version of the row was written. */
export interface MovedEstimates {
  readonly moved: number;
  readonly ended: number;
}

/**
 * Advances the clock, and moves due times of this partner by as much: estimates, reviews, simulated ends. The usual jobs then do what is
 * due.
 *
 * @returns How many estimates without a link were moved, and how many of these have ended.
 */
export async function advanceSandboxClock(
  db: Queryable,
  { partnerId, byMs, now, idempotencyKey }: Advance,
  long: LongStatements,
): Promise<MovedEstimates> {
  await run(db, ADVANCE, [partnerId, byMs, idempotencyKey]);
  const values = [partnerId, byMs, oldestAlive(now), now];
  const [estimates] = await runLong<MovedEstimates & Record<string, unknown>>(db, BRING_ESTIMATES, values, long);
  await run(db, BRING_REVIEWS, [partnerId, byMs]);
  await run(db, BRING_ENDS, [partnerId, byMs]);
  return estimates as MovedEstimates;
}
