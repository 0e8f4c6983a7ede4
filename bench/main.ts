/**
 * Measures the service beside baselines of the same run, on the same database: `pgbench` inserting the same rows, and the
 * same HTTP server answering a constant. Prints tables; writes `bench/results/latest.json` and `latest.svg`.
 *
 *     npm run bench -- [options]
 *
 *     --seconds N            for how long each cell is loaded (5)
 *     --rounds N             each figure is the median of so many rounds (3)
 *     --scenarios a,b        confirm, confirm-with-calculation, estimate, lookup-by-event, lookup-by-id, replay, mix (all)
 *     --connections 1,16     how many at once (1,16,128)
 *     --rows N               fills the database up to N contributions first, and measures what that costs
 *     --deliveries N         how many webhook deliveries are measured at least; 0 leaves them out (30000)
 *     --partners N           how many partners confirm, look up and estimate together, without endpoints and with one each; 0 leaves it out (200)
 *     --against REV          loads another revision beside the working tree, both at the same time
 *     --database-url URL     an existing PostgreSQL, or a Citus coordinator; keep one for this, the rows stay in it
 *     --processes N          processes of the service (1)
 *     --young                measures only the first minute of a new database under full load, beside a database that was analysed
 *     --generator NAME       wrk or autocannon (wrk where it is installed)
 *     --output FOLDER        where the results go (bench/results)
 *
 * After each load the rows in the database are compared with the acknowledged answers. The exit code is 1 when they differ,
 * when a request failed, or when a hot statement reads a growing table from end to end; never because something is slow.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startConstantServer } from './baselines/constant-server.ts';
import { findPgbench, preparePgbench } from './baselines/pgbench.ts';
import { compareWithBudgets } from './budgets.ts';
import { type Bench, type Cell, installationsOf, measureCell, measureChecked, measureConstant, medianCell } from './cells.ts';
import { measureDeliveries } from './deliveries/deliveries.ts';
import { loadByAutocannon } from './load/autocannon.ts';
import { loadByWrk } from './load/wrk.ts';
import { measureGrowth } from './measures/growth.ts';
import { measureHalfLoad } from './measures/half-load.ts';
import { measureLifetime } from './measures/lifetime.ts';
import type { Task } from './measures/measure.ts';
import { explainHotStatements } from './measures/plans.ts';
import { measureSideBySide } from './measures/side-by-side.ts';
import { FIRST_MINUTE_SECONDS, measureYoung, type Young } from './measures/young.ts';
import { measureMixed } from './mixed/mixed.ts';
import { type BenchOptions, readOptions } from './options.ts';
import { progress } from './report/progress.ts';
import { renderResults } from './report/tables.ts';
import { type Results, roundFigures, writeResults } from './results.ts';
import { readContributionBytes } from './subject/database.ts';
import { install, sampleAnswers } from './subject/installation.ts';
import { describeMachine, describeRevision } from './subject/machine.ts';
import { unpackRevision } from './subject/other-revision.ts';

const REPOSITORY = join(import.meta.dirname, '..');
/** For each second of a cell: an old service has confirmed a million in a run of the usual five, or worked for five minutes. */
const LIFE_CONFIRMATIONS = 200_000;
const LIFE_SECONDS_MAX = 60;
const WARM_UP_CONNECTIONS = 16;
const WARM_UP_SECONDS_MAX = 2;

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => interruption.abort(new Error(`Ended by ${signal}; everything is removed.`)));

process.exitCode = await main();

async function main(): Promise<number> {
  let options: BenchOptions;
  try {
    options = readOptions(import.meta.filename);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return 2;
  }
  try {
    const results = roundFigures(await run(options));
    process.stdout.write(renderResults(results));
    if (!options.young) {
      writeResults(options.outputDirectory, results);
      process.stdout.write(`\nWritten: ${join(options.outputDirectory, 'latest.json')} and latest.svg\n`);
    }
    for (const problem of results.problems) process.stdout.write(`FAILED: ${problem}\n`);
    return results.problems.length === 0 ? 0 : 1;
  } catch (error) {
    const { signal } = interruption;
    process.stderr.write(`${signal.aborted ? signal.reason.message : (error as Error).stack}\n`);
    return 1;
  }
}

