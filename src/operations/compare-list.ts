import type { ListEntry } from '../domain/partner-list.ts';
import { type RecordedContribution, reconcile } from '../domain/reconciliation.ts';
import { ServiceError } from '../domain/service-error.ts';
import type { Database, Queryable } from '../store/database.ts';
import { type Reconciliation, updateProgress, type VerdictCounts } from '../store/reconciliation.ts';
import {
  findRecordedEvents,
  insertReconciliationLines,
  type ReconciliationLine,
  type RecordedEvent,
} from '../store/reconciliation-line.ts';
import { inTransaction } from '../store/transaction.ts';

export const LINES_AT_ONCE = 500;
const LOCK_TIMEOUT_MS = 2_000;
/** A list that trickles in is told to be alive, well before its lease ends. */
const SLOW_LIST_MS = 10_000;

/** Judges a list line by line as it comes, and keeps what came of it. */
export async function compareList(database: Database, begun: Reconciliation, entries: AsyncIterable<ListEntry>): Promise<void> {
  let progress = begun;
  let batch: ListEntry[] = [];
  let comparedAtMs = performance.now();
  const compare = async () => {
    const lines = await judge(database.pool, progress, batch);
    progress = { ...progress, listedLines: progress.listedLines + BigInt(batch.length), counts: addUp(progress.counts, lines) };
    batch = [];
    await storeProgress(database, progress, lines);
    comparedAtMs = performance.now();
  };
  for await (const entry of entries) {
    const isLate = performance.now() - comparedAtMs > SLOW_LIST_MS;
    if (batch.push(entry) === LINES_AT_ONCE || isLate) await compare();
  }
  await compare();
}

/** Lines and counts in one transaction, so that whoever takes it up again finds them alike. */
export async function storeProgress(
  database: Database,
  progress: Reconciliation,
  lines: readonly ReconciliationLine[],
): Promise<void> {
  await inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    if (!(await updateProgress(db, progress))) throw tookTooLong();
    await insertReconciliationLines(db, progress, lines);
  });
}

export function addUp(counts: VerdictCounts, lines: readonly ReconciliationLine[]): VerdictCounts {
  const sums = { ...counts };
  for (const { verdict } of lines) sums[verdict] = (sums[verdict] ?? 0) + 1;
  return sums;
}

async function judge(db: Queryable, of: Reconciliation, batch: readonly ListEntry[]): Promise<ReconciliationLine[]> {
  const events = batch.flatMap(({ listed }) => (listed ? [listed.partnerEventId] : []));
  const recorded = await findRecordedEvents(db, of, [...new Set(events)]);
  const seen = new Map<string, number>();
  return batch.map(({ lineNo, listed, problems }) => {
    if (!listed) return { ...EMPTY, position: BigInt(lineNo), verdict: 'malformed', problems };
    const { partnerEventId } = listed;
    const found = recorded.get(partnerEventId);
    const before = found?.listedBeforeAt == null ? seen.get(partnerEventId) : Number(found.listedBeforeAt);
    if (!seen.has(partnerEventId)) seen.set(partnerEventId, lineNo);
    const pair = { settlementId: of.settlementId, listed, recorded: readRecorded(found), listedBeforeAt: before ?? null };
    const { verdict } = reconcile(pair);
    return {
      ...{ ...EMPTY, position: BigInt(lineNo), verdict, ...listed, transactionId: found?.transactionId ?? null },
      ...{ recordedOrderRef: found?.partnerOrderRef ?? null, recordedPoints: found?.points ?? null },
      recordedSettlementId: found?.settlementId ?? null,
    };
  });
}

export const EMPTY: Omit<ReconciliationLine, 'position' | 'verdict'> = {
  ...{ partnerEventId: null, partnerOrderRef: null, points: null, transactionId: null },
  ...{ recordedOrderRef: null, recordedPoints: null, recordedSettlementId: null, problems: null },
};

function readRecorded(found: RecordedEvent | undefined): RecordedContribution | null {
  const { partnerEventId, partnerOrderRef, points, transactionId, status, settlementId } = found ?? {};
  if (!partnerEventId || !partnerOrderRef || points == null || !transactionId || !status) return null;
  return { partnerEventId, partnerOrderRef, points, transactionId, status, settlementId: settlementId ?? null };
}

export function tookTooLong(): ServiceError {
  return new ServiceError(
    'internal_service_unavailable',
    'The reconciliation was ended because it did not move on. Send the list again, under the same key or another.',
  );
}
