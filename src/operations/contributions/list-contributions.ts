import type { Places } from '../../concurrency/batch-queue.ts';
import { oneByOne } from '../../concurrency/one-by-one.ts';
import { afterEveryId, idAfterRecords, idBeforeRecords } from '../../domain/identifiers.ts';
import { type ContributionRecord, findContributionsById } from '../../store/contributions/contribution.ts';
import { type ContributionSummary, listContributionsBetween } from '../../store/contributions/contribution-list.ts';
import type { Database } from '../../store/database.ts';
import { inOrderOf, lookFor } from '../filtered-page.ts';
import { type ListingFilter, wantedByListing } from './listing-filter.ts';

export interface ContributionCursor extends Omit<ListingFilter, 'correlationId'> {
  readonly partnerId: string;
  /** The last id of the previous page; empty for the first page. */
  readonly afterId: string;
  readonly limit: number;
}

export interface ContributionPage {
  readonly records: readonly ContributionRecord[];
  /** The cursor of the next page. */
  readonly lastId: string;
  readonly hasMore: boolean;
}

export type ListContributions = (cursor: ContributionCursor) => Promise<ContributionPage>;

/** Lists the contributions of a partner by the time of their creation. */
export function createListContributions(database: Database, places: Places): ListContributions {
  return oneByOne({ ...places, waitingMax: 256, waitMaxMs: 5_000, run: (cursor) => listPage(database, cursor) });
}

async function listPage({ pool }: Database, cursor: ContributionCursor): Promise<ContributionPage> {
  const { partnerId, createdAfter, createdBefore, limit } = cursor;
  const from = createdAfter ? idBeforeRecords('txn', createdAfter) : '';
  const afterId = cursor.afterId > from ? cursor.afterId : from;
  const beforeId = createdBefore ? idAfterRecords('txn', createdBefore) : afterEveryId('txn');
  const { page, last, hasMore } = await lookFor<ContributionSummary, string>({
    limit,
    read: (lastId, most) => listContributionsBetween(pool, partnerId, { afterId: lastId ?? afterId, beforeId, limit: most }),
    placeOf: ({ transactionId }) => transactionId,
    isWanted: wantedByListing(cursor),
  });
  const ids = page.map(({ transactionId }) => transactionId);
  const wanted = ids.map((transactionId) => ({ partnerId, transactionId }));
  const found = ids.length === 0 ? [] : await findContributionsById(pool, wanted);
  const records = inOrderOf(ids, found, ({ contribution }) => contribution.transactionId);
  return { records, lastId: last ?? cursor.afterId, hasMore };
}
