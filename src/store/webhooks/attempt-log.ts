import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import type { Delivery } from './delivery.ts';

/** One recorded attempt. */
export interface DeliveryAttemptRecord {
  /**
   * Counts the claims of the delivery. A gap is a claim without a recorded attempt: its sender died before it recorded the result, or gave
   * the claim back unsent, or the delivery was sent again meanwhile.
   */
  readonly number: bigint;
  readonly trigger: Delivery['trigger'];
  readonly startedAt: Date;
  readonly milliseconds: number;
  /** The HTTP status of the answer; `null` when there was none. */
  readonly status: number | null;
  readonly errorClass: string | null;
  /** The beginning of the answer's body, as the receiver wrote it. */
  readonly excerpt: string | null;
}

/**
 * SQL: the attempts of deliveries. A first one that succeeded stands in its delivery, and if it was recorded twice at once in a row too; the
 * others are rows of their own.
 */
const attemptsOf = (deliveries: string) => `(
      select delivery_id, 1::int8 as number, 'event' as trigger, first_started_at as started_at, first_milliseconds as milliseconds,
        first_status as status, null as error_class, first_excerpt as excerpt
      from delivery where partner_id = $1 and ${deliveries} and first_started_at is not null
      union all
      select delivery_id, number, trigger, started_at, milliseconds, status, error_class, excerpt
      from delivery_attempt where partner_id = $1 and ${deliveries}
    ) attempt`;

const LIST_ATTEMPTS: Statement = {
  name: 'list_delivery_attempts',
  text: `select distinct on (number) number, trigger, started_at as "startedAt", milliseconds, status, error_class as "errorClass", excerpt
    from ${attemptsOf('delivery_id = $2')} order by number`,
};

/** The oldest first. */
export async function listDeliveryAttempts(
  db: Queryable,
  partnerId: string,
  deliveryId: string,
): Promise<DeliveryAttemptRecord[]> {
  return run<DeliveryAttemptRecord>(db, LIST_ATTEMPTS, [partnerId, deliveryId]);
}

const FIND_LAST_ATTEMPT: Statement = {
  name: 'find_last_attempt',
  text: `select number, trigger, started_at as "startedAt", milliseconds, status, error_class as "errorClass", excerpt
    from ${attemptsOf('delivery_id = $2')} order by number desc limit 1`,
};

export async function findLastAttempt(
  db: Queryable,
  partnerId: string,
  deliveryId: string,
): Promise<DeliveryAttemptRecord | undefined> {
  const [attempt] = await run<DeliveryAttemptRecord>(db, FIND_LAST_ATTEMPT, [partnerId, deliveryId]);
  return attempt;
}

const LAST_ATTEMPTS: Statement = {
  name: 'list_last_attempts',
  text: `select distinct on (delivery_id) delivery_id as "deliveryId", started_at as "startedAt", status, error_class as "errorClass"
    from ${attemptsOf('delivery_id = any ($2::text[])')} order by delivery_id, number desc`,
};

export type LastAttempt = Pick<DeliveryAttemptRecord, 'startedAt' | 'status' | 'errorClass'>;

/** The last attempt of each delivery that has one, by the id of the delivery. */
export async function listLastAttempts(
  db: Queryable,
  partnerId: string,
  deliveryIds: readonly string[],
): Promise<ReadonlyMap<string, LastAttempt>> {
  const found = await run<LastAttempt & { readonly deliveryId: string }>(db, LAST_ATTEMPTS, [partnerId, deliveryIds]);
  return new Map(found.map((attempt) => [attempt.deliveryId, attempt]));
}
