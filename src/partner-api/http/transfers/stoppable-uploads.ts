import { type ServiceError, unavailable } from '../../../domain/service-error.ts';
import type { StreamBounds } from './stream-bounds.ts';

/** The uploads that a stop of the service ends. */
export class StoppableUploads {
  readonly #stop = new AbortController();
  #underWay = 0;

  /**
   * The chunks of one upload as they arrive. After {@link end} it waits for no further one, nor for one that stays away for too long; only
   * the time in which the service waits counts as the time between two chunks.
   *
   * @param chunks Of a request, such that the end of the iteration does not destroy it: the answer would be lost with the connection.
   * @param what Such as `the list`.
   * @throws ServiceError `internal_service_unavailable`: after {@link end}, and 408 beyond the bounds.
   */
  async *chunksOf<Chunk>(chunks: AsyncIterable<Chunk>, what: string, bounds: StreamBounds): AsyncGenerator<Chunk> {
    this.#underWay++;
    try {
      yield* this.#arriving(chunks, what, bounds);
    } finally {
      this.#underWay--;
    }
  }

  /**
   * Reads what is left of an upload that is refused before it has arrived, up to the bounds: a client that sends first and reads then
   * would lose the answer with its connection. It ends where the iteration throws: its sender is gone, pauses, or may send no longer.
   *
   * @returns Whether the service still runs; its stop waits for no rest.
   */
  async discard(
    rest: AsyncIterable<Uint8Array>,
    { bytesMax, ...bounds }: StreamBounds & { readonly bytesMax: number },
  ): Promise<boolean> {
    let bytes = 0;
    try {
      for await (const chunk of this.#arriving(rest, 'it', bounds)) {
        bytes += chunk.byteLength;
        if (bytes > bytesMax) break;
      }
    } catch {
      // The answer waits no longer.
    }
    return !this.#stop.signal.aborted;
  }

  async *#arriving<Chunk>(chunks: AsyncIterable<Chunk>, what: string, { idleMs, totalMs }: StreamBounds): AsyncGenerator<Chunk> {
    const iterator = chunks[Symbol.asyncIterator]();
    const untilMs = performance.now() + totalMs;
    try {
      for (;;) {
        const leftMs = untilMs - performance.now();
        const wait =
          idleMs < leftMs
            ? { ms: idleMs, error: () => late(what, 'transfer_idle', `Nothing of it came for ${idleMs} ms.`) }
            : { ms: leftMs, error: () => late(what, 'transfer_long', `It took longer than ${totalMs} ms.`) };
        const { done, value } = await this.#inTime(iterator.next(), what, wait);
        if (done) return;
        yield value;
      }
    } finally {
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
  #inTime<Value>(
    next: Promise<Value>,
    what: string,
    { ms, error }: { readonly ms: number; readonly error: () => ServiceError },
  ): Promise<Value> {
    const { signal } = this.#stop;
    return new Promise((resolve, reject) => {
      const stop = () => reject(stopping(what));
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop);
      // What has arrived while the process did not run is read first.
      const timer = setTimeout(() => setImmediate(() => reject(error())), ms).unref();
      next.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
      });
    });
  }
}

function late(what: string, limit: 'transfer_idle' | 'transfer_long', reason: string): ServiceError {
  const message = `The service waits no longer for the rest of ${what}. ${reason} Send it again under the same key.`;
  return unavailable(message, { status: 408, limit });
}

function stopping(what: string): ServiceError {
  const message = `The service is stopping, and does not wait for the rest of ${what}. Send it again under the same key.`;
  return unavailable(message, { headers: { connection: 'close' } });
}
