import { setTimeout as sleep } from 'node:timers/promises';

const DAY_MS = 86_400_000;
/** Longer than one test of quotas takes on a busy machine. */
const TEST_MS = 60_000;

/** Waits for the next UTC day when this one ends within a minute: quotas count by it, so that a test before and after its end counts two. */
export async function untilDayLastsForTest(): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < TEST_MS) await sleep(leftMs);
}
