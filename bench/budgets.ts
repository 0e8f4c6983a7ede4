import type { Cell } from './cells.ts';
import type { Growth } from './measures/growth.ts';
import type { Results } from './results.ts';
import { LOOKUPS, type ScenarioName } from './scenarios.ts';

/** One line of ARCHITECTURE.md's budgets, and what was measured. */
export interface Verdict {
  readonly what: string;
  readonly unit: '×' | 'ms' | 's';
  readonly must: number;
  readonly aim: number;
  /** `undefined` when this run lacked what `needs` names. */
  readonly measured: number | undefined;
  readonly isMustMet: boolean | undefined;
  readonly isAimReached: boolean | undefined;
  readonly needs: string;
}

interface Budget extends Pick<Verdict, 'what' | 'unit' | 'must' | 'aim' | 'needs'> {
  readonly isSmallBetter?: boolean;
  measure(results: Measured): number | undefined;
}

export type Measured = Pick<Results, 'cells' | 'mixed' | 'growth' | 'halfLoad' | 'deliveries' | 'lifetime' | 'young'>;

const CONNECTIONS = 128;

const BUDGETS: readonly Budget[] = [
  {
    what: 'confirmations, 128 connections, against pgbench',
    unit: '×',
    must: 1.15,
    aim: 1.5,
    needs: 'pgbench, the scenario confirm and 128 connections',
    measure: ({ cells }) => ratio(confirmCell(cells)?.figures.perSecond, confirmCell(cells)?.pgbenchPerSecond),
  },
  {
    what: 'the same, against pgbench on the least table',
    unit: '×',
    must: 1,
    aim: 1.3,
    needs: 'pgbench, the scenario confirm and 128 connections',
    measure: ({ cells }) => ratio(confirmCell(cells)?.figures.perSecond, confirmCell(cells)?.leastPerSecond),
  },
  {
    what: 'processor time of the service for a confirmation, against the constant route',
    unit: '×',
    must: 3.2,
    aim: 2.5,
    isSmallBetter: true,
    needs: 'the scenario confirm and 128 connections',
    measure: ({ cells }) => costAgainstConstant(confirmCell(cells)),
  },
  {
    what: 'the same for a look-up (the dearer kind)',
    unit: '×',
    must: 2.2,
    aim: 1.6,
    isSmallBetter: true,
    needs: 'both look-ups and 128 connections',
    measure: ({ cells }) => highest(LOOKUPS.map((scenario) => costAgainstConstant(cellOf(cells, scenario)))),
  },
  {
    what: 'confirmations, look-ups and estimates of many partners, with endpoints against without',
    unit: '×',
    must: 0.6,
    aim: 0.8,
    needs: '--partners',
    measure: ({ mixed }) => mixed && ratio(mixed.median.having.perSecond, mixed.median.without.perSecond),
  },
  {
    what: 'confirmations, 128 connections, against the constant route',
    unit: '×',
    must: 0.15,
    aim: 0.25,
    needs: 'the scenario confirm and 128 connections',
    measure: ({ cells }) => ratio(confirmCell(cells)?.figures.perSecond, confirmCell(cells)?.constant.perSecond),
  },
  {
    what: 'look-ups, 128 connections, against the constant route (the slower kind)',
    unit: '×',
    must: 0.4,
    aim: 0.6,
    needs: 'both look-ups and 128 connections',
    measure: ({ cells }) =>
      lowest(
        LOOKUPS.map((scenario) => {
          const cell = cellOf(cells, scenario);
          return ratio(cell?.figures.perSecond, cell?.constant.perSecond);
        }),
      ),
  },
  {
    what: 'throughput of the large database against 10 thousand rows, normalised (the worst)',
    unit: '×',
    must: 0.9,
    aim: 0.95,
    needs: '--rows 10000000',
    measure: ({ growth }) => lowest(growth.map(normalisedGrowth)),
  },
  {
    what: 'p99 at half of the highest load (the slower of confirm and look-up)',
    unit: 'ms',
    must: 25,
    aim: 10,
    isSmallBetter: true,
    needs: 'wrk, and the scenarios confirm and lookup-by-event',
    measure: ({ halfLoad }) =>
      halfLoad.length < 2 || halfLoad.some(({ isRateKept }) => isRateKept === undefined)
        ? undefined
        : Math.max(...halfLoad.map(({ figures, isRateKept }) => (isRateKept ? figures.p99Ms : Number.POSITIVE_INFINITY))),
  },
  {
    what: 'deliveries, against bare undici (to one endpoint or to five, the worse)',
    unit: '×',
    must: 0.45,
    aim: 0.6,
    needs: '--deliveries',
    measure: ({ deliveries }) => lowest(deliveries.map(({ own, bare }) => ratio(own.perSecond, bare.perSecond))),
  },
  {
    what: 'p99 in the first minute of a new database under full load, against an old one (look-up or replay, the worse)',
    unit: '×',
    must: 3,
    aim: 1.5,
    isSmallBetter: true,
    needs: '--young',
    measure: ({ young }) => highest(ownOf(young).map((each) => ratio(each.young.p99Ms, each.old.p99Ms))),
  },
  {
    what: 'memory of an old service against that of a young one',
    unit: '×',
    must: 1.3,
    aim: 1.1,
    isSmallBetter: true,
    needs: 'the scenario confirm',
    measure: ({ lifetime }) => ratio(lifetime?.late.residentMegabytes, lifetime?.early.residentMegabytes),
  },
  {
    what: 'ready after serve on an existing database',
    unit: 's',
    must: 2,
    aim: 1,
    isSmallBetter: true,
    needs: 'the scenario confirm',
    measure: ({ lifetime }) => lifetime?.readySeconds,
  },
];

