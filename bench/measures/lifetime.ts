import { type Bench, measureChecked } from '../cells.ts';
import { progress } from '../report/progress.ts';
import { readServiceUsage, restart } from '../subject/installation.ts';

/** How a service fares from its start on: how soon it is ready, and how much memory it comes to hold. */
export interface Lifetime {
  /** Of three starts on the existing database, the middle one. */
  readonly readySeconds: number;
  readonly early: Held;
  readonly late: Held;
}

interface Held {
  readonly confirmations: number;
  readonly residentMegabytes: number;
}

const STARTS = 3;
const EARLY_CONFIRMATIONS = 10_000;
const CHUNK_SECONDS = 10;

export interface LifetimeTask {
  /** How many make it an old service. */
  readonly confirmations: number;
  /** Where so many would take longer, as on a slow database, it is old enough by then. */
  readonly secondsMax: number;
  readonly connections: number;
}

export async function measureLifetime(bench: Bench, { confirmations, secondsMax, connections }: LifetimeTask): Promise<Lifetime> {
  const seconds: number[] = [];
  for (let start = 0; start < STARTS; start++) seconds.push(await restart(bench.installation, bench.signal));
  const readySeconds = seconds.sort((a, b) => a - b)[Math.floor(STARTS / 2)] ?? 0;
  progress(`ready after ${readySeconds.toFixed(2)} s`);
  const deadline = performance.now() + secondsMax * 1_000;
  let done = 0;
  const confirmUntil = async (count: number, chunkSeconds: number): Promise<Held> => {
    while (done < count && performance.now() < deadline) {
      const task = { scenario: 'confirm', connections, seconds: chunkSeconds } as const;
      done += (await measureChecked(bench, bench.installation, task)).stored.contributions;
      progress(`${done.toLocaleString('en')} confirmations since the start`);
    }
    const { service } = readServiceUsage(bench.installation);
    return { confirmations: done, residentMegabytes: service.residentBytes / 2 ** 20 };
  };
  const early = await confirmUntil(EARLY_CONFIRMATIONS, 1);
  return { readySeconds, early, late: await confirmUntil(confirmations, CHUNK_SECONDS) };
}
