import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../observability/log.ts';
import { StoppableUploads } from '../partner-api/http/transfers/stoppable-uploads.ts';

/** The longest time in which a part of the service may end what it has begun. */
const CLOSE_TIMEOUT_MS = 5_000;

/** For the end of the service: closes a part, and waits for it no longer than {@link CLOSE_TIMEOUT_MS}. */
export function endInTime(part: { close(): Promise<void> }): () => Promise<void> {
  return async () => {
    await Promise.race([part.close(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  };
}

/** The uploads of one interface. Its stop ends them, and the log says how many. */
export function openUploads({ logger }: Log, senders: 'partners' | 'operators'): { uploads: StoppableUploads; end(): void } {
  const uploads = new StoppableUploads();
  return {
    uploads,
    end() {
      const ended = uploads.end();
      if (ended > 0) logger.warn({ uploads: ended }, `the stop ended uploads of ${senders}, who send them again`);
    },
  };
}
