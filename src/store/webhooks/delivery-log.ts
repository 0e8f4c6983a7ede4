import type { Queryable } from '../database.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { run, type Statement } from '../query.ts';
import { DELIVERY_COLUMNS, type Delivery, type DeliveryStatus, IS_DELIVERED, IS_EXHAUSTED } from './delivery.ts';
import { deliveryIdsOf, isDeliveryOf } from './delivery-id.ts';
import { HANDED_OVER } from './hand-over.ts';

/** A delivery with its history. */
export interface LoggedDelivery extends Delivery {
  readonly status: DeliveryStatus;
}

/** SQL for the status of a delivery `d` of an endpoint `e`. */
export const STATUS_OF_DELIVERY = `case when d.status = 'exhausted' and d.sequence is null then 'failed' when ${IS_DELIVERED} then 'delivered'
      when d.status not in ('waiting', 'handed_over') then d.status when e.status = 'disabled' then 'held' when e.status = 'removed' then 'dropped'
      else 'waiting' end`;
/** SQL: the columns of a {@link LoggedDelivery}, read from `delivery d` and its `webhook_endpoint e`. */
export const LOGGED_COLUMNS = `${DELIVERY_COLUMNS},
    ${STATUS_OF_DELIVERY} as status`;
const ENDPOINT_JOIN = 'join webhook_endpoint e on e.partner_id = d.partner_id and e.endpoint_id = d.endpoint_id';

/** SQL: the rows of a partner that wait, by the index of what waits. */
const WAITING_ROWS = "(select * from delivery where partner_id = $1 and status = 'waiting')";
/** SQL: with those that a process has claimed at their creation, by their hand-overs. */
const UNENDED_ROWS = `(select * from delivery where partner_id = $1 and status = 'waiting'
      union all
      select d.* from (select * from delivery_hand_over where $1 = any (partner_ids)) h ${HANDED_OVER} where d.partner_id = $1)`;
/** Deliveries that have not ended, by the status of their endpoint. */
const UNENDED: readonly (DeliveryStatus | undefined)[] = ['waiting', 'held', 'dropped'];

/** SQL: the condition of each status, written as a literal, because the text of an index condition must match it. */
const OF_STATUS: Readonly<Record<DeliveryStatus, string>> = {
  waiting: "e.status = 'active'",
  held: "e.status = 'disabled'",
  dropped: "e.status = 'removed'",
  delivered: IS_DELIVERED,
  exhausted: IS_EXHAUSTED,
  failed: "d.status = 'exhausted' and d.sequence is null",
};

export interface DeliveryFilter {
  readonly endpointId?: string | undefined;
  readonly eventId?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  /** Whether the database is, which matters with a status. */
  readonly isDistributed?: boolean;
  /** Only those that sort before it, which are older. */
  readonly beforeId?: string | undefined;
  readonly limit: number;
}

/** The newest first. What has not ended is found without reading what has. */
export async function listDeliveries(
  db: Queryable,
  partnerId: string,
  { endpointId, eventId, status, isDistributed = false, beforeId, limit }: DeliveryFilter,
): Promise<LoggedDelivery[]> {
  const values: unknown[] = [partnerId, limit];
  const filters: readonly (readonly [name: string, value: unknown, condition: (parameter: string) => string])[] = [
    ['endpoint', endpointId, (parameter) => `d.endpoint_id = ${parameter}`],
    ['event', eventId, (parameter) => isDeliveryOf('d.delivery_id', `${parameter}::text`)],
    ['before', beforeId, (parameter) => `d.delivery_id < ${parameter}`],
  ];
  const given = filters.filter(([, value]) => value !== undefined);
  const conditions = given.map(([, value, condition]) => `and ${condition(`$${values.push(value)}`)}`);
  if (status !== undefined) conditions.push(`and ${OF_STATUS[status]}`);
  const name = ['list_deliveries', ...given.map(([filter]) => filter), ...(status === undefined ? [] : [status])].join('_');
  // A distributed database hands nothing over.
  const unended = isDistributed ? WAITING_ROWS : UNENDED_ROWS;
  const text = `select ${LOGGED_COLUMNS} from ${UNENDED.includes(status) ? unended : 'delivery'} d ${ENDPOINT_JOIN}
    where d.partner_id = $1 ${conditions.join(' ')} order by d.delivery_id desc limit $2`;
  return run<LoggedDelivery>(db, { name, text }, values);
}

const LOOK_AT: Statement = {
  name: 'look_at_deliveries',
  text: `select min(delivery_id) as "lastId", count(*)::int4 as count from (
      select delivery_id from delivery where partner_id = $1 and delivery_id < $2 order by delivery_id desc limit $3
    ) looked`,
};

/** @returns How many deliveries of a partner come before an id, `limit` at most, and the last of them. */
export async function lookAtDeliveries(
  db: Queryable,
  partnerId: string,
  { beforeId, limit }: { readonly beforeId: string; readonly limit: number },
): Promise<{ readonly lastId: string | null; readonly count: number }> {
  const [row] = await run<{ lastId: string | null; count: number }>(db, LOOK_AT, [partnerId, beforeId, limit]);
  return row ?? { lastId: null, count: 0 };
}