export function compareWithBudgets(results: Measured): Verdict[] {
  return BUDGETS.map(({ measure, isSmallBetter = false, ...budget }) => {
    const measured = measure(results);
    const isWithin = (limit: number) =>
      measured === undefined ? undefined : isSmallBetter ? measured <= limit : measured >= limit;
    return { ...budget, measured, isMustMet: isWithin(budget.must), isAimReached: isWithin(budget.aim) };
  });
}

/** What is left of the throughput, measured by the constant route of the same minute: without that, a machine that slows down would be taken for a cost of the rows. */
export function normalisedGrowth({ small, large }: Growth): number | undefined {
  return ratio(
    ratio(large.figures.perSecond, large.constant.perSecond),
    ratio(small.figures.perSecond, small.constant.perSecond),
  );
}

function confirmCell(cells: Measured['cells']) {
  return cellOf(cells, 'confirm');
}

function cellOf(cells: Measured['cells'], wanted: ScenarioName): Cell | undefined {
  return cells.find(({ scenario, connections }) => scenario === wanted && connections === CONNECTIONS);
}

/** Processor time for a request of ours, in that for a request of the constant route. */
function costAgainstConstant(cell: Cell | undefined): number | undefined {
  if (!cell) return undefined;
  const { figures, constant } = cell;
  return ratio(ratio(figures.serviceCpu, figures.perSecond), ratio(constant.cpu, constant.perSecond));
}

function ratio(value: number | undefined, reference: number | undefined): number | undefined {
  return value === undefined || reference === undefined || reference === 0 ? undefined : value / reference;
}

/** Those of the working tree come first, and another revision's after them. */
function ownOf(young: Measured['young']): Measured['young'] {
  return young.filter(({ revision }) => revision === young[0]?.revision);
}

function highest(values: readonly (number | undefined)[]): number | undefined {
  const lowestNegative = lowest(values.map((value) => value && -value));
  return lowestNegative && -lowestNegative;
}

/** `undefined` when one of them, or all, are missing. */
function lowest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 || known.length < values.length ? undefined : Math.min(...known);
}
