import type { Contribution } from '../../domain/contributions/contribution.ts';
import { idAt } from '../../domain/identifiers.ts';
import { type ContributionRecord, findContributionsById } from '../../store/contributions/contribution.ts';
import { type LookedAtContribution, listLatestContributions } from '../../store/contributions/contribution-search.ts';
import type { Queryable } from '../../store/database.ts';

export interface ContributionFilter {
  readonly partnerId: string;
  /** The id that the page begins before; empty for the first. */
  readonly beforeId: string;
  /** At or after this. */
  readonly createdAfter: Date | undefined;
  /** Before this. */
  readonly createdBefore: Date | undefined;
  readonly status: Contribution['status'] | undefined;
  readonly correlationId: string | undefined;
  readonly limit: number;
}

/** A page looks at no more, so that a rare status costs no more than any: it may be short, and more follows. */
const LOOKED_AT_MAX = 2_000;
/** More than the clocks of two processes differ. */
const SKEW_MS = 600_000;
/** After every id that there can be. */
const LAST_ID = 'txn_~';

/** The contributions of a partner, the latest first. */
export async function listContributionsOfPartner(
  db: Queryable,
  filter: ContributionFilter,
): Promise<{ readonly records: readonly ContributionRecord[]; readonly lastId: string; readonly hasMore: boolean }> {
  const { partnerId, limit } = filter;
  const isFiltered = filter.status !== undefined || filter.correlationId !== undefined;
  const max = isFiltered ? LOOKED_AT_MAX : limit + 1;
  const looked = await listLatestContributions(db, partnerId, { ...boundsOf(filter), limit: max });
  const wanted = looked.filter((each) => isWanted(each, filter));
  const page = wanted.slice(0, limit);
  const found =
    page.length === 0
      ? []
      : await findContributionsById(
          db,
          page.map(({ transactionId }) => ({ partnerId, transactionId })),
        );
  const last = wanted.length > limit ? page.at(-1) : looked.at(-1);
  return {
    records: found.toSorted((one, other) => (one.contribution.transactionId > other.contribution.transactionId ? -1 : 1)),
    lastId: last?.transactionId ?? filter.beforeId,
    hasMore: wanted.length > limit || looked.length === max,
  };
}

function boundsOf({ beforeId, createdAfter, createdBefore }: ContributionFilter): { beforeId: string; afterId: string } {
  const idNear = (timeMs: number) => idAt('txn', Math.max(0, timeMs));
  const until = createdBefore ? idNear(createdBefore.getTime() + SKEW_MS) : LAST_ID;
  return {
    beforeId: beforeId !== '' && beforeId < until ? beforeId : until,
    afterId: createdAfter ? idNear(createdAfter.getTime() - SKEW_MS) : '',
  };
}

function isWanted(
  each: LookedAtContribution,
  { status, correlationId, createdAfter, createdBefore }: ContributionFilter,
): boolean {
  return (
    (status === undefined || each.status === status) &&
    (correlationId === undefined || each.correlationId === correlationId) &&
    (createdAfter === undefined || each.createdAt >= createdAfter) &&
    (createdBefore === undefined || each.createdAt < createdBefore)
  );
}
