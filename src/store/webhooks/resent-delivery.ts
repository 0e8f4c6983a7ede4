/** Deliveries that are sent again, or for the first time for events of the past, because somebody requests it. */
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import { IS_EXHAUSTED, insertDueDeliveries } from './delivery.ts';
import { LOGGED_COLUMNS, type LoggedDelivery } from './delivery-log.ts';
import { RECEIVES_EVENT } from './webhook-endpoint.ts';

/** Due at once, with all attempts again. */
const AGAIN = `status = 'waiting', attempts_left = $3, next_attempt_at = ${NOW}, ended_at = null`;

/** An attempt under way may still fail: it is then logged, and does not affect the next ones. */
const RESEND: Statement = {
  name: 'resend_delivery',
  text: `update delivery d set ${AGAIN}, trigger = 'resend', lease = d.lease + (d.lease > d.attempts)::int4 from webhook_endpoint e
    where d.partner_id = $1 and d.delivery_id = $2
      and e.partner_id = $1 and e.endpoint_id = d.endpoint_id and e.status <> 'removed'
    returning ${LOGGED_COLUMNS}`,
};

/**
 * @returns The delivery, which will be sent again, whatever its status was; `undefined` when its endpoint is removed.
 */
export async function resendDelivery(
  db: Queryable,
  partnerId: string,
  deliveryId: string,
  attemptsMax: number,
): Promise<LoggedDelivery | undefined> {
  const [delivery] = await run<LoggedDelivery>(db, RESEND, [partnerId, deliveryId, attemptsMax]);
  return delivery;
}

/** The deliveries of an endpoint that are sent again. */
export interface Recovery {
  readonly partnerId: string;
  readonly endpointId: string;
  readonly since: Date;
  readonly attemptsMax: number;
  readonly limit: number;
}

const RECOVER: Statement = {
  name: 'recover_deliveries',
  text: `update delivery d set ${AGAIN}, trigger = 'recover'
    where d.partner_id = $1 and d.delivery_id = any (array(
      select d.delivery_id from delivery d
      where d.partner_id = $1 and d.endpoint_id = $2 and ${IS_EXHAUSTED} and d.ended_at >= $4 and d.delivery_id > $6
      order by d.delivery_id limit $5 for update
    ))
    returning d.delivery_id as "deliveryId"`,
};

/**
 * Makes exhausted deliveries due again, after an id: what an earlier page passed over is not read again.
 *
 * @returns How many, `limit` at most, and the id of the last of them; `afterId` without any.
 */
export async function recoverDeliveries(
  db: Queryable,
  { partnerId, endpointId, since, attemptsMax, limit }: Recovery,
  afterId: string,
): Promise<{ readonly count: number; readonly lastId: string }> {
  const values = [partnerId, endpointId, attemptsMax, since, limit, afterId];
  const recovered = await run<{ deliveryId: string }>(db, RECOVER, values);
  const lastId = recovered.reduce((last, { deliveryId }) => (deliveryId > last ? deliveryId : last), afterId);
  return { count: recovered.length, lastId };
}

/** `e.partner_id = $1` lets PostgreSQL find the endpoint by its key: {@link RECEIVES_EVENT} leads to no index. */
const REPLAY: Statement = {
  name: 'insert_replayed_deliveries',
  text: `with wanted as (
      select * from event where partner_id = $1 and sequence > $6 order by sequence limit $5
    ), made as (
      ${insertDueDeliveries({ trigger: 'replay', attemptsMax: '$3' })}
      from wanted n join webhook_endpoint e on e.partner_id = n.partner_id and e.partner_id = $1 and e.endpoint_id = $2
      where n.occurred_at >= $4 and ${RECEIVES_EVENT}
      on conflict do nothing
      returning 1
    )
    select (select max(sequence) from wanted) as "lastSequence", (select count(*) from made) as made`,
};

/**
 * Creates deliveries of the events after `afterSequence` that never had one at this endpoint, such as those from before it was added.
 *
 * @returns How many were created, and the sequence of the last event examined; `null` when none was left.
 */
export async function insertReplayedDeliveries(
  db: Queryable,
  { partnerId, endpointId, since, attemptsMax, limit }: Recovery,
  afterSequence: bigint,
): Promise<{ readonly made: number; readonly lastSequence: bigint | null }> {
  const values = [partnerId, endpointId, attemptsMax, since, limit, afterSequence];
  const [row] = await run<{ lastSequence: bigint | null; made: bigint }>(db, REPLAY, values);
  return { made: Number(row?.made ?? 0n), lastSequence: row?.lastSequence ?? null };
}
