import type { Queryable } from '../database.ts';
import { type KeysetList, type KeysetPage, listByKeyset } from '../ordered-list.ts';
import { run, type Statement } from '../query.ts';
import type { FailureDraft } from './failure-draft.ts';

const COUNT: Statement = {
  name: 'count_waiting_failures',
  text: `select count(*)::int4 as count from (select 1 from failure_draft where status = 'drafted' limit $1) counted`,
};

/** Drafts that wait for a second operator; `max` + 1 stands for as many or more. */
export async function countWaitingFailures(db: Queryable, max: number): Promise<number> {
  const [row] = await run<{ count: number }>(db, COUNT, [max + 1]);
  return row?.count ?? 0;
}

/** A draft of any partner. */
export type ListedFailure = Pick<FailureDraft, 'partnerId' | 'failureId' | 'status'>;

export type FailureOrder = 'drafted_at' | 'points';

const LIST: KeysetList<FailureOrder> = {
  name: 'list_failures',
  select: 'partner_id as "partnerId", failure_id as "failureId", status',
  from: 'failure_draft',
  // An id contains the time of its making.
  orders: {
    drafted_at: [['failure_id', 'text']],
    points: [
      ['points', 'int8'],
      ['failure_id', 'text'],
    ],
  },
};

/** Lists the drafts of failures of one partner, or of all partners. */
export async function listFailuresInOrder(db: Queryable, partnerId: string | undefined, page: KeysetPage<FailureOrder>) {
  return listByKeyset<ListedFailure, FailureOrder>(db, LIST, { partner_id: partnerId }, page);
}
