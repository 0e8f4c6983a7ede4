import type { Database } from '../store/database.ts';

/** Work that is done by the clock, by one process at a time, and may be repeated without harm. */
export interface Job {
  /** As `close-settlements`. */
  readonly name: string;
  /** When, in the words of cron. */
  readonly pattern: string;
  /** @returns What was done, for the log: names to counts. */
  run(context: JobContext): Promise<Readonly<Record<string, number>>>;
}

export interface JobContext {
  readonly database: Database;
  /** Asked between parts of the work: whether to stop and leave the rest to the next run. */
  readonly signal: AbortSignal;
}
