import { type Bench, measureChecked } from '../cells.ts';
import { progress } from '../report/progress.ts';
import { SCENARIOS, type ScenarioName } from '../scenarios.ts';
import { type Figures, medianFigures, medianOf, type Task } from './measure.ts';

/** The working tree and another revision, loaded at the same time, several times one after the other. */
export interface SideBySide {
  readonly scenario: ScenarioName;
  /** To each of the two. */
  readonly connections: number;
  readonly own: Figures;
  readonly other: Figures;
  readonly perSecond: Spread;
  /** Processor time a request, of the service and of PostgreSQL. */
  readonly serviceCost: Spread;
  /** `undefined` where PostgreSQL is on another machine. */
  readonly databaseCost: Spread | undefined;
}

/** Of the ratios of all pairs: the working tree by the other revision. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

type Pair = readonly [own: Figures, other: Figures];

const PAIRS_IN_A_ROUND = 4;

/**
 * A machine whose speed changes does so for both of a pair, so one pair says what several loads in turns do not. Each has half of the
 * machine: the throughputs are lower than those of one alone.
 *
 * @returns Nothing where no other revision is compared with.
 */
export async function measureSideBySide(bench: Bench, tasks: readonly Task[], rounds: number): Promise<SideBySide[]> {
  const { installation, other } = bench;
  if (!other) return [];
  const all: SideBySide[] = [];
  for (const task of tasks) {
    const measureBoth = () => Promise.all([measureChecked(bench, installation, task), measureChecked(bench, other, task)]);
    // The compiler is at work in it.
    await measureBoth();
    const pairs: Pair[] = [];
    while (pairs.length < rounds * PAIRS_IN_A_ROUND) {
      const [own, others] = await measureBoth();
      pairs.push([own.figures, others.figures]);
    }
    const { scenario, connections } = task;
    const compared = comparePairs(pairs);
    progress(`${SCENARIOS[scenario].title}, side by side: ${compared.serviceCost.median.toFixed(2)} times the processor time`);
    all.push({ scenario, connections, ...compared });
  }
  return all;
}

export function comparePairs(pairs: readonly Pair[]): Omit<SideBySide, 'scenario' | 'connections'> {
  const ratiosOf = (read: (figures: Figures) => number) => spread(pairs.map(([own, other]) => read(own) / read(other)));
  return {
    own: medianFigures(pairs.map(([own]) => own)),
    other: medianFigures(pairs.map(([, other]) => other)),
    perSecond: ratiosOf(({ perSecond }) => perSecond),
    serviceCost: ratiosOf(({ serviceCpu, perSecond }) => serviceCpu / perSecond),
    databaseCost: pairs.some((pair) => pair.some(({ databaseCpu }) => databaseCpu === undefined))
      ? undefined
      : ratiosOf(({ databaseCpu = 0, perSecond }) => databaseCpu / perSecond),
  };
}

function spread(ratios: readonly number[]): Spread {
  return { median: medianOf(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}
