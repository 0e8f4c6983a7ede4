import type { Queryable } from './database.ts';
import { DatabaseSession } from './database-session.ts';

/** Notifies a process of the events that it has committed itself. Events of other processes are found by a query. */
export class CommittedEvents {
  #listener: (() => void) | undefined;

  listen(listener: () => void): void {
    this.#listener = listener;
  }

  notify(): void {
    this.#listener?.();
  }
}

/** The transaction writes an event: the process is notified after its commit. */
export function announceEvents(transaction: Queryable): void {
  if (transaction instanceof DatabaseSession) transaction.hasEvents = true;
}
