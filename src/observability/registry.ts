import { Counter, collectDefaultMetrics, Registry } from 'prom-client';

/** What is wrong with one of several processes does not show in their sum or their average. */
const OF_ONE_PROCESS = /^(nodejs_eventloop_lag_|process_resident_memory_bytes|process_open_fds|process_max_fds)/;

/** With the metrics of Node. Those of several processes that do not add up are those of the process with the largest. */
export function openRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const metric of registry.getMetricsAsArray())
    if (OF_ONE_PROCESS.test(metric.name)) Object.assign(metric, { aggregator: 'max' });
  return registry;
}

interface CountedElsewhere {
  readonly name: string;
  readonly help: string;
  /** The total so far. */
  count(): number;
}

/** Shows a total that somebody else counts. */
export function countFrom(registry: Registry, { name, help, count }: CountedElsewhere): void {
  let shown = 0;
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      const total = count();
      this.inc(total - shown);
      shown = total;
    },
  });
}
