import { oneByOne } from '../../concurrency/one-by-one.ts';
import { lineBytes } from '../../domain/quotas/stored-bytes.ts';
import { addDiffering, NONE_DIFFERING } from '../../domain/reconciliations/differing-points.ts';
import type { ListEntry } from '../../domain/reconciliations/partner-list.ts';
import { addTotals, NO_POINTS } from '../../domain/reconciliations/total-points.ts';
import { ServiceError } from '../../domain/service-error.ts';
import type { Database } from '../../store/database.ts';
import {
  type ComparisonSums,
  type Reconciliation,
  updateReconciliationProgress,
  type VerdictCounts,
} from '../../store/reconciliations/reconciliation.ts';
import { insertReconciliationLines, type ReconciliationLine } from '../../store/reconciliations/reconciliation-line.ts';
import { inTransaction } from '../../store/transaction.ts';
import type { StorageUsage } from '../quotas/storage-usage.ts';
import { decideLines } from './match-lines.ts';

export const LINES_AT_ONCE = 500;
const LOCK_TIMEOUT_MS = 2_000;
/** While a slow list arrives its lease is renewed, well before its end. */
const SLOW_LIST_MS = 10_000;

/** The limit that the lists of all partners share. */
export interface Comparing {
  readonly database: Database;
  readonly usage: StorageUsage;
  /** Does a part of the work on a partner's list in its turn. */
  inTurn(part: Part): Promise<void>;
}

interface Part {
  readonly partnerId: string;
  readonly work: () => Promise<void>;
}

/** The most connections of all lists together, so that a list of a million lines takes none from a confirmation. */
const CONCURRENCY = 2;

export function shareComparing(database: Database, usage: StorageUsage): Comparing {
  const inTurn = oneByOne<Part, void>({ concurrency: CONCURRENCY, waitingMax: 64, waitMaxMs: 60_000, run: ({ work }) => work() });
  return { database, usage, inTurn };
}

/** Compares a list line by line as it arrives, and stores the verdicts. */
export async function compareList(
  { database, usage, inTurn }: Comparing,
  begun: Reconciliation,
  entries: AsyncIterable<ListEntry>,
): Promise<void> {
  const { partnerId } = begun;
  let progress: Reconciliation = { ...begun, counts: { gross: 0, net: 0 }, differing: NONE_DIFFERING, total: NO_POINTS };
  const seen = { carriedAt: null };
  let batch: ListEntry[] = [];
  let comparedAtMs = performance.now();
  const compare = async () => {
    const lines = await decideLines(database.pool, { of: progress, seen }, batch);
    progress = { ...progress, ...addUp(progress, lines), listedLines: progress.listedLines + BigInt(batch.length) };
    batch = [];
    await storeProgress(database, progress, lines);
    countLines(usage, partnerId, lines);
    comparedAtMs = performance.now();
  };
  for await (const entry of entries) {
    const isLate = performance.now() - comparedAtMs > SLOW_LIST_MS;
    if (batch.push(entry) === LINES_AT_ONCE || isLate) await inTurn({ partnerId, work: compare });
  }
  await inTurn({ partnerId, work: compare });
}

/** Lines and counts are stored in one transaction, so that another process that continues finds them consistent. */
export async function storeProgress(
  database: Database,
  progress: Reconciliation,
  lines: readonly ReconciliationLine[],
): Promise<void> {
  await inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    if (!(await updateReconciliationProgress(db, progress))) throw tookTooLong();
    await insertReconciliationLines(db, progress, lines);
  });
}

/** Counts what the lines take, those that the list has and those that it lacks. */
export function countLines(usage: StorageUsage, partnerId: string, lines: readonly ReconciliationLine[]): void {
  const bytes = lines.map(({ partnerEventId, partnerOrderRef, recordedOrderRef }) =>
    lineBytes({ partnerEventId, partnerOrderRef: partnerOrderRef ?? recordedOrderRef }),
  );
  usage.count(
    partnerId,
    bytes.reduce((sum, each) => sum + each, 0),
  );
}

export function addUp({ counts, differing, total }: ComparisonSums, lines: readonly ReconciliationLine[]): ComparisonSums {
  return {
    counts: countUp(counts, lines),
    differing: differing && addDiffering(differing, lines),
    total: total && addTotals(total, lines),
  };
}

function countUp(counts: VerdictCounts, lines: readonly ReconciliationLine[]): VerdictCounts {
  const sums = { ...counts };
  for (const { verdict, matchedPoints } of lines) {
    sums[verdict] = (sums[verdict] ?? 0) + 1;
    if (verdict === 'matched' && matchedPoints !== null) sums[matchedPoints] = (sums[matchedPoints] ?? 0) + 1;
  }
  return sums;
}

export function tookTooLong(): ServiceError {
  return new ServiceError(
    'internal_service_unavailable',
    'The reconciliation was stopped because it made no progress. Send the list again, under the same key or a new one.',
  );
}
