import { type Connection, type Database, onOneConnection, type Queryable } from '../database.ts';
import type { DatabaseSession } from '../database-session.ts';
import { rowOf, run, type Statement } from '../query.ts';
import { IS_EXHAUSTED } from './delivery.ts';
import { HANDED_OVER } from './hand-over.ts';

/** The deliveries that have not reached their receiver. */
export interface Backlog {
  /** Waiting deliveries for active endpoints; {@link COUNTED_MAX} stands for as many or more. */
  readonly waiting: number;
  /** The age of the oldest delivery among those that are due first and last at each endpoint; 0 when there is none. */
  readonly oldestWaitingSeconds: number;
  /** Exhausted deliveries of events that nobody has sent again; {@link COUNTED_MAX} stands for as many or more. */
  readonly exhausted: number;
  /** The endpoints that have any such delivery. */
  readonly exhaustedEndpoints: readonly { readonly partnerId: string; readonly endpointId: string }[];
  /** The age of the first event without a sequence; 0 when all have theirs. */
  readonly relayLagSeconds: number;
}

/** Counting stops here. */
export const COUNTED_MAX = 10_000;
const LOOKED_AT = 10;

/**
 * SQL for `with`: the endpoints that have a delivery of a status, `b`, each found by the one before. It costs as much as there are such
 * endpoints. The order is the whole index of the status, which any plan then uses.
 */
export function endpointsWith(condition: string, lastColumn: string): string {
  const first = (after: string) => `select d.partner_id, d.endpoint_id from delivery d
    where ${condition}${after} order by d.partner_id, d.endpoint_id, d.${lastColumn} limit 1`;
  return `with recursive b as (
      (${first('')})
      union all
      select next.* from b cross join lateral (${first(' and (d.partner_id, d.endpoint_id) > (b.partner_id, b.endpoint_id)')}) next
    )`;
}

/** SQL: the delivery `d` waits for its next attempt. */
export const IS_WAITING = "d.status = 'waiting'";
const OF_ENDPOINT = 'd.partner_id = b.partner_id and d.endpoint_id = b.endpoint_id';
const KEY = { partnerId: 'b.partner_id', key: 'endpoint_id', value: 'b.endpoint_id' };
const ENDPOINT = `cross join lateral ${rowOf('webhook_endpoint', KEY)} e`;
const OF_DELIVERY = { partnerId: 'd.partner_id', key: 'endpoint_id', value: 'd.endpoint_id' };
const HANDED_OVER_TO_ACTIVE = `${HANDED_OVER} cross join lateral ${rowOf('webhook_endpoint', OF_DELIVERY)} e where e.status = 'active'`;

const WAITING: Statement = {
  name: 'count_waiting_deliveries',
  text: `${endpointsWith(IS_WAITING, 'next_attempt_at')}
    select count(*)::int4 as waiting from (
      select from b ${ENDPOINT} cross join lateral (select from delivery d where ${OF_ENDPOINT} and ${IS_WAITING} limit ${COUNTED_MAX}) found
      where e.status = 'active'
      union all
      select from delivery_hand_over h ${HANDED_OVER_TO_ACTIVE}
      limit ${COUNTED_MAX}
    ) counted`,
};

/** The most attempted delivery is due last, and one without an attempt is due first. */
const OLDEST: Statement = {
  name: 'measure_oldest_delivery',
  text: `${endpointsWith(IS_WAITING, 'next_attempt_at')}
    select coalesce(extract(epoch from now() - min(oldest.created_at)), 0)::float8 as "oldestWaitingSeconds" from (
      select found.created_at from b ${ENDPOINT}
      cross join lateral ${rowOf('endpoint_health', KEY)} h
      cross join lateral (
        (select d.created_at from delivery d where ${OF_ENDPOINT} and ${IS_WAITING} and d.next_attempt_at >= h.due_from
          order by d.next_attempt_at limit ${LOOKED_AT})
        union all
        (select d.created_at from delivery d where ${OF_ENDPOINT} and ${IS_WAITING} order by d.next_attempt_at desc limit ${LOOKED_AT})
      ) found
      where e.status = 'active'
      union all
      select d.created_at from (
        select * from delivery_hand_over order by lease_ends_at limit ${LOOKED_AT}
      ) h ${HANDED_OVER_TO_ACTIVE}
    ) oldest`,
};

const EXHAUSTED: Statement = {
  name: 'count_exhausted_deliveries',
  text: `${endpointsWith(IS_EXHAUSTED, 'delivery_id')}
    select count(*)::int4 as exhausted from (
      select from b ${ENDPOINT} cross join lateral (select from delivery d where ${OF_ENDPOINT} and ${IS_EXHAUSTED} limit ${COUNTED_MAX}) found
      where e.status <> 'removed' limit ${COUNTED_MAX}
    ) counted`,
};

const EXHAUSTED_ENDPOINTS: Statement = {
  name: 'list_exhausted_endpoints',
  text: `${endpointsWith(IS_EXHAUSTED, 'delivery_id')}
    select b.partner_id as "partnerId", b.endpoint_id as "endpointId" from b ${ENDPOINT} where e.status <> 'removed'`,
};

const FIRST_OF_OUTBOX = (after: string) => `select o.partner_id, o.occurred_at from event_outbox o ${after}
      order by o.partner_id, o.written_by, o.position limit 1`;

