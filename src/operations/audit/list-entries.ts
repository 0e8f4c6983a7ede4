import type { SealedEntry } from '../../domain/audit/audit-chain.ts';
import { type AuditFilter, listAuditEntries } from '../../store/audit/audit-entry.ts';
import {
  type EntriesOf,
  findFirstEntrySince,
  findLastEntryBefore,
  listAuditEntriesInOrder,
} from '../../store/audit/audit-range.ts';
import type { Queryable } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { type FilteredPage, readFilteredPage, wantedBy } from '../filtered-page.ts';

export interface EntryFilter extends EntriesOf {
  /** At or after this. */
  readonly since?: Date | undefined;
  /** Before this. */
  readonly until?: Date | undefined;
}

const NAMES = ['subjectId', 'partnerId', 'operatorId', 'action'] as const satisfies (keyof EntriesOf)[];

/**
 * An entry has the time at which its transaction began, and the number of the moment before its commit. A closing may take hours, and no
 * transaction takes longer than this. So an entry that is this much younger than another has a higher number, unless the clock of the
 * database was wrong when one of them was made: then no number is a bound. Only the two entries next to a bound are compared: where that
 * clock dated others, or both of them, entries may be left out of a range.
 */
const LONGEST_MS = 24 * 60 * 60 * 1_000;

/** Every entry since then has a higher number, but for a wrong clock; `undefined` where all may be since then. */
async function findLastNoBefore(db: Queryable, since: Date): Promise<bigint | undefined> {
  const last = await findLastEntryBefore(db, new Date(since.getTime() - LONGEST_MS));
  const first = last && (await findFirstEntrySince(db, since));
  return areInOrder(last, first) ? last : undefined;
}

/** Every entry before then has a lower number, but for a wrong clock; `undefined` where all may be before then. */
async function findFirstNoSince(db: Queryable, until: Date): Promise<bigint | undefined> {
  const first = await findFirstEntrySince(db, new Date(until.getTime() + LONGEST_MS));
  const last = first && (await findLastEntryBefore(db, until));
  return areInOrder(last, first) ? first : undefined;
}

function areInOrder(earlierNo: bigint | undefined, laterNo: bigint | undefined): boolean {
  return earlierNo === undefined || laterNo === undefined || earlierNo < laterNo;
}

/**
 * The newest first. It reads no more than a day of what was recorded before `since`, unless a wrong clock dated entries of about that time.
 * Entries since then may be left out where one did.
 */
export async function listLatestEntries(db: Queryable, filter: Omit<AuditFilter, 'afterNo'>): Promise<SealedEntry[]> {
  const { since } = filter;
  const afterNo = since && (await findLastNoBefore(db, since));
  return listAuditEntries(db, { ...filter, afterNo });
}

/**
 * Entries of the audit. One filter is looked up, and the others are looked for in what it finds. Entries of the range may be left
 * out where a wrong clock dated entries of about its beginning or end.
 */
export async function listEntries(
  db: Queryable,
  { since, until, ...wanted }: EntryFilter,
  page: KeysetPage<'recorded_at'>,
): Promise<FilteredPage<SealedEntry>> {
  const afterNo = since && (await findLastNoBefore(db, since));
  const beforeNo = until && (await findFirstNoSince(db, until));
  const first = NAMES.find((name) => wanted[name] !== undefined);
  const indexed = first === undefined ? {} : { [first]: wanted[first] };
  return readFilteredPage({
    page,
    read: (part) => listAuditEntriesInOrder(db, { ...indexed, since, until, afterNo, beforeNo }, part),
    isWanted: wantedBy(Object.fromEntries(NAMES.filter((name) => name !== first).map((name) => [name, wanted[name]]))),
  });
}
