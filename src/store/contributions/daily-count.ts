import type { DailyCount } from '../../domain/rules/contribution-rules.ts';
import { calendarDay } from '../../domain/settlements/settlement-period.ts';
import { readClock } from '../clock.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

/** A day of a partner's own calendar, as `2026-11-20`, and its count so far. */
export interface CountedDay extends DailyCount {
  readonly day: string;
}

interface DayRow {
  readonly day: string;
  readonly points: string;
  readonly contributions: bigint;
}

const LOCK: Statement = {
  name: 'lock_daily_count',
  text: `select day::text, points::text, contributions from daily_count where partner_id = $1 and day = $2::date for update`,
};

const INSERT: Statement = {
  name: 'insert_daily_count',
  text: `insert into daily_count (partner_id, day, points, contributions) values ($1, $2::date, 0, 0) on conflict do nothing`,
};

/**
 * Locks the count of the day in which the transaction began. No other transaction counts on it until this one ends, in any process: so a
 * cap is exact.
 */
export async function lockDailyCount(db: Queryable, partnerId: string, timeZone: string): Promise<CountedDay> {
  // Asked once: the servers of a distributed database need not agree on it around midnight.
  const day = calendarDay(await readClock(db), timeZone);
  const known = await lockDay(db, partnerId, day);
  if (known) return known;
  await run(db, INSERT, [partnerId, day]);
  return (await lockDay(db, partnerId, day)) as CountedDay;
}

async function lockDay(db: Queryable, partnerId: string, day: string): Promise<CountedDay | undefined> {
  const [row] = await run<DayRow>(db, LOCK, [partnerId, day]);
  return row && { ...row, points: BigInt(row.points) };
}

const LOCK_COUNTED: Statement = {
  name: 'lock_counted_day',
  text: 'select 1 from daily_count where partner_id = $1 and day = $2::date for update',
};

/** Locks a day with a count until the transaction ends. */
export async function lockCountedDay(db: Queryable, partnerId: string, day: string): Promise<void> {
  await run(db, LOCK_COUNTED, [partnerId, day]);
}

const ADD: Statement = {
  name: 'update_daily_count',
  text: `update daily_count set points = points + $3::numeric, contributions = contributions + $4
    where partner_id = $1 and day = $2::date`,
};

/** Adds to the count of a day, or subtracts negative values. The row is locked until the transaction ends. */
export async function addToDailyCount(
  db: Queryable,
  partnerId: string,
  { day, points, contributions }: CountedDay,
): Promise<void> {
  await run(db, ADD, [partnerId, day, String(points), contributions]);
}

const FIND: Statement = {
  name: 'find_daily_count',
  text: `select day::text, points::text, contributions from daily_count where partner_id = $1 and day = $2::date`,
};

/** What counts on a day, without holding it. */
export async function findCountedDay(db: Queryable, partnerId: string, day: string): Promise<CountedDay | undefined> {
  const [row] = await run<DayRow>(db, FIND, [partnerId, day]);
  return row && { ...row, points: BigInt(row.points) };
}
