/** How many requests a second the costs of the parts allow on a number of processor cores. */

export type Part = 'service' | 'database' | 'load';

export interface Costs {
  /** Microseconds of processor time a request. The load generator's own is part of it where it runs on the same cores. */
  readonly microseconds: Readonly<Record<Part, number>>;
  /** For requests that are committed together: what a commit waits for its flush, in microseconds. */
  readonly flushMicroseconds: number | undefined;
}

export interface Placement {
  readonly name: string;
  /** Of the service. */
  readonly processes: number;
  /** Parts that share cores; each part stands in one group. */
  readonly groups: readonly { readonly cores: number; readonly parts: readonly Part[] }[];
  /** Requests under way at the same time. */
  readonly connections: number;
}

export interface Prediction {
  readonly perSecond: number;
  /** What allows no more. */
  readonly limit: string;
}

/** The most requests that the service commits together. */
const BATCH_MAX = 512;
const MICROSECONDS = 1_000_000;
const NAMES: Readonly<Record<Part, string>> = { service: 'the service', database: 'PostgreSQL', load: 'the load' };

/**
 * The lowest of what the cores of each group, the processes of the service and their batches allow. A process uses one core at the most,
 * and has one batch under way: its next one begins when the flush of the one before has ended. What processes wait for inside of
 * PostgreSQL, such as the last page of an index, is not in it.
 */
export function predict({ microseconds, flushMicroseconds }: Costs, { processes, groups, connections }: Placement): Prediction {
  const ofGroups = groups.map(({ cores, parts }) => ({
    perSecond: (cores * MICROSECONDS) / parts.reduce((sum, part) => sum + microseconds[part], 0),
    limit: `${count(cores, 'core')} for ${parts.map((part) => NAMES[part]).join(', ')}`,
  }));
  const ofProcesses = {
    perSecond: (processes * MICROSECONDS) / microseconds.service,
    limit: `${count(processes, 'process', 'processes')} of the service, a core each`,
  };
  const batch = Math.min(BATCH_MAX, connections / processes);
  const ofBatches = {
    perSecond: (processes * batch * MICROSECONDS) / ((flushMicroseconds ?? 0) + batch * microseconds.database),
    limit: `one batch at a time of ${count(processes, 'process', 'processes')}`,
  };
  const all = [...ofGroups, ofProcesses, ...(flushMicroseconds === undefined ? [] : [ofBatches])];
  return all.reduce((lowest, each) => (each.perSecond < lowest.perSecond ? each : lowest));
}

/** With so many cores for the service and PostgreSQL, and the load elsewhere: the fewest processes that get the most out of them. */
export function predictMost(costs: Costs, cores: number): Prediction & { readonly processes: number } {
  const withProcesses = Array.from({ length: cores }, (_, index) => index + 1).map((processes) => {
    const groups = [{ cores, parts: ['service', 'database'] as const }];
    return { processes, ...predict(costs, { name: '', processes, groups, connections: BATCH_MAX * processes }) };
  });
  return withProcesses.reduce((best, each) => (each.perSecond > best.perSecond ? each : best));
}

function count(number: number, one: string, several = `${one}s`): string {
  return `${number} ${number === 1 ? one : several}`;
}
