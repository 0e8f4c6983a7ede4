/** Longer than a statement may take on the server, and as long as a request may take. */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Notices that the server is silent: statements were sent on a connection, and for a time none of them succeeded. One timer for the
 * connection, which is left to run out: with one for each statement the collector keeps what was read for it until the heap is
 * collected whole, which pauses every request.
 */
export class AnswerWatch {
  readonly #timeoutMs: number;
  readonly #onSilence: () => void;
  #unanswered = 0;
  /** When the next answer has to be there. */
  #dueMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(onSilence: () => void, timeoutMs = ANSWER_TIMEOUT_MS) {
    this.#onSilence = onSilence;
    this.#timeoutMs = timeoutMs;
  }

  countSent(): void {
    if (this.#unanswered === 0) this.#dueMs = performance.now() + this.#timeoutMs;
    this.#unanswered++;
    this.#timer ??= this.#lookAfter(this.#timeoutMs);
  }

  /**
   * @param isFailure What was sent behind a failed statement of a transaction, its COMMIT too, has no work of its own: it has what is left of
   * the time. The coordinator of a cluster says that a statement took too long, and may wait for the worker all the same.
   */
  countAnswer(isFailure: boolean): void {
    this.#unanswered--;
    if (!isFailure) this.#dueMs = performance.now() + this.#timeoutMs;
  }

  #lookAfter(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = undefined;
      if (this.#unanswered === 0) return;
      const leftMs = this.#dueMs - performance.now();
      if (leftMs > 0) this.#timer = this.#lookAfter(leftMs);
      else this.#onSilence();
    }, milliseconds).unref();
  }
}
