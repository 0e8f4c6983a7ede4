import { type EntryOfKind, listAuditEntriesOfKind } from '../../store/audit/audit-entry.ts';
import type { Database } from '../../store/database.ts';
import { eachPage } from '../../store/each-page.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import type { AuditedKind } from './audited-kinds.ts';
import { type AuditDifference, differencesOf } from './compare-with-audit.ts';
import { findDifferences } from './require-audited.ts';

const RECORDS_AT_ONCE = 500;

export interface KindVerdict {
  readonly records: number;
  readonly differences: readonly AuditDifference[];
}

/**
 * Compares every record of a kind with its last entry, and finds records that are only in the audit.
 *
 * @param pause Awaited between pages.
 */
export async function verifyKind<Row>(
  database: Database,
  kind: AuditedKind<Row>,
  pause: () => Promise<void>,
): Promise<KindVerdict> {
  const differences: AuditDifference[] = [];
  let records = 0;
  const rows = eachPage<Row>(RECORDS_AT_ONCE, (last, limit) =>
    kind.list(database.pool, { afterId: last === undefined ? '' : kind.idOf(last), limit }),
  );
  for await (const page of rows) {
    records += page.length;
    const differing = new Set((await differencesOf(database, kind, page)).map(({ subjectId }) => subjectId));
    for (const row of page) if (differing.has(kind.idOf(row))) differences.push(...(await lookAgain(database, kind, row)));
    await pause();
  }
  for (const subjectId of await findRemoved(database, kind, pause)) differences.push({ subjectId, fields: ['removed'] });
  return { records, differences };
}

/** The record may have been changed between the two reads. */
async function lookAgain<Row>(database: Database, kind: AuditedKind<Row>, row: Row): Promise<readonly AuditDifference[]> {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const held = await kind.lock(db, row);
    return held ? findDifferences(db, kind, [held]) : [];
  });
}

/** In the order of their ids. */
async function findRemoved<Row>({ pool }: Database, kind: AuditedKind<Row>, pause: () => Promise<void>): Promise<string[]> {
  const removed = new Set<string>();
  const entries = eachPage<EntryOfKind>(RECORDS_AT_ONCE, (after, limit) =>
    listAuditEntriesOfKind(pool, kind.action, { after, limit }),
  );
  for await (const page of entries) {
    const ids = [...new Set(page.map(({ subjectId }) => subjectId))].filter((id) => kind.isRecordId?.(id) ?? true);
    const present = new Set((await kind.list(pool, { afterId: '', ids, limit: ids.length })).map(kind.idOf));
    for (const id of ids) if (!present.has(id)) removed.add(id);
    await pause();
  }
  return [...removed].sort();
}
