import { createBatcher } from '../../concurrency/batch-queue.ts';
import { ServiceError, unavailable } from '../../domain/service-error.ts';

/** What a request of an operator takes a turn for. */
export interface Turn<Answer> {
  /** Who asks: an operator, a session, or the connection of somebody who is not signed in. */
  readonly asker: string;
  /** Whether somebody still waits for the answer. */
  isWanted(): boolean;
  work(): Promise<Answer>;
}

export interface TurnLimits {
  readonly atOnce: number;
  readonly waitingMax: number;
  readonly waitMaxMs: number;
}

/** A request waited too long for its turn, or too many wait. */
export class NoTurn extends ServiceError {
  constructor() {
    super('internal_service_unavailable', 'Too many requests of operators wait. Try again in a few seconds.');
  }
}

/** Does the work of a turn, or throws {@link NoTurn}. */
export type TakeTurn = <Answer>(turn: Turn<Answer>) => Promise<Answer>;

/**
 * Works for the operators of this process a few at a time: more would delay its answers to partners, and to the probes. The others wait;
 * askers take turns, so that nobody waits behind the many requests of another. Nothing is done for a client that is gone, and what waits
 * too long is refused.
 *
 * @throws NoTurn
 */
export function operatorTurns({ atOnce, waitingMax, waitMaxMs }: TurnLimits): TakeTurn {
  return createBatcher<Turn<unknown>, unknown>({
    concurrency: atOnce,
    batchMax: 1,
    waitingMax,
    waitMaxMs,
    shareOf: ({ asker }) => asker,
    refuse: () => new NoTurn(),
    run: (turns) => Promise.all(turns.map(workIfWanted)),
  }) as TakeTurn;
}

async function workIfWanted({ isWanted, work }: Turn<unknown>): Promise<unknown> {
  if (!isWanted()) throw unavailable('Nobody waits for the answer.');
  return work();
}
