import { repeat } from '../concurrency/repeat.ts';
import { readClock } from '../store/clock.ts';
import type { Database } from '../store/database.ts';
import { type ClockFinding, ClockWatch } from './clock-watch.ts';

const LOOK_EVERY_MS = 1_000;

/** A {@link ClockWatch} of the database's clock. */
export interface DatabaseClock {
  /** Looks now. @throws Error When the database does not answer. */
  look(): Promise<ClockFinding>;
  /** As of {@link ClockWatch}. */
  readonly nextStep: AbortSignal;
  close(): Promise<void>;
}

/** Watches the clock of the database, once a second, for who begins jobs beside the schedule. */
export function watchDatabaseClock({ pool }: Pick<Database, 'pool'>): DatabaseClock {
  const watch = new ClockWatch();
  const look = async () => watch.look(await readClock(pool), performance.now());
  // Without an answer nothing is known; the next look finds out.
  const close = repeat({ pauseMs: LOOK_EVERY_MS, onError: () => {}, work: look });
  return {
    look,
    get nextStep() {
      return watch.nextStep;
    },
    close,
  };
}
