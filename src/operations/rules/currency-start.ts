import type { NamedKey } from '../../domain/audit/named-key.ts';
import type { Partner } from '../../store/access/partner.ts';
import { listAuditEntriesOfRecord } from '../../store/audit/audit-entry.ts';
import type { Queryable } from '../../store/database.ts';
import { PARTNER } from '../audit/audited-kinds.ts';
import { readSealedRecord } from '../audit/sealed-record.ts';

/**
 * Since when the partner has its currency, by the audit: no rule gave a value before. It is the partner's start where it was created with
 * the currency, and where the audit does not say: an entry does not match its seal, or an admin attested the partner since.
 */
export async function readCurrencyStart(
  db: Queryable,
  { partnerId, currency, createdAt }: Partner,
  auditKeys: () => readonly NamedKey[],
): Promise<Date> {
  const entries = await listAuditEntriesOfRecord(db, PARTNER.action, partnerId);
  if (readSealedRecord(entries, auditKeys()).doubt !== undefined) return createdAt;
  const attested = entries.findLastIndex(({ action }) => action.endsWith('.attest'));
  const before = entries.findLastIndex(({ after }) => JSON.parse(after ?? '{}').currency !== currency);
  return before < Math.max(0, attested) ? createdAt : (entries[before + 1]?.recordedAt ?? createdAt);
}
