import { repeatWhileFull } from '../../concurrency/repeat-while-full.ts';
import { deleteOldJobRuns } from '../../store/jobs/job-run.ts';
import type { Job } from '../job.ts';

const KEPT_DAYS = 90;
const RUNS_AT_ONCE = 500;

/** Removes old records of the runs. */
export const pruneJobRuns: Job = {
  name: 'prune-job-runs',
  description: `removes runs of jobs that ended more than ${KEPT_DAYS} days ago`,
  pattern: '41 3 * * *',
  async run({ database: { pool }, signal }) {
    const remove = (limit: number) => deleteOldJobRuns(pool, { days: KEPT_DAYS, limit });
    return { runs: await repeatWhileFull(RUNS_AT_ONCE, remove, signal) };
  },
};
