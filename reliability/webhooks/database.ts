/** What the experiment reads of the deliveries, and how it moves their clock. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../src/store/database.ts';

/** Longer than a process holds what it is sending. */
const BEYOND_LEASE = "interval '65 seconds'";

/**
 * Moves up what is to be tried again later, and ends the pauses of breakers, for some endpoints: their schedule goes on for days.
 * What a process may be sending just now stays as it is.
 */
export async function makeRetriesDue({ pool }: Database, endpointIds: readonly string[]): Promise<void> {
  await pool.query(
    'update endpoint_health set breaker_open_until = null where endpoint_id = any ($1) and breaker_open_until is not null',
    [endpointIds],
  );
  await pool.query(
    `update delivery set next_attempt_at = now()
    where endpoint_id = any ($1) and status = 'waiting' and next_attempt_at > now() + ${BEYOND_LEASE}`,
    [endpointIds],
  );
}

/**
 * Postpones what is due at some endpoints, until it is moved up, and lets them begin anew. What is due later stays as it is: a process
 * may hold it, or the receiver may have asked for the time.
 */
export async function forgetFailures({ pool }: Database, endpointIds: readonly string[]): Promise<void> {
  await pool.query(
    `update delivery set next_attempt_at = now() + interval '1 hour'
    where endpoint_id = any ($1) and status = 'waiting' and next_attempt_at <= now()`,
    [endpointIds],
  );
  await pool.query(
    `update endpoint_health set failures_in_row = 0, failing_since = null, breaker_trips = 0, breaker_open_until = null
    where endpoint_id = any ($1)`,
    [endpointIds],
  );
}

/** What a partner is told of before it has an endpoint: its first settlement. */
export const FIRST_EVENTS = 1;

/** Waits until the first events of a partner have their numbers, so that no endpoint gets them. */
export async function untilFirstSequenced({ pool }: Database, partnerId: string): Promise<void> {
  for (;;) {
    const { rows } = await pool.query('select last_sequence from event_counter where partner_id = $1', [partnerId]);
    if (Number(rows[0]?.last_sequence) >= FIRST_EVENTS) return;
    await sleep(50);
  }
}

export interface Backlog {
  /** Events so far but the first, by partner; those without a number included. */
  readonly events: ReadonlyMap<string, number>;
  /** Deliveries that are not recorded as delivered, by endpoint. */
  readonly undelivered: ReadonlyMap<string, number>;
}

export async function readBacklog({ pool }: Database): Promise<Backlog> {
  const events = await pool.query<{ partner_id: string; count: bigint }>(
    `select partner_id, last_sequence + (select count(*) from event_outbox o where o.partner_id = c.partner_id) as count
    from event_counter c`,
  );
  const undelivered = await pool.query<{ endpoint_id: string; count: bigint }>(
    "select endpoint_id, count(*) from delivery where ended_at is null or status = 'exhausted' group by 1",
  );
  return {
    events: new Map(events.rows.map((row) => [row.partner_id, Number(row.count) - FIRST_EVENTS])),
    undelivered: new Map(undelivered.rows.map((row) => [row.endpoint_id, Number(row.count)])),
  };
}

export interface RecordedDelivery {
  readonly endpointId: string;
  readonly eventId: string;
  readonly status: string;
}

export async function listDeliveries({ pool }: Database): Promise<RecordedDelivery[]> {
  const { rows } = await pool.query<RecordedDelivery>(
    `select endpoint_id as "endpointId", event_id as "eventId",
      case when status <> 'handed_over' then status when ended_at is null then 'waiting' else 'delivered' end as status from delivery`,
  );
  return rows;
}

/** Attempts that connected to nobody, because of where the name or the address leads. */
export async function countAddressRefusals({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>(
    "select count(*) from delivery_attempt where error_class = 'address_refused'",
  );
  return Number(rows[0]?.count);
}
