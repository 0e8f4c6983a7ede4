import { forEachSettled } from '../../concurrency/for-each-settled.ts';
import { pluralise } from '../../domain/pluralise.ts';
import type { Database } from '../../store/database.ts';
import { NodeReader } from '../../store/node-reader.ts';
import {
  claimReconciliation,
  endLostReconciliations,
  listLeftReconciliations,
  type Reconciliation,
  updateDone,
} from '../../store/reconciliations/reconciliation.ts';
import {
  type ListedSettlementLine,
  listSettlementBesideList,
  MISSING_FROM,
  type ReconciliationLine,
} from '../../store/reconciliations/reconciliation-line.ts';
import { type StorageUsage, UNCOUNTED } from '../quotas/storage-usage.ts';
import { addUp, countLines, LINES_AT_ONCE, storeProgress } from './compare-list.ts';
import { EMPTY_LINE } from './match-lines.ts';

export interface Completing {
  /** Knows which nodes did not answer an earlier call. */
  readonly nodes?: NodeReader;
  /** Counts the lines that lists lack, which are stored for their partners. */
  readonly usage?: StorageUsage;
}

/**
 * Finds the records that received lists lack, for every list that no process completes: at once after an upload, and later when a process
 * died. One that cannot be completed holds up no other.
 *
 * @returns How many were completed.
 * @throws AggregateError When some could not be completed, after all others were.
 */
export async function completeReconciliations(
  database: Database,
  signal: AbortSignal,
  { nodes = new NodeReader(database), usage = UNCOUNTED }: Completing = {},
): Promise<number> {
  let count = 0;
  const failed = (failures: number) => `${pluralise(failures, 'reconciliation')} could not be completed.`;
  await endLostReconciliations(nodes);
  await forEachSettled(await listLeftReconciliations(nodes), { signal, failed }, async (name) => {
    const claimed = await claimReconciliation(database.pool, name);
    if (claimed && (await findMissing({ database, usage, signal }, claimed))) count++;
  });
  return count;
}

interface Finding extends Required<Pick<Completing, 'usage'>> {
  readonly database: Database;
  readonly signal: AbortSignal;
}

async function findMissing({ database, usage, signal }: Finding, claimed: Reconciliation): Promise<boolean> {
  for (let progress = claimed; !signal.aborted; ) {
    const page = { afterLine: progress.comparedThrough, limit: LINES_AT_ONCE };
    const beside = await listSettlementBesideList(database.pool, progress, page);
    const lines = beside.filter(({ listedAt }) => listedAt === null).map((line) => missingInList(line, claimed));
    const comparedThrough = beside.at(-1)?.lineNo ?? progress.comparedThrough;
    progress = { ...progress, ...addUp(progress, lines), comparedThrough };
    await storeProgress(database, progress, lines);
    countLines(usage, claimed.partnerId, lines);
    if (beside.length < LINES_AT_ONCE) {
      await updateDone(database.pool, claimed);
      return true;
    }
  }
  return false;
}

function missingInList(line: ListedSettlementLine, { isStatement, settlementId }: Reconciliation): ReconciliationLine {
  const { lineNo, lineType, adjustmentId, partnerEventId, partnerOrderRef, points, netPoints, transactionId } = line;
  return {
    ...EMPTY_LINE,
    position: MISSING_FROM + BigInt(lineNo),
    verdict: 'missing_in_partner_file',
    partnerEventId,
    transactionId,
    adjustmentId,
    lineType: isStatement ? lineType : null,
    recordedOrderRef: partnerOrderRef,
    recordedPoints: points,
    recordedNetPoints: netPoints,
    recordedSettlementId: settlementId,
  };
}
