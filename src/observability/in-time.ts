import { setTimeout as sleep } from 'node:timers/promises';

/** Less than the 5 s for which the first of several processes waits for the figures of each. */
const FIGURES_WITHIN_MS = 4_000;

/**
 * A scrape waits so long for what it reads from the database, however many locks and connections the reads wait for one after the other. A
 * read that is late goes on, and its answer is for nobody.
 *
 * @throws Error When the answer is late.
 */
export function inTime<Figures>(read: () => Promise<Figures>): () => Promise<Figures> {
  return () => Promise.race([read(), refuseLate()]);
}

async function refuseLate(): Promise<never> {
  await sleep(FIGURES_WITHIN_MS, undefined, { ref: false });
  throw new Error('The figures took too long.');
}
