import { setImmediate as nextTurn } from 'node:timers/promises';

/** So much is read at once: about a millisecond of work, whatever the bytes are. */
const SLICE_BYTES = 8 * 1024;

/**
 * Cuts what has come into slices, and lets the event loop turn before each: whatever a sender puts into its bytes, others are answered
 * between two slices. Where the sender is gone, the source says so before the next chunk.
 */
export async function* inSlices(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.byteLength; from += SLICE_BYTES) {
      await nextTurn();
      yield chunk.subarray(from, from + SLICE_BYTES);
    }
  }
}
