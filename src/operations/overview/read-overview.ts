import { type Keeping, sharedRead } from '../../concurrency/shared-read.ts';
import { countWaitingAdjustments } from '../../store/adjustments/waiting-adjustment.ts';
import { readClock } from '../../store/clock.ts';
import { countWaitingFailures } from '../../store/contributions/waiting-failure.ts';
import { countWaitingReviews } from '../../store/contributions/waiting-review.ts';
import { type Database, onOneConnection, type Queryable } from '../../store/database.ts';
import { countWaitingBatches } from '../../store/impact/impact-batch.ts';
import { type JobState, listJobStates } from '../../store/jobs/job.ts';
import { countUnacknowledgedSettlements, listDisputedSettlements } from '../../store/settlements/unaccepted-settlement.ts';
import { type Backlog, measureBacklog } from '../../store/webhooks/delivery-backlog.ts';
import { countTroubledEndpoints, type TroubledEndpoints } from '../../store/webhooks/endpoint-state.ts';
import { findRepliedSettlements } from '../settlements/reply-to-dispute.ts';

/** A count that stops: nothing counts everything. */
export interface BoundedCount {
  readonly count: number;
  readonly isMore: boolean;
}

export const BOUNDED_COUNT_MAX = 1_000;

/** Disputes that no acceptance ended. */
export interface OpenDisputes extends BoundedCount {
  /** How many of those that were counted have a recorded reply of an operator. */
  readonly answered: number;
}

export interface Overview {
  readonly asOf: Date;
  readonly reviews: BoundedCount & { readonly points: bigint; readonly nextExpiryAt: Date | null };
  readonly adjustmentsToApprove: BoundedCount;
  readonly adjustmentsToPost: BoundedCount;
  readonly failuresToApprove: BoundedCount;
  readonly batchesToVerify: BoundedCount;
  readonly disputes: OpenDisputes;
  readonly unacknowledged: BoundedCount;
  readonly webhooks: Backlog & TroubledEndpoints;
  readonly jobs: readonly JobState[];
}

const MS_PER_HOUR = 3_600_000;

/** How old an answer may be that several readers share. */
const SHARED: Keeping = { leastMs: 5_000, mostMs: 5_000 };

/** A change by an operator makes the service forget the overview, but not the backlog, which no decision of an operator changes. */
const backlogs = sharedRead(SHARED, (pool: Database['pool'], kind) =>
  onOneConnection(pool, (db) => measureBacklog(db, { isDistributed: kind === 'distributed' })),
);

/** The count takes longer with more partners. The longer it takes, the longer its answer is kept, up to a minute. */
const unacknowledgedCounts = sharedRead({ leastMs: 5_000, mostMs: 60_000 }, (pool: Database['pool']) =>
  countUnacknowledgedSettlements(pool, BOUNDED_COUNT_MAX),
);

const overviews = sharedRead(SHARED, (database: Database, hours) => readAnew(database, { reviewExpiryHours: Number(hours) }));

/**
 * What waits for operators, over all partners, as it was within the last 5 s; the settlements without an acknowledgement, where counting them
 * takes long, within the last minute. It costs as much as waits, up to a bound, and as there are partners and endpoints.
 */
export async function readOverview(
  database: Database,
  { reviewExpiryHours }: { readonly reviewExpiryHours: number },
): Promise<Overview> {
  return overviews.read(database, String(reviewExpiryHours));
}

/** After a change by an operator, who looks whether it is done. */
export function forgetOverview(database: Database): void {
  overviews.forget(database);
}

/** After an operator closed a settlement. */
export function forgetUnacknowledged({ pool }: Pick<Database, 'pool'>): void {
  unacknowledgedCounts.forget(pool);
}

async function readAnew(
  { pool, isDistributed }: Database,
  { reviewExpiryHours }: { readonly reviewExpiryHours: number },
): Promise<Overview> {
  const [counted, unacknowledged, backlog] = await Promise.all([
    onOneConnection(pool, countWaiting),
    unacknowledgedCounts.read(pool, ''),
    backlogs.read(pool, isDistributed ? 'distributed' : 'on one server'),
  ]);
  const [asOf, reviews, adjustments, failures, batches, disputes, endpoints, jobs] = counted;
  const { oldestAt } = reviews;
  return {
    asOf,
    reviews: {
      ...bounded(reviews.count),
      points: reviews.points,
      nextExpiryAt: oldestAt && new Date(oldestAt.getTime() + reviewExpiryHours * MS_PER_HOUR),
    },
    adjustmentsToApprove: bounded(adjustments.draft),
    adjustmentsToPost: bounded(adjustments.approved),
    failuresToApprove: bounded(failures),
    batchesToVerify: bounded(batches),
    disputes,
    unacknowledged: bounded(unacknowledged),
    webhooks: { ...backlog, ...endpoints },
    jobs,
  };
}

async function countWaiting(db: Queryable) {
  return Promise.all([
    readClock(db),
    countWaitingReviews(db, BOUNDED_COUNT_MAX),
    countWaitingAdjustments(db, BOUNDED_COUNT_MAX),
    countWaitingFailures(db, BOUNDED_COUNT_MAX),
    countWaitingBatches(db, BOUNDED_COUNT_MAX),
    countDisputes(db),
    countTroubledEndpoints(db),
    listJobStates(db),
  ]);
}

async function countDisputes(db: Queryable): Promise<OpenDisputes> {
  const found = await listDisputedSettlements(db, BOUNDED_COUNT_MAX);
  const answered = await findRepliedSettlements(db, found.slice(0, BOUNDED_COUNT_MAX));
  return { ...bounded(found.length), answered: answered.size };
}

/** @param count Counted up to one more than {@link BOUNDED_COUNT_MAX}. */
export function bounded(count: number): BoundedCount {
  return { count: Math.min(count, BOUNDED_COUNT_MAX), isMore: count > BOUNDED_COUNT_MAX };
}
