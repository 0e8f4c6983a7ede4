import { normalisedGrowth, type Verdict } from '../budgets.ts';
import type { Cell } from '../cells.ts';
import type { Deliveries } from '../deliveries/deliveries.ts';
import type { Growth } from '../measures/growth.ts';
import type { HalfLoad } from '../measures/half-load.ts';
import type { Lifetime } from '../measures/lifetime.ts';
import type { Figures } from '../measures/measure.ts';
import type { Plan } from '../measures/plans.ts';
import type { SideBySide, Spread } from '../measures/side-by-side.ts';
import type { Young } from '../measures/young.ts';
import type { Mixed } from '../mixed/mixed.ts';
import type { Results } from '../results.ts';
import { SCENARIOS } from '../scenarios.ts';
import { type Column, decimal, microseconds, ratio, renderTable, whole } from './table.ts';

/** What a person reads of a run, on standard output. */
export function renderResults(results: Results): string {
  const { machine, postgres, cells, sideBySide, mixed, growth, halfLoad, deliveries, lifetime, plans, verdicts } = results;
  const place = postgres.isDistributed ? ', distributed' : postgres.isEmbedded ? ', embedded' : '';
  const head = [
    `Revision ${results.revision}, ${results.startedAt}, load by ${results.generator}, ${results.cellSeconds} s per cell, median of ${results.rounds} round(s)`,
    `${machine.cores} × ${machine.cpuModel}, ${machine.memoryGigabytes} GB, Linux ${machine.kernel}`,
    `Node ${machine.node}, PostgreSQL ${postgres.version}${place}, ${results.processes} service process(es)`,
  ];
  const parts = [`${head.join('\n')}\n`, renderCells(cells), renderCost(cells)];
  if (mixed) parts.push(renderMixed(mixed));
  if (results.against !== undefined) parts.push(renderSideBySide(sideBySide, results.against));
  if (growth.length > 0) parts.push(renderGrowth(growth));
  if (halfLoad.length > 0) parts.push(renderHalfLoad(halfLoad));
  if (deliveries.length > 0) parts.push(renderDeliveries(deliveries, results.against));
  if (results.young.length > 0) parts.push(renderYoung(results.young));
  if (lifetime) parts.push(renderLifetime(lifetime));
  if (results.contributionBytes)
    parts.push(`\nA contribution takes ${whole(results.contributionBytes)} bytes with its indexes\n`);
  // With the few rows of a short run the plans themselves say little.
  parts.push(renderPlans(plans, growth.length > 0), renderVerdicts(verdicts));
  return parts.join('');
}

const CELL: readonly Column<Pick<Cell, 'scenario' | 'connections'>>[] = [
  ['scenario', ({ scenario }) => SCENARIOS[scenario].title],
  ['conns', ({ connections }) => String(connections)],
];

function renderCells(cells: readonly Cell[]): string {
  return renderTable(
    'Throughput and latency, beside baselines of the same minute',
    [
      ...CELL,
      ['per second', ({ figures }) => whole(figures.perSecond)],
      ['p50 ms', ({ figures }) => decimal(figures.p50Ms)],
      ['p90 ms', ({ figures }) => decimal(figures.p90Ms)],
      ['p99 ms', ({ figures }) => decimal(figures.p99Ms)],
      ['max ms', ({ figures }) => decimal(figures.maxMs)],
      ['constant route', ({ constant }) => whole(constant.perSecond)],
      ['ratio', ({ figures, constant }) => ratio(figures.perSecond, constant.perSecond)],
      ['pgbench', ({ pgbenchPerSecond }) => whole(pgbenchPerSecond)],
      ['ratio', ({ figures, pgbenchPerSecond }) => ratio(figures.perSecond, pgbenchPerSecond)],
      ['least table', ({ leastPerSecond }) => whole(leastPerSecond)],
      ['ratio', ({ figures, leastPerSecond }) => ratio(figures.perSecond, leastPerSecond)],
    ],
    cells,
  );
}

function renderCost(cells: readonly Cell[]): string {
  return renderTable(
    'What it costs: cores in use, and microseconds of processor time per request',
    [
      ...CELL,
      ['service cores', ({ figures }) => decimal(figures.serviceCpu)],
      ['PostgreSQL cores', ({ figures }) => decimal(figures.databaseCpu)],
      ['service µs', ({ figures }) => microseconds(figures.serviceCpu, figures.perSecond)],
      ['PostgreSQL µs', ({ figures }) => microseconds(figures.databaseCpu, figures.perSecond)],
      ['constant route µs', ({ constant }) => microseconds(constant.cpu, constant.perSecond)],
      ['service MB', ({ figures }) => whole(figures.residentMegabytes)],
    ],
    cells,
  );
}

