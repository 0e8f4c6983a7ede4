import type { Database, Queryable } from '../database.ts';
import { type LongStatements, ONE_BY_ONE, run, runLong, type Statement } from '../query.ts';
import { type EndpointId, IS_NOT_REMOVED } from './webhook-endpoint.ts';

/** An endpoint is watched for this time after a delivery was created for it. */
const WATCHED = "interval '5 minutes'";
/** A watch that lasts at least this long is not renewed: longer than any transaction, and than the pause between two searches. */
const LONG_ENOUGH = "interval '150 seconds'";

/** SQL: whether `endpoint_watch w` shows that the endpoint is watched for long enough. */
export const IS_WATCHED = `coalesce(w.watched_until > now() + ${LONG_ENOUGH}, false)`;

const WATCH: Statement = {
  name: 'watch_endpoints',
  text: `insert into endpoint_watch (partner_id, endpoint_id, watched_until)
    select distinct partner_id, endpoint_id, now() + ${WATCHED} from unnest($1::text[], $2::text[]) as made (partner_id, endpoint_id)
    order by 1, 2
    on conflict (partner_id, endpoint_id) do update set watched_until = excluded.watched_until`,
};

/**
 * From now on the dispatchers of all processes look for due deliveries of these endpoints. On a distributed database all endpoints are
 * watched.
 */
export async function watchEndpoints(
  db: Queryable,
  { isDistributed }: Pick<Database, 'isDistributed'>,
  endpoints: readonly EndpointId[],
): Promise<void> {
  if (endpoints.length === 0 || isDistributed) return;
  await run(db, WATCH, [endpoints.map(({ partnerId }) => partnerId), endpoints.map(({ endpointId }) => endpointId)]);
}

const WATCH_PARTNER: Statement = {
  name: 'watch_endpoints_of_partner',
  text: `insert into endpoint_watch (partner_id, endpoint_id, watched_until)
    select e.partner_id, e.endpoint_id, now() + ${WATCHED}
    from webhook_endpoint e left join endpoint_watch w on w.partner_id = e.partner_id and w.endpoint_id = e.endpoint_id
    where e.partner_id = $1 and ${IS_NOT_REMOVED} and not ${IS_WATCHED}
    order by 1, 2
    on conflict (partner_id, endpoint_id) do update set watched_until = excluded.watched_until`,
};

/** Watches all endpoints of a partner; writes nothing when they are watched. */
export async function watchEndpointsOf(
  db: Queryable,
  { isDistributed }: Pick<Database, 'isDistributed'>,
  partnerId: string,
): Promise<void> {
  if (!isDistributed) await run(db, WATCH_PARTNER, [partnerId]);
}

const WATCH_WAITING: Statement = {
  name: 'watch_endpoints_with_deliveries',
  text: `insert into endpoint_watch (partner_id, endpoint_id, watched_until)
    select h.partner_id, h.endpoint_id, now() + ${WATCHED}
    from endpoint_health h left join endpoint_watch w on w.partner_id = h.partner_id and w.endpoint_id = h.endpoint_id
    where not ${IS_WATCHED} and exists (
      select from delivery d
      where d.partner_id = h.partner_id and d.endpoint_id = h.endpoint_id and d.status = 'waiting' and d.next_attempt_at >= h.due_from
      order by d.next_attempt_at ${ONE_BY_ONE}
    )
    order by 1, 2
    on conflict (partner_id, endpoint_id) do update set watched_until = excluded.watched_until`,
};

/** Watches all endpoints with a waiting delivery, whichever process made it, and whenever. It reads every endpoint. */
export async function watchWaitingEndpoints(
  db: Queryable,
  { isDistributed }: Pick<Database, 'isDistributed'>,
  time: LongStatements,
): Promise<void> {
  if (!isDistributed) await runLong(db, WATCH_WAITING, [], time);
}
