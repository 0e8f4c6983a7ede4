import type { Actor } from '../../domain/access/role.ts';
import type { SealedEntry } from '../../domain/audit/audit-chain.ts';
import { findLastAuditEntries, listAuditEntries } from '../../store/audit/audit-entry.ts';
import { lockAuditHead } from '../../store/audit/audit-head.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { AUDITED_KINDS, type AuditedKind } from '../audit/audited-kinds.ts';
import { compareWithEntry } from '../audit/compare-with-audit.ts';
import { readSealedRecord } from '../audit/sealed-record.ts';
import { verifyAudit } from '../audit/verify-audit.ts';

const SUBJECT = 'record_seals';
/** Few, so that transactions that wait for the end of the audit chain do not time out. */
const RECORDS_AT_ONCE = 200;

/**
 * Runs once for an installation, at the first start of a release that verifies keys, partners and endpoints by the audit: writes an entry
 * for records that an earlier release wrote without one, or with fewer fields. A record that contradicts its entry gets none, and nothing
 * is done while the audit chain is broken: a person who removed an entry could have edited rows that would then be adopted.
 *
 * @throws Error When it is not known whether this was done.
 */
export async function adoptRecords(database: Database, actor: Actor): Promise<void> {
  const [known] = await listAuditEntries(database.pool, { subjectId: SUBJECT, limit: 1 });
  if (known) return requireReadable(database, known);
  const isVerified = (await verifyAudit(database)).fault === null;
  let adopted = 0;
  if (isVerified) for (const kind of AUDITED_KINDS) adopted += await adoptKind(database, actor, kind);
  await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    await lockAuditHead(db);
    const [meanwhile] = await listAuditEntries(db, { subjectId: SUBJECT, limit: 1 });
    if (meanwhile) return;
    const after = { adopted, audit_was_sound: isVerified };
    await audit(db, actor, { action: 'record.seal', partnerId: null, subjectId: SUBJECT, before: null, after });
  });
}

function requireReadable({ auditKeys }: Database, entry: SealedEntry): void {
  const { doubt } = readSealedRecord([entry], auditKeys());
  if (doubt === undefined) return;
  throw new Error(`It is unknown whether records are verified by the audit: ${doubt}. Run \`audit verify\`.`);
}

async function adoptKind<Row>(database: Database, actor: Actor, kind: AuditedKind<Row>): Promise<number> {
  let count = 0;
  for (let page: Row[] | undefined; page === undefined || page.length === RECORDS_AT_ONCE; ) {
    const last = page?.at(-1);
    const afterId = last === undefined ? '' : kind.idOf(last);
    page = await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      // From here to the commit no other transaction writes an entry.
      await lockAuditHead(db);
      const rows = await kind.list(db, { afterId, limit: RECORDS_AT_ONCE });
      count += await adoptRows(db, actor, { kind, rows, keys: database.auditKeys() });
      return rows;
    });
  }
  return count;
}

interface Adopted<Row> {
  readonly kind: AuditedKind<Row>;
  readonly rows: readonly Row[];
  readonly keys: ReturnType<Database['auditKeys']>;
}

async function adoptRows<Row>(db: Queryable, actor: Actor, { kind, rows, keys }: Adopted<Row>): Promise<number> {
  const entries = await findLastAuditEntries(db, kind.action, rows.map(kind.idOf));
  let count = 0;
  for (const row of rows) {
    const subjectId = kind.idOf(row);
    const entry = entries.get(subjectId);
    const record = kind.recordOf(row);
    const difference = compareWithEntry(subjectId, record, { entry, keys });
    const mayDiffer = new Set([...absentFields(record, entry), ...(kind.unauditedBefore?.(row) ?? []), 'not_in_audit']);
    if (!difference?.fields.every((field) => mayDiffer.has(field))) continue;
    const about = { action: `${kind.action}.adopt`, partnerId: kind.partnerIdOf(row), subjectId };
    await audit(db, actor, { ...about, before: null, after: record });
    count++;
  }
  return count;
}

/** The fields that an entry of an earlier release lacks. */
function absentFields(record: object, entry: SealedEntry | undefined): string[] {
  const kept = Object.keys(JSON.parse(entry?.after ?? '{}') ?? {});
  return Object.keys(record).filter((field) => !kept.includes(field));
}
