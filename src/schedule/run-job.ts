import { setTimeout as sleep } from 'node:timers/promises';
import { Cron } from 'croner';
import type { Actor } from '../domain/access/role.ts';
import { newId } from '../domain/identifiers.ts';
import { PartnersLeftError } from '../operations/for-each-partner.ts';
import { readClock } from '../store/clock.ts';
import type { Database } from '../store/database.ts';
import { endJobRun, insertJob, renewJobLease, shortenJobLeases } from '../store/jobs/job.ts';
import type { RunOutcome, RunTrigger } from '../store/jobs/job-run.ts';
import { ClockSetForwardError } from './clock-watch.ts';
import { type Job, type JobResult, UnfinishedRunError } from './job.ts';

/** A job of a dead process is free after this time. */
export const LEASE_MS = 60_000;
const RENEW_EVERY_MS = LEASE_MS / 4;
/** A failed run is repeated after a minute, then after twice as long each time, but not later than it is due anyway. */
const RETRY_FIRST_MS = 60_000;
const RETRY_MOST_MS = 3_600_000;
const ERROR_CHARACTERS_MAX = 1_000;

/** A run that has begun: the database has recorded it, and no other process begins another. */
export interface BegunRun {
  readonly job: Job;
  readonly runNo: bigint;
  readonly failuresInRow: number;
  readonly trigger: RunTrigger;
  readonly correlationId: string;
}

export interface RunOptions {
  /** Aborted when the run must stop; the next run does the rest. */
  readonly stop: AbortSignal;
  /** Gets what operators must know, whatever the outcome is, before the run is recorded: a run whose alerts are lost is done again. */
  readonly onAlert: (run: BegunRun, sentence: string) => void;
}

export interface EndedRun extends BegunRun {
  readonly outcome: RunOutcome;
  readonly result: JobResult | null;
  readonly error: unknown;
  readonly milliseconds: number;
  /** How many partners' work it left, because it failed for them or their rows could not be read. */
  readonly partnersLeft: number;
}

/** The next time of a pattern after this one. */
export function nextDueAt({ name, pattern }: Job, after: Date): Date {
  const next = new Cron(pattern, { timezone: 'UTC', paused: true }).nextRun(after);
  if (!next) throw new Error(`The pattern "${pattern}" of the job ${name} never comes again.`);
  return next;
}

/**
 * Records jobs in the database, so that they become due, and shortens what a clock that was ahead has set. Any number of processes may.
 *
 * @param stop Ends it between two jobs.
 */
export async function registerJobs({ pool }: Database, jobs: readonly Job[], stop?: AbortSignal): Promise<void> {
  await shortenJobLeases(pool, { leaseMs: LEASE_MS, longerThanMs: 2 * LEASE_MS });
  for (const job of jobs) {
    if (stop?.aborted) return;
    await insertJob(pool, { jobName: job.name, pattern: job.pattern, dueAt: nextDueAt(job, await readClock(pool)) });
  }
}

/**
 * Does the work of a run, and records its result. The lease is renewed meanwhile; a run that has lost its lease is told to stop, and
 * leaves the record to its new owner.
 */
export async function doRun(database: Database, begun: BegunRun, { stop, onAlert }: RunOptions): Promise<EndedRun> {
  const startedMs = performance.now();
  const lost = new AbortController();
  const done = new AbortController();
  const renewing = renewUntil(database, begun, { lost, done: done.signal });
  const actor: Actor = { operatorId: 'schedule', role: 'admin', correlationId: begun.correlationId };
  const signal = AbortSignal.any([stop, lost.signal]);
  const alert = (sentence: string) => onAlert(begun, sentence);
  const work = async () => begun.job.run({ database, signal, actor, alert, isByHand: begun.trigger === 'hand' });
  const ended = await work().then(
    (result) =>
      signal.aborted
        ? { outcome: 'stopped' as const, result, error: whatOperatorsMustKnow(signal.reason) }
        : { outcome: 'succeeded' as const, result, error: null },
    (error: unknown) => ({ outcome: stop.aborted ? ('stopped' as const) : ('failed' as const), ...readFailure(error) }),
  );
  done.abort();
  await renewing;
  const partnersLeft = ended.error instanceof PartnersLeftError ? ended.error.partnerIds.size : 0;
  const run: EndedRun = { ...begun, ...ended, milliseconds: performance.now() - startedMs, partnersLeft };
  const isOurs = await endJobRun(database.pool, {
    jobName: begun.job.name,
    runNo: begun.runNo,
    outcome: run.outcome,
    result: run.result === null ? null : JSON.stringify(run.result),
    error: run.error === null ? null : describe(run.error),
    nextDueAt: nextDueAfter(run, await readClock(database.pool)),
  });
  return isOurs ? run : { ...run, outcome: 'abandoned' };
}

/** Why a run stopped, unless the service stops, or another process runs the job: both are usual. */
function whatOperatorsMustKnow(reason: unknown): ClockSetForwardError | null {
  return reason instanceof ClockSetForwardError ? reason : null;
}

function readFailure(error: unknown): Pick<EndedRun, 'result' | 'error'> {
  return error instanceof UnfinishedRunError ? { result: error.result, error: error.cause } : { result: null, error };
}

export function newCorrelation(): string {
  return newId('corr');
}

async function renewUntil(
  { pool }: Database,
  { job, runNo }: BegunRun,
  { lost, done }: { lost: AbortController; done: AbortSignal },
): Promise<void> {
  while (!done.aborted && !lost.signal.aborted) {
    await sleep(RENEW_EVERY_MS, undefined, { signal: done, ref: false }).catch(() => {});
    if (done.aborted) return;
    // Without an answer nothing is known; the next renewal finds out.
    const isHeld = await renewJobLease(pool, job.name, runNo, LEASE_MS).catch(() => true);
    if (!isHeld) lost.abort();
  }
}

/**
 * When a job is due after a run that ended now.
 *
 * @returns `null`: unchanged, so that another process continues at once.
 */
export function nextDueAfter(
  { job, outcome, failuresInRow }: Pick<EndedRun, 'job' | 'outcome' | 'failuresInRow'>,
  now: Date,
): Date | null {
  if (outcome === 'stopped') return null;
  const regular = nextDueAt(job, now);
  if (outcome === 'succeeded') return regular;
  const retryMs = Math.min(RETRY_FIRST_MS * 2 ** failuresInRow, RETRY_MOST_MS);
  return new Date(Math.min(regular.getTime(), now.getTime() + retryMs));
}

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, ERROR_CHARACTERS_MAX);
}
