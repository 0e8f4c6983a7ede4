/** What waits, each share's in its order. Shares take turns, so that nobody waits behind all that one of them has sent. */
export class WaitingQueue<Item> {
  /** In the order of their turns; none is empty. */
  readonly #shares = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(share: string, item: Item): void {
    const items = this.#shares.get(share);
    if (items) items.push(item);
    else this.#shares.set(share, [item]);
    this.#size++;
  }

  /** Takes out the latest of the share that has the most; `undefined` where this share would have as many with one more. */
  displaceFor(share: string): Item | undefined {
    const own = this.#shares.get(share)?.length ?? 0;
    let largest: Item[] = [];
    for (const items of this.#shares.values()) if (items.length > largest.length) largest = items;
    if (largest.length <= own + 1) return undefined;
    this.#size--;
    return largest.pop();
  }

  /** The next ones, one of each share in turn. */
  take(max: number): Item[] {
    if (this.#size <= max) return this.#takeAll();
    if (this.#shares.size === 1) return this.#takeTurn(max);
    const taken: Item[] = [];
    while (taken.length < max) taken.push(...this.#takeTurn(1));
    return taken;
  }

  /** The next ones of the share whose turn it is. */
  takeOfOneShare(max: number): Item[] {
    return this.#takeTurn(max);
  }

  #takeAll(): Item[] {
    const taken: Item[] = [];
    for (const items of this.#shares.values()) for (const item of items) taken.push(item);
    this.#shares.clear();
    this.#size = 0;
    return taken;
  }

  #takeTurn(max: number): Item[] {
    const [turn] = this.#shares;
    if (!turn) return [];
    const [share, items] = turn;
    const taken = items.splice(0, max);
    this.#shares.delete(share);
    if (items.length > 0) this.#shares.set(share, items);
    this.#size -= taken.length;
    return taken;
  }
}
