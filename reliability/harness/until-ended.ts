import { setTimeout as sleep } from 'node:timers/promises';
import { readCommandLine } from './process-usage.ts';

const LOOK_EVERY_MS = 5;
const ENDED_WITHIN_MS = 60_000;

/**
 * Resolves when none of these processes runs any more.
 *
 * @throws Error When one still runs after a minute.
 */
export async function untilEnded(pids: readonly number[]): Promise<void> {
  const endsAtMs = performance.now() + ENDED_WITHIN_MS;
  for (;;) {
    const running = pids.filter((pid) => readCommandLine(pid) !== '');
    if (running.length === 0) return;
    if (performance.now() > endsAtMs) throw new Error(`The processes ${running.join(', ')} were killed and still run.`);
    await sleep(LOOK_EVERY_MS);
  }
}
