import type { Queryable } from '../database.ts';
import { forPartners, type PartnerIds, runForPartners } from '../partner-ids.ts';

/** What a partner has left to decide before a settlement closes; `max` + 1 stands for as many or more. */
export interface LeftToDecide {
  readonly pending: number;
  readonly drafts: number;
  readonly approved: number;
}

const adjustments = (status: 'draft' | 'approved') =>
  `(select count(*) from (select 1 from adjustment a where a.partner_id = p.partner_id and status = '${status}' order by transaction_id limit $2) counted)::int4`;

const COUNT = forPartners(
  'count_left_to_decide',
  (partners) => `select p.partner_id as "partnerId", (
        select count(*) from (select 1 from contribution_review r where r.partner_id = p.partner_id and resolved_at is null limit $2) counted
      )::int4 as pending, ${adjustments('draft')} as drafts, ${adjustments('approved')} as approved
    from ${partners}`,
);

/** What each of these partners has left to decide, by its id. */
export async function countLeftToDecide(
  db: Queryable,
  partnerIds: PartnerIds,
  max: number,
): Promise<ReadonlyMap<string, LeftToDecide>> {
  const rows = await runForPartners<LeftToDecide & { partnerId: string }>(db, COUNT, [partnerIds, max + 1]);
  return new Map(rows.map(({ partnerId, ...left }) => [partnerId, left]));
}
