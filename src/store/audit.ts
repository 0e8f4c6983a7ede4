import { type Queryable, run, type Statement } from './database.ts';

export interface AuditRow {
  readonly entryNo: bigint;
  readonly operatorId: string;
  readonly role: string;
  readonly action: string;
  readonly partnerId: string | null;
  readonly subjectId: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly correlationId: string;
  readonly mac: string;
}

const LOCK_HEAD: Statement = {
  name: 'lock_audit_head',
  text: 'select last_no as "lastNo", last_mac as "lastMac" from audit_head for update',
};

/** The end of the chain; nobody else appends until the transaction ends. */
export async function lockAuditHead(db: Queryable): Promise<{ readonly lastNo: bigint; readonly lastMac: string }> {
  const [head] = await run<{ lastNo: bigint; lastMac: string }>(db, LOCK_HEAD, []);
  if (!head) throw new Error('The table audit_head has lost its row.');
  return head;
}

const INSERT: Statement = {
  name: 'insert_audit_entry',
  text: `insert into audit_entry (entry_no, recorded_at, operator_id, role, action, partner_id, subject_id, before_json, after_json,
      correlation_id, mac)
    values ($1, date_trunc('milliseconds', now()), $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
};
const MOVE_HEAD: Statement = { name: 'update_audit_head', text: 'update audit_head set last_no = $1, last_mac = $2' };

export async function insertAuditEntry(db: Queryable, row: AuditRow): Promise<void> {
  const { entryNo, operatorId, role, action, partnerId, subjectId, before, after, correlationId, mac } = row;
  await run(db, INSERT, [entryNo, operatorId, role, action, partnerId, subjectId, before, after, correlationId, mac]);
  await run(db, MOVE_HEAD, [entryNo, mac]);
}
