import type { SealedEntry } from '../../domain/audit/audit-chain.ts';
import { listAuditEntries } from '../../store/audit/audit-entry.ts';
import type { Queryable } from '../../store/database.ts';

/**
 * More than a settlement has, 23 at most: its closing, the partner's dispute and acceptance, and 20 replies to the dispute, after which
 * `replyToDispute` refuses more.
 */
const ENTRIES_MAX = 100;

/** All audit entries about a settlement, the latest first. */
export function listSettlementEntries(db: Queryable, settlementId: string): Promise<SealedEntry[]> {
  return listAuditEntries(db, { subjectId: settlementId, limit: ENTRIES_MAX });
}
