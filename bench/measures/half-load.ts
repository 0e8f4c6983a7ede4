import { type Bench, type Cell, measureChecked } from '../cells.ts';
import { answeredOk } from '../load/load.ts';
import { progress } from '../report/progress.ts';
import type { ScenarioName } from '../scenarios.ts';
import type { Figures } from './measure.ts';

/** What a partner's server waits for when the service has half of the work that it can do. */
const HALF_LOAD_SCENARIOS = ['confirm', 'lookup-by-event'] as const satisfies ScenarioName[];

export interface HalfLoad {
  readonly scenario: ScenarioName;
  /** Half of the highest throughput of the run. */
  readonly ratePerSecond: number;
  readonly connections: number;
  readonly figures: Figures;
  /** Requests that found every connection busy at their moment: `undefined` where nobody counts them. */
  readonly late: number | undefined;
  /** Whether so few were late that the slowest hundredth says how long the others took; `undefined` where nobody counts them. */
  readonly isRateKept: boolean | undefined;
}

export async function measureHalfLoad(bench: Bench, cells: readonly Cell[], seconds: number): Promise<HalfLoad[]> {
  const all: HalfLoad[] = [];
  for (const scenario of HALF_LOAD_SCENARIOS) {
    const own = cells.filter((cell) => cell.scenario === scenario);
    if (own.length === 0) continue;
    const ratePerSecond = Math.round(Math.max(...own.map(({ figures }) => figures.perSecond)) / 2);
    const connections = Math.max(...own.map((cell) => cell.connections));
    const { figures, outcome } = await measureChecked(bench, bench.installation, {
      scenario,
      connections,
      seconds,
      ratePerSecond,
    });
    progress(`${scenario} at ${ratePerSecond}/s: p99 ${figures.p99Ms.toFixed(1)} ms`);
    const { late } = outcome;
    const isRateKept = late === undefined ? undefined : late < answeredOk(outcome) / 100;
    all.push({ scenario, ratePerSecond, connections, figures, late, isRateKept });
  }
  return all;
}
