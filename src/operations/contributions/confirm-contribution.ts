import { setTimeout as sleep } from 'node:timers/promises';
import { byPartner, createBatcher } from '../../concurrency/batch-queue.ts';
import { newId } from '../../domain/identifiers.ts';
import { contributionBytes } from '../../domain/quotas/stored-bytes.ts';
import { type ContributionRules, hasDailyCap, isWithinBounds } from '../../domain/rules/contribution-rules.ts';
import { findContributionConflicts } from '../../store/contributions/contribution.ts';
import { insertContributions, insertContributionsListed } from '../../store/contributions/contribution-insert.ts';
import { insertContributionReviews } from '../../store/contributions/contribution-review.ts';
import { addToDailyCount, type CountedDay, lockDailyCount } from '../../store/contributions/daily-count.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { isLockTimeout } from '../../store/database-errors.ts';
import { type EstimateRecord, findEstimatesById } from '../../store/emissions/estimate.ts';
import { insertSimulatedEnds } from '../../store/sandbox/simulated-end.ts';
import { inTransaction, limitLockWaits } from '../../store/transaction.ts';
import { estimateKey } from '../emissions/link-estimate.ts';
import type { RecentContributions } from '../events/recent-contributions.ts';
import { type CommitBatchOptions, type CommitConcurrency, GroupCommit, type GroupCommitOptions } from '../group-commit.ts';
import { type CommitBatch, countingBatch, type StorageUsage } from '../quotas/storage-usage.ts';
import type { RulesOf } from '../rules/rule-cache.ts';
import { countInserted } from './count-inserted.ts';
import {
  type Confirmation,
  type ConfirmationOutcome,
  type ConfirmationRequest,
  type DecidedContribution,
  decideConfirmations,
  recordOf,
  type UnruledRequest,
} from './decide-confirmations.ts';
import { type Conflicts, classifyConflict, findOwnOutcome, findStoredOutcome } from './replay-or-conflict.ts';

export type ConfirmContribution = (request: ConfirmationRequest) => Promise<ConfirmationOutcome>;

type CommitOptions = GroupCommitOptions<Confirmation, Conflicts, ConfirmationOutcome>;

export interface ConfirmationConcurrency {
  readonly confirm: CommitConcurrency;
  /** For partners with a daily cap. */
  readonly confirmCapped: CommitConcurrency;
  /** Whether a batch holds requests of one partner only. */
  readonly isOfOneShare: boolean;
  /** What a request that waits is refused with, by its partner. */
  readonly refusalOf?: CommitOptions['refusalOf'];
}

export interface ConfirmationTools {
  readonly usage: StorageUsage;
  readonly recent: RecentContributions | undefined;
}

/**
 * Records a contribution exactly once, under the rules that were in force when its request arrived.
 *
 * The outcome is a stored record, new or replayed, whatever its status. Throws `idempotency_conflict`,
 * `partner_event_conflict`, `partner_suspended`, `invalid_point_amount`, `partner_order_conflict` and
 * `contribution_pending`, in this precedence; then this request stored nothing.
 *
 * @see docs/spec/interface.md#confirmcontribution; docs/spec/decisions.md#1-http, docs/spec/decisions.md#3-idempotency and
 * docs/spec/decisions.md#4-pending-and-failed.
 */
