import type { Places } from '../../concurrency/batch-queue.ts';
import { oneByOne } from '../../concurrency/one-by-one.ts';
import { afterEveryId, idAfterRecords, idBeforeRecords } from '../../domain/identifiers.ts';
import { type ContributionRecord, findContributionsById } from '../../store/contributions/contribution.ts';
import { type ContributionSummary, listContributionsBetween } from '../../store/contributions/contribution-list.ts';
import type { Database } from '../../store/database.ts';
import { lookFor } from '../filtered-page.ts';
import { type ListingTerms, meetsTerms } from './listing-terms.ts';

export interface ContributionCursor extends ListingTerms {
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
    isWanted: isFiltered(cursor) ? (each) => meetsTerms(each, cursor) : undefined,
  });
  const ids = page.map(({ transactionId }) => ({ partnerId, transactionId }));
  const found = ids.length === 0 ? [] : await findContributionsById(pool, ids);
  const byId = (one: ContributionRecord, other: ContributionRecord) =>
    one.contribution.transactionId < other.contribution.transactionId ? -1 : 1;
  return { records: found.toSorted(byId), lastId: last ?? cursor.afterId, hasMore };
}

function isFiltered({ status, createdAfter, createdBefore }: ListingTerms): boolean {
  return status !== undefined || createdAfter !== undefined || createdBefore !== undefined;
}
