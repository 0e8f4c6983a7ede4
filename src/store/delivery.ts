import { type Queryable, run, type Statement } from './database.ts';

export const DELIVERY_STATUSES = ['waiting', 'held', 'delivered', 'exhausted', 'dropped'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
export type DeliveryTrigger = 'event' | 'resend' | 'recover' | 'replay' | 'test' | 'sample';

/** One event on its way to one endpoint. */
export interface Delivery {
  readonly partnerId: string;
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Of the event; `null` where the body stands here: a test or a sample. */
  readonly sequence: bigint | null;
  readonly body: string | null;
  readonly trigger: DeliveryTrigger;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly attemptsLeft: number;
  readonly nextAttemptAt: Date;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

/** A delivery that this process may send, until somebody else claims it. */
export interface ClaimedDelivery extends Delivery {
  readonly lease: bigint;
}

export interface DueEndpoint {
  readonly partnerId: string;
  readonly endpointId: string;
  /** It has failed so often that one delivery tries it out before the others follow. */
  readonly isProbed: boolean;
}

const DUE_ENDPOINTS: Statement = {
  name: 'list_due_endpoints',
  text: `select h.partner_id as "partnerId", h.endpoint_id as "endpointId", h.breaker_trips > 0 as "isProbed"
    from endpoint_health h
    where (h.breaker_open_until is null or h.breaker_open_until <= now()) and exists (
      select from delivery d
      where d.partner_id = h.partner_id and d.endpoint_id = h.endpoint_id and d.status = 'waiting' and d.next_attempt_at <= now()
    )`,
};

/** Endpoints for which something is due, whose breaker lets it pass. */
export async function listDueEndpoints(db: Queryable): Promise<DueEndpoint[]> {
  return run<DueEndpoint>(db, DUE_ENDPOINTS, []);
}

const COLUMNS = `d.partner_id as "partnerId", d.delivery_id as "deliveryId", d.endpoint_id as "endpointId", d.event_id as "eventId",
    d.event_type as "eventType", d.sequence, d.body, d.trigger, d.status, d.attempts, d.attempts_left as "attemptsLeft",
    d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt", d.ended_at as "endedAt"`;

const CLAIM: Statement = {
  name: 'claim_deliveries',
  text: `with due as (
      select delivery_id from delivery
      where partner_id = $1 and endpoint_id = $2 and status = 'waiting' and next_attempt_at <= now()
      order by next_attempt_at limit $3 for update skip locked
    )
    update delivery d set lease = lease + 1, next_attempt_at = now() + $4 * interval '1 millisecond'
    from due where d.partner_id = $1 and d.delivery_id = due.delivery_id
    returning ${COLUMNS}, d.lease`,
};

/**
 * Takes due deliveries of an endpoint, the longest due first. Rows locked by another worker are skipped, and what is claimed is
 * due again only when the lease is over: one delivery is never sent twice at once while its sender lives.
 */
export async function claimDeliveries(
  db: Queryable,
  { partnerId, endpointId }: Pick<Delivery, 'partnerId' | 'endpointId'>,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<ClaimedDelivery[]> {
  return run<ClaimedDelivery>(db, CLAIM, [partnerId, endpointId, limit, leaseMs]);
}

/** What came of one attempt. */
export interface Attempt {
  readonly claimed: ClaimedDelivery;
  readonly startedAt: Date;
  readonly milliseconds: number;
  /** Of the answer; `null` when there was none. */
  readonly status: number | null;
  readonly errorClass: string | null;
  /** The beginning of the answer's body. */
  readonly excerpt: string | null;
  readonly isSuccess: boolean;
  /** Until the next attempt; `undefined` when there is none. */
  readonly retryMs: number | undefined;
}

const RECORD: Statement = {
  name: 'record_attempts',
  text: `update delivery d set attempts = d.attempts + 1, attempts_left = d.attempts_left - 1,
      status = case r.status when 'waiting' then d.status else r.status end,
      next_attempt_at = now() + r.retry_ms * interval '1 millisecond', ended_at = case r.status when 'waiting' then null else now() end
    from unnest($1::text[], $2::text[], $3::int8[], $4::text[], $5::float8[]) as r (partner_id, delivery_id, lease, status, retry_ms)
    where d.partner_id = r.partner_id and d.delivery_id = r.delivery_id and d.lease = r.lease and d.status in ('waiting', 'held')`,
};

const INSERT_ATTEMPTS: Statement = {
  name: 'insert_delivery_attempts',
  text: `insert into delivery_attempt (partner_id, delivery_id, number, endpoint_id, trigger, started_at, milliseconds, status,
      error_class, excerpt)
    select * from unnest($1::text[], $2::text[], $3::int4[], $4::text[], $5::text[], $6::timestamptz[], $7::int4[], $8::int4[],
      $9::text[], $10::text[])
    on conflict do nothing`,
};

/** Writes attempts down. Who lost its lease meanwhile has its attempt logged, and changes nothing else. */
export async function recordAttempts(db: Queryable, attempts: readonly Attempt[]): Promise<void> {
  const column = (value: (attempt: Attempt) => unknown) => attempts.map(value);
  const partnerIds = column(({ claimed }) => claimed.partnerId);
  const deliveryIds = column(({ claimed }) => claimed.deliveryId);
  await Promise.all([
    run(db, RECORD, [
      partnerIds,
      deliveryIds,
      column(({ claimed }) => claimed.lease),
      column(({ isSuccess, retryMs }) => (isSuccess ? 'delivered' : retryMs === undefined ? 'exhausted' : 'waiting')),
      column(({ retryMs }) => retryMs ?? 0),
    ]),
    run(db, INSERT_ATTEMPTS, [
      partnerIds,
      deliveryIds,
      column(({ claimed }) => claimed.attempts + 1),
      column(({ claimed }) => claimed.endpointId),
      column(({ claimed }) => claimed.trigger),
      column(({ startedAt }) => startedAt),
      column(({ milliseconds }) => milliseconds),
      column(({ status }) => status),
      column(({ errorClass }) => errorClass),
      column(({ excerpt }) => excerpt),
    ]),
  ]);
}

const HOLD: Statement = {
  name: 'hold_deliveries',
  text: `update delivery set status = 'held' where partner_id = $1 and endpoint_id = $2 and status = 'waiting'`,
};

/** What waits for a disabled endpoint is held until it is enabled. */
export async function holdDeliveries(db: Queryable, partnerId: string, endpointId: string): Promise<void> {
  await run(db, HOLD, [partnerId, endpointId]);
}

const RELEASE: Statement = {
  name: 'release_deliveries',
  text: `update delivery set status = 'waiting', next_attempt_at = now() where partner_id = $1 and endpoint_id = $2 and status = 'held'`,
};

export async function releaseDeliveries(db: Queryable, partnerId: string, endpointId: string): Promise<void> {
  await run(db, RELEASE, [partnerId, endpointId]);
}

const DROP: Statement = {
  name: 'drop_deliveries',
  text: `update delivery set status = 'dropped', ended_at = now()
    where partner_id = $1 and endpoint_id = $2 and status in ('waiting', 'held')`,
};

/** What waits for an endpoint that is removed will never be sent. */
export async function dropDeliveries(db: Queryable, partnerId: string, endpointId: string): Promise<void> {
  await run(db, DROP, [partnerId, endpointId]);
}
