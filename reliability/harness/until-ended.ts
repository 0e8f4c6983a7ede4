import { setTimeout as sleep } from 'node:timers/promises';
import { readCommandLine } from './process-usage.ts';

const LOOK_EVERY_MS = 5;

/** Resolves when none of these processes runs any more. */
export async function untilEnded(pids: readonly number[]): Promise<void> {
  while (pids.some((pid) => readCommandLine(pid) !== '')) await sleep(LOOK_EVERY_MS);
}
