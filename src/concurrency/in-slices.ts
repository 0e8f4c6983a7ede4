import { setImmediate as nextTurn } from 'node:timers/promises';

/** One read: about a millisecond of work for any content. */
const SLICE_BYTES = 8 * 1024;

/**
 * Cuts incoming data into slices, and yields to the event loop before each slice, so that other requests are answered in between. When
 * the sender has left, the source reports it before the next chunk.
 */
export async function* inSlices(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.byteLength; from += SLICE_BYTES) {
      await nextTurn();
      yield chunk.subarray(from, from + SLICE_BYTES);
    }
  }
}
