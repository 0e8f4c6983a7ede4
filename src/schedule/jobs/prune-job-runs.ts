import { deleteOldJobRuns } from '../../store/jobs/job.ts';
import type { Job } from '../job.ts';

const KEPT_DAYS = 90;
const RUNS_AT_ONCE = 500;

/** Removes old records of the runs. */
export const pruneJobRuns: Job = {
  name: 'prune-job-runs',
  description: `removes runs of jobs that ended more than ${KEPT_DAYS} days ago`,
  pattern: '41 3 * * *',
  async run({ database: { pool }, signal }) {
    let runs = 0;
    for (let removed = RUNS_AT_ONCE; removed === RUNS_AT_ONCE && !signal.aborted; runs += removed)
      removed = await deleteOldJobRuns(pool, { days: KEPT_DAYS, limit: RUNS_AT_ONCE });
    return { runs };
  },
};
