import type { Actor } from '../../domain/access/role.ts';
import { listAuditEntries } from '../../store/audit/audit-entry.ts';
import { lockAuditHead } from '../../store/audit/audit-head.ts';
import { hasContributions } from '../../store/contributions/contribution-seal.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from './audit.ts';
import { readSealedRecord } from './sealed-record.ts';
import { UnverifiedRecordError } from './unverified-record.ts';
import { verifyAudit } from './verify-audit.ts';

/** The time from which every contribution of this installation is sealed. */
export interface SealStart {
  readonly beganAt: Date;
  /** Until then processes of the previous release may write without seals. */
  readonly adoptsUntil: Date;
  /** When all contributions without a seal were sealed. `null`: sealing is under way. */
  readonly endedAt: Date | null;
}

const SUBJECT = 'contribution_seals';
const ADOPTION_MS = 3_600_000;

/** The entry in the audit; `undefined` before the first start of a release that seals. */
export async function findSealStart(db: Queryable, { auditKeys }: Pick<Database, 'auditKeys'>): Promise<SealStart | undefined> {
  const entries = await listAuditEntries(db, { subjectId: SUBJECT, limit: 1 });
  if (entries.length === 0) return undefined;
  const { last, doubt } = readSealedRecord(entries, auditKeys());
  if (!last?.after)
    throw new UnverifiedRecordError(
      `The start of sealing contributions is unknown: ${doubt}. Check the keys in AUDIT_KEY and run \`audit verify\`.`,
    );
  const after = JSON.parse(last.after) as { began_at: string; adopts_until: string; ended_at: string | null };
  const endedAt = after.ended_at === null ? null : new Date(after.ended_at);
  return { beganAt: new Date(after.began_at), adoptsUntil: new Date(after.adopts_until), endedAt };
}

/**
 * Records the start once for the installation. Rows without a seal are sealed only while the audit chain is intact: a person who removed
 * an entry could have edited rows that would then be sealed.
 */
export async function ensureSealStart(database: Database, actor: Actor): Promise<SealStart> {
  const known = await findSealStart(database.pool, database);
  if (known?.endedAt) return known;
  const isVerified = (await verifyAudit(database)).fault === null;
  if (known) return isVerified ? known : endAdoption(database, actor);
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const { now } = await lockAuditHead(db);
    const meanwhile = await findSealStart(db, database);
    if (meanwhile) return meanwhile;
    const adopts = isVerified && (await hasContributions(db));
    const adoptsUntil = adopts ? new Date(now.getTime() + ADOPTION_MS) : now;
    return auditStart(db, actor, { before: null, after: { beganAt: now, adoptsUntil, endedAt: adopts ? null : now } });
  });
}

/** From now on a contribution without a seal was not written by this service. */
export async function endAdoption(database: Database, actor: Actor): Promise<SealStart> {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const { now } = await lockAuditHead(db);
    const before = await findSealStart(db, database);
    if (!before) throw new Error('The start of sealing contributions is unknown. Run `audit verify`.');
    return before.endedAt ? before : auditStart(db, actor, { before, after: { ...before, endedAt: now } });
  });
}

async function auditStart(
  db: Queryable,
  actor: Actor,
  { before, after }: { readonly before: SealStart | null; readonly after: SealStart },
): Promise<SealStart> {
  const entry = { action: 'contribution.seal', partnerId: null, subjectId: SUBJECT };
  await audit(db, actor, { ...entry, before: before && toRecord(before), after: toRecord(after) });
  return after;
}

function toRecord({ beganAt, adoptsUntil, endedAt }: SealStart): object {
  return { began_at: beganAt, adopts_until: adoptsUntil, ended_at: endedAt };
}
