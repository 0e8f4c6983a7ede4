import { type AuditAuthor, OWNER_ID } from '../../domain/access/role.ts';
import { sealEntry } from '../../domain/audit/audit-chain.ts';
import { insertAuditEntry, lockAuditHead, updateAuditHead } from '../../store/audit/audit.ts';
import type { Queryable } from '../../store/database.ts';
import { databaseOf } from '../../store/transaction.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { requireOwnerMayAct } from './act-as-owner.ts';

/** One change by an operator, or a partner's word that somebody may have to prove. */
export interface AuditEntry {
  /** What was done, as `rule.create` or `settlement.close`. */
  readonly action: string;
  readonly partnerId: string | null;
  /** The record that changed. */
  readonly subjectId: string;
  /** The record before and after, without secrets; `null` where there was or is none. */
  readonly before: object | null;
  readonly after: object | null;
}

/**
 * Appends an entry, sealed with the installation's key, in the transaction of its change: the last thing that it does, because it holds
 * the end of the chain. Here is also where the owner of a production machine is refused, whatever asked beforehand: what holds the end of
 * the chain sees the admin whom another command has just made.
 *
 * @param db What `inTransaction` lends; an entry that could be there without its change, or its change without it, is a defect.
 */
export async function audit(db: Queryable, author: AuditAuthor, entry: AuditEntry): Promise<void> {
  const [key] = databaseOf(db).auditKeys();
  if (key === undefined) throw new Error('The audit needs at least one key.');
  const { lastNo, lastMac, now } = await lockAuditHead(db);
  if (author.operatorId === OWNER_ID && !author.breaksGlass) await requireOwnerMayAct(db);
  const sealed = sealEntry(key, {
    entryNo: lastNo + 1n,
    recordedAt: now,
    operatorId: author.operatorId,
    role: author.role,
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
}

function toText(record: object | null): string | null {
  return record === null ? null : exactJson(record);
}