function renderMixed({ partners, connections, rounds, median }: Mixed): string {
  return renderTable(
    `60 % confirm, 30 % lookup, 10 % estimate by ${partners} partners, ${connections} connections: without endpoints / with one each that gets every event`,
    [
      ['round', (round) => (round === median ? 'median' : String(rounds.indexOf(round) + 1))],
      ['per second', ({ without, having }) => `${whole(without.perSecond)} / ${whole(having.perSecond)}`],
      ['ratio', ({ without, having }) => ratio(having.perSecond, without.perSecond)],
      ['p50 ms', ({ without, having }) => `${decimal(without.p50Ms)} / ${decimal(having.p50Ms)}`],
      ['p99 ms', ({ without, having }) => `${decimal(without.p99Ms)} / ${decimal(having.p99Ms)}`],
      ['service µs', ({ without, having }) => `${costOf(without).service} / ${costOf(having).service}`],
      ['PostgreSQL µs', ({ without, having }) => `${costOf(without).database} / ${costOf(having).database}`],
      ['delivered per second', ({ deliveredPerSecond }) => whole(deliveredPerSecond)],
      ['waiting at half, end', ({ waitingAtHalf, waitingAtEnd }) => `${whole(waitingAtHalf)}, ${whole(waitingAtEnd)}`],
      ['constant route', ({ constant }) => whole(constant.perSecond)],
      ['pgbench', ({ pgbenchPerSecond }) => whole(pgbenchPerSecond)],
      ['least table', ({ leastPerSecond }) => whole(leastPerSecond)],
    ],
    [...rounds, median],
  );
}

function costOf({ serviceCpu, databaseCpu, perSecond }: Figures) {
  return { service: microseconds(serviceCpu, perSecond), database: microseconds(databaseCpu, perSecond) };
}

function renderSideBySide(sideBySide: readonly SideBySide[], against: string): string {
  return renderTable(
    `Working tree beside ${against}, both under load at the same time: what each costs in microseconds a request, and the ratios of all pairs of loads, median (least to most)`,
    [
      ...CELL,
      ['per second', ({ own, other }) => `${whole(own.perSecond)} / ${whole(other.perSecond)}`],
      ['ratio', ({ perSecond }) => range(perSecond)],
      ['service µs', ({ own, other }) => `${costOf(own).service} / ${costOf(other).service}`],
      ['ratio', ({ serviceCost }) => range(serviceCost)],
      ['PostgreSQL µs', ({ own, other }) => `${costOf(own).database} / ${costOf(other).database}`],
      ['ratio', ({ databaseCost }) => range(databaseCost)],
    ],
    sideBySide,
  );
}

function range(spread: Spread | undefined): string {
  if (spread === undefined) return '–';
  const { median, least, most } = spread;
  return `${ratio(median, 1)} (${decimal(least)} to ${decimal(most)})`;
}

function renderGrowth(growth: readonly Growth[]): string {
  const [first] = growth;
  return renderTable(
    'A small database and a large one',
    [
      ['scenario', ({ scenario }) => SCENARIOS[scenario].title],
      [`${whole(first?.smallRows)} rows`, ({ small }) => whole(small.figures.perSecond)],
      [`${whole(first?.largeRows)} rows`, ({ large }) => whole(large.figures.perSecond)],
      ['ratio', ({ small, large }) => ratio(large.figures.perSecond, small.figures.perSecond)],
      // How much of the first ratio is the machine, and what is left of it without that.
      ['constant route meanwhile', ({ small, large }) => ratio(large.constant.perSecond, small.constant.perSecond)],
      ['normalised', (growth) => ratio(normalisedGrowth(growth), 1)],
      ['p99 ms', ({ small, large }) => `${decimal(small.figures.p99Ms)} → ${decimal(large.figures.p99Ms)}`],
    ],
    growth,
  );
}

