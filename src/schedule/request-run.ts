import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor } from '../domain/access/role.ts';
import { ServiceError, unavailable } from '../domain/service-error.ts';
import { audit } from '../operations/audit/audit.ts';
import { withRole } from '../operations/with-role.ts';
import { readClock } from '../store/clock.ts';
import type { Database, Queryable } from '../store/database.ts';
import { listJobStates, requestJobRun } from '../store/jobs/job.ts';
import { findJobRun, type JobRun, type RunOutcome } from '../store/jobs/job-run.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../store/transaction.ts';

const LOOK_EVERY_MS = 100;
/** Each process with the role `schedule` looks for due jobs once a second. */
const BEGINS_WITHIN_MS = 30_000;

/**
 * Makes a job due now. A process of the service runs it, with the settings of the service and not with those of the caller.
 *
 * @returns The number of the run, which may have to wait for a process.
 * @throws ServiceError `forbidden`; `invalid_request` while a process runs it, or when no process has made the job known.
 */
export const requestRun = withRole(
  'operator',
  (database: Database, actor: Actor, jobName: string): Promise<bigint> =>
    inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const runNo = await requestJobRun(db, jobName);
      if (runNo === undefined) throw await whyNotDue(db, jobName);
      await audit(db, actor, { action: 'job.run', partnerId: null, subjectId: jobName, before: null, after: { run_no: runNo } });
      return runNo;
    }),
);

async function whyNotDue(db: Queryable, jobName: string): Promise<ServiceError> {
  const isKnown = (await listJobStates(db)).some((state) => state.jobName === jobName);
  return new ServiceError(
    'invalid_request',
    isKnown
      ? `Another process runs the job ${jobName}; \`job history\` shows how it ends.`
      : `No process of the service has made the job ${jobName} known yet: start one with the role schedule.`,
  );
}

interface EndedJobRun extends JobRun {
  readonly endedAt: Date;
  readonly outcome: RunOutcome;
}

/**
 * Waits for the end of a requested run, however long it lasts.
 *
 * @param beginsWithinMs How long it waits for a process that begins it, and after the end of the lease for another one.
 * @throws ServiceError `internal_service_unavailable`, when none does. The job stays due.
 */
export async function waitForRun(
  db: Queryable,
  { jobName, runNo }: Pick<JobRun, 'jobName' | 'runNo'>,
  beginsWithinMs = BEGINS_WITHIN_MS,
): Promise<EndedJobRun> {
  for (let untilMs = performance.now() + beginsWithinMs; ; ) {
    const run = await findJobRun(db, jobName, runNo);
    if (run?.endedAt && run.outcome) return { ...run, endedAt: run.endedAt, outcome: run.outcome };
    if (run && (await isLeased(db, jobName))) untilMs = performance.now() + beginsWithinMs;
    else if (performance.now() >= untilMs)
      throw unavailable(`${run ? runnerIsGone(jobName) : nobodyBegan(jobName)} ${STAYS_DUE}`);
    await sleep(LOOK_EVERY_MS);
  }
}

const STAYS_DUE =
  "It stays due: the next process with the role schedule begins it, but none in the minute after the database's clock was set forward, or the machine of the process was suspended.";

function nobodyBegan(jobName: string): string {
  return `No process of the service has begun the job ${jobName}.`;
}

function runnerIsGone(jobName: string): string {
  return `The process that ran the job ${jobName} is gone, and no other goes on.`;
}

async function isLeased(db: Queryable, jobName: string): Promise<boolean> {
  const { leaseUntil } = (await listJobStates(db)).find((state) => state.jobName === jobName) ?? {};
  return leaseUntil != null && leaseUntil > (await readClock(db));
}
