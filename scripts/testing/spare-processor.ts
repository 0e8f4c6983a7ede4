import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const SAMPLE_MS = 500;
/** Of all processors together. */
const IDLE_SHARE_MIN = 0.2;

/** Whether the machine has processor time to spare, by what it did in half a second. */
export async function hasProcessorToSpare(): Promise<boolean> {
  const before = readTimes();
  await sleep(SAMPLE_MS);
  const after = readTimes();
  return after.idle - before.idle >= IDLE_SHARE_MIN * (after.all - before.all);
}

/** Milliseconds since the machine was started, of all processors. */
function readTimes(): { readonly idle: number; readonly all: number } {
  const sums = { idle: 0, all: 0 };
  for (const { times } of cpus()) {
    sums.idle += times.idle;
    for (const time of Object.values(times)) sums.all += time;
  }
  return sums;
}