export function createConfirmContribution(
  database: Database,
  rulesOf: RulesOf,
  { confirm, confirmCapped, isOfOneShare, refusalOf, usage, recent }: ConfirmationConcurrency & ConfirmationTools,
): ConfirmContribution {
  const options: Omit<CommitOptions, 'concurrency' | 'commitBatch' | 'isOfOneShare'> = {
    refusalOf,
    conflictKeysOf: ({ partnerId, idempotencyKey, partnerEventId, partnerOrderRef }) =>
      [`key ${idempotencyKey}`, `event ${partnerEventId}`, `order ${partnerOrderRef}`].map((key) => `${partnerId} ${key}`),
    findStored: (confirmations) => findContributionConflicts(database.pool, confirmations),
    classifyConflict,
    findOwnOutcome,
  };
  const counting = (commitBatch: CommitBatch<Confirmation, ConfirmationOutcome>) =>
    countingBatch<Confirmation, ConfirmationOutcome>(usage, contributionBytes, async (confirmations, batchOptions) => {
      const outcomes = await commitBatch(confirmations, batchOptions);
      if (recent) for (const outcome of outcomes) if (outcome) recent.add(outcome.record);
      return outcomes;
    });
  const commits = new GroupCommit<Confirmation, Conflicts, ConfirmationOutcome>({
    ...options,
    isOfOneShare,
    concurrency: confirm,
    commitBatch: counting((confirmations, batchOptions) => commit(database, confirmations, batchOptions)),
  });
  // Requests of a partner with a cap are counted under a lock of the partner, which delays no partner without a cap.
  const cappedCommits = new GroupCommit<Confirmation, Conflicts, ConfirmationOutcome>({
    ...options,
    isOfOneShare: true,
    concurrency: confirmCapped,
    commitBatch: counting((confirmations, batchOptions) => commitCountedPatiently(database, confirmations, batchOptions)),
  });
  const submit = (confirmation: Confirmation): Promise<ConfirmationOutcome> => {
    if (!isAdmissible(confirmation)) return commits.submitAlone(confirmation);
    return (hasDailyCap(confirmation.rules) ? cappedCommits : commits).submit(confirmation);
  };
  const findStored = createBatcher<UnruledRequest, Conflicts>({
    ...STORED_LIMITS,
    shareOf: byPartner,
    isOfOneShare,
    refusalOf,
    run: (requests) => findContributionConflicts(database.pool, requests),
  });
  // A stored record replays without rules, even when they cannot be read.
  const confirmWhenRead = async (request: UnruledRequest, reading: Promise<ContributionRules>): Promise<ConfirmationOutcome> => {
    // A failure is thrown below, when a request has to wait for it.
    reading.catch(() => {});
    return findStoredOutcome(request, await findStored(request)) ?? submit(identify(request, await reading));
  };
  return (request) => {
    const rules = rulesOf(request, request.arrivedAtMs);
    const unruled = { ...request, submittedAtMs: performance.now() };
    return rules instanceof Promise ? confirmWhenRead(unruled, rules) : submit(identify(unruled, rules));
  };
}

/** The look at the rules corrects the clock of the ids: an id is made after it, so that lists of the time of the contribution have it. */
function identify(request: UnruledRequest, rules: ContributionRules): Confirmation {
  return { ...request, rules, transactionId: newId('txn') };
}

/** Only while the rules are read again, after an outage of the database. */
const STORED_LIMITS = { concurrency: 1, batchMax: 512, waitingMax: 2_048, waitMaxMs: 5_000 };

function isAdmissible({ isSuspended, points, rules }: Confirmation): boolean {
  return !isSuspended && isWithinBounds(points, rules);
}

type Outcomes = (ConfirmationOutcome | undefined)[];

async function commit(
  database: Database,
  confirmations: readonly Confirmation[],
  options: CommitBatchOptions,
): Promise<Outcomes> {
  return inTransaction(database, options, async (db, { begunAtMs, finalStatement }) => {
    const estimates = await findWantedEstimates(db, confirmations);
    const drafts = decideConfirmations(confirmations, { estimates, begunAtMs, seals: database.contributionSeals });
    const present = drafts.filter((draft) => draft !== undefined);
    if (database.isDistributed || present.some(isPending)) {
      const createdAt = await insertDrafts(database, db, present);
      await openReviews(db, present, createdAt);
      return outcomesOf(drafts, createdAt);
    }
    return outcomesOf(drafts, await finalStatement(() => insertContributions(db, present, options.onStored)));
  });
}

/** One transaction at a time locks a day's count; others wait for a commit or two. None waits past the deadline of its requests. */
const COUNT_LOCK_TIMEOUT_MS = { least: 25, most: 2_000 };
/** How long a day is held while another transaction holds a key: all confirmations of the partner, in all processes, wait meanwhile. */
const KEY_LOCK_TIMEOUT_MS = 25;
/** Between two attempts nobody waits for the held key, so that others count on the day. */
const PAUSE_MS = 100;

