import { NOW } from '../bulk-rows.ts';
import type { Database, Queryable } from '../database.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { type LongStatements, ONE_BY_ONE, type PageOfIds, run, runLong, type Statement } from '../query.ts';

export interface WebhookEndpoint {
  readonly partnerId: string;
  readonly endpointId: string;
  readonly url: string;
  /** Empty: every event type. */
  readonly eventTypes: readonly string[];
  readonly status: 'active' | 'disabled' | 'removed';
  /** Why it is disabled. */
  readonly statusReason: string | null;
  readonly createdAt: Date;
  readonly secretSealed: string;
  readonly nextSecretSealed: string | null;
  /** From then on the next secret is the only one. */
  readonly nextSecretFrom: Date | null;
  /** That time has passed, by the database's clock. */
  readonly isNextSecretDue: boolean;
}

/** The health of an endpoint, by its attempts. */
export interface EndpointHealth {
  readonly failuresInRow: number;
  readonly failingSince: Date | null;
  readonly breakerTrips: number;
  readonly breakerOpenUntil: Date | null;
}

const STORED_COLUMNS = `e.partner_id as "partnerId", e.endpoint_id as "endpointId", e.url, e.event_types as "eventTypes", e.status,
    e.status_reason as "statusReason", e.created_at as "createdAt", e.secret_sealed as "secretSealed",
    e.next_secret_sealed as "nextSecretSealed", e.next_secret_from as "nextSecretFrom"`;
/** Of `webhook_endpoint e`. */
export const ENDPOINT_COLUMNS = `${STORED_COLUMNS}, coalesce(e.next_secret_from <= now(), false) as "isNextSecretDue"`;
const HEALTH = `h.failures_in_row as "failuresInRow", h.failing_since as "failingSince", h.breaker_trips as "breakerTrips",
    h.breaker_open_until as "breakerOpenUntil"`;
const HEALTH_JOIN = 'join endpoint_health h on h.partner_id = e.partner_id and h.endpoint_id = e.endpoint_id';

const LOCK_COUNTER: Statement = {
  name: 'lock_event_counter',
  text: 'select last_sequence from event_counter where partner_id = $1 for update',
};

/** Locks the partner's event counter until the transaction ends: no event gets a sequence, and no endpoint is added, meanwhile. */
export async function lockEventCounter(db: Queryable, partnerId: string): Promise<void> {
  await run(db, LOCK_COUNTER, [partnerId]);
}

// A distributed database accepts no clock in the `returning` of an insert.
const INSERT: Statement = {
  name: 'insert_webhook_endpoint',
  text: `insert into webhook_endpoint as e (partner_id, endpoint_id, url, event_types, status, secret_sealed, created_at, changed_at)
    values ($1, $2, $3, $4, 'active', $5, ${NOW}, ${NOW}) returning ${STORED_COLUMNS}, false as "isNextSecretDue"`,
};
const INSERT_HEALTH: Statement = {
  name: 'insert_endpoint_health',
  text: 'insert into endpoint_health (partner_id, endpoint_id) values ($1, $2)',
};

export async function insertWebhookEndpoint(
  db: Queryable,
  endpoint: Pick<WebhookEndpoint, 'partnerId' | 'endpointId' | 'url' | 'eventTypes' | 'secretSealed'>,
): Promise<WebhookEndpoint> {
  const { partnerId, endpointId, url, eventTypes, secretSealed } = endpoint;
  const [inserted] = await run<WebhookEndpoint>(db, INSERT, [partnerId, endpointId, url, eventTypes, secretSealed]);
  await run(db, INSERT_HEALTH, [partnerId, endpointId]);
  return inserted as WebhookEndpoint;
}

const LIST: Statement = {
  name: 'list_webhook_endpoints',
  text: `select ${ENDPOINT_COLUMNS}, ${HEALTH} from webhook_endpoint e ${HEALTH_JOIN}
    where e.partner_id = $1 and e.status <> 'removed' order by e.endpoint_id`,
};

/** Without removed ones, in the order of their creation. */
export async function listWebhookEndpoints(db: Queryable, partnerId: string): Promise<(WebhookEndpoint & EndpointHealth)[]> {
  return run(db, LIST, [partnerId]);
}

const LIST_OF: Statement = {
  name: 'list_endpoints_of',
  text: `select ${ENDPOINT_COLUMNS}, ${HEALTH}, coalesce(h.breaker_open_until > now(), false) as "isOpen"
    from webhook_endpoint e ${HEALTH_JOIN} where e.partner_id = any ($1::text[]) and e.status <> 'removed'`,
};

