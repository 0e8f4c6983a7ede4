import { explainBreakGlass, findBreakGlassStart, listBreakGlassAfter } from '../../operations/access/break-glass.ts';
import type { Queryable } from '../../store/database.ts';
import { findLastScheduledResult } from '../../store/jobs/job.ts';
import type { Job } from '../job.ts';

const NAME = 'report-break-glass';
/** The first run reports the uses of this time before it. */
const FIRST_MS = 86_400_000;

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

/** A run of an earlier release did not record which entry it read last. */
async function findStart(db: Queryable): Promise<bigint> {
  const last = await findLastScheduledResult(db, NAME, 'last_entry' satisfies keyof Result);
  return last === undefined ? findBreakGlassStart(db, FIRST_MS) : BigInt((JSON.parse(last) as Result).last_entry);
}
