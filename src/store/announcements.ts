import type { Queryable } from './database.ts';

/** Tells a process of the events that it has committed itself. What others commit is found by a look. */
export class CommittedEvents {
  #listener: (() => void) | undefined;

  listen(listener: () => void): void {
    this.#listener = listener;
  }

  tell(): void {
    this.#listener?.();
  }
}

const announced = new WeakSet<Queryable>();

/** The transaction writes an event: it is told of when it has committed. */
export function announceEvents(transaction: Queryable): void {
  announced.add(transaction);
}

/** @returns Whether the transaction wrote an event. The connection may begin the next one. */
export function takeAnnouncement(transaction: Queryable): boolean {
  return announced.delete(transaction);
}
