/** Partners' requests without a pause, whatever breaks meanwhile, and when the last one was confirmed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../harness/exchange.ts';
import { type Intent, makeIntents } from '../harness/intent.ts';
import { Partner } from '../harness/partner.ts';
import type { Random } from '../harness/random.ts';

export interface LoadOptions {
  readonly exchange: Exchange;
  readonly clients: number;
  readonly random: Random;
  readonly seed: number;
  readonly report: (violation: string) => void;
}

const INTENTS_AT_ONCE = 2_000;
/** Between one contribution of a client and its next: the experiment is about failovers, not about speed. */
const PAUSE_MS = 10;

export class Load {
  readonly partner: Partner;
  /** All that were begun. */
  readonly intents: Intent[] = [];
  /** When the last primary was killed, in milliseconds since 1970, once its sessions have ended: their transactions are over. */
  settledUntilMs = 0;
  readonly #options: LoadOptions;
  #planned: Intent[] = [];
  #plans = 0;
  #isOver = false;
  #confirmedAtMs = performance.now();
  #longestGapMs = 0;
  readonly #clients: Promise<unknown>;

  constructor(options: LoadOptions) {
    this.#options = options;
    const { exchange, clients, report } = options;
    this.partner = new Partner({
      exchange,
      report,
      onSent: () => {},
      onConfirmed: () => this.#noteConfirmed(),
      settledUntilMs: () => this.settledUntilMs,
    });
    this.#clients = Promise.all(Array.from({ length: clients }, () => this.#contribute()));
  }

  /** The longest time without a confirmation since the last call, the one that lasts included. */
  takeLongestGap(): number {
    this.#noteGap();
    const longest = this.#longestGapMs;
    this.#longestGapMs = 0;
    return longest;
  }

  get confirmations(): number {
    return this.intents.filter(({ learned }) => learned.outcome === 'confirmed').length;
  }

  /** Resolves when so many more contributions are confirmed than there are. */
  async untilConfirmed(more: number, withinMs: number): Promise<boolean> {
    const goal = this.confirmations + more;
    for (const since = performance.now(); performance.now() - since < withinMs; await sleep(50))
      if (this.confirmations >= goal) return true;
    return false;
  }

  /** Each client brings what it has begun to its end. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#clients;
  }

  async #contribute(): Promise<void> {
    while (!this.#isOver) {
      const intent = this.#next();
      this.intents.push(intent);
      await this.partner.contribute(intent);
      await sleep(PAUSE_MS);
    }
  }

  #next(): Intent {
    const { random, seed } = this.#options;
    if (this.#planned.length === 0) this.#planned = makeIntents(INTENTS_AT_ONCE, random, `${seed.toString(36)}-${this.#plans++}`);
    return this.#planned.shift() as Intent;
  }

  #noteConfirmed(): void {
    this.#noteGap();
    this.#confirmedAtMs = performance.now();
  }

  #noteGap(): void {
    this.#longestGapMs = Math.max(this.#longestGapMs, performance.now() - this.#confirmedAtMs);
  }
}
