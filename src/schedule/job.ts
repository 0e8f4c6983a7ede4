/**
 * The schedule: a file per job, and the code that runs jobs. A job calls operations and decides nothing itself; this folder controls when
 * a job runs, and that one process runs it.
 */
import type { Actor } from '../domain/access/role.ts';
import type { Database } from '../store/database.ts';

/** Work at set times, by one process at a time, which may be repeated without harm. */
export interface Job {
  /** The name on the command line and in the records of runs, such as `close-settlements`. */
  readonly name: string;
  /** For people: a short description. */
  readonly description: string;
  /** The times of the job, as a cron pattern, in UTC. */
  readonly pattern: string;
  /**
   * @returns The result for the log: names with counts, or with what was found.
   */
  run(context: JobContext): Promise<JobResult>;
}

export type JobResult = Readonly<Record<string, number | string>>;

/** A run that failed and has a result all the same: what it had found before. Its cause is recorded as the error. */
export class UnfinishedRunError extends Error {
  override readonly name = 'UnfinishedRunError';
  readonly result: JobResult;

  constructor(result: JobResult, cause: unknown) {
    super('The run was not finished.', { cause });
    this.result = result;
  }
}

export interface JobContext {
  readonly database: Database;
  /** Aborted when the job must stop; checked between parts of the work. The next run does the rest. */
  readonly signal: AbortSignal;
  /** The actor of its audit entries. */
  readonly actor: Actor;
  /** An operator began it and waits for its result. */
  readonly isByHand?: boolean;
  /** Reports an error in the log of the service at once, whatever the result of the run is. */
  readonly alert: (sentence: string) => void;
}