/** Those of several partners that are not removed. `isOpen`: the circuit is open, nothing is sent. */
export async function listEndpointsOf(
  db: Queryable,
  partnerIds: readonly string[],
): Promise<(WebhookEndpoint & EndpointHealth & { readonly isOpen: boolean })[]> {
  return run(db, LIST_OF, [partnerIds]);
}

const LIST_ALL: Statement = {
  name: 'list_all_webhook_endpoints',
  text: `select ${ENDPOINT_COLUMNS} from webhook_endpoint e where e.endpoint_id > $1 and ($2::text[] is null or e.endpoint_id = any ($2))
    order by e.endpoint_id limit $3`,
};

/** Endpoints of all partners, including removed ones. */
export async function listAllWebhookEndpoints(db: Queryable, { afterId, ids, limit }: PageOfIds): Promise<WebhookEndpoint[]> {
  return run<WebhookEndpoint>(db, LIST_ALL, [afterId, ids, limit]);
}

export type EndpointOrder = 'created_at' | 'failing_since';

/** An endpoint that is not removed. */
export interface ListedEndpoint {
  readonly partnerId: string;
  readonly endpointId: string;
  readonly state: 'healthy' | 'failing' | 'disabled';
}

const IN_ORDER: KeysetList<EndpointOrder> = {
  name: 'list_endpoints_in_order',
  select: `e.partner_id as "partnerId", e.endpoint_id as "endpointId",
    case when e.status = 'disabled' then 'disabled' when h.failing_since is null then 'healthy' else 'failing' end as state`,
  from: `webhook_endpoint e ${HEALTH_JOIN}`,
  where: "e.status <> 'removed'",
  // An id contains the time of its making.
  orders: {
    created_at: [['e.endpoint_id', 'text']],
    failing_since: [
      ['h.failing_since', 'timestamptz'],
      ['h.endpoint_id', 'text'],
    ],
  },
};
const DISABLED = { ...IN_ORDER, name: 'list_disabled_endpoints_in_order', where: "e.status = 'disabled'" };
const FAILING: KeysetList<EndpointOrder> = {
  ...IN_ORDER,
  name: 'list_failing_endpoints_in_order',
  where: "h.failing_since is not null and e.status = 'active'",
  orders: { ...IN_ORDER.orders, created_at: [['h.endpoint_id', 'text']] },
};

/** Of all partners or of one. The order of `failing_since` has those that fail. */
export async function listEndpointsInOrder(
  db: Queryable,
  { partnerId, state }: { readonly partnerId?: string | undefined; readonly state?: ListedEndpoint['state'] | undefined },
  page: KeysetPage<EndpointOrder>,
): Promise<(ListedEndpoint & Placed)[]> {
  const conditions = { 'e.partner_id': partnerId };
  if (page.order.by === 'failing_since' || state === 'failing') return listByKeyset(db, FAILING, conditions, page);
  return listByKeyset(db, state === 'disabled' ? DISABLED : IN_ORDER, conditions, page);
}

const LOCK_ANY: Statement = {
  name: 'lock_any_webhook_endpoint',
  text: `select ${ENDPOINT_COLUMNS} from webhook_endpoint e where e.partner_id = $1 and e.endpoint_id = $2 for update`,
};

/** One endpoint, whatever its status, locked until the transaction ends. */
export async function lockAnyWebhookEndpoint(
  db: Queryable,
  { partnerId, endpointId }: Pick<WebhookEndpoint, 'partnerId' | 'endpointId'>,
): Promise<WebhookEndpoint | undefined> {
  const [endpoint] = await run<WebhookEndpoint>(db, LOCK_ANY, [partnerId, endpointId]);
  return endpoint;
}

const FIND: Statement = {
  name: 'find_webhook_endpoint',
  text: `select ${ENDPOINT_COLUMNS}, ${HEALTH} from webhook_endpoint e ${HEALTH_JOIN}
    where e.partner_id = $1 and e.endpoint_id = $2 and e.status <> 'removed'`,
};

export async function findWebhookEndpoint(
  db: Queryable,
  partnerId: string,
  endpointId: string,
): Promise<(WebhookEndpoint & EndpointHealth) | undefined> {
  const [endpoint] = await run<WebhookEndpoint & EndpointHealth>(db, FIND, [partnerId, endpointId]);
  return endpoint;
}

const LOCK: Statement = { name: 'lock_webhook_endpoint', text: `${FIND.text} for update of e` };

/** The same, and locked until the transaction ends. */
export async function lockWebhookEndpoint(
  db: Queryable,
  partnerId: string,
  endpointId: string,
): Promise<(WebhookEndpoint & EndpointHealth) | undefined> {
  const [endpoint] = await run<WebhookEndpoint & EndpointHealth>(db, LOCK, [partnerId, endpointId]);
  return endpoint;
}

