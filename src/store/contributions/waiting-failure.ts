import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

const COUNT: Statement = {
  name: 'count_waiting_failures',
  text: `select count(*)::int4 as count from (select from failure_draft where status = 'drafted' limit $1) counted`,
};

/** Drafts that wait for a second operator; `max` + 1 stands for as many or more. */
export async function countWaitingFailures(db: Queryable, max: number): Promise<number> {
  const [row] = await run<{ count: number }>(db, COUNT, [max + 1]);
  return row?.count ?? 0;
}
