import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

const COUNT: Statement = {
  name: 'count_waiting_adjustments',
  text: `select (select count(*) from (select from adjustment where status = 'draft' order by adjustment_id limit $1) counted)::int4 as draft,
      (select count(*) from (select from adjustment where status = 'approved' order by adjustment_id limit $1) counted)::int4 as approved`,
};

/** Drafts that wait for a second operator, and what was approved and is not posted; `max` + 1 stands for as many or more. */
export async function countWaitingAdjustments(
  db: Queryable,
  max: number,
): Promise<{ readonly draft: number; readonly approved: number }> {
  const [row] = await run<{ draft: number; approved: number }>(db, COUNT, [max + 1]);
  return row ?? { draft: 0, approved: 0 };
}
