/**
 * What happens by the clock: a file per job, and what runs them. A job calls operations, and decides nothing that they do not; here
 * stands when it is done, and that one process does it.
 */
import type { Actor } from '../domain/access/role.ts';
import type { Database } from '../store/database.ts';

/** Work that is done by the clock, by one process at a time, and may be repeated without harm. */
export interface Job {
  /** As `close-settlements`. */
  readonly name: string;
  /** For people: what it does, in a few words. */
  readonly description: string;
  /** When, in the words of cron, in UTC. */
  readonly pattern: string;
  /** @returns What was done, for the log: names to counts, or to what was found. */
  run(context: JobContext): Promise<JobResult>;
}

export type JobResult = Readonly<Record<string, number | string>>;

export interface JobContext {
  readonly database: Database;
  /** Asked between parts of the work: whether to stop and leave the rest to the next run. */
  readonly signal: AbortSignal;
  /** In whose name it changes what is audited. */
  readonly actor: Actor;
  /** Tells whoever reads the log of the service, as an error, whatever becomes of the run. */
  readonly alert: (sentence: string) => void;
}
