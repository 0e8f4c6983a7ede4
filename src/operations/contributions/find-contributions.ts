import type { Contribution } from '../../domain/contributions/contribution.ts';
import { idAt } from '../../domain/identifiers.ts';
import { type ContributionRecord, findContributionsById } from '../../store/contributions/contribution.ts';
import { type LookedAtContribution, listContributionsInOrder } from '../../store/contributions/contribution-search.ts';
import type { Queryable } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { inOrderOf, type LookedThrough, lookThrough } from '../look-through.ts';

export interface ContributionFilter {
  readonly partnerId: string;
  /** At or after this. */
  readonly createdAfter?: Date | undefined;
  /** Before this. */
  readonly createdBefore?: Date | undefined;
  readonly status?: Contribution['status'] | undefined;
  readonly correlationId?: string | undefined;
}

/** More than the clocks of two processes differ. */
const SKEW_MS = 600_000;

/** The contributions of a partner. */
export async function listContributionsOfPartner(
  db: Queryable,
  filter: ContributionFilter,
  page: KeysetPage<'created_at'>,
): Promise<LookedThrough<ContributionRecord>> {
  const { partnerId } = filter;
  const looked = await lookThrough({
    page,
    read: (part) => listContributionsInOrder(db, { partnerId, ...boundsOf(filter) }, part),
    isWanted: Object.values({ ...filter, partnerId: undefined }).some((value) => value !== undefined)
      ? (each) => isWanted(each, filter)
      : undefined,
  });
  const ids = looked.page.map(({ transactionId }) => transactionId);
  const wanted = ids.map((transactionId) => ({ partnerId, transactionId }));
  const found = ids.length === 0 ? [] : await findContributionsById(db, wanted);
  return { ...looked, page: inOrderOf(ids, found, ({ contribution }) => contribution.transactionId) };
}

function boundsOf({ createdAfter, createdBefore }: ContributionFilter) {
  const idNear = (timeMs: number) => idAt('txn', Math.max(0, timeMs));
  return {
    beforeId: createdBefore && idNear(createdBefore.getTime() + SKEW_MS),
    afterId: createdAfter && idNear(createdAfter.getTime() - SKEW_MS),
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
