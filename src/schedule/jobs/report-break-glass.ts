import { explainBreakGlass, findBreakGlassStart, listBreakGlassAfter } from '../../operations/access/break-glass.ts';
import { readClock } from '../../store/clock.ts';
import type { Queryable } from '../../store/database.ts';
import { listJobStates } from '../../store/jobs/job.ts';
import { findLastScheduledResult } from '../../store/jobs/job-run.ts';
import type { Job } from '../job.ts';

const NAME = 'report-break-glass';
/** The first run reports the uses of this time before it. */
const FIRST_MS = 86_400_000;
/** A use whose entry was written while a run of an earlier release began is reported, too. */
const UNDER_WAY_MS = 10_000;

interface Result {
  readonly uses: number;
  /** The number of the last audit entry that was read: the next run begins after it. */
  readonly last_entry: number;
}

/**
 * Reports each use in the log of the service, so that operators who watch the log see it, whatever happens to the terminal. The numbers of
 * the entries say what was reported, which no clock changes. A use is reported again after a run by hand, or where its run did not succeed:
 * twice is better than never.
 */
export const reportBreakGlass: Job = {
  name: NAME,
  description: 'logs commands with --break-glass',
  pattern: '* * * * *',
  async run({ database: { pool }, alert }) {
    const { uses, lastNo } = await listBreakGlassAfter(pool, await findStart(pool));
    for (const use of uses) alert(explainBreakGlass(use));
    return { uses: uses.length, last_entry: Number(lastNo) } satisfies Result;
  },
};

/** A run of an earlier release did not record which entry it read last, but when it succeeded, however long ago that is. */
async function findStart(db: Queryable): Promise<bigint> {
  const last = await findLastScheduledResult(db, NAME, 'last_entry' satisfies keyof Result);
  if (last !== undefined) return BigInt((JSON.parse(last) as Result).last_entry);
  const now = (await readClock(db)).getTime();
  const lastSuccessAt = (await listJobStates(db)).find(({ jobName }) => jobName === NAME)?.lastSuccessAt;
  const succeededBefore = (lastSuccessAt?.getTime() ?? now) - UNDER_WAY_MS;
  return findBreakGlassStart(db, new Date(Math.min(now - FIRST_MS, succeededBefore)));
}
