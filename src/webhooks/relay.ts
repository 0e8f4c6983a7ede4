/**
 * From a committed change to the partner's endpoint: the relay gives events their place, the dispatcher sends them. Nothing here
 * decides what is told; that stands in the transaction of the change.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ATTEMPTS_MAX } from '../domain/delivery-schedule.ts';
import type { Database } from '../store/database.ts';
import { listPartnersWithUnnumberedEvents, numberEvents } from '../store/event.ts';

export interface Relay {
  /** Resolves when what is under way is done. */
  close(): Promise<void>;
}

export interface RelayOptions {
  readonly database: Database;
  /** Told when deliveries were made, so that they need not wait to be found. */
  readonly onDeliveries: () => void;
  readonly onError: (error: unknown) => void;
}

/** How long an event waits at most before it has its place: it may be fetched within a second of its commit. */
const PAUSE_MS = 200;
const EVENTS_AT_ONCE = 1_000;

/** Numbers the events of all partners, one partner after the other, again and again. Any number of processes may do so at once. */
export function openRelay({ database, onDeliveries, onError }: RelayOptions): Relay {
  const stop = new AbortController();
  const run = async () => {
    while (!stop.signal.aborted) {
      try {
        if ((await relayOnce(database)) > 0) onDeliveries();
      } catch (error) {
        onError(error);
      }
      await sleep(PAUSE_MS, undefined, { signal: stop.signal, ref: false }).catch(() => {});
    }
  };
  const done = run();
  return {
    async close() {
      stop.abort();
      await done;
    },
  };
}

/** @returns How many deliveries were made. */
export async function relayOnce({ pool }: Database): Promise<number> {
  let deliveries = 0;
  for (const partnerId of await listPartnersWithUnnumberedEvents(pool)) {
    for (;;) {
      const numbered = await numberEvents(pool, partnerId, { limit: EVENTS_AT_ONCE, attemptsMax: ATTEMPTS_MAX });
      deliveries += numbered.deliveries;
      if (numbered.events < EVENTS_AT_ONCE) break;
    }
  }
  return deliveries;
}
