/**
 * Waiting requests, in the order of arrival of each share. Shares take turns, so that no request waits behind all requests of another
 * share.
 */
export class WaitingQueue<Item> {
  readonly #shareOf: (item: Item) => string;
  /** In the order of their turns; none is empty. */
  readonly #shares = new Map<string, Item[]>();
  #inShares = 0;
  /** The newest requests. Most batches take all waiting requests, so their share is not needed. */
  #latest: Item[] = [];

  constructor(shareOf: (item: Item) => string) {
    this.#shareOf = shareOf;
  }

  get size(): number {
    return this.#inShares + this.#latest.length;
  }

  add(item: Item): void {
    this.#latest.push(item);
  }

  /** Removes the latest request of the share with the most requests; `undefined` when this share would then have as many. */
  displaceFor(share: string): Item | undefined {
    this.#divide();
    const own = this.#shares.get(share)?.length ?? 0;
    let largest: Item[] = [];
    for (const items of this.#shares.values()) if (items.length > largest.length) largest = items;
    if (largest.length <= own + 1) return undefined;
    this.#inShares--;
    return largest.pop();
  }

  /** The next requests, one of each share in turn. */
  take(max: number): Item[] {
    if (this.#inShares === 0 && this.#latest.length <= max) return this.#takeLatest();
    this.#divide();
    if (this.#shares.size === 1) return this.#takeTurn(max);
    const taken: Item[] = [];
    while (taken.length < max && this.#inShares > 0) taken.push(...this.#takeTurn(1));
    return taken;
  }

  /** The next requests of the share whose turn it is. */
  takeOfOneShare(max: number): Item[] {
    this.#divide();
    return this.#takeTurn(max);
  }

  #takeLatest(): Item[] {
    const latest = this.#latest;
    this.#latest = [];
    return latest;
  }

  #divide(): void {
    for (const item of this.#takeLatest()) {
      const share = this.#shareOf(item);
      const items = this.#shares.get(share);
      if (items) items.push(item);
      else this.#shares.set(share, [item]);
      this.#inShares++;
    }
  }

  #takeTurn(max: number): Item[] {
    const [turn] = this.#shares;
    if (!turn) return [];
    const [share, items] = turn;
    const taken = items.splice(0, max);
    this.#shares.delete(share);
    if (items.length > 0) this.#shares.set(share, items);
    this.#inShares -= taken.length;
    return taken;
  }
}
