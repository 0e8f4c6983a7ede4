import { readUsage } from '../reliability/harness/process-usage.ts';
import type { ConstantServer } from './baselines/constant-server.ts';
import type { Pgbench, Pgbenches } from './baselines/pgbench.ts';
import { answeredOk, type Load } from './load/load.ts';
import { type Figures, type Measurement, measure, medianFigures, medianOf, type Task } from './measures/measure.ts';
import { progress } from './report/progress.ts';
import { SCENARIOS, type ScenarioName } from './scenarios.ts';
import type { Installation } from './subject/installation.ts';

/** Everything that measures; one for a whole run. */
export interface Bench {
  readonly installation: Installation;
  /** The other revision, when one is compared with. */
  readonly other: Installation | undefined;
  readonly constant: ConstantServer;
  /** `undefined` where pgbench is not installed. */
  readonly pgbench: Pgbenches | undefined;
  readonly load: Load;
  readonly signal: AbortSignal;
  /** Gathered over the run; any of them makes it fail. */
  readonly problems: string[];
}

/** The working tree first, then the revision that is compared with, if any. */
export function installationsOf({ installation, other }: Bench): readonly Installation[] {
  return other ? [installation, other] : [installation];
}

export interface Baseline {
  readonly perSecond: number;
  readonly cpu: number;
}

/** One scenario with so many connections, and its baselines from before and after. */
export interface Cell {
  readonly scenario: ScenarioName;
  readonly connections: number;
  readonly figures: Figures;
  readonly constant: Baseline;
  readonly pgbenchPerSecond: number | undefined;
  /** `pgbench` on the least table. */
  readonly leastPerSecond: number | undefined;
}

/** Measures one cell in the middle of its baselines: a machine that becomes slower or faster meanwhile does so for all of them. */
export async function measureCell(bench: Bench, { scenario, connections, seconds }: Task): Promise<Cell> {
  const { installation, pgbench } = bench;
  const half = Math.ceil(seconds / 2);
  const pgbenches = SCENARIOS[scenario].hasPgbenchBaseline ? pgbench : undefined;
  const load = { connections, seconds: half };
  const constantBefore = await measureConstant(bench, { scenario, connections, seconds: half });
  const before = await measurePgbench(pgbenches, load);
  const { figures } = await measureChecked(bench, installation, { scenario, connections, seconds });
  const after = await measurePgbench(pgbenches, load);
  const constantAfter = await measureConstant(bench, { scenario, connections, seconds: half });
  const cell = {
    scenario,
    connections,
    figures,
    constant: middle(constantBefore, constantAfter),
    pgbenchPerSecond: before && after && (before.sameRows + after.sameRows) / 2,
    leastPerSecond: before && after && (before.leastTable + after.leastTable) / 2,
  };
  progress(`${SCENARIOS[scenario].title}, ${connections} connections: ${Math.round(cell.figures.perSecond)}/s`);
  return cell;
}

/** Of both programs, one after the other. */
export async function measurePgbench(
  pgbenches: Pgbenches | undefined,
  load: Parameters<Pgbench>[0],
): Promise<Record<keyof Pgbenches, number> | undefined> {
  return pgbenches && { sameRows: await pgbenches.sameRows(load), leastTable: await pgbenches.leastTable(load) };
}

/** The median of each figure over the rounds of one cell. */
export function medianCell(rounds: readonly [Cell, ...Cell[]]): Cell {
  const median = (read: (cell: Cell) => number | undefined) => {
    const values = rounds.map(read).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : medianOf(values);
  };
  return {
    ...rounds[0],
    figures: medianFigures(rounds.map(({ figures }) => figures)),
    constant: medianBaseline(rounds.map(({ constant }) => constant)),
    pgbenchPerSecond: median((cell) => cell.pgbenchPerSecond),
    leastPerSecond: median((cell) => cell.leastPerSecond),
  };
}

export function medianBaseline(rounds: readonly Baseline[]): Baseline {
  return { perSecond: medianOf(rounds.map(({ perSecond }) => perSecond)), cpu: medianOf(rounds.map(({ cpu }) => cpu)) };
}

/** Measures, and keeps what was wrong. */
export async function measureChecked(bench: Bench, installation: Installation, task: Task): Promise<Measurement> {
  const measurement = await measure(installation, bench.load, task, bench.signal);
  for (const problem of measurement.problems) {
    bench.problems.push(problem);
    progress(`PROBLEM ${problem}`);
  }
  return measurement;
}

/** The same load on the route that does nothing. */
export async function measureConstant({ constant, installation, load, signal }: Bench, task: Task): Promise<Baseline> {
  const { known, replayable, partner } = installation;
  const before = readUsage(constant.pid).cpuSeconds;
  const startedAt = performance.now();
  const request = { ...task, known, replayable, baseUrl: constant.baseUrl, apiKey: partner.apiKey, token: 'constantly' };
  const outcome = await load(request, signal);
  const cpu = (readUsage(constant.pid).cpuSeconds - before) / ((performance.now() - startedAt) / 1_000);
  return { perSecond: answeredOk(outcome) / outcome.seconds, cpu };
}

export function middle(before: Baseline, after: Baseline): Baseline {
  return { perSecond: (before.perSecond + after.perSecond) / 2, cpu: (before.cpu + after.cpu) / 2 };
}
