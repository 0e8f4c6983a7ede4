import { DISABLED_FOR, type EndpointHealth } from '../../domain/webhooks/endpoint-health.ts';
import type { Database, Queryable } from '../database.ts';
import type { Ask, NodeReader, OfAllPartners } from '../node-reader.ts';
import { ONE_BY_ONE, run, type Statement } from '../query.ts';
import type { EndpointId } from './webhook-endpoint.ts';

/** SQL: the columns of an endpoint's health, read from `endpoint_health h`. A circuit that was open until some time in the past is closed. */
export const HEALTH_COLUMNS = `h.failures_in_row as "failuresInRow", h.failing_since as "failingSince", h.breaker_trips as "breakerTrips",
    case when h.breaker_open_until > now() then h.breaker_open_until end as "breakerOpenUntil"`;
/** SQL: joins the health to `webhook_endpoint e`. */
export const HEALTH_JOIN = 'join endpoint_health h on h.partner_id = e.partner_id and h.endpoint_id = e.endpoint_id';

const INSERT_HEALTH: Statement = {
  name: 'insert_endpoint_health',
  text: 'insert into endpoint_health (partner_id, endpoint_id) values ($1, $2)',
};

export async function insertEndpointHealth(db: Queryable, { partnerId, endpointId }: EndpointId): Promise<void> {
  await run(db, INSERT_HEALTH, [partnerId, endpointId]);
}

const LOCK_HEALTH: Statement = {
  name: 'lock_endpoint_health',
  text: `select ${HEALTH_COLUMNS}, now() as "readAt" from endpoint_health h where h.partner_id = $1 and h.endpoint_id = $2 for update`,
};

export async function lockEndpointHealth(
  db: Queryable,
  { partnerId, endpointId }: EndpointId,
): Promise<(EndpointHealth & { readonly readAt: Date }) | undefined> {
  const [health] = await run<EndpointHealth & { readAt: Date }>(db, LOCK_HEALTH, [partnerId, endpointId]);
  return health;
}

const UPDATE_HEALTH: Statement = {
  name: 'update_endpoint_health',
  text: `update endpoint_health set failures_in_row = $3, failing_since = $4, breaker_trips = $5, breaker_open_until = $6
    where partner_id = $1 and endpoint_id = $2`,
};

export async function updateEndpointHealth(
  db: Queryable,
  { partnerId, endpointId }: EndpointId,
  { failuresInRow, failingSince, breakerTrips, breakerOpenUntil }: EndpointHealth,
): Promise<void> {
  await run(db, UPDATE_HEALTH, [partnerId, endpointId, failuresInRow, failingSince, breakerTrips, breakerOpenUntil]);
}

/** SQL after `set`: an endpoint without failures. */
export const CLEARED = 'failures_in_row = 0, failing_since = null, breaker_trips = 0, breaker_open_until = null';

const CLEAR_HEALTH: Statement = {
  name: 'clear_endpoint_health',
  text: `update endpoint_health set ${CLEARED}
    where partner_id = $1 and endpoint_id = $2 and failing_since is not null`,
};

/** After a success, and when it is enabled. Writes nothing when there was no failure. */
export async function clearEndpointHealth(db: Queryable, { partnerId, endpointId }: EndpointId): Promise<void> {
  await run(db, CLEAR_HEALTH, [partnerId, endpointId]);
}

const UPDATE_FAILED_DELIVERY: Statement = {
  name: 'update_endpoint_failed_delivery',
  text: `update endpoint_health h set stopped_by = $3 from webhook_endpoint e
    where h.partner_id = $1 and h.endpoint_id = $2 and e.partner_id = $1 and e.endpoint_id = $2 and e.status = 'active'`,
};

/**
 * Records the delivery whose attempt failed last at an active endpoint, so that the one that opens its circuit or disables it stays. What
 * fails afterwards, because it was under way when the endpoint was disabled, changes nothing.
 */
