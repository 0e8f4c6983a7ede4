import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import type { FailureDraft } from './failure-draft.ts';

const COUNT: Statement = {
  name: 'count_waiting_failures',
  text: `select count(*)::int4 as count from (select from failure_draft where status = 'drafted' limit $1) counted`,
};

/** Drafts that wait for a second operator; `max` + 1 stands for as many or more. */
export async function countWaitingFailures(db: Queryable, max: number): Promise<number> {
  const [row] = await run<{ count: number }>(db, COUNT, [max + 1]);
  return row?.count ?? 0;
}

const LATEST: Statement = {
  name: 'list_latest_failures',
  text: `select partner_id as "partnerId", failure_id as "failureId", status from failure_draft
    where failure_id < $1 order by failure_id desc limit $2`,
};

/** A draft of any partner. */
export type ListedFailure = Pick<FailureDraft, 'partnerId' | 'failureId' | 'status'>;

/** Of all partners, the latest first. */
export async function listLatestFailures(
  db: Queryable,
  { beforeId, limit }: { readonly beforeId: string; readonly limit: number },
): Promise<ListedFailure[]> {
  return run<ListedFailure & Record<string, unknown>>(db, LATEST, [beforeId, limit]);
}
