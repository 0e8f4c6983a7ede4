import { type FailureDraft, listAllFailureDrafts } from '../../store/contributions/failure-draft.ts';
import { listLatestFailures } from '../../store/contributions/waiting-failure.ts';
import type { Queryable } from '../../store/database.ts';

export interface FailureFilter {
  readonly partnerId: string | undefined;
  readonly status: FailureDraft['status'] | undefined;
  /** The id that the page begins before; empty for the first. */
  readonly beforeId: string;
  readonly limit: number;
}

/** A page looks at no more: it may be short, and more follows. */
const LOOKED_AT_MAX = 2_000;
/** After every identifier of a draft. */
const AFTER_LAST = 'fail~';

/** Drafts of failures of one partner or of all, the latest first. */
export async function listFailures(
  db: Queryable,
  { partnerId, status, beforeId, limit }: FailureFilter,
): Promise<{ readonly failures: readonly FailureDraft[]; readonly lastId: string; readonly hasMore: boolean }> {
  const isFiltered = partnerId !== undefined || status !== undefined;
  const max = isFiltered ? LOOKED_AT_MAX : limit + 1;
  const looked = await listLatestFailures(db, { beforeId: beforeId === '' ? AFTER_LAST : beforeId, limit: max });
  const wanted = looked.filter(
    (each) => (partnerId === undefined || each.partnerId === partnerId) && (status === undefined || each.status === status),
  );
  const page = wanted.slice(0, limit);
  const ids = page.map(({ failureId }) => failureId);
  const found = ids.length === 0 ? [] : await listAllFailureDrafts(db, { afterId: '', ids, limit: ids.length });
  const last = wanted.length > limit ? page.at(-1) : looked.at(-1);
  return {
    failures: found.toReversed(),
    lastId: last?.failureId ?? beforeId,
    hasMore: wanted.length > limit || looked.length === max,
  };
}
