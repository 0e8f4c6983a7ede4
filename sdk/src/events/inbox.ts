/** An event as an inbox keeps it until it is handled. */
export interface InboxEvent {
  readonly eventId: string;
  readonly sequence: bigint;
  /** The sequence of the event before it: one less, or lower where the service no longer has what came between. */
  readonly follows: bigint;
  /** As it was sent to the receiver; of an event from the feed, the same JSON written anew. */
  readonly body: string;
}

/**
 * What handling came to. `handled`: the next event in the order of sequences. `gap`: an event is there, and one before it is not.
 * `empty`: there is none. `busy`: another process handles one now.
 */
export type Handled = 'handled' | 'gap' | 'empty' | 'busy';

/**
 * Keeps events between their receipt and their handling, and the sequence of the last one handled. Each event is handled once, in the
 * order of sequences, however often and in whatever order it arrives. The events are those of one partner in one environment: the
 * sequences of each begin at 1.
 *
 * @typeParam Tx What a handler gets to write within the transaction that records the event as handled.
 */
export interface Inbox<Tx = undefined> {
  /** The sequence of the last handled event; where it starts at first. */
  position(): Promise<bigint>;
  /**
   * Stores an event durably. Stored events between `follows` and it follow the same one from then on: the service has nothing else there.
   *
   * @returns `false` where it is stored or was handled before.
   */
  add(event: InboxEvent): Promise<boolean>;
  /** Handles the event after the position. When `handle` rejects nothing is recorded, and this rejects with the same error. */
  handleNext(handle: (event: InboxEvent, tx: Tx) => Promise<void> | void): Promise<Handled>;
}

export interface InboxOptions {
  /** Where a new inbox starts: events up to this sequence are taken as handled. 0 unless given: the first event. */
  readonly startAfter?: bigint;
}

/** An inbox for tests and trials: it loses its position with the process. */
export class MemoryInbox implements Inbox {
  readonly #events = new Map<bigint, InboxEvent>();
  #position: bigint;
  #isBusy = false;

  constructor({ startAfter = 0n }: InboxOptions = {}) {
    this.#position = startAfter;
  }

  async position(): Promise<bigint> {
    return this.#position;
  }

  async add(event: InboxEvent): Promise<boolean> {
    const { sequence, follows } = event;
    if (sequence <= this.#position) return false;
    const isNew = !this.#events.has(sequence);
    if (isNew) this.#events.set(sequence, event);
    for (const stored of this.#events.values())
      if (stored.sequence <= sequence && stored.sequence > follows && stored.follows > follows)
        this.#events.set(stored.sequence, { ...stored, follows });
    return isNew;
  }

  async handleNext(handle: (event: InboxEvent, tx: undefined) => Promise<void> | void): Promise<Handled> {
    if (this.#isBusy) return 'busy';
    const next = [...this.#events.values()].reduce<InboxEvent | undefined>(
      (a, b) => (a && a.sequence < b.sequence ? a : b),
      undefined,
    );
    if (!next) return 'empty';
    if (next.follows > this.#position) return 'gap';
    this.#isBusy = true;
    try {
      await handle(next, undefined);
      this.#position = next.sequence;
      this.#events.delete(next.sequence);
      return 'handled';
    } finally {
      this.#isBusy = false;
    }
  }
}
