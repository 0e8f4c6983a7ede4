import { type FailureDraft, listAllFailureDrafts } from '../../store/contributions/failure-draft.ts';
import { type FailureOrder, listFailuresInOrder } from '../../store/contributions/waiting-failure.ts';
import type { Queryable } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { type FilteredPage, inOrderOf, readFilteredPage, wantedBy } from '../filtered-page.ts';

export interface FailureFilter {
  readonly partnerId?: string | undefined;
  readonly status?: FailureDraft['status'] | undefined;
}

/** Drafts of failures of one partner or of all. */
export async function listFailures(
  db: Queryable,
  { partnerId, status }: FailureFilter,
  page: KeysetPage<FailureOrder>,
): Promise<FilteredPage<FailureDraft>> {
  const looked = await readFilteredPage({
    page,
    read: (part) => listFailuresInOrder(db, partnerId, part),
    isWanted: wantedBy({ status }),
  });
  const ids = looked.page.map(({ failureId }) => failureId);
  const found = ids.length === 0 ? [] : await listAllFailureDrafts(db, { afterId: '', ids, limit: ids.length });
  return { ...looked, page: inOrderOf(ids, found, ({ failureId }) => failureId) };
}
