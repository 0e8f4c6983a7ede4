import { calendarDay } from '../../domain/settlements/settlement-period.ts';
import type { Queryable } from '../database.ts';
import type { NodeReader, OfAllPartners } from '../node-reader.ts';
import { type PartnerIds, partnersIn } from '../partner-ids.ts';
import { run, type Statement } from '../query.ts';

/** What was confirmed and what failed on a day, under one version of the point conversion. */
export interface DaySum {
  /** The day by the calendar of the partner, such as `2026-11-20`. */
  readonly day: string;
  readonly pointConversionVersion: string;
  readonly confirmedCount: bigint;
  readonly confirmedPoints: bigint;
  readonly failedCount: bigint;
}

type SumRow = Omit<DaySum, 'confirmedPoints'> & { readonly confirmedPoints: string };
type QuarterRow = Omit<SumRow, 'day'> & { readonly at: Date };

/** A partner with events that are not in the totals yet. */
export interface PartnerBehind {
  readonly partnerId: string;
  /** The highest sequence of its events. */
  readonly last: bigint;
  /** Whether nothing of it was ever added up. */
  readonly isNew: boolean;
}

/** Both tables are read once: a join would look up each partner's place. */
const BEHIND: OfAllPartners = {
  name: 'list_partners_behind_totals',
  write: (ofPartners) => `select partner_id as "partnerId", max(last) as last, max(through) is null as "isNew" from (
      select partner_id, last_sequence as last, null::int8 as through from event_counter where ${ofPartners('partner_id')}
      union all
      select partner_id, 0::int8, through_sequence from day_total_place where ${ofPartners('partner_id')}
    ) both_ends group by partner_id having max(last) > coalesce(max(through), 0) order by partner_id`,
};

/** Lists the partners with events that are not in the totals yet, in no order. It costs the more the more partners there are. */
export async function listPartnersBehind(nodes: NodeReader): Promise<PartnerBehind[]> {
  return nodes.read<PartnerBehind & Record<string, unknown>>(BEHIND);
}

const BEGIN: Statement = {
  name: 'insert_day_total_place',
  text: 'insert into day_total_place (partner_id, through_sequence) values ($1, 0) on conflict do nothing',
};

/** Before the first totals of a partner. Another transaction that does the same is waited for. */
export async function insertDayTotalPlace(db: Queryable, partnerId: string): Promise<void> {
  await run(db, BEGIN, [partnerId]);
}

const PLACE = 'select through_sequence as "throughSequence" from day_total_place where partner_id = $1';
const HOLD: Statement = { name: 'lock_day_total_place', text: `${PLACE} for update` };
const HOLD_IF_FREE: Statement = { name: 'lock_free_day_total_place', text: `${PLACE} for update skip locked` };

/**
 * Locks the totals of a partner until the transaction ends: no other transaction adds up this partner meanwhile.
 *
 * @param waits Whether to wait for another transaction that has locked them.
 * @returns The sequence up to which events are added up; `undefined` where another transaction has locked them, and this one does not wait.
 */
export async function holdDayTotals(db: Queryable, partnerId: string, waits: boolean): Promise<bigint | undefined> {
  const [row] = await run<{ throughSequence: bigint }>(db, waits ? HOLD : HOLD_IF_FREE, [partnerId]);
  return row?.throughSequence;
}

/**
 * By quarters of an hour: a day begins with one of them in every time zone. A failed contribution has one event that says so; events of
 * links and of adjustments are about confirmed ones.
 */
const SUM: Statement = {
  name: 'sum_events_by_quarter_hour',
  text: `select date_bin('15 minutes', coalesce(c.confirmed_at, c.failed_at), timestamptz '2000-01-01 00:00:00+00') as at,
      c.point_conversion_version as "pointConversionVersion", count(*) filter (where c.status = 'confirmed') as "confirmedCount",
      coalesce(sum(c.points) filter (where c.status = 'confirmed'), 0)::text as "confirmedPoints",
      count(*) filter (where c.status = 'failed') as "failedCount"
    from event e join contribution c on c.partner_id = e.partner_id and c.transaction_id = e.subject_id
    where e.partner_id = $1 and c.partner_id = $1 and e.sequence > $2 and e.sequence <= $3
      and (e.event_type = 'impact.transaction.confirmed' or (e.event_type = 'impact.transaction.adjusted' and c.status = 'failed'))
    group by 1, 2`,
};

