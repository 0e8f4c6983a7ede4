import { unavailable } from '../../domain/service-error.ts';

/** What is known of a key is 4 s old at most: asked as often, revocation and suspension hold within 10 s. */
const ALLOWED_CHECK_EVERY_MS = 4_000;
/** The least pace of a partner once the service has waited for it for so long in all. */
const PACE_MIN_BYTES_PER_SECOND = 16 * 1024;
const WAITED_UNPACED_MS = 30_000;

export interface TransferWatch {
  /** On which side of the service the partner is: it sends the chunks, or takes them. */
  readonly partner: 'sends' | 'takes';
  /** Throws what the request would be refused by if it came now. */
  readonly checkAllowed: () => Promise<void>;
  /** Milliseconds from any beginning. */
  readonly clock?: () => number;
}

/**
 * Chunks on their way from a partner or to it. Its key is judged again every few seconds. To the pace only the time counts in which
 * the service waits for the partner, never its own.
 *
 * @throws ServiceError `internal_service_unavailable` (408) for a partner that is slower than 16 KiB a second; what `checkAllowed` throws.
 * @see docs/spec/decisions.md#5-api-keys.
 */
export async function* watchTransfer(
  chunks: AsyncIterable<Uint8Array>,
  { partner, checkAllowed, clock = () => performance.now() }: TransferWatch,
): AsyncGenerator<Uint8Array> {
  let [bytes, waitedMs] = [0, 0];
  let decidedAtMs = clock();
  let sinceMs = clock();
  for await (const chunk of chunks) {
    if (partner === 'sends') waitedMs += clock() - sinceMs;
    if (waitedMs > WAITED_UNPACED_MS && bytes < (waitedMs / 1_000) * PACE_MIN_BYTES_PER_SECOND) throw tooSlow();
    bytes += chunk.byteLength;
    if (clock() - decidedAtMs >= ALLOWED_CHECK_EVERY_MS) {
      await checkAllowed();
      decidedAtMs = clock();
    }
    sinceMs = clock();
    yield chunk;
    if (partner === 'takes') waitedMs += clock() - sinceMs;
    sinceMs = clock();
  }
}

function tooSlow() {
  const message = `The list arrived slower than ${PACE_MIN_BYTES_PER_SECOND} bytes a second. Send it again, under the same key or a new one.`;
  return unavailable(message, { status: 408, limit: 'transfer_slow' });
}
