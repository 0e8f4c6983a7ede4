import { setTimeout as sleep } from 'node:timers/promises';

/** The longest time in which a part of the service may end what it has begun. A stop goes on without it then. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Closes a part, and goes on after {@link CLOSE_TIMEOUT_MS}. */
export function endInTime(part: { close(): Promise<void> }): () => Promise<void> {
  return async () => {
    await Promise.race([part.close(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  };
}