/** Status and endpoint are compared in a form that fits no index: that of what waits would read all of it, for its own order. */
const LIST_BETWEEN: Statement = {
  name: 'list_deliveries_between',
  text: `select ${LOGGED_COLUMNS} from delivery d ${ENDPOINT_JOIN}
    where d.partner_id = $1 and d.delivery_id >= $2 and d.delivery_id < $3 and ($4::text is null or d.endpoint_id = $4)
      and ($5::text is null or ${STATUS_OF_DELIVERY} = $5)
    order by d.delivery_id desc limit $6`,
};

export interface DeliveriesBetween {
  readonly partnerId: string;
  readonly endpointId: string | undefined;
  readonly status: DeliveryStatus | undefined;
  readonly fromId: string;
  readonly beforeId: string;
  readonly limit: number;
}

/** The newest first. Reads no delivery before `fromId`, which is one of the partner's own. */
export async function listDeliveriesBetween(
  db: Queryable,
  { partnerId, endpointId, status, fromId, beforeId, limit }: DeliveriesBetween,
): Promise<LoggedDelivery[]> {
  return run<LoggedDelivery>(db, LIST_BETWEEN, [partnerId, fromId, beforeId, endpointId ?? null, status ?? null, limit]);
}

const IN_ORDER: KeysetList<'occurred_at'> = {
  name: 'list_deliveries_in_order',
  select: LOGGED_COLUMNS,
  from: `delivery d ${ENDPOINT_JOIN}`,
  // An id contains the time of its event.
  orders: { occurred_at: [['d.delivery_id', 'text']] },
};
/** Has the condition of the index of exhausted deliveries, so that it uses that index. */
const EXHAUSTED = { ...IN_ORDER, name: 'list_exhausted_deliveries_in_order', where: OF_STATUS.exhausted };

export interface ListedDeliveries {
  readonly partnerId: string;
  readonly eventId?: string | undefined;
  /** An endpoint, of which only the exhausted deliveries are listed. */
  readonly exhaustedOf?: string | undefined;
}

/** Lists the deliveries of a partner: all, those of an event, or those that are exhausted at an endpoint. */
export async function listDeliveriesInOrder(
  db: Queryable,
  { partnerId, eventId, exhaustedOf }: ListedDeliveries,
  page: KeysetPage<'occurred_at'>,
): Promise<(LoggedDelivery & Placed)[]> {
  const ids = eventId === undefined ? undefined : deliveryIdsOf(eventId);
  const conditions = {
    'd.partner_id': partnerId,
    'd.endpoint_id': exhaustedOf,
    'd.delivery_id >=': ids?.fromId,
    'd.delivery_id <': ids?.beforeId,
  };
  return listByKeyset<LoggedDelivery, 'occurred_at'>(db, exhaustedOf === undefined ? IN_ORDER : EXHAUSTED, conditions, page);
}

const LIST_UNENDED_IDS: Statement = {
  name: 'list_unended_delivery_ids',
  text: `select delivery_id as "deliveryId" from delivery where partner_id = $1 and endpoint_id = $2 and status = 'waiting' limit $3`,
};
const LIST_UNENDED_IDS_OF_PARTNER: Statement = {
  name: 'list_unended_delivery_ids_of_partner',
  text: `select delivery_id as "deliveryId" from delivery where partner_id = $1 and status = 'waiting' limit $2`,
};

/**
 * Deliveries that wait for an endpoint, or for any of a partner, also for one that is disabled: up to so many, in no order. Without those that a process sends for
 * the first time at this moment.
 */
export async function listUnendedIds(
  db: Queryable,
  { partnerId, endpointId }: { readonly partnerId: string; readonly endpointId: string | undefined },
  limit: number,
): Promise<string[]> {
  const found =
    endpointId === undefined
      ? await run<{ deliveryId: string }>(db, LIST_UNENDED_IDS_OF_PARTNER, [partnerId, limit])
      : await run<{ deliveryId: string }>(db, LIST_UNENDED_IDS, [partnerId, endpointId, limit]);
  return found.map(({ deliveryId }) => deliveryId);
}

const LIST_OF_IDS: Statement = {
  name: 'list_deliveries_of_ids',
  text: `select ${LOGGED_COLUMNS}, array[d.delivery_id] as place from delivery d ${ENDPOINT_JOIN}
    where d.partner_id = $1 and d.delivery_id = any ($2::text[])`,
};

/** In no order. */
export async function listDeliveriesOfIds(
  db: Queryable,
  partnerId: string,
  deliveryIds: readonly string[],
): Promise<(LoggedDelivery & Placed)[]> {
  return run<LoggedDelivery & Placed>(db, LIST_OF_IDS, [partnerId, deliveryIds]);
}

const FIND: Statement = {
  name: 'find_delivery',
  text: `select ${LOGGED_COLUMNS} from delivery d ${ENDPOINT_JOIN} where d.partner_id = $1 and d.delivery_id = $2`,
};

export async function findDelivery(db: Queryable, partnerId: string, deliveryId: string): Promise<LoggedDelivery | undefined> {
  const [delivery] = await run<LoggedDelivery>(db, FIND, [partnerId, deliveryId]);
  return delivery;
}
