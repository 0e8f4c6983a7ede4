import { explainBreakGlass, listBreakGlass } from '../../operations/access/break-glass.ts';
import { readClock } from '../../store/clock.ts';
import { listJobStates } from '../../store/jobs/job.ts';
import type { Job } from '../job.ts';

const NAME = 'report-break-glass';
/** An entry is seen when its transaction has ended, and has the time of its beginning: what is told twice is not told never. */
const OVERLAP_MS = 10_000;
/** Before the first run. */
const FIRST_MS = 86_400_000;

/** So that whoever watches the log learns of it from the service, whatever becomes of the terminal on which it was done. */
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
