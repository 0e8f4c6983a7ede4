/** The entries of a range of time, for lists: in the order of their commits, by one filter that has an index. */
import type { SealedEntry } from '../../domain/audit/audit-chain.ts';
import type { Queryable } from '../database.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { run, type Statement } from '../query.ts';
import { AUDIT_ENTRY_COLUMNS } from './audit-entry.ts';

const IN_ORDER: KeysetList<'recorded_at'> = {
  name: 'list_audit_entries_in_order',
  select: AUDIT_ENTRY_COLUMNS,
  from: 'audit_entry',
  // In the order of their commits; each has the time at which its transaction began.
  orders: { recorded_at: [['entry_no', 'int8']] },
};

/** One of them: each has an index that begins with it. */
export interface EntriesOf {
  readonly subjectId?: string | undefined;
  readonly partnerId?: string | undefined;
  readonly operatorId?: string | undefined;
  readonly action?: string | undefined;
}

export interface EntryBounds {
  /** At or after this. */
  readonly since?: Date | undefined;
  /** Before this. */
  readonly until?: Date | undefined;
  /** Bounds that save reading what is far away from these times. */
  readonly afterNo?: bigint | undefined;
  readonly beforeNo?: bigint | undefined;
}

/** Entries between two times. */
export async function listAuditEntriesInOrder(
  db: Queryable,
  { subjectId, partnerId, operatorId, action, since, until, afterNo, beforeNo }: EntriesOf & EntryBounds,
  page: KeysetPage<'recorded_at'>,
): Promise<(SealedEntry & Placed)[]> {
  const conditions = {
    subject_id: subjectId,
    partner_id: partnerId,
    operator_id: operatorId,
    action,
    // In this form no index of the times answers them: it would collect and sort all of the range for a page.
    "recorded_at + interval '0' >=": since,
    "recorded_at + interval '0' <": until,
    'entry_no >': afterNo,
    'entry_no <': beforeNo,
  };
  return listByKeyset<SealedEntry, 'recorded_at'>(db, IN_ORDER, conditions, page);
}

const FIRST_SINCE: Statement = {
  name: 'find_first_audit_entry_since',
  text: 'select entry_no as "entryNo" from audit_entry where recorded_at >= $1 order by recorded_at, entry_no limit 1',
};

/** `undefined` where none has been recorded since. */
export async function findFirstEntrySince(db: Queryable, since: Date): Promise<bigint | undefined> {
  const [row] = await run<{ entryNo: bigint }>(db, FIRST_SINCE, [since]);
  return row?.entryNo;
}

const LAST_BEFORE: Statement = {
  name: 'find_last_audit_entry_before',
  text: 'select entry_no as "entryNo" from audit_entry where recorded_at < $1 order by recorded_at desc, entry_no desc limit 1',
};

/** `undefined` where none was recorded before. */
export async function findLastEntryBefore(db: Queryable, until: Date): Promise<bigint | undefined> {
  const [row] = await run<{ entryNo: bigint }>(db, LAST_BEFORE, [until]);
  return row?.entryNo;
}
