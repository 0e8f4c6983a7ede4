import { Gauge, type Registry } from 'prom-client';
import { measureDatabase } from './database-metrics.ts';
import { measureLog } from './log-metrics.ts';
import { countFrom, openRegistry } from './registry.ts';
import { measureStart } from './start-metrics.ts';

/** What the process that starts several others knows. */
export interface OwnFigures {
  /** What is wrong with the database. */
  databaseReasons(): readonly string[];
  /** How many processes are missing. */
  countMissing(): number;
  /** How many that took requests have died. */
  countDied(): number;
  /** Dropped lines of its log. */
  countDropped(): number;
}

/** The metrics of the process that starts several others. */
export function openOwnMetrics({ databaseReasons, countMissing, countDied, countDropped }: OwnFigures): Registry {
  const own = openRegistry();
  measureStart(own);
  measureLog(own, countDropped);
  measureDatabase(own, databaseReasons);
  new Gauge({
    name: 'partner_impact_processes_missing',
    help: 'Processes that take no requests now and are to: they start, or died and cannot be replaced.',
    registers: [own],
    collect() {
      this.set(countMissing());
    },
  });
  countFrom(own, {
    name: 'partner_impact_processes_died_total',
    help: 'Processes that took requests and died, by themselves or because they did not respond; each is replaced.',
    count: countDied,
  });
  return own;
}
