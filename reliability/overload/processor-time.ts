/** Who used the processor: a load on the machine of the service takes from what it measures, so it is part of the figures. */
import { readFileSync } from 'node:fs';
import type { Installation } from '../harness/installation.ts';

const TICKS_PER_SECOND = 100;

/** Seconds of processor time that the living processes have used so far. */
export function processorSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + secondsOf(pid), 0);
}

function secondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name, which stands in brackets: state, then ten numbers, then user and system time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Seconds of processor time that the whole machine has used so far, whoever used it. */
export function machineSeconds(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0] = line.trim().split(/\s+/).slice(1).map(Number);
  return (user + nice + system + interrupts + softInterrupts) / TICKS_PER_SECOND;
}

/** Cores in use on average, by whom. */
export type Cores = Readonly<Record<'service' | 'database' | 'generator' | 'others', number>>;

/** @returns Tells who used how many cores since this call; `generator` is this process. */
export function watchCores(installation: Installation): () => Cores {
  const used = () => ({
    service: processorSeconds([installation.service.pid as number]),
    database: processorSeconds(installation.listDatabaseProcesses()),
    generator: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
    machine: machineSeconds(),
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
