import type { Registry } from 'prom-client';
import { countFrom } from './registry.ts';

/** Shows the lines of the log that were dropped. */
export function measureLog(registry: Registry, countDropped: () => number): void {
  countFrom(registry, {
    name: 'partner_impact_log_lines_dropped_total',
    help: 'Lines of the log that were dropped because standard output was not read, or could not be written.',
    count: countDropped,
  });
}
