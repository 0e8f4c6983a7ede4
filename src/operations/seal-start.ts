import type { Actor } from '../domain/role.ts';
import { listAuditEntries, lockAuditHead } from '../store/audit.ts';
import { hasContributions } from '../store/contribution-seal.ts';
import type { Database, Queryable } from '../store/database.ts';
import { inTransaction } from '../store/transaction.ts';
import { audit } from './audit.ts';
import { readSealedRecord } from './sealed-record.ts';
import { verifyAudit } from './verify-audit.ts';

/** From when on every contribution of this installation is sealed. */
export interface SealStart {
  readonly beganAt: Date;
  /** Processes of the release before may write without seals until then; what they wrote is sealed as it is found. */
  readonly adoptsUntil: Date;
}

const SUBJECT = 'contribution_seals';
const ADOPTION_MS = 3_600_000;
const LOCK_TIMEOUT_MS = 4_000;

/** What the audit says of it; `undefined` before the first start of a release that seals. */
export async function findSealStart(db: Queryable, { auditKeys }: Pick<Database, 'auditKeys'>): Promise<SealStart | undefined> {
  const entries = await listAuditEntries(db, { subjectId: SUBJECT, limit: 1 });
  if (entries.length === 0) return undefined;
  const { last, doubt } = readSealedRecord(entries, auditKeys());
  if (!last?.after) throw new Error(`From when on contributions are sealed is not known: ${doubt}. \`audit verify\` says more.`);
  const after = JSON.parse(last.after) as { began_at: string; adopts_until: string };
  return { beganAt: new Date(after.began_at), adoptsUntil: new Date(after.adopts_until) };
}

/**
 * Writes the start down, once for the installation. An audit that is not sound is not added to: whoever removed the entry could have
 * edited rows sealed as true by a second start.
 */
export async function ensureSealStart(database: Database, actor: Actor): Promise<SealStart> {
  const known = await findSealStart(database.pool, database);
  if (known) return known;
  const { fault } = await verifyAudit(database);
  if (fault) throw new Error(`Contributions cannot begin to be sealed: ${fault.sentence}. \`audit verify\` says more.`);
  return inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    const { now } = await lockAuditHead(db);
    const meanwhile = await findSealStart(db, database);
    if (meanwhile) return meanwhile;
    const adoptsUntil = (await hasContributions(db)) ? new Date(now.getTime() + ADOPTION_MS) : now;
    const after = { began_at: now, adopts_until: adoptsUntil };
    await audit(db, actor, { action: 'contribution.seal', partnerId: null, subjectId: SUBJECT, before: null, after });
    return { beganAt: now, adoptsUntil };
  });
}
