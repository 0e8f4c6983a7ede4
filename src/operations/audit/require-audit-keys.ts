import { isSealedWithOneOf, type SealedEntry } from '../../domain/audit/audit-chain.ts';
import { listAuditEntriesAfter } from '../../store/audit/audit-entry.ts';
import { findAuditHead } from '../../store/audit/audit-head.ts';
import type { AuditedDatabase } from './verify-audit.ts';

/**
 * Before anything is sealed: an entry under a foreign key could never be verified again. An edited entry is no reason to refuse; the
 * verification of the chain finds it.
 *
 * @throws Error When the keys seal neither the first nor the last entry of the audit.
 */
export async function requireAuditKeys({ pool, auditKeys }: AuditedDatabase): Promise<void> {
  const lastNo = (await findAuditHead(pool))?.lastNo ?? 0n;
  if (lastNo === 0n) return;
  const [first] = await listAuditEntriesAfter(pool, 0n, 1);
  const [last] = await listAuditEntriesAfter(pool, lastNo - 1n, 1);
  const keys = auditKeys();
  const isOwn = (entry: SealedEntry | undefined) => entry !== undefined && isSealedWithOneOf(keys, entry);
  if ((!first && !last) || isOwn(first) || isOwn(last)) return;
  const given = keys.map(({ id }) => id).join(', ');
  throw new Error(
    `AUDIT_KEY (${given}) is not the key of this database, whose audit is sealed with ${JSON.stringify((last ?? first)?.keyId)}. ` +
      'Set the key that was kept when the database was set up; nothing was sealed under another one.',
  );
}
