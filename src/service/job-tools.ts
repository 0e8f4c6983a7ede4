import type { Config } from '../config.ts';
import { ServiceError } from '../domain/service-error.ts';
import type { Log } from '../observability/log.ts';
import type { JobTools } from '../operator-api/overview/jobs.ts';
import { watchDatabaseClock } from '../schedule/database-clock.ts';
import type { Job } from '../schedule/job.ts';
import { listJobs } from '../schedule/jobs.ts';
import { beginByHand } from '../schedule/run-by-hand.ts';
import type { RunOptions } from '../schedule/run-job.ts';
import type { Database } from '../store/database.ts';
import { configuredSettlementTools } from './keys/configured-seals.ts';
import { logAlert, logRun } from './log-lines.ts';

export interface ClosableJobTools extends JobTools {
  /** Waits until each run by hand has recorded its end. The signal `stop` ends them. */
  close(): Promise<void>;
}

interface JobToolsOptions {
  readonly log: Log;
  readonly stop: AbortSignal;
  /** Those of the service, unless others are given. */
  readonly jobs?: readonly Job[];
}

/**
 * The jobs of the schedule, for operators who begin one by hand. A run that is under way when the service stops, the clock of the database
 * is set forward or this machine is suspended, is stopped too.
 */
export function openJobTools(
  database: Database,
  config: Config,
  { log, stop, jobs = listJobs({ ...config, settlementTools: configuredSettlementTools(config) }) }: JobToolsOptions,
): ClosableJobTools {
  const clock = watchDatabaseClock(database);
  const underWay = new Set<Promise<void>>();
  return {
    all: jobs,
    async begin(actor, name) {
      const job = jobs.find((each) => each.name === name) as Job;
      if ((await clock.look()) !== 'steady') throw new ServiceError('invalid_request', CLOCK_IS_NEW);
      const options: RunOptions = {
        stop: AbortSignal.any([stop, clock.nextStep]),
        onAlert: (run, sentence) => logAlert(log, run, sentence),
      };
      const { runNo, ended } = await beginByHand(database, actor, job, options);
      const recorded = ended
        .then(
          (run) => logRun(log, run),
          (err: unknown) => log.logger.error({ err, job: name }, 'a run by hand could not be recorded'),
        )
        .finally(() => underWay.delete(recorded));
      underWay.add(recorded);
      return runNo;
    },
    async close() {
      await Promise.all([clock.close(), ...underWay]);
    },
  };
}

const CLOCK_IS_NEW =
  "No job begins in the minute after the database's clock was set forward, or this machine was suspended. If the clock is wrong, set it back; if it is right, begin the job again after that minute.";
