import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readUsage } from '../../reliability/harness/process-usage.ts';
import { progress } from '../../reliability/harness/report.ts';
import { loadByWrk } from '../load/wrk.ts';
import { type Figures, measure, medianFigures, medianOf } from '../measures/measure.ts';
import { SCENARIOS } from '../scenarios.ts';
import { type Installation, install } from '../subject/installation.ts';
import { measureSharedSpeed } from './core-speed.ts';
import type { Costs } from './model.ts';
import { ALL_CORES, listNarrowPlacements, type PlacedParts, place, placeOnAll } from './placements.ts';
import { countFlushTimes, type Flushes, readFlushes, type WaitShare, watchWaits } from './waits.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
const LIMITED_SCENARIOS = ['confirm', 'lookup-by-event'] as const;
export type LimitedScenario = (typeof LIMITED_SCENARIOS)[number];
/** Of the service, beside one. */
const MORE_PROCESSES = [2, 4];

export interface LimitsTask {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  /** Called for everything that makes the figures worthless. */
  readonly onProblem: (problem: string) => void;
}

export interface Limits {
  /** The speed of a core while all others work, against its speed alone. */
  readonly sharedSpeed: number;
  readonly costs: ReadonlyMap<LimitedScenario, Costs>;
  readonly measured: readonly {
    readonly scenario: LimitedScenario;
    readonly placement: PlacedParts;
    readonly figures: Figures;
  }[];
  readonly waits: readonly WaitShare[];
  /** Of a confirmation. */
  readonly walBytes: number;
  readonly requestsPerFlush: number;
}

interface Load {
  readonly figures: Figures;
  /** Cores in use by the load generator. */
  readonly loadCpu: number;
  readonly confirmed: number;
  readonly flushes: Flushes;
}

export async function measureLimits(task: LimitsTask): Promise<Limits> {
  const sharedSpeed = await measureSharedSpeed(ALL_CORES);
  const one = await measureOneProcess(task);
  const measured = [...one.measured];
  for (const processes of MORE_PROCESSES) {
    await using cleanUp = new AsyncDisposableStack();
    const installation = await begin(task, processes, cleanUp);
    for (const scenario of LIMITED_SCENARIOS) {
      const placement = placeOnAll(processes, task.connections);
      measured.push({
        scenario,
        placement,
        figures: medianOfLoads(await measureRounds(installation, scenario, placement, task)),
      });
    }
  }
  return { ...one, sharedSpeed, measured };
}

async function measureOneProcess(task: LimitsTask): Promise<Omit<Limits, 'sharedSpeed'>> {
  await using cleanUp = new AsyncDisposableStack();
  const installation = await begin(task, 1, cleanUp);
  const onAll = placeOnAll(1, task.connections);
  const costs = new Map<LimitedScenario, Costs>();
  const measured: Limits['measured'][number][] = [];
  const endWatch = watchWaits(installation.pool);
  const confirms = await measureRounds(installation, 'confirm', onAll, task);
  const waits = await endWatch();
  for (const scenario of LIMITED_SCENARIOS) {
    const loads = scenario === 'confirm' ? confirms : await measureRounds(installation, scenario, onAll, task);
    costs.set(scenario, readCosts(scenario, loads));
    measured.push({ scenario, placement: onAll, figures: medianOfLoads(loads) });
    for (const placement of listNarrowPlacements(task.connections)) {
      const narrow = await measureRounds(installation, scenario, placement, task);
      measured.push({ scenario, placement, figures: medianOfLoads(narrow) });
    }
  }
  place(installation, onAll);
  const walBytes = medianOf(confirms.map(({ flushes, confirmed }) => flushes.walBytes / confirmed));
  const requestsPerFlush = medianOf(confirms.map(({ flushes, confirmed }) => confirmed / flushes.count));
  return { costs, measured, waits, walBytes, requestsPerFlush };
}

async function begin(task: LimitsTask, processes: number, cleanUp: AsyncDisposableStack): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-limits-'));
  cleanUp.defer(() => rmSync(folder, { recursive: true, force: true }));
  progress(`starting ${processes} process(es) of the service`);
  const options = { name: `${processes}`, repository: REPOSITORY, folder, databaseUrl: undefined, processes };
  const installation = await install(options, cleanUp, NEVER);
  await countFlushTimes(installation.pool);
  // The first seconds of a program of Node are those of its compiler.
  for (const scenario of LIMITED_SCENARIOS) await measureOnce(installation, scenario, task);
  return installation;
}

const { signal: NEVER } = new AbortController();

async function measureRounds(
  installation: Installation,
  scenario: LimitedScenario,
  placement: PlacedParts,
  task: LimitsTask,
): Promise<Load[]> {
  place(installation, placement);
  const loads: Load[] = [];
  while (loads.length < task.rounds) loads.push(await measureOnce(installation, scenario, task));
  const perSecond = Math.round(medianOfLoads(loads).perSecond);
  progress(`${SCENARIOS[scenario].title}, ${placement.name}, ${placement.processes} process(es): ${perSecond}/s`);
  return loads;
}

async function measureOnce(installation: Installation, scenario: LimitedScenario, task: LimitsTask): Promise<Load> {
  const { seconds, connections, onProblem } = task;
  const readLoad = () => readUsage(process.pid, installation.subject.pid).cpuSeconds;
  const [flushesBefore, cpuBefore, startedAt] = [await readFlushes(installation.pool), readLoad(), performance.now()];
  const { figures, problems, stored } = await measure(installation, loadByWrk, { scenario, connections, seconds }, NEVER);
  const loadCpu = (readLoad() - cpuBefore) / ((performance.now() - startedAt) / 1_000);
  const flushes = await readFlushes(installation.pool);
  for (const problem of problems) onProblem(problem);
  return {
    figures,
    loadCpu,
    confirmed: stored.contributions,
    flushes: {
      count: flushes.count - flushesBefore.count,
      microseconds: flushes.microseconds - flushesBefore.microseconds,
      walBytes: flushes.walBytes - flushesBefore.walBytes,
    },
  };
}

function medianOfLoads(loads: readonly Load[]): Figures {
  return medianFigures(loads.map(({ figures }) => figures));
}

function readCosts(scenario: LimitedScenario, loads: readonly Load[]): Costs {
  const cost = (read: (load: Load) => number | undefined) =>
    medianOf(loads.map((load) => ((read(load) ?? 0) / load.figures.perSecond) * 1e6));
  return {
    microseconds: {
      service: cost(({ figures }) => figures.serviceCpu),
      database: cost(({ figures }) => figures.databaseCpu),
      load: cost(({ loadCpu }) => loadCpu),
    },
    flushMicroseconds:
      scenario === 'confirm' ? medianOf(loads.map(({ flushes }) => flushes.microseconds / flushes.count)) : undefined,
  };
}
