import { forEachSettled } from '../../concurrency/for-each-settled.ts';
import { pluralise } from '../../domain/pluralise.ts';
import type { Database } from '../../store/database.ts';
import { NodeReader } from '../../store/node-reader.ts';
import {
  claimReconciliation,
  endLostReconciliations,
  listLeftReconciliations,
  type Reconciliation,
  type ReconciliationName,
  updateReconciliationDone,
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
  /** Lists the reconciliations that no process completes; every one of the database unless it is given. */
  readonly list?: () => Promise<ReconciliationName[]>;
  /** Counts the lines that lists lack, which are stored for their partners. */
  readonly usage?: StorageUsage;
  /** While lists are under way, whatever has arrived meanwhile is looked for after this time. */
  readonly lookEveryMs?: number;
  /** Called at each failure, which is not thrown at the end then: it may be long until no list is under way. */
  readonly onError?: (error: unknown) => void;
}

const LOOK_EVERY_MS = 1_000;
/** So many have their turns well within the lease of each, also when a page takes a second. */
const UNDER_WAY_MAX = 40;

/**
 * Finds the records that received lists lack, for every list that no process completes: at once after an upload, and later when a process
 * died. Lists take turns, a page each, and one that arrives meanwhile joins them: a settlement of millions of lines holds up no other
 * partner. One that cannot be completed holds up no other either.
 *
 * @returns How many were completed.
 * @throws AggregateError When some could not be completed, after all others were, and `onError` is not given.
 */
export async function completeReconciliations(
  database: Database,
  signal: AbortSignal,
  { list = () => listLeft(new NodeReader(database)), usage = UNCOUNTED, lookEveryMs = LOOK_EVERY_MS, onError }: Completing = {},
): Promise<number> {
  let count = 0;
  const report = onError ?? rethrow;
  const failed = (failures: number) => `${pluralise(failures, 'reconciliation')} could not be completed.`;
  const underWay: Reconciliation[] = [];
  const completeOne = async (turn: Reconciliation | ReconciliationName) => {
    const progress = 'status' in turn ? turn : await claimReconciliation(database.pool, turn);
    if (!progress) return;
    const rest = await findMissing(database, usage, progress);
    if (rest) underWay.push(rest);
    else count++;
  };
  const turns = eachTurn(underWay, { list, lookEveryMs, report });
  await forEachSettled(turns, { signal, failed }, (turn) => completeOne(turn).catch(report));
  return count;
}

function rethrow(error: unknown): void {
  throw error;
}

/** The reconciliations whose lists have arrived and that no process completes. Those whose uploads were lost are ended. */
export async function listLeft(nodes: NodeReader): Promise<ReconciliationName[]> {
  await endLostReconciliations(nodes);
  return listLeftReconciliations(nodes);
}

/**
 * A page of each list that is under way, then one list that is left, and so on until none is. So each process begins a further list only
 * after a page of those that it has, and other processes find some to begin.
 */
async function* eachTurn(
  underWay: Reconciliation[],
  { list, lookEveryMs, report }: Required<Pick<Completing, 'list' | 'lookEveryMs'>> & { report(error: unknown): void },
): AsyncGenerator<Reconciliation | ReconciliationName> {
  let left: ReconciliationName[] = [];
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  do {
    if (left.length === 0 && performance.now() - lookedAtMs >= lookEveryMs) {
      // One that failed is listed again when its lease ends.
      const isOwn = new Set(underWay.map(({ reconciliationId }) => reconciliationId));
      const found = await list().catch((error: unknown) => report(error));
      left = (found ?? []).filter(({ reconciliationId }) => !isOwn.has(reconciliationId));
      lookedAtMs = performance.now();
    }
    const next = underWay.length < UNDER_WAY_MAX ? left.shift() : undefined;
    if (next) yield next;
    yield* underWay.splice(0);
  } while (underWay.length > 0 || left.length > 0);
}

/**
 * One page of the settlement's lines, which renews the lease.
 *
 * @returns How far it has come; `undefined` when that was the last page.
 */
async function findMissing(
  database: Database,
  usage: StorageUsage,
  claimed: Reconciliation,
): Promise<Reconciliation | undefined> {
  const page = { afterLine: claimed.comparedThrough, limit: LINES_AT_ONCE };
  const beside = await listSettlementBesideList(database.pool, claimed, page);
  const lines = beside.filter(({ listedAt }) => listedAt === null).map((line) => missingInList(line, claimed));
  const comparedThrough = beside.at(-1)?.lineNo ?? claimed.comparedThrough;
  const progress = { ...claimed, ...addUp(claimed, lines), comparedThrough };
  await storeProgress(database, progress, lines);
  countLines(usage, claimed.partnerId, lines);
  if (beside.length === LINES_AT_ONCE) return progress;
  await updateReconciliationDone(database.pool, claimed);
  return undefined;
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
