import { ATTEMPTS_MAX } from '../../domain/webhooks/retry-schedule.ts';

/** The result of one round. */
export interface Relayed {
  /** How many events. */
  sequenced: number;
  /** Due deliveries that no process has claimed. */
  deliveries: number;
  hasMore: boolean;
}

export interface Relay {
  /** Assigns sequences to the events of every partner that has any, so that none waits for another's backlog. */
  once(): Promise<Relayed>;
  leave?(): void;
}

/** The most events of a partner, or of several together, that get their sequences in one transaction. */
export const RELAY_BATCH = { limit: 1_000, attemptsMax: ATTEMPTS_MAX };
