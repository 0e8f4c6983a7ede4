import { afterEveryId } from '../../domain/identifiers.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { isRow, type ListById, type PageOfIds, run, runListById, type Statement } from '../query.ts';

export const FAILURE_STATUSES = ['drafted', 'approved', 'rejected'] as const;

/** The draft of a failure for an event that was never stored. */
export interface FailureDraft {
  readonly partnerId: string;
  /** `fail_…` */
  readonly failureId: string;
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
  readonly points: bigint;
  readonly reason: string;
  readonly status: (typeof FAILURE_STATUSES)[number];
  readonly draftedBy: string;
  readonly draftedAt: Date;
  /** `null` while drafted, as is the time. */
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
  /** The contribution that was recorded as failed; `null` unless approved. */
  readonly transactionId: string | null;
}

const COLUMNS = `partner_id as "partnerId", failure_id as "failureId", partner_event_id as "partnerEventId",
    partner_order_ref as "partnerOrderRef", points, reason, status, drafted_by as "draftedBy", drafted_at as "draftedAt",
    decided_by as "decidedBy", decided_at as "decidedAt", transaction_id as "transactionId"`;

const INSERT: Statement = {
  name: 'insert_failure_draft',
  text: `insert into failure_draft (partner_id, failure_id, partner_event_id, partner_order_ref, points, reason, status, drafted_by, drafted_at)
    values ($1, $2, $3, $4, $5, $6, 'drafted', $7, ${NOW}) on conflict do nothing returning ${COLUMNS}`,
};

export type NewFailureDraft = Pick<
  FailureDraft,
  'partnerId' | 'failureId' | 'partnerEventId' | 'partnerOrderRef' | 'points' | 'reason' | 'draftedBy'
>;

/**
 * @returns `undefined` when the event has an open draft already, however many operators draft at once.
 */
export async function insertFailureDraft(db: Queryable, draft: NewFailureDraft): Promise<FailureDraft | undefined> {
  const { partnerId, failureId, partnerEventId, partnerOrderRef, points, reason, draftedBy } = draft;
  const values = [partnerId, failureId, partnerEventId, partnerOrderRef, points, reason, draftedBy];
  const [row] = await run<FailureDraft>(db, INSERT, values);
  return row;
}

const LIST_ALL: ListById = { name: 'list_all_failure_drafts', select: `select ${COLUMNS} from failure_draft`, id: 'failure_id' };

/** Drafts of all partners. */
export async function listAllFailureDrafts(db: Queryable, page: PageOfIds): Promise<FailureDraft[]> {
  return runListById<FailureDraft>(db, LIST_ALL, page);
}

const LOCK: Statement = {
  name: 'lock_failure_draft',
  text: `select ${COLUMNS} from failure_draft where ${isRow({ partnerId: '$1', key: 'failure_id', value: '$2' })} for update`,
};

/** Locked until the transaction ends. */
export async function lockFailureDraft(db: Queryable, partnerId: string, failureId: string): Promise<FailureDraft | undefined> {
  const [row] = await run<FailureDraft>(db, LOCK, [partnerId, failureId]);
  return row;
}

const LIST: Statement = {
  name: 'list_failure_drafts',
  text: `select ${COLUMNS} from failure_draft where partner_id = $1 and failure_id < $2 order by failure_id desc limit $3`,
};

/** Lists the drafts of one partner, the newest first. */
export async function listFailureDrafts(
  db: Queryable,
  partnerId: string,
  { beforeId = afterEveryId('fail'), limit }: { beforeId?: string | undefined; limit: number },
): Promise<FailureDraft[]> {
  return run<FailureDraft>(db, LIST, [partnerId, beforeId, limit]);
}

const DECIDE: Statement = {
  name: 'update_failure_draft_decided',
  text: `update failure_draft set status = $3, decided_by = $4, decided_at = ${NOW}, transaction_id = $5
    where partner_id = $1 and failure_id = $2 returning ${COLUMNS}`,
};

export async function updateFailureDraftDecided(
  db: Queryable,
  { partnerId, failureId }: Pick<FailureDraft, 'partnerId' | 'failureId'>,
  { status, decidedBy, transactionId }: Pick<FailureDraft, 'status' | 'decidedBy' | 'transactionId'>,
): Promise<FailureDraft> {
  const [row] = await run<FailureDraft>(db, DECIDE, [partnerId, failureId, status, decidedBy, transactionId]);
  return row as FailureDraft;
}