/** Waits for a held key as long as the options say, in short attempts: nothing is stored by those before the last. */
async function commitCountedPatiently(
  database: Database,
  confirmations: readonly Confirmation[],
  { lockTimeoutMs, deadlineMs }: CommitBatchOptions,
): Promise<Outcomes> {
  const untilMs = performance.now() + lockTimeoutMs;
  for (;;) {
    try {
      return await commitCounted(database, confirmations, deadlineMs);
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() + PAUSE_MS >= untilMs) throw error;
    }
    await sleep(PAUSE_MS);
  }
}

/** Commits a batch of one partner with a daily cap: the day's count is locked from before the first decision until the commit. */
async function commitCounted(database: Database, confirmations: readonly Confirmation[], deadlineMs: number): Promise<Outcomes> {
  const [{ partnerId, timeZone }] = confirmations as readonly [Confirmation, ...Confirmation[]];
  const { least, most } = COUNT_LOCK_TIMEOUT_MS;
  const forDay = { lockTimeoutMs: Math.min(Math.max(deadlineMs - performance.now(), least), most) };
  return inTransaction(database, forDay, async (db, { begunAtMs, finalStatement }) => {
    const today = await lockDailyCount(db, partnerId, timeZone);
    const estimates = await findWantedEstimates(db, confirmations);
    const drafts = decideConfirmations(confirmations, { estimates, begunAtMs, today, seals: database.contributionSeals });
    const present = drafts.filter((draft) => draft !== undefined);
    const limited = limitLockWaits(db, { lockTimeoutMs: KEY_LOCK_TIMEOUT_MS });
    const [createdAt] = await Promise.all([insertDrafts(database, db, present), limited]);
    const counted = countInserted(confirmations, drafts, { today, inserted: createdAt });
    await openReviews(db, present, createdAt, today);
    await finalStatement(() => addToDailyCount(db, partnerId, counted));
    return outcomesOf(drafts, createdAt);
  });
}

function insertDrafts(database: Database, db: Queryable, drafts: readonly DecidedContribution[]): Promise<Map<string, Date>> {
  return database.isDistributed ? insertContributionsListed(db, drafts) : insertContributions(db, drafts);
}

function isPending({ contribution }: DecidedContribution): boolean {
  return contribution.status === 'pending';
}

/** For the inserted drafts. */
async function openReviews(
  db: Queryable,
  drafts: readonly DecidedContribution[],
  createdAt: ReadonlyMap<string, Date>,
  today?: CountedDay,
): Promise<void> {
  const inserted = drafts.filter(({ contribution: { transactionId } }) => createdAt.has(transactionId));
  const opened = inserted.flatMap(({ partnerId, contribution: { transactionId }, reviewReason: reason }) =>
    reason ? [{ partnerId, transactionId, reason, countedOn: today?.day ?? null }] : [],
  );
  await insertContributionReviews(db, opened);
  const ending = inserted.flatMap(({ partnerId, contribution: { transactionId }, simulatedReview }) =>
    simulatedReview?.outcome ? [{ ...simulatedReview, partnerId, transactionId }] : [],
  );
  await insertSimulatedEnds(db, ending);
}

function outcomesOf(drafts: readonly (DecidedContribution | undefined)[], createdAt: ReadonlyMap<string, Date>): Outcomes {
  return drafts.map((draft) => {
    const at = draft && createdAt.get(draft.contribution.transactionId);
    return at && { record: recordOf(draft, at), isReplay: false };
  });
}

async function findWantedEstimates(db: Queryable, confirmations: readonly Confirmation[]): Promise<Map<string, EstimateRecord>> {
  const wanted = confirmations.flatMap(({ partnerId, calculationId }) => (calculationId ? { partnerId, calculationId } : []));
  const estimates = wanted.length === 0 ? [] : await findEstimatesById(db, wanted);
  return new Map(estimates.map((record) => [estimateKey(record.partnerId, record.estimate.calculationId), record]));
}
