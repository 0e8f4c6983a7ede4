import type { Places } from '../../concurrency/batch-queue.ts';
import { oneByOne } from '../../concurrency/one-by-one.ts';
import { contributionNotFound } from '../../domain/contributions/contribution-not-found.ts';
import type { ImpactBatchView } from '../../domain/impact/impact-batch.ts';
import { invalidRequest, problem, recordNotFound, type ServiceError } from '../../domain/service-error.ts';
import type { Database } from '../../store/database.ts';
import { findImpactBatch } from '../../store/impact/impact-batch.ts';
import {
  type BatchTransaction,
  countPooledContributions,
  findLineOfContribution,
  findPooledContribution,
  listBatchSettlementsOf,
  listTransactionsOfSettlement,
  type PooledContribution,
} from '../../store/impact/impact-batch-settlement.ts';
import { getImpactBatchView } from './impact-batch-record.ts';

export interface StatusOfContribution {
  readonly contribution: PooledContribution;
  /** `null` while the contribution is in no batch. */
  readonly shown: ImpactBatchView | null;
}

export interface TransactionCursor {
  readonly partnerId: string;
  readonly impactBatchId: string;
  /** The last contribution of the previous page. */
  readonly afterTransactionId: string | undefined;
  readonly limit: number;
}

export interface BatchTransactions {
  readonly shown: ImpactBatchView;
  /** The number of the partner's contributions in the batch. */
  readonly contributionCount: bigint;
  readonly transactions: readonly BatchTransaction[];
  readonly hasMore: boolean;
}

/** Another partner's contribution, and a batch without contributions of this partner, are answered as not found. */
export interface ReadEnvironmentalStatus {
  /** Throws `contribution_not_found`. */
  ofContribution(id: { readonly partnerId: string; readonly transactionId: string }): Promise<StatusOfContribution>;
  /** The partner's contributions in a batch, page by page, in the order of their settlements' lines. */
  transactions(cursor: TransactionCursor): Promise<BatchTransactions>;
}

const LIMITS = { waitingMax: 256, waitMaxMs: 5_000 };

export function createReadEnvironmentalStatus(database: Database, places: Places): ReadEnvironmentalStatus {
  const { pool } = database;
  const one = <Request extends { readonly partnerId: string }, Outcome>(run: (request: Request) => Promise<Outcome>) =>
    oneByOne({ ...LIMITS, ...places, run });
  return {
    ofContribution: one(async ({ partnerId, transactionId }) => {
      const contribution = await findPooledContribution(pool, partnerId, transactionId);
      const batch = contribution?.impactBatchId ? await findImpactBatch(pool, contribution.impactBatchId) : undefined;
      const shown = batch ? await getImpactBatchView(pool, batch) : null;
      if (!contribution) throw contributionNotFound('transaction_id');
      return { contribution, shown };
    }),
    transactions: one(async (cursor) => {
      const { partnerId, impactBatchId, limit } = cursor;
      const contributionCount = await countPooledContributions(pool, partnerId, impactBatchId);
      const batch = contributionCount > 0n ? await findImpactBatch(pool, impactBatchId) : undefined;
      if (!batch) throw impactBatchNotFound();
      // One more row than requested shows whether there are more.
      const found = await listFrom(database, cursor, limit + 1);
      const shown = await getImpactBatchView(pool, batch);
      return { shown, contributionCount, transactions: found.slice(0, limit), hasMore: found.length > limit };
    }),
  };
}

/** Settlement by settlement, each from an index, until the page is full. */
async function listFrom({ pool }: Database, cursor: TransactionCursor, limit: number): Promise<BatchTransaction[]> {
  const { partnerId, impactBatchId, afterTransactionId } = cursor;
  const settlementIds = await listBatchSettlementsOf(pool, partnerId, impactBatchId);
  let last = { settlementId: '', lineNo: 0 };
  if (afterTransactionId !== undefined) {
    const line = await findLineOfContribution(pool, partnerId, afterTransactionId);
    if (!line || !settlementIds.includes(line.settlementId)) throw wrongCursor();
    last = line;
  }
  const found: BatchTransaction[] = [];
  for (const settlementId of settlementIds.filter((id) => id >= last.settlementId)) {
    const afterLine = settlementId === last.settlementId ? last.lineNo : 0;
    const page = { partnerId, settlementId, afterLine, limit: limit - found.length };
    found.push(...(await listTransactionsOfSettlement(pool, page)));
    if (found.length === limit) break;
  }
  return found;
}

export function impactBatchNotFound(): ServiceError {
  const message =
    'There is no impact batch with this impact_batch_id with contributions of yours. Your events name your batches.';
  return recordNotFound('impact_batch_id', message);
}

function wrongCursor(): ServiceError {
  const message = 'after_transaction must be the next_after_transaction of a page of this batch.';
  return invalidRequest([problem('after_transaction', 'not_found', message)]);
}
