/** A round of turns starts no more work after this time, so that other work can run between two rounds. */
const ROUND_MS = 250;
const AT_ONCE = 4;
/** Beyond them the items are forgotten that the next round does not have: one that comes again counts as new, and is first. */
const REMEMBERED_MAX = 10_000;

/** The order of turns: first the items that had none, then those whose last turn was longest ago. */
export class Turns<Item> {
  readonly #nameOf: (item: Item) => string;
  /** The number of each item's last turn, by the name of the item: the lowest was longest ago. */
  readonly #taken = new Map<string, number>();
  #count = 0;

  constructor(nameOf: (item: Item) => string) {
    this.#nameOf = nameOf;
  }

  /**
   * Gives turns for a limited time, a few at a time, so that connections are left for other work.
   *
   * @param work Returns whether it did anything; otherwise it does not count as a turn.
   * @returns Whether all items had their turn.
   */
  async give(items: readonly Item[], work: (item: Item) => Promise<boolean>): Promise<boolean> {
    if (this.#taken.size >= REMEMBERED_MAX) this.#forgetOthers(items);
    const endsAtMs = performance.now() + ROUND_MS;
    const waiting = this.#inOrder(items).values();
    const workOff = async () => {
      while (performance.now() < endsAtMs) {
        const { value: item, done } = waiting.next();
        if (done) return true;
        if (await work(item)) this.#note(item);
      }
      return false;
    };
    return (await Promise.all(Array.from({ length: AT_ONCE }, workOff))).every(Boolean);
  }

  #inOrder(items: readonly Item[]): Item[] {
    const lastOf = (item: Item) => this.#taken.get(this.#nameOf(item)) ?? -1;
    return items.toSorted((one, other) => lastOf(one) - lastOf(other));
  }

  #forgetOthers(items: readonly Item[]): void {
    const present = new Set(items.map(this.#nameOf));
    for (const name of this.#taken.keys()) if (!present.has(name)) this.#taken.delete(name);
  }

  #note(item: Item): void {
    this.#taken.set(this.#nameOf(item), this.#count++);
  }
}
