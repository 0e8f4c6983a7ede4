import { idAfterRecords, idBeforeRecords } from '../../domain/identifiers.ts';
import {
  type ContributionRecord,
  findContributionsById,
  findListedContributions,
} from '../../store/contributions/contribution.ts';
import { listContributionsInOrder } from '../../store/contributions/contribution-search.ts';
import { listLatestContributions } from '../../store/contributions/latest-contribution.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { type FilteredPage, inOrderOf, readFilteredPage } from '../filtered-page.ts';
import { findNamedOf } from './contribution-names.ts';
import { type ListingFilter, wantedByListing } from './listing-filter.ts';

export interface ContributionFilter extends ListingFilter {
  readonly partnerId: string;
  /** Only those with this order, event id, transaction id or idempotency key. */
  readonly of?: string | undefined;
}

/** The contributions of a partner. */
export async function listContributionsOfPartner(
  db: Queryable,
  filter: ContributionFilter,
  page: KeysetPage<'created_at'>,
): Promise<FilteredPage<ContributionRecord>> {
  const { partnerId, createdAfter, createdBefore, of } = filter;
  if (of !== undefined) return findNamed(db, { ...filter, of }, page);
  const afterId = createdAfter && idBeforeRecords('txn', createdAfter);
  const beforeId = createdBefore && idAfterRecords('txn', createdBefore);
  const looked = await readFilteredPage({
    page,
    read: (part: KeysetPage<'created_at'>) => listContributionsInOrder(db, { partnerId, afterId, beforeId }, part),
    isWanted: wantedByListing(filter),
  });
  const ids = looked.page.map(({ transactionId }) => transactionId);
  const wanted = ids.map((transactionId) => ({ partnerId, transactionId }));
  const found = ids.length === 0 ? [] : await findContributionsById(db, wanted);
  return { ...looked, page: inOrderOf(ids, found, ({ contribution }) => contribution.transactionId) };
}

/** An order has one contribution that counts, and may have others that failed. */
const NAMED_MAX = 200;

/** Looks keys up, and reads no other contribution. */
async function findNamed(
  db: Queryable,
  filter: ContributionFilter & { readonly of: string },
  { order, after, limit }: KeysetPage<'created_at'>,
): Promise<FilteredPage<ContributionRecord>> {
  const named = await findNamedOf(db, filter.partnerId, { text: filter.of, limit: NAMED_MAX });
  const found = new Map(named.map((id) => [id.transactionId, id]));
  const records = found.size === 0 ? [] : await findContributionsById(db, [...found.values()]);
  const idOf = ({ contribution }: ContributionRecord) => contribution.transactionId;
  const sign = order.isDescending ? -1 : 1;
  const compare = (one: string, other: string) => sign * (one < other ? -1 : Number(one > other));
  const isWanted = wantedByListing(filter);
  const following = records
    .filter(({ contribution, correlationId }) => isWanted?.({ ...contribution, correlationId }) ?? true)
    .filter((record) => after === undefined || compare(idOf(record), after[0] ?? '') > 0)
    .toSorted((one, other) => compare(idOf(one), idOf(other)));
  const shown = following.slice(0, limit);
  const last = shown.at(-1);
  return { page: shown, last: last && [idOf(last)], hasMore: following.length > limit };
}

/** How many contributions the page of the latest ones shows. */
const LATEST = 50;

/** Lists the contributions of all partners, the latest first. */
export async function listLatest(database: Database): Promise<ContributionRecord[]> {
  const latest = await listLatestContributions(database.pool, LATEST);
  const found = await findListedContributions(database, latest);
  return inOrderOf(
    latest.map(({ transactionId }) => transactionId),
    found,
    ({ contribution }) => contribution.transactionId,
  );
}
