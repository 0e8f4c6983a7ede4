import type { Queryable } from '../database.ts';
import { type ListedIn, listedStatement, run, runListed, type Statement } from '../query.ts';
import { IS_DELIVERED, IS_EXHAUSTED } from './delivery.ts';
import type { EndpointId } from './webhook-endpoint.ts';

const COUNT: Statement = {
  name: 'count_deliveries_of_endpoint',
  text: `select
      (select count(*) from (
        select 1 from delivery where partner_id = $1 and endpoint_id = $2 and status = 'waiting' limit $3
      ) unended)::int4 as unended,
      (select count(*) from (
        select 1 from delivery d where d.partner_id = $1 and d.endpoint_id = $2 and ${IS_EXHAUSTED} limit $3
      ) spent)::int4 as exhausted`,
};

export interface EndpointCounts {
  /** Deliveries that wait for it; those of a disabled one are held. Without those that a process sends for the first time at this moment. */
  readonly unended: number;
  readonly exhausted: number;
}

/** Each count stops at `limit`: it reads as many rows of an index that holds no others. */
export async function countDeliveriesOfEndpoint(
  db: Queryable,
  { partnerId, endpointId }: EndpointId,
  limit: number,
): Promise<EndpointCounts> {
  const [counts] = await run<{ unended: number; exhausted: number }>(db, COUNT, [partnerId, endpointId, limit]);
  return counts ?? { unended: 0, exhausted: 0 };
}

export const UNDELIVERED_MAX = 100;
const ENDPOINT = { table: 'webhook_endpoint', alias: 'e', key: 'endpoint_id' };
const OF_ENDPOINT = 'd.partner_id = e.partner_id and d.endpoint_id = e.endpoint_id';
const NAME = 'count_undelivered_of_endpoints';

const ANYWHERE = listedStatement(
  `${NAME}_anywhere`,
  ENDPOINT,
  (rows) => `select e.endpoint_id as "endpointId", count(*)::int4 as undelivered
    from ${rows} join delivery d on ${OF_ENDPOINT}
    where d.status = 'waiting' or (${IS_EXHAUSTED}) group by e.partner_id, e.endpoint_id`,
);

const UNDELIVERED = {
  /** Reads the index of waiting and the index of exhausted deliveries, each as far as the count goes. */
  oneByOne: listedStatement(
    NAME,
    ENDPOINT,
    (rows) => `select e.endpoint_id as "endpointId", (select count(*) from (
        (select from delivery d where ${OF_ENDPOINT} and d.status = 'waiting' limit ${UNDELIVERED_MAX + 1})
        union all
        (select from delivery d where ${OF_ENDPOINT} and ${IS_EXHAUSTED} limit ${UNDELIVERED_MAX + 1})
      ) counted)::int4 as undelivered from ${rows}`,
  ).oneByOne,
  /** A distributed database has no row-by-row look-up: each node counts its rows. */
  anywhere: ANYWHERE.anywhere,
  ofOne: ANYWHERE.ofOne,
};

/**
 * How many deliveries wait for an endpoint, are held or are exhausted, by its id: `UNDELIVERED_MAX + 1` where there are more; absent for
 * none.
 */
export async function countUndeliveredOfEndpoints(
  database: ListedIn,
  listed: readonly EndpointId[],
): Promise<ReadonlyMap<string, number>> {
  const keys = listed.map(({ partnerId, endpointId }) => [partnerId, endpointId] as const);
  const rows = await runListed<{ endpointId: string; undelivered: number }>(database, UNDELIVERED, keys);
  return new Map(rows.map(({ endpointId, undelivered }) => [endpointId, Math.min(undelivered, UNDELIVERED_MAX + 1)]));
}

/** What became of the events of a period at an endpoint. */
export interface PeriodOutcome {
  /** Delivered by the first attempt, within a minute. */
  readonly atOnce: number;
  /** Delivered by a later one, or after the endpoint was enabled. */
  readonly later: number;
  readonly unended: number;
  readonly exhausted: number;
  /** How many deliveries of the partner were looked at. */
  readonly lookedAt: number;
}

/** Ids begin with the time of their event. The limit within keeps any plan to the key. */
const OUTCOMES: Statement = {
  name: 'read_outcomes_of_endpoint',
  text: `select count(d.delivery_id)::int4 as "lookedAt",
      count(*) filter (where d.endpoint_id = $2 and d.state = 'delivered' and d.is_prompt)::int4 as "atOnce",
      count(*) filter (where d.endpoint_id = $2 and d.state = 'delivered' and not d.is_prompt)::int4 as later,
      count(*) filter (where d.endpoint_id = $2 and d.state = 'unended')::int4 as unended,
      count(*) filter (where d.endpoint_id = $2 and d.state = 'exhausted')::int4 as exhausted
    from unnest($3::text[], $4::text[]) with ordinality as period (from_id, to_id, position)
    left join lateral (
      select delivery_id, endpoint_id, attempts <= 1 and ended_at < created_at + interval '1 minute' as is_prompt,
        case when sequence is null then 'none' when status = 'exhausted' then status when ${IS_DELIVERED} then 'delivered' else 'unended' end as state
      from delivery d where partner_id = $1 and delivery_id >= period.from_id and delivery_id < period.to_id
      order by delivery_id limit $5
    ) d on true
    group by period.position order by period.position`,
};

/**
 * The outcomes of this endpoint's deliveries in each period, among the first `limit` deliveries of the partner in it.
 *
 * @param periods The ids between which the deliveries of each are.
 */
export async function readOutcomesOfEndpoint(
  db: Queryable,
  { partnerId, endpointId }: EndpointId,
  { periods, limit }: { readonly periods: readonly { readonly fromId: string; readonly toId: string }[]; readonly limit: number },
): Promise<PeriodOutcome[]> {
  const [from, to] = [periods.map(({ fromId }) => fromId), periods.map(({ toId }) => toId)];
  return run<PeriodOutcome>(db, OUTCOMES, [partnerId, endpointId, from, to, limit]);
}
