import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, runAnew, type Statement } from '../query.ts';
import { deliveryIdSql, isDeliveryOf } from './delivery-id.ts';
import type { DueEndpoint } from './due-endpoint.ts';
import type { EndpointId } from './webhook-endpoint.ts';

/**
 * `held`: its endpoint is disabled; it waits again after that is enabled. `dropped`: its endpoint was removed. `failed`: a test or a
 * sample, which is no event and is attempted once, and has no success.
 */
export const DELIVERY_STATUSES = ['waiting', 'held', 'delivered', 'exhausted', 'failed', 'dropped'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
export type DeliveryTrigger = 'event' | 'resend' | 'recover' | 'replay' | 'test' | 'sample';

/** One event for one endpoint. */
export interface Delivery {
  readonly partnerId: string;
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The sequence of the event; `null` when the delivery has its own body: a test or a sample. */
  readonly sequence: bigint | null;
  readonly body: string | null;
  readonly trigger: DeliveryTrigger;
  readonly attempts: number;
  readonly attemptsLeft: number;
  readonly nextAttemptAt: Date;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

/**
 * SQL for a subquery: the deliveries of an event, with a condition. The order makes any plan find them by their key. They are as many as
 * were made: a partner may have had thousands of endpoints that never got this event.
 *
 * @param partnerId SQL, as are the others.
 */
export function deliveriesOf({
  partnerId,
  eventId,
  condition,
}: {
  partnerId: string;
  eventId: string;
  condition: string;
}): string {
  return `(select * from delivery where partner_id = ${partnerId} and ${isDeliveryOf('delivery_id', eventId)} and ${condition}
      order by delivery_id)`;
}

/**
 * SQL before `from`: creates a delivery, due at once, of each event `n` to each endpoint `e`.
 *
 * @param attemptsMax SQL.
 */
export function insertDueDeliveries({ trigger, attemptsMax }: { trigger: DeliveryTrigger; attemptsMax: string }): string {
  return `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left,
        next_attempt_at, created_at)
      select n.partner_id, ${deliveryIdSql('n.event_id', 'e.endpoint_id')}, e.endpoint_id, n.event_id, n.sequence, n.event_type,
        '${trigger}', 'waiting', ${attemptsMax}, ${NOW}, ${NOW}`;
}

type OfClaim =
  | 'partnerId'
  | 'deliveryId'
  | 'endpointId'
  | 'eventId'
  | 'eventType'
  | 'sequence'
  | 'body'
  | 'trigger'
  | 'attempts'
  | 'attemptsLeft';

/** A delivery that this process may send, until another process claims it. */
export interface ClaimedDelivery extends Pick<Delivery, OfClaim> {
  /** Higher than any before it: also the number of the attempt. */
  readonly lease: bigint;
  /** The end of the lease, by the database's clock. */
  readonly leaseEndsAt: Date;
}

/** SQL: the columns that a delivery and a claimed one both have. */
const SHARED_COLUMNS = `d.partner_id as "partnerId", d.delivery_id as "deliveryId", d.endpoint_id as "endpointId", d.event_id as "eventId",
    d.event_type as "eventType", d.sequence, d.body, d.trigger, d.attempts, d.attempts_left as "attemptsLeft"`;

/** SQL: the columns of a {@link Delivery}, read from `delivery d`. */
export const DELIVERY_COLUMNS = `${SHARED_COLUMNS},
    d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt", d.ended_at as "endedAt"`;

/** SQL: the attempts of the event's delivery `d` are spent. Written as the condition of the index of such deliveries, which it must match. */
export const IS_EXHAUSTED = "d.status = 'exhausted' and d.sequence is not null";

/** SQL: the delivery `d` succeeded. One that was handed over keeps its status when its first attempt succeeds. */
export const IS_DELIVERED = "(d.status = 'delivered' or d.status = 'handed_over' and d.ended_at is not null)";

const CLAIM_COLUMNS = `${SHARED_COLUMNS}, d.lease, d.next_attempt_at as "leaseEndsAt"`;

const CLAIM: Statement = {
  name: 'claim_deliveries',
  text: `with due as materialized (
      select delivery_id, next_attempt_at from delivery
      where partner_id = $1 and endpoint_id = $2 and status = 'waiting' and next_attempt_at >= $5 and next_attempt_at <= now()
        and not exists (select from endpoint_health where partner_id = $1 and endpoint_id = $2 and breaker_open_until > now())
      order by next_attempt_at limit $3 for update skip locked
    )
    update delivery d set lease = lease + 1, next_attempt_at = now() + $4 * interval '1 millisecond'
    where d.partner_id = $1 and d.delivery_id = any (array(select delivery_id from due))
    returning ${CLAIM_COLUMNS}, (select max(next_attempt_at) from due) as "lastDueAt"`,
};

export interface ClaimedDeliveries {
  readonly deliveries: readonly ClaimedDelivery[];
  /** No delivery that could be claimed is due earlier; `undefined` when nothing was claimed. By the database's clock. */
  readonly dueFrom: Date | undefined;
}

/**
 * Claims due deliveries of an endpoint, the longest due first: none when its circuit has opened since it was listed. Rows locked by
 * another worker are skipped, and a claimed delivery is due again only after the lease: one delivery is never sent twice at once while
 * its sender lives.
 */
export async function claimDeliveries(
  db: Queryable,
  { partnerId, endpointId, dueFrom }: Pick<DueEndpoint, 'partnerId' | 'endpointId' | 'dueFrom'>,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<ClaimedDeliveries> {
  const values = [partnerId, endpointId, limit, leaseMs, dueFrom];
  const deliveries = await runAnew<ClaimedDelivery & { lastDueAt: Date }>(db, CLAIM, values);
  const [first] = deliveries;
  if (!first) return { deliveries, dueFrom: undefined };
  const claimedAt = new Date(first.leaseEndsAt.getTime() - leaseMs);
  return { deliveries, dueFrom: deliveries.length < limit ? claimedAt : first.lastDueAt };
}

const RELEASE: Statement = {
  name: 'release_deliveries',
  text: `update delivery d set status = 'waiting', next_attempt_at = greatest($4, ${NOW})
    from unnest($2::text[], $3::int8[]) as r (delivery_id, lease)
    where d.partner_id = $1 and d.delivery_id = any ($2::text[]) and d.delivery_id = r.delivery_id and d.lease = r.lease
      and d.status in ('waiting', 'handed_over') and d.ended_at is null`,
};

/**
 * Releases claimed deliveries of one partner that were not sent: they are due at that time, or at once, with all remaining attempts. A
 * delivery that another process claimed, or that is recorded, does not change.
 */
export async function releaseDeliveries(
  db: Queryable,
  partnerId: string,
  claims: readonly Pick<ClaimedDelivery, 'deliveryId' | 'lease'>[],
  dueAt: Date | undefined,
): Promise<void> {
  const values = [partnerId, claims.map(({ deliveryId }) => deliveryId), claims.map(({ lease }) => lease), dueAt ?? null];
  if (claims.length > 0) await runAnew(db, RELEASE, values);
}

const INSERT_CLAIMED: Statement = {
  name: 'insert_claimed_delivery',
  text: `insert into delivery as d (partner_id, delivery_id, endpoint_id, event_id, body, event_type, trigger, status, attempts_left,
      next_attempt_at, lease, created_at, ended_at)
    values ($1, $2, $3, $4, $5, $6, $7, 'exhausted', 1, now() + $8 * interval '1 millisecond', 1, ${NOW}, ${NOW})
    returning ${CLAIM_COLUMNS}`,
};

/**
 * A delivery without an event: a test or a sample. It has one attempt, which is the caller's: it is `failed` until the attempt is recorded,
 * so that no process claims it where the caller dies.
 */
export async function insertClaimedDelivery(
  db: Queryable,
  delivery: Pick<Delivery, 'partnerId' | 'deliveryId' | 'endpointId' | 'eventId' | 'eventType' | 'trigger'> & {
    readonly body: string;
  },
  leaseMs: number,
): Promise<ClaimedDelivery> {
  const { partnerId, deliveryId, endpointId, eventId, body, eventType, trigger } = delivery;
  const values = [partnerId, deliveryId, endpointId, eventId, body, eventType, trigger, leaseMs];
  const [claimed] = await run<ClaimedDelivery>(db, INSERT_CLAIMED, values);
  return claimed as ClaimedDelivery;
}

/**
 * The conditions stand twice: a row that another process changed meanwhile is checked again by those of the update alone, which are in a
 * form that no index serves.
 */
const MAKE_DUE: Statement = {
  name: 'make_deliveries_due',
  text: `update delivery d set next_attempt_at = ${NOW} + $5 * interval '1 millisecond'
    where d.partner_id = $1 and d.delivery_id = any (array(
      select delivery_id from delivery
      where partner_id = $1 and endpoint_id = $2 and status = 'waiting' and next_attempt_at > now() + $3 * interval '1 millisecond'
      order by next_attempt_at desc limit $4
    )) and d.status || '' = 'waiting' and d.next_attempt_at - now() > $3 * interval '1 millisecond'
    returning d.delivery_id`,
};

export interface WaitingDeliveries {
  /** A lease or more, so that no process owns them while the clock is right. */
  readonly longerThanMs: number;
  /** A lease, where the clock was not right. */
  readonly dueInMs: number;
  readonly limit: number;
}

/**
 * Makes deliveries due that wait for their next attempt for longer than that.
 *
 * @returns How many, `limit` at most.
 */
export async function makeDeliveriesDue(
  db: Queryable,
  { partnerId, endpointId }: EndpointId,
  { longerThanMs, dueInMs, limit }: WaitingDeliveries,
): Promise<number> {
  return (await runAnew(db, MAKE_DUE, [partnerId, endpointId, longerThanMs, limit, dueInMs])).length;
}

const DELETE: Statement = {
  name: 'delete_deliveries',
  text: 'delete from delivery where partner_id = $1 and delivery_id = any ($2::text[])',
};

export async function deleteDeliveries(db: Queryable, partnerId: string, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length > 0) await runAnew(db, DELETE, [partnerId, deliveryIds]);
}
