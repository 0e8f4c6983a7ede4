import { createBatcher } from '../concurrency/batch-queue.ts';
import { unavailable } from '../domain/service-error.ts';

/** One page of a list that an operator downloads. */
export interface DownloadPage<Answer> {
  readonly operatorId: string;
  /** Whether somebody still waits for the file. */
  isWanted(): boolean;
  read(): Promise<Answer>;
}

/** For all operators of this process: more would delay its answers to partners, and to the probe of its readiness. */
const AT_ONCE = 2;
/** More downloads than connections of the admin listener do not exist. */
const WAITING_MAX = 1_024;
/** Less than a stream may be without data. */
const WAIT_MAX_MS = 20_000;

/**
 * Reads the pages of downloads a few at a time. The others wait; operators take turns, so that nobody waits behind the many downloads of
 * another. A page that nobody waits for is not read.
 */
export function downloadPages<Answer>(): (page: DownloadPage<Answer>) => Promise<Answer> {
  return createBatcher<DownloadPage<Answer>, Answer>({
    concurrency: AT_ONCE,
    batchMax: 1,
    waitingMax: WAITING_MAX,
    waitMaxMs: WAIT_MAX_MS,
    shareOf: ({ operatorId }) => operatorId,
    run: (pages) => Promise.all(pages.map(readWanted)),
  });
}

async function readWanted<Answer>(page: DownloadPage<Answer>): Promise<Answer> {
  if (!page.isWanted()) throw unavailable('Nobody waits for the file.');
  return page.read();
}
