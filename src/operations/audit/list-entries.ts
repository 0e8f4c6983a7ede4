import type { SealedEntry } from '../../domain/audit/audit-chain.ts';
import { type EntriesOf, findFirstEntrySince, listAuditEntriesInOrder } from '../../store/audit/audit.ts';
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

/** Entries of the audit. One filter is looked up, and the others are looked for in what it finds. */
export async function listEntries(
  db: Queryable,
  { since, until, ...wanted }: EntryFilter,
  page: KeysetPage<'recorded_at'>,
): Promise<FilteredPage<SealedEntry>> {
  const fromNo = since && (await findFirstEntrySince(db, since));
  if (since && fromNo === undefined) return { page: [], last: undefined, hasMore: false };
  const beforeNo = until && (await findFirstEntrySince(db, until));
  const first = NAMES.find((name) => wanted[name] !== undefined);
  const indexed = first === undefined ? {} : { [first]: wanted[first] };
  return readFilteredPage({
    page,
    read: (part) => listAuditEntriesInOrder(db, { ...indexed, fromNo, beforeNo }, part),
    isWanted: wantedBy(Object.fromEntries(NAMES.filter((name) => name !== first).map((name) => [name, wanted[name]]))),
  });
}
