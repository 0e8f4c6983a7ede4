import { readUsage } from '../../reliability/harness/process-usage.ts';

/** What may be measured at the same time on one machine. */
export interface Processes {
  /** Of the service. */
  readonly pid: number;
  /** Of the first process of PostgreSQL. */
  readonly serverPid: number;
}

/** Seconds of processor time. */
export interface ProcessorTime {
  readonly service: number;
  readonly database: number;
}

/** Used so far. */
export function processorTime({ pid, serverPid }: Processes): ProcessorTime {
  return { service: readUsage(pid, serverPid).cpuSeconds, database: readUsage(serverPid).cpuSeconds };
}

/** Used since. */
export function processorTimeSince(processes: Processes, before: ProcessorTime): ProcessorTime {
  const after = processorTime(processes);
  return { service: after.service - before.service, database: after.database - before.database };
}