/**
 * Finds the first event without a sequence of each partner that has one. It goes from each partner to the next one with such an event.
 */
const RELAY_LAG: Statement = {
  name: 'measure_relay_lag',
  text: `with recursive first as (
      (${FIRST_OF_OUTBOX('')})
      union all
      select next.* from first cross join lateral (${FIRST_OF_OUTBOX('where o.partner_id > first.partner_id')}) next
    )
    select coalesce(extract(epoch from now() - min(first.occurred_at)), 0)::float8 as "relayLagSeconds" from first`,
};

/**
 * A distributed database has no row-by-row look-up: each node finds its rows, and no more of them than are counted. In the order in which
 * they are measured: what is quick comes first.
 */
const ANYWHERE = {
  lag: {
    name: 'measure_relay_lag_anywhere',
    text: `select coalesce(extract(epoch from now() - min(o.occurred_at)), 0)::float8 as "relayLagSeconds" from event_outbox o`,
  },
  exhausted: {
    name: 'count_exhausted_deliveries_anywhere',
    text: `select count(*)::int4 as exhausted from (
        select d.delivery_id from delivery d
        join webhook_endpoint e on e.partner_id = d.partner_id and e.endpoint_id = d.endpoint_id and e.status <> 'removed'
        where ${IS_EXHAUSTED} limit ${COUNTED_MAX}
      ) counted`,
  },
  waiting: {
    name: 'count_waiting_deliveries_anywhere',
    text: `select count(*)::int4 as waiting from (
        select d.delivery_id from delivery d
        join webhook_endpoint e on e.partner_id = d.partner_id and e.endpoint_id = d.endpoint_id and e.status = 'active'
        where d.status = 'waiting' limit ${COUNTED_MAX}
      ) counted`,
  },
  oldest: {
    name: 'measure_oldest_delivery_anywhere',
    text: `select coalesce(extract(epoch from now() - min(d.created_at)), 0)::float8 as "oldestWaitingSeconds" from delivery d
      join webhook_endpoint e on e.partner_id = d.partner_id and e.endpoint_id = d.endpoint_id and e.status = 'active'
      where d.status = 'waiting'`,
  },
  exhaustedEndpoints: {
    name: 'list_exhausted_endpoints_anywhere',
    text: `select d.partner_id as "partnerId", d.endpoint_id as "endpointId" from delivery d
      join webhook_endpoint e on e.partner_id = d.partner_id and e.endpoint_id = d.endpoint_id and e.status <> 'removed'
      where ${IS_EXHAUSTED} group by d.partner_id, d.endpoint_id`,
  },
} satisfies Record<string, Statement>;
const ON_ONE_SERVER = {
  lag: RELAY_LAG,
  exhausted: EXHAUSTED,
  waiting: WAITING,
  oldest: OLDEST,
  exhaustedEndpoints: EXHAUSTED_ENDPOINTS,
};

/**
 * The cost depends on the number of partners and endpoints for which something waits, not on the backlog; on a distributed database on the
 * backlog.
 */
export async function measureBacklog(db: Queryable, { isDistributed }: Pick<Database, 'isDistributed'>): Promise<Backlog> {
  const figures = await Promise.all(measureEach(db, isDistributed));
  return Object.assign(
    { waiting: 0, oldestWaitingSeconds: 0, exhausted: 0, exhaustedEndpoints: [], relayLagSeconds: 0 },
    ...figures,
  );
}

/** Each resolves with one figure. */
function measureEach(db: Queryable, isDistributed: boolean): Promise<Partial<Backlog> | undefined>[] {
  const statements: Record<string, Statement> = isDistributed ? ANYWHERE : ON_ONE_SERVER;
  return Object.entries(statements).map(async ([figure, statement]) => {
    const rows = await run(db, statement, []);
    return figure === 'exhaustedEndpoints' ? { exhaustedEndpoints: rows as unknown as Backlog['exhaustedEndpoints'] } : rows[0];
  });
}

/** With the time in which it waits for its connection: a scrape waits for 4 s for each of its figures. */
const MEASURED_WITHIN_MS = 3_500;

/**
 * Measures the backlog like {@link measureBacklog}, each figure for itself: one that takes too long leaves those that come before it.
 *
 * @param withinMs For all together.
 * @returns The figures that could be measured; none when the database does not answer.
 */
export async function measureBacklogInPart(
  { pool, isDistributed }: Pick<Database, 'pool' | 'isDistributed'>,
  withinMs = MEASURED_WITHIN_MS,
): Promise<Partial<Backlog>> {
  const measured: Partial<Backlog> = {};
  const untilMs = performance.now() + withinMs;
  const measure = async (db: Connection) => {
    const figures = measureEach(db, isDistributed).map(async (figure) => void Object.assign(measured, await figure));
    const session = db as unknown as DatabaseSession;
    const leftMs = Math.max(untilMs - performance.now(), 1);
    const timer = setTimeout(() => session.cut('The figures of the backlog took too long.'), leftMs);
    const settled = await Promise.allSettled(figures);
    clearTimeout(timer);
    // The connection is then closed.
    const failed = settled.find((each): each is PromiseRejectedResult => each.status === 'rejected');
    if (failed) throw failed.reason;
  };
  await onOneConnection(pool, measure).catch(() => {});
  return measured;
}
