import type { Config } from '../config.ts';
import type { Log } from '../observability/log.ts';
import type { JobTools } from '../operator-api/overview/jobs.ts';
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

/** The jobs of the schedule, for operators who begin one by hand. A run that is under way when the service stops is stopped too. */
export function openJobTools(
  database: Database,
  config: Config,
  { log, stop }: { readonly log: Log; readonly stop: AbortSignal },
): ClosableJobTools {
  const jobs = listJobs({ ...config, settlementTools: configuredSettlementTools(config) });
  const options: RunOptions = { stop, onAlert: (run, sentence) => logAlert(log, run, sentence) };
  const underWay = new Set<Promise<void>>();
  return {
    all: jobs,
    async begin(actor, name) {
      const job = jobs.find((each) => each.name === name) as Job;
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
      await Promise.all(underWay);
    },
  };
}
