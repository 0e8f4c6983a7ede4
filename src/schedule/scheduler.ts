import { repeat } from '../concurrency/repeat.ts';
import type { Database } from '../store/database.ts';
import { claimJob, listDueJobs } from '../store/jobs/job.ts';
import type { Job } from './job.ts';
import { doRun, type EndedRun, LEASE_MS, newCorrelation, registerJobs } from './run-job.ts';

export interface ScheduleOptions {
  readonly database: Database;
  readonly jobs: readonly Job[];
  readonly onRun: (run: EndedRun) => void;
  readonly onError: (error: unknown) => void;
}

/** The connections of the schedule, including reconciliations: jobs that are due together do not wait for a long one. */
export const SCHEDULE_POOL_SIZE = 5;

const LOOK_EVERY_MS = 1_000;

/**
 * Runs due jobs until it is closed. Any number of processes may: the process that gets the lease of a job begins its run. The database
 * stores when a job is due, by its own clock, so a time at which no process ran is made up for at the next start, once.
 */
export function openSchedule(options: ScheduleOptions): { close(): Promise<void> } {
  const { database, jobs, onRun, onError } = options;
  const stop = new AbortController();
  const underWay = new Map<string, Promise<void>>();
  const begin = async (job: Job): Promise<void> => {
    const claimed = await claimJob(database.pool, { jobName: job.name, leaseMs: LEASE_MS, trigger: 'schedule' });
    if (!claimed) return;
    const begun = { job, ...claimed, trigger: 'schedule', correlationId: newCorrelation() } as const;
    const running = doRun(database, begun, stop.signal)
      .then(onRun, onError)
      .finally(() => underWay.delete(job.name));
    underWay.set(job.name, running);
  };
  let isRegistered = false;
  const endLooking = repeat({
    pauseMs: LOOK_EVERY_MS,
    onError,
    work: async () => {
      if (!isRegistered) await registerJobs(database, jobs);
      isRegistered = true;
      const due = new Set(await listDueJobs(database.pool));
      for (const job of jobs) if (due.has(job.name) && !underWay.has(job.name)) await begin(job);
      return false;
    },
  });
  return {
    async close() {
      stop.abort();
      await endLooking();
      await Promise.all(underWay.values());
    },
  };
}