/** Sums up the events of a partner after one number and up to another, by the days of a time zone. */
export async function sumEventsByDay(
  db: Queryable,
  { partnerId, after, through, timeZone }: { partnerId: string; after: bigint; through: bigint; timeZone: string },
): Promise<DaySum[]> {
  const rows = await run<QuarterRow & Record<string, unknown>>(db, SUM, [partnerId, after, through]);
  const sums = new Map<string, DaySum>();
  for (const { at, ...row } of rows) {
    const sum = { ...row, day: calendarDay(at, timeZone), confirmedPoints: BigInt(row.confirmedPoints) };
    const key = `${sum.day} ${sum.pointConversionVersion}`;
    sums.set(key, addSums(sums.get(key), sum));
  }
  return [...sums.values()];
}

function addSums(one: DaySum | undefined, other: DaySum): DaySum {
  if (!one) return other;
  return {
    ...one,
    confirmedCount: one.confirmedCount + other.confirmedCount,
    confirmedPoints: one.confirmedPoints + other.confirmedPoints,
    failedCount: one.failedCount + other.failedCount,
  };
}

const ADD: Statement = {
  name: 'add_day_total',
  text: `insert into day_total as t (partner_id, day, point_conversion_version, confirmed_count, confirmed_points, failed_count)
    values ($1, $2::date, $3, $4, $5::numeric, $6)
    on conflict on constraint day_total_pkey do update set confirmed_count = t.confirmed_count + excluded.confirmed_count,
      confirmed_points = t.confirmed_points + excluded.confirmed_points, failed_count = t.failed_count + excluded.failed_count`,
};
const MOVE: Statement = {
  name: 'update_day_total_place',
  text: 'update day_total_place set through_sequence = $2 where partner_id = $1',
};

/** In the transaction that holds the partner's totals: the sums of the events up to a number. All is sent at once. */
export async function addDayTotals(
  db: Queryable,
  { partnerId, sums, through }: { partnerId: string; sums: readonly DaySum[]; through: bigint },
): Promise<void> {
  const added = sums.map(({ day, pointConversionVersion, confirmedCount, confirmedPoints, failedCount }) =>
    run(db, ADD, [partnerId, day, pointConversionVersion, confirmedCount, confirmedPoints, failedCount]),
  );
  await Promise.all([...added, run(db, MOVE, [partnerId, through])]);
}

const COLUMNS = `day::text as day, point_conversion_version as "pointConversionVersion"`;
const LIST: Statement = {
  name: 'list_day_totals',
  text: `select p.partner_id as "partnerId", ${COLUMNS}, confirmed_count as "confirmedCount", confirmed_points::text as "confirmedPoints",
      failed_count as "failedCount"
    from ${partnersIn('$1')} cross join lateral (
      select * from day_total where partner_id = p.partner_id and day >= $2::date and day < $3::date
      order by partner_id, day, point_conversion_version
    ) t order by p.partner_id, t.day, point_conversion_version`,
};

/** From one day to before another. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** Lists the totals of these partners, by partner and day. Each partner's are a range of the key. */
export async function listDayTotals(
  db: Queryable,
  partnerIds: PartnerIds,
  { from, to }: Days,
): Promise<(DaySum & { readonly partnerId: string })[]> {
  const rows = await run<SumRow & { partnerId: string }>(db, LIST, [partnerIds, from, to]);
  return rows.map((row) => ({ ...row, confirmedPoints: BigInt(row.confirmedPoints) }));
}

const SUM_ALL: Statement = {
  name: 'sum_day_totals',
  text: `select ${COLUMNS}, sum(confirmed_count)::int8 as "confirmedCount", sum(confirmed_points)::text as "confirmedPoints",
      sum(failed_count)::int8 as "failedCount"
    from day_total where day >= $1::date and day < $2::date group by day, point_conversion_version order by day, point_conversion_version`,
};

/** Over all partners. */
export async function sumDayTotals(db: Queryable, { from, to }: Days): Promise<DaySum[]> {
  const rows = await run<SumRow & Record<string, unknown>>(db, SUM_ALL, [from, to]);
  return rows.map((row) => ({ ...row, confirmedPoints: BigInt(row.confirmedPoints) }));
}
