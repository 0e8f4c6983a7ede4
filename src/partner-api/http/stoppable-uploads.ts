import { type ServiceError, unavailable } from '../../domain/service-error.ts';

/** The uploads that a stop of the service ends. */
export class StoppableUploads {
  readonly #stop = new AbortController();
  #underWay = 0;

  /**
   * The chunks of one upload as they arrive. After {@link end} it waits for no further one.
   *
   * @param what Such as `the list`.
   * @throws ServiceError `internal_service_unavailable` after {@link end}.
   */
  async *chunksOf<Chunk>(chunks: AsyncIterable<Chunk>, what: string): AsyncGenerator<Chunk> {
    const iterator = chunks[Symbol.asyncIterator]();
    this.#underWay++;
    try {
      for (;;) {
        const { done, value } = await this.#orStopped(iterator.next(), what);
        if (done) return;
        yield value;
      }
    } finally {
      this.#underWay--;
      // One that waits for a chunk would end with it alone.
      iterator.return?.()?.catch(() => {});
    }
  }

  /** @returns How many were under way. */
  end(): number {
    const ended = this.#underWay;
    this.#stop.abort();
    return ended;
  }

  /** A listener of its own for each chunk: a promise for all would keep every chunk. */
  #orStopped<Value>(next: Promise<Value>, what: string): Promise<Value> {
    const { signal } = this.#stop;
    return new Promise((resolve, reject) => {
      const stop = () => reject(stopping(what));
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop);
      next.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }
}

function stopping(what: string): ServiceError {
  const message = `The service is stopping, and does not wait for the rest of ${what}. Send it again under the same key.`;
  return unavailable(message, { headers: { connection: 'close' } });
}
