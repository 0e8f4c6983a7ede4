import { explainBreakGlass, listBreakGlass } from '../../operations/access/break-glass.ts';
import { readClock } from '../../store/clock.ts';
import { listJobStates } from '../../store/jobs/job.ts';
import type { Job } from '../job.ts';

const NAME = 'report-break-glass';
/** An entry is visible after its transaction ended, and has the time of its beginning. Reporting an entry twice is better than never. */
const OVERLAP_MS = 10_000;
/** Before the first run. */
const FIRST_MS = 86_400_000;

/** Reports each use in the log of the service, so that operators who watch the log see it, whatever happens to the terminal. */
export const reportBreakGlass: Job = {
  name: NAME,
  description: 'logs commands with --break-glass',
  pattern: '* * * * *',
  async run({ database: { pool }, alert }) {
    const state = (await listJobStates(pool)).find(({ jobName }) => jobName === NAME);
    const since = (state?.lastSuccessAt?.getTime() ?? (await readClock(pool)).getTime() - FIRST_MS) - OVERLAP_MS;
    const uses = await listBreakGlass(pool, new Date(since));
    for (const use of uses) alert(explainBreakGlass(use));
    return { uses: uses.length };
  },
};
