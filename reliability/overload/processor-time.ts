/** Who used the processor: a load on the machine of the service takes from what it measures, so it is part of the figures. */
import type { Installation } from '../harness/installation.ts';
import { readMachineSeconds, readOwnSeconds } from '../harness/process-usage.ts';

/** Cores in use on average, by whom. */
export type Cores = Readonly<Record<'service' | 'database' | 'generator' | 'others', number>>;

/** @returns Tells who used how many cores since this call; `generator` is this process. */
export function watchCores(installation: Installation): () => Cores {
  const used = () => ({
    service: readOwnSeconds([installation.service.pid as number]),
    database: readOwnSeconds(installation.listDatabaseProcesses()),
    generator: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
    machine: readMachineSeconds(),
  });
  const before = used();
  const startedAtMs = performance.now();
  return () => {
    const seconds = (performance.now() - startedAtMs) / 1_000;
    const after = used();
    const [service, database, generator, machine] = (['service', 'database', 'generator', 'machine'] as const).map(
      (who) => (after[who] - before[who]) / seconds,
    ) as [number, number, number, number];
    return { service, database, generator, others: Math.max(0, machine - service - database - generator) };
  };
}
