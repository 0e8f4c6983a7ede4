import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../../../domain/service-error.ts';

/** A credential is at most 4 s old: checked this often, revocation and suspension take effect within 10 s. */
const ALLOWED_CHECK_EVERY_MS = 4_000;
/** The least speed of a partner, after the service has waited for it for this time in all. */
export const PACE_MIN_BYTES_PER_SECOND = 16 * 1024;
const WAITED_UNPACED_MS = 30_000;
/** The highest speed at which a partner's list is read, so that one that is only hashed leaves the processor to others. */
export const LIST_READ_MAX_BYTES_PER_SECOND = 32 * 1024 * 1024;

export interface TransferWatch {
  /** The direction of the transfer: the partner sends the chunks, or receives them. */
  readonly partner: 'sends' | 'takes';
  /** Throws what would refuse the request if it arrived now. */
  readonly checkAllowed: () => Promise<void>;
  /** Milliseconds from any start. */
  readonly clock?: () => number;
  /** Resolves after so many milliseconds. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/**
 * Chunks from a partner or to it. Its key is checked again every few seconds. What a partner sends is read at 32 MiB a second at most. Only
 * the time in which the service waits for the partner counts for its speed.
 *
 * @throws ServiceError `internal_service_unavailable` (408) for a partner that is slower than 16 KiB a second; what `checkAllowed`
 * throws.
 * @see docs/spec/decisions.md#5-api-keys.
 */
export async function* watchTransfer(
  chunks: AsyncIterable<Uint8Array>,
  { partner, checkAllowed, clock = () => performance.now(), pause = sleep }: TransferWatch,
): AsyncGenerator<Uint8Array> {
  let [bytes, waitedMs] = [0, 0];
  let decidedAtMs = clock();
  const startedAtMs = clock();
  let sinceMs = startedAtMs;
  for await (const chunk of chunks) {
    if (partner === 'sends') waitedMs += clock() - sinceMs;
    if (waitedMs > WAITED_UNPACED_MS && bytes < (waitedMs / 1_000) * PACE_MIN_BYTES_PER_SECOND) throw tooSlow(partner);
    bytes += chunk.byteLength;
    if (clock() - decidedAtMs >= ALLOWED_CHECK_EVERY_MS) {
      await checkAllowed();
      decidedAtMs = clock();
    }
    const aheadMs = partner === 'sends' ? (bytes / LIST_READ_MAX_BYTES_PER_SECOND) * 1_000 - (clock() - startedAtMs) : 0;
    if (aheadMs >= 1) await pause(aheadMs);
    sinceMs = clock();
    yield chunk;
    if (partner === 'takes') waitedMs += clock() - sinceMs;
    sinceMs = clock();
  }
}

function tooSlow(partner: TransferWatch['partner']) {
  const [what, next] =
    partner === 'sends'
      ? ['The list arrived', 'Send it again, under the same key or a new one.']
      : ['The answer was read', 'Request it again.'];
  const message = `${what} slower than ${PACE_MIN_BYTES_PER_SECOND} bytes a second. ${next}`;
  return unavailable(message, { status: 408, limit: 'transfer_slow' });
}
