import { repeat } from '../concurrency/repeat.ts';
import type { Database } from '../store/database.ts';
import { claimJob, listDueJobs } from '../store/jobs/job.ts';
import { ClockSetForwardError, ClockWatch } from './clock-watch.ts';
import type { Job } from './job.ts';
import { type BegunRun, doRun, type EndedRun, LEASE_MS, newCorrelation, registerJobs } from './run-job.ts';

export interface ScheduleOptions {
  readonly database: Database;
  readonly jobs: readonly Job[];
  readonly onRun: (run: EndedRun) => void;
  /** Gets what the run reports to operators, before its end is recorded. */
  readonly onAlert: (run: BegunRun, sentence: string) => void;
  readonly onError: (error: unknown) => void;
  /** Milliseconds from any start. */
  readonly steadyClock?: () => number;
}

/** The connections of the schedule, including reconciliations: jobs that are due together do not wait for a long one. */
export const SCHEDULE_POOL_SIZE = 5;

const LOOK_EVERY_MS = 1_000;
/** A clock that was ahead sets due times that are too late: they are corrected within this time. */
const REGISTER_EVERY_MS = 60_000;

/**
 * Runs due jobs until it is closed. Any number of processes may: the process that gets the lease of a job begins its run. The database
 * stores when a job is due, by its own clock, so a time at which no process ran is made up for at the next start, once. After that clock
 * was set forward, or this machine was suspended, runs under way stop, and no job begins for a minute.
 */
export function openSchedule(options: ScheduleOptions): { close(): Promise<void> } {
  const { database, jobs, onRun, onAlert, onError, steadyClock = () => performance.now() } = options;
  const stop = new AbortController();
  const clockWatch = new ClockWatch();
  const underWay = new Map<string, Promise<void>>();
  const begin = async (job: Job): Promise<void> => {
    const claimed = await claimJob(database.pool, { jobName: job.name, leaseMs: LEASE_MS, trigger: 'schedule' });
    if (!claimed) return;
    const begun = { job, ...claimed, correlationId: newCorrelation() };
    const running = doRun(database, begun, { stop: AbortSignal.any([stop.signal, clockWatch.nextStep]), onAlert })
      .then(onRun, onError)
      .finally(() => underWay.delete(job.name));
    underWay.set(job.name, running);
  };
  let registeredAtMs = Number.NEGATIVE_INFINITY;
  const endLooking = repeat({
    pauseMs: LOOK_EVERY_MS,
    onError,
    work: async () => {
      if (steadyClock() - registeredAtMs >= REGISTER_EVERY_MS) {
        await registerJobs(database, jobs, stop.signal);
        if (stop.signal.aborted) return;
        registeredAtMs = steadyClock();
      }
      const { now, jobNames } = await listDueJobs(database.pool);
      const clock = clockWatch.look(now, steadyClock());
      if (clock === 'stepped') onError(new ClockSetForwardError(now));
      if (clock !== 'steady') return;
      for (const job of jobs) if (jobNames.includes(job.name) && !underWay.has(job.name)) await begin(job);
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