async function run(options: BenchOptions): Promise<Results> {
  await using cleanUp = new AsyncDisposableStack();
  const bench = await setUp(options, cleanUp);
  if (options.young) return await withYoung(options, bench);
  const { cellSeconds: seconds, rounds, rows, scenarios, connections: levels } = options;
  const connections = levels.at(-1) ?? 1;
  await warmUp(bench, Math.min(WARM_UP_SECONDS_MAX, seconds));
  const growth = rows === undefined ? [] : await measureGrowth(bench, rows, { connections, seconds });
  const tasks = levels.flatMap((level) => scenarios.map((scenario): Task => ({ scenario, connections: level, seconds })));
  // While both have done as much: the compiler makes a program faster for minutes.
  const sideBySide = await measureSideBySide(bench, tasks, rounds);
  const cells: Cell[] = [];
  for (const task of tasks) cells.push(await measureRounds(bench, task, rounds));
  const mixed = await measureMixed(bench, { partners: options.partners, connections, seconds, rounds });
  const halfLoad = await measureHalfLoad(bench, cells, seconds);
  const deliveries = options.deliveries === 0 ? [] : await measureDeliveries(bench, options.deliveries);
  const life = { confirmations: seconds * LIFE_CONFIRMATIONS, secondsMax: seconds * LIFE_SECONDS_MAX, connections };
  const lifetime = scenarios.includes('confirm') ? await measureLifetime(bench, life) : undefined;
  const plans = await explainHotStatements(bench.installation);
  for (const { statement, scannedTables } of plans)
    if (scannedTables.length > 0) bench.problems.push(`${statement} reads ${scannedTables.join(' and ')} from end to end`);
  const contributionBytes = await readContributionBytes(bench.installation.pool);
  const measured = { cells, sideBySide, mixed, growth, halfLoad, deliveries, lifetime, young: [] };
  return {
    ...describe(options, bench),
    ...measured,
    plans,
    contributionBytes,
    verdicts: compareWithBudgets(measured),
    problems: bench.problems,
  };
}

async function withYoung(options: BenchOptions, bench: Bench): Promise<Results> {
  const seconds = FIRST_MINUTE_SECONDS;
  const young: Young[] = [];
  await using cleanUp = new AsyncDisposableStack();
  for (const installation of installationsOf(bench)) {
    const folder = mkdtempSync(join(tmpdir(), 'partner-impact-young-'));
    cleanUp.defer(() => rmSync(folder, { recursive: true, force: true }));
    const subject = { ...installation.subject.options, folder };
    young.push(...(await measureYoung(bench, installation, { subject, seconds })));
  }
  const measured = {
    cells: [],
    sideBySide: [],
    mixed: undefined,
    growth: [],
    halfLoad: [],
    deliveries: [],
    lifetime: undefined,
    young,
  };
  const { problems } = bench;
  return {
    ...describe(options, bench),
    ...measured,
    plans: [],
    contributionBytes: undefined,
    verdicts: compareWithBudgets(measured),
    problems,
  };
}

async function setUp(options: BenchOptions, cleanUp: AsyncDisposableStack): Promise<Bench> {
  const { databaseUrl, processes, against, generator } = options;
  const { signal } = interruption;
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-bench-'));
  cleanUp.defer(() => rmSync(folder, { recursive: true, force: true }));
  progress('starting the service and its database');
  const common = { databaseUrl, processes };
  const own = { ...common, name: 'working tree', repository: REPOSITORY, folder: join(folder, 'own') };
  const installation = await install(own, cleanUp, signal);
  const other = against === undefined ? undefined : join(folder, 'other');
  const program = findPgbench();
  if (program === undefined)
    progress('pgbench is not installed (Debian: postgresql-contrib-15 or postgresql-15): its baseline is missing');
  const target = { pool: installation.pool, databaseUrl: installation.subject.databaseUrl, folder, signal };
  const pgbench = program === undefined ? undefined : await preparePgbench(program, target, cleanUp);
  return {
    installation,
    other:
      other && against
        ? await install(
            { ...common, name: against, repository: unpackRevision(REPOSITORY, against, other), folder: other },
            cleanUp,
            signal,
          )
        : undefined,
    constant: await startConstantServer({ processes, answers: await sampleAnswers(installation) }, cleanUp),
    pgbench,
    load: generator === 'wrk' ? loadByWrk : loadByAutocannon,
    signal,
    problems: [],
  };
}

async function measureRounds(bench: Bench, task: Task, rounds: number): Promise<Cell> {
  const first = await measureCell(bench, task);
  const others: Cell[] = [];
  for (let round = 1; round < rounds; round++) others.push(await measureCell(bench, task));
  return medianCell([first, ...others]);
}

/** The first seconds of any program of Node are those of its compiler. */
async function warmUp(bench: Bench, seconds: number): Promise<void> {
  progress('warming up');
  const load = { connections: WARM_UP_CONNECTIONS, seconds };
  for (const scenario of ['confirm', 'lookup-by-event'] as const) {
    await measureConstant(bench, { ...load, scenario });
    for (const installation of installationsOf(bench)) await measureChecked(bench, installation, { ...load, scenario });
  }
}

function describe({ generator, processes, cellSeconds, rounds, against, databaseUrl }: BenchOptions, { installation }: Bench) {
  const { version, isDistributed } = installation.server;
  return {
    startedAt: new Date(Date.now() - performance.now()).toISOString(),
    revision: describeRevision(REPOSITORY),
    options: withoutOutput(process.argv.slice(2)),
    machine: describeMachine(),
    postgres: { version, isDistributed, isEmbedded: databaseUrl === undefined },
    generator,
    processes,
    cellSeconds,
    rounds,
    against,
  };
}

/** Where the results were written says nothing of them. */
function withoutOutput(options: readonly string[]): string[] {
  const index = options.indexOf('--output');
  return index === -1 ? [...options] : options.filter((_, place) => place !== index && place !== index + 1);
}
