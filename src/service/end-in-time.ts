import { setTimeout as sleep } from 'node:timers/promises';

/** The longest time in which a part of the service may end what it has begun. */
const CLOSE_TIMEOUT_MS = 5_000;

/** For the end of the service: closes a part, and waits for it no longer than {@link CLOSE_TIMEOUT_MS}. */
export function endInTime(part: { close(): Promise<void> }): () => Promise<void> {
  return async () => {
    await Promise.race([part.close(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  };
}