const UPDATE: Statement = {
  name: 'update_webhook_endpoint',
  text: `update webhook_endpoint set event_types = $3, status = $4, status_reason = $5, secret_sealed = $6, next_secret_sealed = $7,
      next_secret_from = $8, changed_at = now()
    where partner_id = $1 and endpoint_id = $2`,
};

/** Writes all fields of an endpoint that can change. */
export async function updateWebhookEndpoint(db: Queryable, endpoint: WebhookEndpoint): Promise<void> {
  const { partnerId, endpointId, eventTypes, status, statusReason, secretSealed, nextSecretSealed, nextSecretFrom } = endpoint;
  await run(db, UPDATE, [
    partnerId,
    endpointId,
    eventTypes,
    status,
    statusReason,
    secretSealed,
    nextSecretSealed,
    nextSecretFrom,
  ]);
}

const LOCK_HEALTH: Statement = {
  name: 'lock_endpoint_health',
  text: `select ${HEALTH}, now() as "readAt" from endpoint_health h where h.partner_id = $1 and h.endpoint_id = $2 for update`,
};

export async function lockEndpointHealth(
  db: Queryable,
  { partnerId, endpointId }: Pick<WebhookEndpoint, 'partnerId' | 'endpointId'>,
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
  { partnerId, endpointId }: Pick<WebhookEndpoint, 'partnerId' | 'endpointId'>,
  { failuresInRow, failingSince, breakerTrips, breakerOpenUntil }: EndpointHealth,
): Promise<void> {
  await run(db, UPDATE_HEALTH, [partnerId, endpointId, failuresInRow, failingSince, breakerTrips, breakerOpenUntil]);
}

const CLEAR_HEALTH: Statement = {
  name: 'clear_endpoint_health',
  text: `update endpoint_health set failures_in_row = 0, failing_since = null, breaker_trips = 0, breaker_open_until = null
    where partner_id = $1 and endpoint_id = $2 and (failures_in_row > 0 or breaker_trips > 0)`,
};

const CLOSE_BREAKER: Statement = {
  name: 'close_endpoint_breaker',
  text: 'update endpoint_health set breaker_open_until = null where partner_id = $1 and endpoint_id = $2 and breaker_open_until is not null',
};

/** Allows one delivery, which tests the endpoint, now. */
export async function closeEndpointBreaker(
  db: Queryable,
  { partnerId, endpointId }: Pick<WebhookEndpoint, 'partnerId' | 'endpointId'>,
): Promise<void> {
  await run(db, CLOSE_BREAKER, [partnerId, endpointId]);
}

/** After a success, and when it is enabled. Writes nothing when there was no failure. */
export async function clearEndpointHealth(
  db: Queryable,
  { partnerId, endpointId }: Pick<WebhookEndpoint, 'partnerId' | 'endpointId'>,
): Promise<void> {
  await run(db, CLEAR_HEALTH, [partnerId, endpointId]);
}

const UPDATE_DUE_FROM: Statement = {
  name: 'update_endpoint_due_from',
  text: 'update endpoint_health set due_from = $4 where partner_id = $1 and endpoint_id = $2 and due_from = $3',
};

/** Records from when on deliveries of an endpoint may be due, unless that was changed meanwhile. */
export async function updateEndpointDueFrom(
  db: Queryable,
  { partnerId, endpointId, dueFrom }: Pick<WebhookEndpoint, 'partnerId' | 'endpointId'> & { readonly dueFrom: Date },
  next: Date,
): Promise<void> {
  await run(db, UPDATE_DUE_FROM, [partnerId, endpointId, dueFrom, next]);
}

const reopenDue = (name: string, ending: string): Statement => ({
  name,
  text: `update endpoint_health h set due_from = default
    where exists (
      select from delivery d
      where d.partner_id = h.partner_id and d.endpoint_id = h.endpoint_id and d.status = 'waiting' and d.next_attempt_at < h.due_from
      ${ending}
    )`,
});
const REOPEN_DUE = reopenDue('reopen_due_deliveries', ONE_BY_ONE);
const REOPEN_DUE_ANYWHERE = reopenDue('reopen_due_deliveries_anywhere', '');

/**
 * Resets the recorded due time of endpoints with earlier due deliveries: a transaction may commit long after its recorded time. Reads
 * rows that snapshots keep, which may take long.
 */
export async function reopenDueDeliveries(
  db: Queryable,
  { isDistributed }: Pick<Database, 'isDistributed'>,
  time: LongStatements,
) {
  await runLong(db, isDistributed ? REOPEN_DUE_ANYWHERE : REOPEN_DUE, [], time);
}