export async function updateEndpointFailedDelivery(
  db: Queryable,
  { partnerId, endpointId }: EndpointId,
  deliveryId: string | null,
): Promise<void> {
  await run(db, UPDATE_FAILED_DELIVERY, [partnerId, endpointId, deliveryId]);
}

const FIND_FAILED_DELIVERY: Statement = {
  name: 'find_endpoint_failed_delivery',
  text: `select h.stopped_by as "deliveryId", h.failing_since as "failingSince",
      case e.status when 'disabled' then coalesce(e.status_reason = any ($3::text[]), false) else coalesce(h.breaker_open_until > now(), false) end as "isStopped"
    from webhook_endpoint e ${HEALTH_JOIN}
    where e.partner_id = $1 and e.endpoint_id = $2 and h.stopped_by is not null and (e.status = 'disabled' or h.failing_since is not null)`,
};

export interface FailedDelivery {
  readonly deliveryId: string;
  /** Since when the endpoint fails. */
  readonly failingSince: Date | null;
  /** Whether the service disabled the endpoint for it, or its circuit is open. */
  readonly isStopped: boolean;
}

/** The delivery that {@link updateEndpointFailedDelivery} recorded, while the endpoint fails or is disabled. */
export async function findEndpointFailedDelivery(
  db: Queryable,
  { partnerId, endpointId }: EndpointId,
): Promise<FailedDelivery | undefined> {
  const [row] = await run<FailedDelivery>(db, FIND_FAILED_DELIVERY, [partnerId, endpointId, Object.values(DISABLED_FOR)]);
  return row;
}

const CLOSE_BREAKER: Statement = {
  name: 'close_endpoint_breaker',
  text: 'update endpoint_health set breaker_open_until = null where partner_id = $1 and endpoint_id = $2 and breaker_open_until is not null',
};

/** Allows one delivery, which tests the endpoint, now. */
export async function closeEndpointBreaker(db: Queryable, { partnerId, endpointId }: EndpointId): Promise<void> {
  await run(db, CLOSE_BREAKER, [partnerId, endpointId]);
}

const UPDATE_DUE_FROM: Statement = {
  name: 'update_endpoint_due_from',
  text: 'update endpoint_health set due_from = $4 where partner_id = $1 and endpoint_id = $2 and due_from = $3',
};

/** Records from when on deliveries of an endpoint may be due, unless that was changed meanwhile. */
export async function updateEndpointDueFrom(
  db: Queryable,
  { partnerId, endpointId, dueFrom }: EndpointId & { readonly dueFrom: Date },
  next: Date,
): Promise<void> {
  await run(db, UPDATE_DUE_FROM, [partnerId, endpointId, dueFrom, next]);
}

const reopenDue = (name: string, ending: string): OfAllPartners => ({
  name,
  write: (ofPartners) => `update endpoint_health h set due_from = default
    where ${ofPartners('h.partner_id')} and exists (
      select from delivery d
      where d.partner_id = h.partner_id and ${ofPartners('d.partner_id')} and d.endpoint_id = h.endpoint_id and d.status = 'waiting'
        and d.next_attempt_at < h.due_from ${ending}
    )`,
});
const REOPEN_DUE = reopenDue('reopen_due_deliveries', ONE_BY_ONE);
const REOPEN_DUE_ANYWHERE = reopenDue('reopen_due_deliveries_anywhere', '');

/**
 * Resets the recorded due time of endpoints with earlier due deliveries: a transaction may commit long after its recorded time. Reads
 * rows that snapshots keep, which may take long.
 */
export async function reopenDueDeliveries(
  nodes: NodeReader,
  { isDistributed }: Pick<Database, 'isDistributed'>,
  askLong: Ask<never>,
): Promise<void> {
  await nodes.read(isDistributed ? REOPEN_DUE_ANYWHERE : REOPEN_DUE, [], askLong);
}
