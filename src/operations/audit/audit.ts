import { type AuditAuthor, OWNER_ID } from '../../domain/access/role.ts';
import { sealEntry } from '../../domain/audit/audit-chain.ts';
import { insertAuditEntry } from '../../store/audit/audit-entry.ts';
import { lockAuditHead, updateAuditHead } from '../../store/audit/audit-head.ts';
import type { Queryable } from '../../store/database.ts';
import { databaseOf } from '../../store/transaction.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { requireOwnerMayAct } from './act-as-owner.ts';
import { requireStillMayAct } from './require-still-may-act.ts';

/** A change by an operator or a partner, or a statement of a partner that may have to be proven. */
export interface AuditEntry {
  /** The action, as `rule.create` or `settlement.close`. */
  readonly action: string;
  readonly partnerId: string | null;
  /** The record that changed. */
  readonly subjectId: string;
  /** The record before and after, without secrets; `null` when there was or is none. */
  readonly before: object | null;
  readonly after: object | null;
}

/**
 * Appends an entry, sealed with the installation's key, in the transaction of its change. It is the last step of the transaction, because
 * it locks the end of the chain. The owner account of a production machine is refused here, whatever was checked before: under the lock
 * an admin that another command just created is visible. So is an operator who was disabled, got a lower role or was signed out, and a key
 * that was revoked, while this went on.
 *
 * @param db A transaction of `inTransaction`; an entry without its change, or a change without its entry, is a defect.
 * @returns When it was recorded.
 */
export async function audit(db: Queryable, author: AuditAuthor, entry: AuditEntry): Promise<Date> {
  const [key] = databaseOf(db).auditKeys();
  if (key === undefined) throw new Error('The audit needs at least one key.');
  const { lastNo, lastMac, now } = await lockAuditHead(db);
  if (author.operatorId === OWNER_ID && !author.breaksGlass) await requireOwnerMayAct(db);
  await requireStillMayAct(db, author, now);
  const sealed = sealEntry(key, {
    entryNo: lastNo + 1n,
    recordedAt: now,
    operatorId: author.operatorId,
    role: author.isPartner ? 'partner' : author.role,
    action: entry.action,
    partnerId: entry.partnerId,
    subjectId: entry.subjectId,
    before: toText(entry.before),
    after: toText(entry.after),
    correlationId: author.correlationId,
    previousMac: lastMac,
  });
  await insertAuditEntry(db, sealed);
  await updateAuditHead(db, { lastNo: sealed.entryNo, lastMac: sealed.mac });
  return now;
}

function toText(record: object | null): string | null {
  return record === null ? null : exactJson(record);
}
