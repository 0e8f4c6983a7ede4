import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, runAnew, type Statement } from '../query.ts';
import type { ClaimedDelivery } from './delivery.ts';
import { clearedOf, IS_RECORDED_FIRST, isFirstAttempt, recordFirstSuccesses } from './first-attempts.ts';

/** The result of one attempt. */
export interface Attempt {
  readonly claimed: ClaimedDelivery;
  /** The beginning, by the database's clock. */
  readonly startedAt: Date;
  readonly milliseconds: number;
  /** The HTTP status of the answer; `null` when there was none. */
  readonly status: number | null;
  readonly errorClass: string | null;
  /** The beginning of the answer's body. */
  readonly excerpt: string | null;
  readonly isSuccess: boolean;
  /** The end, by the database's clock. */
  readonly endedAt: Date;
  /** The time of the next attempt, by the database's clock; `undefined` when there is none. */
  readonly nextAttemptAt: Date | undefined;
}

/** The count of attempts makes recording idempotent. */
const recordOf = (
  isOf: string,
) => `update delivery d set attempts = d.attempts + 1, attempts_left = d.attempts_left - 1, status = r.status,
      next_attempt_at = greatest(r.at, ${NOW}), ended_at = case when r.status <> 'waiting' then r.at end
    from unnest($1::text[], $2::text[], $3::int8[], $4::int4[], $5::text[], $6::timestamptz[])
      as r (partner_id, delivery_id, lease, attempts, status, at)
    where ${isOf} and d.delivery_id = r.delivery_id
      and d.lease = r.lease and d.attempts = r.attempts`;

const RECORD: Statement = { name: 'record_attempts', text: recordOf('d.partner_id = r.partner_id') };
/** A distributed database must see the partner. When the list names it too, the rows are found by their key there. */
const RECORD_OF_ONE: Statement = {
  name: 'record_attempts_of_one',
  text: recordOf('d.partner_id = $7 and d.delivery_id = any ($2::text[])'),
};

const ATTEMPT_COLUMNS = 'delivery_id, number, endpoint_id, trigger, started_at, milliseconds, status, error_class, excerpt';
const NAMED = 'returning delivery_id as "deliveryId", number';
const insertAttemptsOf = (name: string, partnerId: string, returning = NAMED): Statement => ({
  name,
  text: `insert into delivery_attempt (partner_id, delivery_id, number, endpoint_id, trigger, started_at, milliseconds, status,
      error_class, excerpt)
    select ${partnerId}, ${ATTEMPT_COLUMNS} from unnest($1::text[], $2::text[], $3::int8[], $4::text[], $5::text[], $6::timestamptz[], $7::int4[],
      $8::int4[], $9::text[], $10::text[]) as r (partner_id, delivery_id, number, endpoint_id, trigger, started_at, milliseconds, status,
      error_class, excerpt)
    ${partnerId === 'partner_id' ? `where not ${IS_RECORDED_FIRST}` : ''}
    on conflict do nothing
    ${returning}`,
});
const INSERT_ATTEMPTS = insertAttemptsOf('insert_delivery_attempts', 'partner_id');
const INSERT_ATTEMPTS_OF_ONE = insertAttemptsOf('insert_delivery_attempts_of_one', '$11');
const { text: INSERT_SUCCESSES } = insertAttemptsOf('', 'partner_id', 'returning partner_id, endpoint_id');

/** An attempt that is recorded again does not affect the endpoint's health. */
const RECORD_SUCCESSES: Statement = {
  name: 'insert_successful_attempts',
  text: `with added as (${INSERT_SUCCESSES}), cleared as (${clearedOf('added')})
    select null as "deliveryId", 0::int8 as number where false`,
};

/**
 * Records attempts; recording one again changes nothing. When the lease was lost meanwhile the attempt is logged, and changes nothing
 * else.
 *
 * @param partnerId Of all of them; `undefined` when they are of several, which a distributed database does not accept.
 * @returns For each whether it was recorded now, and not before.
 */
export async function recordAttempts(
  db: Queryable,
  partnerId: string | undefined,
  attempts: readonly Attempt[],
  insert = partnerId === undefined ? INSERT_ATTEMPTS : INSERT_ATTEMPTS_OF_ONE,
): Promise<(attempt: Attempt) => boolean> {
  const column = (value: (attempt: Attempt) => unknown) => attempts.map(value);
  const partnerIds = column(({ claimed }) => claimed.partnerId);
  const deliveryIds = column(({ claimed }) => claimed.deliveryId);
  const leases = column(({ claimed }) => claimed.lease);
  const one = partnerId === undefined ? [] : [partnerId];
  const [added] = await Promise.all([
    run<{ deliveryId: string; number: bigint }>(db, insert, [
      partnerIds,
      deliveryIds,
      leases,
      column(({ claimed }) => claimed.endpointId),
      column(({ claimed }) => claimed.trigger),
      column(({ startedAt }) => startedAt),
      column(({ milliseconds }) => milliseconds),
      column(({ status }) => status),
      column(({ errorClass }) => errorClass),
      column(({ excerpt }) => excerpt),
      ...one,
    ]),
    runAnew(db, partnerId === undefined ? RECORD : RECORD_OF_ONE, [
      partnerIds,
      deliveryIds,
      leases,
      column(({ claimed }) => claimed.attempts),
      column(({ isSuccess, nextAttemptAt }) => (isSuccess ? 'delivered' : nextAttemptAt ? 'waiting' : 'exhausted')),
      column(({ nextAttemptAt, endedAt }) => nextAttemptAt ?? endedAt),
      ...one,
    ]),
  ]);
  const names = new Set(added.map(({ deliveryId, number }) => `${deliveryId} ${number}`));
  return ({ claimed: { deliveryId, lease } }) => names.has(`${deliveryId} ${lease}`);
}

/** Records successes, and resets the failures of their endpoints. Not on a distributed database. */
export async function recordSuccesses(db: Queryable, attempts: readonly Attempt[]): Promise<void> {
  const { first = [], later = [] } = Object.groupBy(attempts, (attempt) => (isFirstAttempt(attempt) ? 'first' : 'later'));
  await Promise.all([
    first.length > 0 && recordFirstSuccesses(db, first),
    later.length > 0 && recordAttempts(db, undefined, later, RECORD_SUCCESSES),
  ]);
}
