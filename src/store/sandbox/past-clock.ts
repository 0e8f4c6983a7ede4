/**
 * A clock that is behind: connections whose `search_path` is {@link PAST_PATH} find its `now()` before the server's own, so that the
 * statements, triggers and seals of the service write records of the past as they write those of the present. The events of these records
 * wait in an outbox of their own, because the relay of a running service would give them the present time; so do hand-overs, whose leases
 * have ended for a running service.
 */
import type { Database, Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../transaction.ts';
import type { SampleStatus } from './sample-data.ts';

/** A setting of the connections that live in the past. */
export const PAST_PATH = 'search_path=past_clock,pg_catalog,public';

const CREATE = `create schema if not exists past_clock;
  create table if not exists past_clock.clock (
    is_only boolean primary key default true check (is_only), behind interval not null, done integer not null default 0
  );
  insert into past_clock.clock (behind) values ('0') on conflict do nothing;
  create table if not exists past_clock.step (name text primary key, result text);
  create table if not exists past_clock.event_outbox (like public.event_outbox including all);
  create table if not exists past_clock.delivery_hand_over (like public.delivery_hand_over including all);
  create or replace function past_clock.now() returns timestamptz language sql stable
    as 'select pg_catalog.now() - (select behind from past_clock.clock)';
  create or replace function past_clock.clock_timestamp() returns timestamptz language sql volatile
    as 'select pg_catalog.clock_timestamp() - (select behind from past_clock.clock)';`;

/** Makes the clock, or leaves the one that an interrupted run made. */
export async function createPastClock(database: Database): Promise<void> {
  await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => void (await db.query(CREATE)));
}

const MOVE: Statement = {
  name: 'move_past_clock',
  text: 'update past_clock.clock set behind = pg_catalog.clock_timestamp() - $1::timestamptz',
};

/** From now on it is this time there, and time goes on. */
export async function movePastClock(db: Queryable, to: Date): Promise<void> {
  await run(db, MOVE, [to]);
}

const FIND_DONE: Statement = { name: 'find_past_done', text: 'select done from past_clock.clock' };
const UPDATE_DONE: Statement = { name: 'update_past_done', text: 'update past_clock.clock set done = $1' };

/** How many parts of the work are done. */
export async function findPastDone(db: Queryable): Promise<number> {
  const [row] = await run<{ done: number }>(db, FIND_DONE, []);
  return row?.done ?? 0;
}

export async function updatePastDone(db: Queryable, done: number): Promise<void> {
  await run(db, UPDATE_DONE, [done]);
}

const FIND_STEP: Statement = { name: 'find_past_step', text: 'select result from past_clock.step where name between $1 and $1' };
const INSERT_STEP: Statement = {
  name: 'insert_past_step',
  text: 'insert into past_clock.step (name, result) values ($1, $2) on conflict do nothing',
};

/** What a step of the work gave; `undefined` before it was done. */
export async function findPastStep(db: Queryable, name: string): Promise<string | undefined> {
  const [row] = await run<{ result: string }>(db, FIND_STEP, [name]);
  return row?.result;
}

/** In the transaction of the step. */
export async function insertPastStep(db: Queryable, name: string, result: string): Promise<void> {
  await run(db, INSERT_STEP, [name, result]);
}

const HAS_CLOCK = 'select to_regnamespace(\'past_clock\') is not null as "hasClock"';

/** Events that have no sequence yet, in the order in which the relay of the service takes them. */
const MOVE_EVENTS = `insert into public.event_outbox (partner_id, event_id, event_type, subject_id, correlation_id, occurred_at, data)
  select partner_id, event_id, event_type, subject_id, correlation_id, occurred_at, data
  from past_clock.event_outbox order by written_by, position`;

/** Deliveries that a process of the past had claimed and did not record. */
const RELEASE = `update public.delivery d set status = 'waiting', next_attempt_at = pg_catalog.now()
  from past_clock.delivery_hand_over h
    cross join lateral unnest(h.partner_ids, h.first_sequences, h.last_sequences) as part (partner_id, first_sequence, last_sequence)
  where d.partner_id = part.partner_id and d.sequence between part.first_sequence and part.last_sequence
    and d.status = 'handed_over' and d.ended_at is null`;

/** Removes the clock and leaves its events to the relay, and its deliveries to the dispatcher of the service, in one transaction. */
export async function dropPastClock(database: Database, status: SampleStatus): Promise<void> {
  await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const { rows } = await db.query<{ hasClock: boolean }>(HAS_CLOCK);
    if (rows[0]?.hasClock) {
      await db.query(MOVE_EVENTS);
      await db.query(RELEASE);
      await db.query('drop schema past_clock cascade');
    }
    await db.query("update sample_data set status = $1 where status = 'making'", [status]);
  });
}

const LOCK_KEY = '7046029254386353131';
const LOCK = `select pg_try_advisory_lock(${LOCK_KEY}) as "isMine"`;
const UNLOCK = `select pg_advisory_unlock(${LOCK_KEY})`;

/**
 * Takes the right to make sample data: one process has it until it gives it back, or its connection ends.
 *
 * @returns A function that gives it back; `undefined` when another process has it.
 */
export async function lockSampleData({ pool }: Database): Promise<(() => Promise<void>) | undefined> {
  const client = await pool.connect();
  let isMine: boolean | undefined;
  try {
    const { rows } = await client.query<{ isMine: boolean }>(LOCK);
    isMine = rows[0]?.isMine;
  } finally {
    if (!isMine) client.release(isMine === undefined);
  }
  if (!isMine) return undefined;
  return async () => {
    // The server ends a connection some time after its client has closed it.
    await client.query(UNLOCK).catch(() => {});
    client.release(true);
  };
}
