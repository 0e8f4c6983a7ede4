import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import { HEALTH_JOIN } from './endpoint-health.ts';
import { HANDED_OVER } from './hand-over.ts';

const COUNT_UNSENT: Statement = {
  name: 'count_unsent_deliveries',
  text: `select count(*) filter (where u.next_attempt_at <= now())::int4 as due, count(*) filter (where u.lease > u.attempts)::int4 as "underWay"
    from webhook_endpoint e
    ${HEALTH_JOIN}
    join (
      select partner_id, endpoint_id, next_attempt_at, lease, attempts from delivery where status = 'waiting'
      union all
      select d.partner_id, d.endpoint_id, d.next_attempt_at, d.lease, d.attempts from delivery_hand_over h ${HANDED_OVER}
    ) u on u.partner_id = e.partner_id and u.endpoint_id = e.endpoint_id
    where e.partner_id = any ($1::text[]) and e.status = 'active' and (h.breaker_open_until is null or h.breaker_open_until <= now())`,
};

/**
 * Deliveries of these partners that are due, and those whose last claim has no recorded attempt: they are under way, or were given back
 * unsent.
 */
export async function countUnsent(
  db: Queryable,
  partnerIds: readonly string[],
): Promise<{ readonly due: number; readonly underWay: number }> {
  const [row] = await run<{ due: number; underWay: number }>(db, COUNT_UNSENT, [partnerIds]);
  return row ?? { due: 0, underWay: 0 };
}
