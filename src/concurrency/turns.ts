/** A round of turns starts no more work after this time, so that other work can run between two rounds. */
const ROUND_MS = 250;
const AT_ONCE = 4;
/** So many items are chosen from at once: about as many as have a turn in a round. */
const CHOSEN_AT_ONCE = 200;
/**
 * The turns that were longest ago are forgotten beyond so many, or beyond twice as many as a round ever had items: a forgotten item counts as
 * new, and one that a round has must not come before those that had no turn.
 */
const REMEMBERED_MAX = 10_000;

export interface TurnOf<Item> {
  /** Returns those that may have a turn, of some hundred that are next. Where a round reaches few items, the others cost nothing. */
  choose?(items: readonly Item[]): Promise<readonly Item[]>;
  /** Returns whether it did anything; otherwise it does not count as a turn. */
  work(item: Item): Promise<boolean>;
}

/** The order of turns: first the items that had none, then those whose last turn was longest ago. */
export class Turns<Item> {
  readonly #nameOf: (item: Item) => string;
  /** The number of each item's last turn, by the name of the item: the lowest was longest ago. */
  readonly #taken = new Map<string, number>();
  #count = 0;
  /** How many items the largest round had. */
  #most = 0;

  constructor(nameOf: (item: Item) => string) {
    this.#nameOf = nameOf;
  }

  /**
   * Gives turns for a limited time, a few at a time, so that connections are left for other work.
   *
   * @returns The items that were not reached.
   * @throws What `choose` throws, when no turn is under way any more.
   */
  async give(items: readonly Item[], { choose = async (next) => next, work }: TurnOf<Item>): Promise<readonly Item[]> {
    this.#most = Math.max(this.#most, items.length);
    const endsAtMs = performance.now() + ROUND_MS;
    const waiting = new Waiting(this.#inOrder(items), choose);
    const workOff = async () => {
      while (performance.now() < endsAtMs) {
        const item = await waiting.next();
        if (item === undefined) return;
        if (await work(item)) this.#note(item);
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, workOff));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
    return waiting.rest;
  }

  #inOrder(items: readonly Item[]): Item[] {
    const last = items.map((item) => ({ item, turn: this.#taken.get(this.#nameOf(item)) ?? -1 }));
    return last.sort((one, other) => one.turn - other.turn).map(({ item }) => item);
  }

  #note(item: Item): void {
    const name = this.#nameOf(item);
    // The last turn stands last.
    this.#taken.delete(name);
    this.#taken.set(name, this.#count++);
    if (this.#taken.size <= Math.max(REMEMBERED_MAX, 2 * this.#most)) return;
    const [longestAgo] = this.#taken.keys();
    this.#taken.delete(longestAgo as string);
  }
}

/** Items before their turn, of which some hundred are chosen from when they are next. */
class Waiting<Item> {
  readonly #items: readonly Item[];
  readonly #choose: (items: readonly Item[]) => Promise<readonly Item[]>;
  readonly #chosen: Item[] = [];
  #choosing: Promise<void> | undefined;
  #from = 0;

  constructor(items: readonly Item[], choose: (items: readonly Item[]) => Promise<readonly Item[]>) {
    this.#items = items;
    this.#choose = choose;
  }

  /** @returns `undefined` when all had their turn, or could not be chosen. */
  async next(): Promise<Item | undefined> {
    while (this.#chosen.length === 0 && (this.#choosing || this.#from < this.#items.length)) {
      this.#choosing ??= this.#chooseSome();
      await this.#choosing;
    }
    return this.#chosen.shift();
  }

  get rest(): Item[] {
    return [...this.#chosen, ...this.#items.slice(this.#from)];
  }

  async #chooseSome(): Promise<void> {
    const next = this.#items.slice(this.#from, this.#from + CHOSEN_AT_ONCE);
    this.#from += next.length;
    try {
      this.#chosen.push(...(await this.#choose(next)));
    } catch (error) {
      this.#from = this.#items.length;
      throw error;
    } finally {
      this.#choosing = undefined;
    }
  }
}
