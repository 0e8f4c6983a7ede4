import type { Log } from '../observability/log.ts';
import { StoppableUploads } from '../partner-api/http/stoppable-uploads.ts';

/** The uploads of one interface. Its stop ends them, and the log says how many. */
export function openUploads({ logger }: Log, senders: 'partners' | 'operators'): { uploads: StoppableUploads; end(): void } {
  const uploads = new StoppableUploads();
  return {
    uploads,
    end() {
      const ended = uploads.end();
      if (ended > 0)
        logger.warn(
          { uploads: ended },
          `the stop ended uploads of ${senders}: nothing of them is recorded, and they are sent again`,
        );
    },
  };
}
