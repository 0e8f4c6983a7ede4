/** The state begins with a late answer that comes {@link APART_MS} or more after another one, and ends so long after the last. */
const LASTS_MS = 10_000;
/** What came late together is one moment: the requests of one connection, for instance. */
const APART_MS = 500;

/** Late answers of a server: one of them is a moment, those of several moments a state. */
export class LateAnswers {
  #firstAtMs = 0;
  #lastAtMs = Number.NEGATIVE_INFINITY;
  #words = '';

  note(words: string): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastAtMs >= LASTS_MS) this.#firstAtMs = nowMs;
    this.#lastAtMs = nowMs;
    this.#words = words;
  }

  /** The first that came at all after a state in which none did: that state goes on. */
  continue(words: string): void {
    this.note(words);
    this.#firstAtMs = this.#lastAtMs - APART_MS;
  }

  /** The words about the last one; `undefined` when they are no state. */
  get state(): string | undefined {
    const isRecent = performance.now() - this.#lastAtMs < LASTS_MS;
    return isRecent && this.#lastAtMs - this.#firstAtMs >= APART_MS ? this.#words : undefined;
  }

  /** They have another cause. */
  forget(): void {
    this.#lastAtMs = Number.NEGATIVE_INFINITY;
  }
}
