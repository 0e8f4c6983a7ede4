import { createBatcher } from '../../concurrency/batch-queue.ts';
import { ServiceError, unavailable } from '../../domain/service-error.ts';

/** What a request of an operator reads. */
export interface Reading<Answer> {
  /** Who asks: an operator or a session. */
  readonly reader: string;
  /** Whether somebody still waits for the answer. */
  isWanted(): boolean;
  read(): Promise<Answer>;
}

export interface ReadingLimits {
  readonly atOnce: number;
  readonly waitingMax: number;
  readonly waitMaxMs: number;
}

/** A reading waited too long for its turn, or too many wait. */
export class NoTurn extends ServiceError {
  constructor() {
    super('internal_service_unavailable', 'Too many requests of operators wait. Try again in a few seconds.');
  }
}

/**
 * Reads for the operators of this process a few at a time: more would delay its answers to partners, and to the probes. The others wait;
 * readers take turns, so that nobody waits behind the many requests of another. Nothing is read for a client that is gone, and what waits
 * too long is refused.
 *
 * @throws NoTurn
 */
export function readingTurns({
  atOnce,
  waitingMax,
  waitMaxMs,
}: ReadingLimits): <Answer>(reading: Reading<Answer>) => Promise<Answer> {
  return createBatcher<Reading<unknown>, unknown>({
    concurrency: atOnce,
    batchMax: 1,
    waitingMax,
    waitMaxMs,
    shareOf: ({ reader }) => reader,
    refuse: () => new NoTurn(),
    run: (readings) => Promise.all(readings.map(readWanted)),
  }) as <Answer>(reading: Reading<Answer>) => Promise<Answer>;
}

async function readWanted({ isWanted, read }: Reading<unknown>): Promise<unknown> {
  if (!isWanted()) throw unavailable('Nobody waits for the answer.');
  return read();
}
