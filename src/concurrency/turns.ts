/** Work that takes long gives way to what has come up meanwhile. */
const ROUND_MS = 250;
const AT_ONCE = 4;
/** What is forgotten is taken for new, and comes first. */
const REMEMBERED_MAX = 10_000;

/** Whose turn it is: those come first that never had one, then those whose last turn is the longest ago. */
export class Turns<Item> {
  readonly #nameOf: (item: Item) => string;
  /** By name, the longest ago first. */
  readonly #taken = new Map<string, number>();
  #count = 0;

  constructor(nameOf: (item: Item) => string) {
    this.#nameOf = nameOf;
  }

  /**
   * Gives turns for a moment, a few at a time, so that the work leaves connections for others.
   *
   * @param work Tells whether it did anything: else it was no turn.
   * @returns Whether all have had theirs.
   */
  async give(items: readonly Item[], work: (item: Item) => Promise<boolean>): Promise<boolean> {
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

  #note(item: Item): void {
    if (this.#taken.size >= REMEMBERED_MAX) this.#taken.clear();
    this.#taken.set(this.#nameOf(item), this.#count++);
  }
}
