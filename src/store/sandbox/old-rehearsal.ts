import type { Queryable } from '../database.ts';
import type { Ask, NodeReader, OfAllPartners } from '../node-reader.ts';
import { runAnew, type Statement } from '../query.ts';

/** The first of each partner: the table of the counters has a row of every partner, and stands where its rehearsals do. */
const LIST: OfAllPartners = {
  name: 'list_partners_with_old_rehearsals',
  write: (ofPartners) => `select c.partner_id as "partnerId" from event_counter c cross join lateral (
      select first_at from sandbox_rehearsal where partner_id = c.partner_id and ${ofPartners('partner_id')} order by first_at limit 1
    ) first
    where ${ofPartners('c.partner_id')} and first.first_at < now() - $1 * interval '1 day'`,
};

const DELETE: Statement = {
  name: 'delete_old_rehearsals',
  text: `with old as materialized (
      select idempotency_key, operation, scenario from sandbox_rehearsal
      where partner_id = $1 and first_at < now() - $2 * interval '1 day' order by first_at limit $3
    )
    delete from sandbox_rehearsal r using old
    where r.partner_id = $1 and r.idempotency_key = old.idempotency_key and r.operation = old.operation and r.scenario = old.scenario
    returning 1`,
};

/** Lists the partners whose first rehearsal is older than so many days, in no order. */
export async function listPartnersWithOldRehearsals(
  nodes: NodeReader,
  days: number,
  ask?: Ask<{ readonly partnerId: string }>,
): Promise<string[]> {
  return (await nodes.read<{ readonly partnerId: string }>(LIST, [days], ask)).map(({ partnerId }) => partnerId);
}

/**
 * Removes rehearsals of a partner that began more than so many days ago, the oldest first. What they made stays.
 *
 * @returns How many were removed, `limit` at most.
 */
export async function deleteOldRehearsals(
  db: Queryable,
  partnerId: string,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<number> {
  return (await runAnew(db, DELETE, [partnerId, days, limit])).length;
}
