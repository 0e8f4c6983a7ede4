import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

/** What a partner has left to decide before a settlement closes; `max` + 1 stands for as many or more. */
export interface LeftToDecide {
  readonly pending: number;
  readonly drafts: number;
  readonly approved: number;
}

const adjustments = (status: 'draft' | 'approved') =>
  `(select count(*) from (select 1 from adjustment where partner_id = $1 and status = '${status}' limit $2) counted)::int4`;

const COUNT: Statement = {
  name: 'count_left_to_decide',
  text: `select (select count(*) from (select 1 from contribution_review where partner_id = $1 and resolved_at is null limit $2) counted)::int4 as pending,
      ${adjustments('draft')} as drafts, ${adjustments('approved')} as approved`,
};

export async function countLeftToDecide(db: Queryable, partnerId: string, max: number): Promise<LeftToDecide> {
  const [row] = await run<LeftToDecide & Record<string, unknown>>(db, COUNT, [partnerId, max + 1]);
  return row ?? { pending: 0, drafts: 0, approved: 0 };
}
