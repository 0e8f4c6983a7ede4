import type { EndpointHealth } from '../../domain/webhooks/endpoint-health.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import type { NodeReader, OfAllPartners } from '../node-reader.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import {
  type ListById,
  type ListedIn,
  listedStatement,
  ONE_BY_ONE,
  type PageOfIds,
  run,
  runListById,
  runListed,
  type Statement,
} from '../query.ts';
import { HEALTH_COLUMNS, HEALTH_JOIN, insertEndpointHealth } from './endpoint-health.ts';

export interface EndpointId {
  readonly partnerId: string;
  readonly endpointId: string;
}

export interface WebhookEndpoint extends EndpointId {
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

/** When the next secret becomes the only one; `null` without a rotation, also when that time has passed. */
export function secretRotatesAt({ nextSecretFrom, isNextSecretDue }: WebhookEndpoint): Date | null {
  return isNextSecretDue ? null : nextSecretFrom;
}

/** Until when the service sends nothing to an active endpoint after many failures; `null` where it sends, and for any other endpoint. */
export function pausedUntil({ status, breakerOpenUntil }: WebhookEndpoint & EndpointHealth): Date | null {
  return status === 'active' ? breakerOpenUntil : null;
}

const STORED_COLUMNS = `e.partner_id as "partnerId", e.endpoint_id as "endpointId", e.url, e.event_types as "eventTypes", e.status,
    e.status_reason as "statusReason", e.created_at as "createdAt", e.secret_sealed as "secretSealed",
    e.next_secret_sealed as "nextSecretSealed", e.next_secret_from as "nextSecretFrom"`;
/** SQL: the columns of a {@link WebhookEndpoint}, read from `webhook_endpoint e`. */
export const ENDPOINT_COLUMNS = `${STORED_COLUMNS}, coalesce(e.next_secret_from <= now(), false) as "isNextSecretDue"`;

/**
 * SQL: `webhook_endpoint e` is not removed. Written so that the index of all endpoints that are not removed does not fit: a plan that was
 * made while the table was empty could read that one instead of those of a partner.
 */
export const IS_NOT_REMOVED = "coalesce(e.status, '') <> 'removed'";

/** SQL: `webhook_endpoint e` gets the event `n` of its partner. `receivesEvent` of the domain is the same rule. */
export const RECEIVES_EVENT = `${IS_NOT_REMOVED} and (e.event_types = '{}' or n.event_type = any (e.event_types))`;

// A distributed database accepts no clock in the `returning` of an insert.
const INSERT: Statement = {
  name: 'insert_webhook_endpoint',
  text: `insert into webhook_endpoint as e (partner_id, endpoint_id, url, event_types, status, secret_sealed, created_at, changed_at)
    values ($1, $2, $3, $4, 'active', $5, ${NOW}, ${NOW}) returning ${STORED_COLUMNS}, false as "isNextSecretDue"`,
};
export async function insertWebhookEndpoint(
  db: Queryable,
  endpoint: Pick<WebhookEndpoint, 'partnerId' | 'endpointId' | 'url' | 'eventTypes' | 'secretSealed'>,
): Promise<WebhookEndpoint> {
  const { partnerId, endpointId, url, eventTypes, secretSealed } = endpoint;
  const [inserted] = await run<WebhookEndpoint>(db, INSERT, [partnerId, endpointId, url, eventTypes, secretSealed]);
  await insertEndpointHealth(db, endpoint);
  return inserted as WebhookEndpoint;
}

const LIST: Statement = {
  name: 'list_webhook_endpoints',
  text: `select ${ENDPOINT_COLUMNS}, ${HEALTH_COLUMNS} from webhook_endpoint e ${HEALTH_JOIN}
    where e.partner_id = $1 and ${IS_NOT_REMOVED} order by e.endpoint_id`,
};

/** Without removed ones, in the order of their creation. */
export async function listWebhookEndpoints(db: Queryable, partnerId: string): Promise<(WebhookEndpoint & EndpointHealth)[]> {
  return run(db, LIST, [partnerId]);
}

const FIND_ADDED: Statement = {
  name: 'find_added_endpoint_of_day',
  text: `select extract(epoch from created_at + interval '1 day' - now())::float8 as "leftSeconds" from webhook_endpoint
    where partner_id = $1 and created_at > now() - interval '1 day' order by created_at desc, endpoint_id desc offset $2 limit 1`,
};

/**
 * @returns The seconds until fewer than `count` endpoints of the partner were added in the last 24 hours, removed ones included; 0 when it
 * is so now. Reads every endpoint that the partner ever had.
 */
export async function untilFewerAdded(db: Queryable, partnerId: string, count: number): Promise<number> {
  const [added] = await run<{ leftSeconds: number }>(db, FIND_ADDED, [partnerId, count - 1]);
  return added?.leftSeconds ?? 0;
}

const LIST_OF: OfAllPartners = {
  name: 'list_endpoints_of',
  write: (ofPartners) => `select ${ENDPOINT_COLUMNS}, ${HEALTH_COLUMNS}, coalesce(h.breaker_open_until > now(), false) as "isOpen"
    from webhook_endpoint e ${HEALTH_JOIN}
    where e.partner_id = any ($1::text[]) and ${ofPartners('e.partner_id')} and ${ofPartners('h.partner_id')} and ${IS_NOT_REMOVED}`,
};

/**
 * Lists the endpoints of several partners that are not removed, without those of a node that does not answer. `isOpen`: the circuit is
 * open, nothing is sent.
 */
export async function listEndpointsOf(
  nodes: NodeReader,
  partnerIds: readonly string[],
): Promise<(WebhookEndpoint & EndpointHealth & { readonly isOpen: boolean })[]> {
  return nodes.read(LIST_OF, [partnerIds]);
}

const LIST_ALL: ListById = {
  name: 'list_all_webhook_endpoints',
  select: `select ${ENDPOINT_COLUMNS} from webhook_endpoint e`,
  id: 'e.endpoint_id',
  // That of the index `webhook_endpoint_by_id`, which has every endpoint.
  condition: "e.status <> ''",
};

/** Endpoints of all partners, including removed ones. */
export async function listAllWebhookEndpoints(db: Queryable, page: PageOfIds): Promise<WebhookEndpoint[]> {
  return runListById<WebhookEndpoint>(db, LIST_ALL, page);
}

export type EndpointOrder = 'created_at' | 'failing_since';

/** An endpoint that is not removed. */
export interface ListedEndpoint {
  readonly partnerId: string;
  readonly endpointId: string;
  readonly state: 'healthy' | 'failing' | 'disabled';
}

/** The endpoints of all partners that are not removed. */
export const ENDPOINTS_IN_ORDER: KeysetList<EndpointOrder> = {
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
const DISABLED = { ...ENDPOINTS_IN_ORDER, name: 'list_disabled_endpoints_in_order', where: "e.status = 'disabled'" };
/** It begins with those that fail: as a join it could begin with all endpoints. */
const FAILING: KeysetList<EndpointOrder> = {
  name: 'list_failing_endpoints_in_order',
  select: `h.partner_id as "partnerId", h.endpoint_id as "endpointId", 'failing' as state`,
  from: 'endpoint_health h',
  where: `h.failing_since is not null and exists (
    select from webhook_endpoint e where e.partner_id = h.partner_id and e.endpoint_id = h.endpoint_id and e.status = 'active' ${ONE_BY_ONE})`,
  orders: { ...ENDPOINTS_IN_ORDER.orders, created_at: [['h.endpoint_id', 'text']] },
};

/** Lists the endpoints of one partner, or of all partners. In the order of `failing_since` it lists only those that fail. */
export async function listEndpointsInOrder(
  db: Queryable,
  { partnerId, state }: { readonly partnerId?: string | undefined; readonly state?: ListedEndpoint['state'] | undefined },
  page: KeysetPage<EndpointOrder>,
): Promise<(ListedEndpoint & Placed)[]> {
  if (page.order.by === 'failing_since' || state === 'failing')
    return listByKeyset(db, FAILING, { 'h.partner_id': partnerId }, page);
  return listByKeyset(db, state === 'disabled' ? DISABLED : ENDPOINTS_IN_ORDER, { 'e.partner_id': partnerId }, page);
}

const LOCK_ANY: Statement = {
  name: 'lock_any_webhook_endpoint',
  text: `select ${ENDPOINT_COLUMNS} from webhook_endpoint e where e.partner_id = $1 and e.endpoint_id = $2 for update`,
};

/** One endpoint, whatever its status, locked until the transaction ends. */
export async function lockAnyWebhookEndpoint(
  db: Queryable,
  partnerId: string,
  endpointId: string,
): Promise<WebhookEndpoint | undefined> {
  const [endpoint] = await run<WebhookEndpoint>(db, LOCK_ANY, [partnerId, endpointId]);
  return endpoint;
}

const FIND: Statement = {
  name: 'find_webhook_endpoint',
  text: `select ${ENDPOINT_COLUMNS}, ${HEALTH_COLUMNS} from webhook_endpoint e ${HEALTH_JOIN}
    where e.partner_id = $1 and e.endpoint_id = $2 and e.status <> 'removed'`,
};

const FIND_LISTED = listedStatement(
  'find_listed_webhook_endpoints',
  { table: 'webhook_endpoint', alias: 'e', key: 'endpoint_id' },
  (rows) => `select ${ENDPOINT_COLUMNS}, ${HEALTH_COLUMNS} from ${rows} ${HEALTH_JOIN} where e.status <> 'removed'`,
);

/** Finds endpoints of any partners that are not removed. Their order is undefined. */
export async function findListedEndpoints(
  database: ListedIn,
  listed: readonly EndpointId[],
): Promise<(WebhookEndpoint & EndpointHealth)[]> {
  return runListed(
    database,
    FIND_LISTED,
    listed.map(({ partnerId, endpointId }) => [partnerId, endpointId]),
  );
}

export async function findWebhookEndpoint(
  db: Queryable,
  partnerId: string,
  endpointId: string,
): Promise<(WebhookEndpoint & EndpointHealth) | undefined> {
  const [endpoint] = await run<WebhookEndpoint & EndpointHealth>(db, FIND, [partnerId, endpointId]);
  return endpoint;
}

const LOCK: Statement = { name: 'lock_webhook_endpoint', text: `${FIND.text} for update of e` };

/** Finds an endpoint and locks it until the transaction ends. */
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
      next_secret_from = $8, changed_at = ${NOW}
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

/** The endpoints or the operators with a secret that one key has encrypted. */
export interface SecretsOfKey {
  readonly ownerCount: number;
  /** One of them. */
  readonly ownerId: string;
  readonly sealed: string;
}

/**
 * Lists the keys of endpoints that are not removed. It reads every endpoint, so it is only for the examination of an installation and for a command. A
 * sealed secret has its key id between its two full stops; after the overlap the next secret is the only one.
 */
export async function listSecretsByKey(db: Queryable): Promise<SecretsOfKey[]> {
  const { rows } = await db.query<{ count: number; sample: string }>(
    `select count(distinct endpoint_id)::int as count, min(endpoint_id || ' ' || sealed) as sample
      from (
        select endpoint_id, next_secret_sealed as sealed from webhook_endpoint
          where status <> 'removed' and next_secret_sealed is not null
        union all select endpoint_id, secret_sealed from webhook_endpoint
          where status <> 'removed' and not coalesce(next_secret_from <= now(), false)
      ) s
      group by split_part(sealed, '.', 2) order by 1 desc`,
  );
  return rows.map(({ count, sample }) => {
    const [ownerId = '', sealed = ''] = sample.split(' ');
    return { ownerCount: count, ownerId, sealed };
  });
}
