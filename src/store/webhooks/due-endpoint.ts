import type { Database, Queryable } from '../database.ts';
import type { NodeReader, OfAllPartners } from '../node-reader.ts';
import { ONE_BY_ONE, rowOf, run, runAnew, type Statement } from '../query.ts';
import { IS_WATCHED } from './endpoint-watch.ts';
import { ENDPOINT_COLUMNS, IS_NOT_REMOVED, type WebhookEndpoint } from './webhook-endpoint.ts';

export interface DueEndpoint extends WebhookEndpoint {
  /** `failing`: its last attempt failed. `half_open`: after many failures one delivery tests it before the others are sent. */
  readonly health: 'healthy' | 'failing' | 'half_open';
  /** No delivery of it is due earlier, as far as is known. By the database's clock. */
  readonly dueFrom: Date;
}

const COLUMNS = `${ENDPOINT_COLUMNS}, h.due_from as "dueFrom",
      case when h.breaker_trips > 0 then 'half_open' when h.failures_in_row > 0 then 'failing' else 'healthy' end as health`;

const isDue = (
  ending: string,
) => `e.status = 'active' and (h.breaker_open_until is null or h.breaker_open_until <= now()) and exists (
      select from delivery d
      where d.partner_id = h.partner_id and d.endpoint_id = h.endpoint_id and d.status = 'waiting'
        and d.next_attempt_at >= h.due_from and d.next_attempt_at <= now() ${ending}
    )`;

const rowOfWatched = (table: string) =>
  rowOf(table, { partnerId: 'watched.partner_id', key: 'endpoint_id', value: 'watched.endpoint_id' });

const DUE_ENDPOINTS: Statement = {
  name: 'list_due_endpoints',
  text: `select ${COLUMNS}
    from (select partner_id, endpoint_id from endpoint_watch where watched_until > now() ${ONE_BY_ONE}) watched
    cross join lateral ${rowOfWatched('endpoint_health')} h cross join lateral ${rowOfWatched('webhook_endpoint')} e
    where ${isDue(`order by d.next_attempt_at ${ONE_BY_ONE}`)}`,
};

/** Active endpoints with due deliveries whose circuit lets them pass. A distributed database has no row-by-row look-up: each node reads its endpoints. */
export const DUE_ENDPOINTS_ON_NODES: OfAllPartners = {
  name: 'list_due_endpoints_anywhere',
  write: (ofPartners) => `select ${COLUMNS}
    from endpoint_health h join webhook_endpoint e on e.partner_id = h.partner_id and e.endpoint_id = h.endpoint_id
    where ${ofPartners('h.partner_id')} and ${ofPartners('e.partner_id')} and ${isDue(`and ${ofPartners('d.partner_id')}`)}`,
};

/** Watched, active endpoints with due deliveries whose circuit lets them pass; {@link DUE_ENDPOINTS_ON_NODES} for a distributed database. */
export async function listDueEndpoints(db: Queryable): Promise<DueEndpoint[]> {
  return run<DueEndpoint>(db, DUE_ENDPOINTS, []);
}

const ADVANCE: Statement = {
  name: 'advance_due_from',
  text: `with passed as materialized (
      select h.partner_id, h.endpoint_id
      from (select partner_id, endpoint_id from endpoint_watch where watched_until > now() ${ONE_BY_ONE}) watched
      join endpoint_health h on h.partner_id = watched.partner_id and h.endpoint_id = watched.endpoint_id
      where h.due_from < now() - 2 * $1 * interval '1 millisecond' and not exists (
        select from delivery d
        where d.partner_id = h.partner_id and d.endpoint_id = h.endpoint_id and d.status = 'waiting'
          and d.next_attempt_at >= h.due_from and d.next_attempt_at <= now()
        order by d.next_attempt_at ${ONE_BY_ONE}
      )
      for update of h skip locked
    )
    update endpoint_health h set due_from = now() - $1 * interval '1 millisecond'
    from passed p where h.partner_id = p.partner_id and h.endpoint_id = p.endpoint_id`,
};

/**
 * Records for watched endpoints without due deliveries that none is due before a moment ago: deliveries that were claimed at their
 * creation, and are delivered by now, are then not read again while a snapshot keeps their rows. Nothing else claims for them.
 *
 * @param marginMs The longest time from a transaction's recorded time to its commit.
 */
export async function advanceDueFrom(db: Queryable, marginMs: number): Promise<void> {
  await runAnew(db, ADVANCE, [marginMs]);
}

/** An endpoint that receives events of its partner. */
export interface RecipientEndpoint extends DueEndpoint {
  /** The circuit is open: nothing is sent to it. */
  readonly isOpen: boolean;
  readonly isWatched: boolean;
}

const rowOfEndpoint = (table: string) => rowOf(table, { partnerId: 'e.partner_id', key: 'endpoint_id', value: 'e.endpoint_id' });

const RECIPIENTS: Statement = {
  name: 'list_recipient_endpoints',
  text: `select ${COLUMNS}, coalesce(h.breaker_open_until > now(), false) as "isOpen", ${IS_WATCHED} as "isWatched"
    from unnest($1::text[]) as wanted (id)
    cross join lateral (select * from webhook_endpoint where partner_id = wanted.id order by endpoint_id ${ONE_BY_ONE}) e
    cross join lateral ${rowOfEndpoint('endpoint_health')} h left join lateral ${rowOfEndpoint('endpoint_watch')} w on true
    where ${IS_NOT_REMOVED}`,
};

/** Lists the endpoints of several partners that are not removed. No partner may be named twice. */
export async function listRecipientEndpoints(db: Queryable, partnerIds: readonly string[]): Promise<RecipientEndpoint[]> {
  return run<RecipientEndpoint>(db, RECIPIENTS, [partnerIds]);
}

/** An endpoint that waits until a time which only a wrong clock can have set. */
export interface FarEndpoint {
  readonly partnerId: string;
  readonly endpointId: string;
  /** Its circuit is open until such a time. */
  readonly isOpenTooLong: boolean;
}

const listFar = (name: string, ending: string): OfAllPartners => ({
  name,
  write: (ofPartners) => `select h.partner_id as "partnerId", h.endpoint_id as "endpointId",
      coalesce(h.breaker_open_until > now() + $2 * interval '1 millisecond', false) as "isOpenTooLong"
    from endpoint_health h
    where ${ofPartners('h.partner_id')} and (h.breaker_open_until > now() + $2 * interval '1 millisecond' or exists (
      select from delivery d
      where d.partner_id = h.partner_id and ${ofPartners('d.partner_id')} and d.endpoint_id = h.endpoint_id and d.status = 'waiting'
        and d.next_attempt_at > now() + $1 * interval '1 millisecond' ${ending}
    ))`,
});
const FAR = listFar('list_far_endpoints', `order by d.next_attempt_at desc ${ONE_BY_ONE}`);
const FAR_ANYWHERE = listFar('list_far_endpoints_anywhere', '');

/**
 * Endpoints with a delivery that waits for longer than `delayMaxMs`, or whose circuit is open for longer than `pauseMaxMs`.
 */
export async function listFarEndpoints(
  nodes: NodeReader,
  { isDistributed }: Pick<Database, 'isDistributed'>,
  { delayMaxMs, pauseMaxMs }: { delayMaxMs: number; pauseMaxMs: number },
): Promise<FarEndpoint[]> {
  return nodes.read<FarEndpoint>(isDistributed ? FAR_ANYWHERE : FAR, [delayMaxMs, pauseMaxMs]);
}