function renderYoung(young: readonly Young[]): string {
  return renderTable(
    'The first minute of a new database under full load, and the same on one that was analysed',
    [
      ['revision', ({ revision }) => revision],
      ['scenario', ({ scenario }) => SCENARIOS[scenario].title],
      ['p50 ms', ({ young, old }) => `${decimal(young.p50Ms)} / ${decimal(old.p50Ms)}`],
      ['p99 ms', ({ young, old }) => `${decimal(young.p99Ms)} / ${decimal(old.p99Ms)}`],
      ['ratio', ({ young, old }) => ratio(young.p99Ms, old.p99Ms)],
      ['max ms', ({ young, old }) => `${decimal(young.maxMs)} / ${decimal(old.maxMs)}`],
      ['per second', ({ young, old }) => `${whole(young.perSecond)} / ${whole(old.perSecond)}`],
      ['confirmations per second', ({ confirmed }) => `${whole(confirmed.young)} / ${whole(confirmed.old)}`],
    ],
    young,
  );
}

function renderHalfLoad(halfLoad: readonly HalfLoad[]): string {
  return renderTable(
    'At half of the highest load, at a fixed rate',
    [
      ['scenario', ({ scenario }) => SCENARIOS[scenario].title],
      ['conns', ({ connections }) => String(connections)],
      ['rate', ({ ratePerSecond }) => whole(ratePerSecond)],
      ['reached', ({ figures }) => whole(figures.perSecond)],
      ['late', ({ late }) => whole(late)],
      ['p50 ms', ({ figures }) => decimal(figures.p50Ms)],
      ['p99 ms', ({ figures }) => decimal(figures.p99Ms)],
      ['max ms', ({ figures }) => decimal(figures.maxMs)],
    ],
    halfLoad,
  );
}

function renderDeliveries(deliveries: readonly Deliveries[], against: string | undefined): string {
  const compared: Column<Deliveries>[] =
    against === undefined
      ? []
      : [
          [against, ({ other }) => whole(other?.perSecond)],
          ['ratio', ({ own, other }) => ratio(own.perSecond, other?.perSecond)],
        ];
  return renderTable(
    'Webhook deliveries out of a backlog, beside undici that posts the same bodies; microseconds of processor time for each',
    [
      ['endpoints', ({ endpoints }) => String(endpoints)],
      ['conns', ({ connections }) => String(connections)],
      ['per second', ({ own }) => whole(own.perSecond)],
      ['bare undici', ({ bare }) => whole(bare.perSecond)],
      ['ratio', ({ own, bare }) => ratio(own.perSecond, bare.perSecond)],
      ...compared,
      ['service µs', ({ own }) => whole(own.cpuMicroseconds)],
      ['PostgreSQL µs', ({ own }) => whole(own.databaseCpuMicroseconds)],
      ['bare undici µs', ({ bare }) => whole(bare.cpuMicroseconds)],
    ],
    deliveries,
  );
}

function renderLifetime({ readySeconds, early, late }: Lifetime): string {
  return renderTable(
    `Ready ${decimal(readySeconds)} s after a start on this database; memory of the service`,
    [
      ['confirmations since the start', ({ confirmations }) => whole(confirmations)],
      ['MB', ({ residentMegabytes }) => whole(residentMegabytes)],
    ],
    [early, late],
  );
}

function renderPlans(plans: readonly Plan[], showsLines: boolean): string {
  const shown = plans.map(({ statement, lines, scannedTables }) => {
    const verdict = scannedTables.length === 0 ? 'index access only' : `SCANS ${scannedTables.join(', ')}`;
    return `  ${statement}: ${verdict}\n${showsLines ? `${lines.map((line) => `      ${line}`).join('\n')}\n\n` : ''}`;
  });
  return `\nPlans of the hot statements, on the database as it is now\n\n${shown.join('')}`;
}

function renderVerdicts(verdicts: readonly Verdict[]): string {
  const said = (is: boolean | undefined, yes: string, no: string) => (is === undefined ? '–' : is ? yes : no);
  return renderTable(
    'Budgets',
    [
      ['what', ({ what, measured, needs }) => (measured === undefined ? `${what}; needs ${needs}` : what)],
      [
        'measured',
        ({ measured, unit }) =>
          measured === undefined ? '–' : Number.isFinite(measured) ? `${decimal(measured)} ${unit}` : 'rate not kept',
      ],
      ['must', ({ must, unit }) => `${must} ${unit}`],
      ['', ({ isMustMet }) => said(isMustMet, 'met', 'MISSED')],
      ['aim', ({ aim, unit }) => `${aim} ${unit}`],
      ['', ({ isAimReached }) => said(isAimReached, 'reached', 'not reached')],
    ],
    verdicts,
  );
}
