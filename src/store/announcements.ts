import type { Queryable } from './database.ts';
import { Session } from './session.ts';

/** Tells a process of the events that it has committed itself. What others commit is found by a look. */
export class CommittedEvents {
  #listener: (() => void) | undefined;

  listen(listener: () => void): void {
    this.#listener = listener;
  }

  notify(): void {
    this.#listener?.();
  }
}

/** The transaction writes an event: it is told of when it has committed. */
export function announceEvents(transaction: Queryable): void {
  if (transaction instanceof Session) transaction.hasEvents = true;
}
