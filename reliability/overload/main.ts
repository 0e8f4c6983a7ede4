/**
 * Offers the service three times what it can do, and measures what it still does.
 *
 *     node reliability/overload/main.ts [--seconds 15] [--connections 128] [--times 3] [--pool 1024] [--cpu-prof DIR] [--repository PATH]
 *
 * First the peak: durable confirmations in a closed loop on 128 connections. Then an open loop: confirmations fall due at
 * `times` the peak, whatever becomes of the earlier ones. The partners have so many connections together as `--pool` says;
 * a request that finds them all busy waits, for 250 ms at most, and is then given up unsent. Latency counts from the moment at
 * which a request was due, this wait included. Nobody honours Retry-After: a refused request is lost, and the next ones keep
 * coming. Fifty look-ups a second go along on connections of their own, as of partners that recover.
 *
 * Generator, service and PostgreSQL share this machine. The generator is one thread that writes bytes made beforehand; what
 * each of the three, and everybody else, took of the processor is printed. A generator that cannot keep up would flatter the
 * service, so a run is void when less than 95 % of the requests fell due, or 1 % of them more than 100 ms late. Nor may the peak be
 * less than the service can do: a run is void when less than 99 % of the confirmations of the peak were confirmed.
 *
 *   --seconds      how long each of the two is measured (default 15), after 3 s that are not
 *   --connections  of the closed loop (default 128)
 *   --times        how many times the peak is offered (default 3)
 *   --pool         how many connections the partners have in the open loop (default 1024)
 *   --cpu-prof     a folder for a processor profile of the service, for Chrome's developer tools
 *   --repository   measures the service of another checkout
 *
 * Limits: useful work at least 70 % of the peak; accepted p99 at most 500 ms; every refusal, at the peak too, 429 or 503 with Retry-After; no
 * look-up refused; every acknowledged confirmation stored, and none that was refused by 429 or not sent; memory at most 300 MB.
 * Exit code 1 when one is missed or the run is void.
 */
import { join } from 'node:path';
import { readArguments, readWhole } from '../harness/arguments.ts';
import { Installation, makePartner } from '../harness/installation.ts';
import type { Load, LoadFigures } from '../harness/load-generator.ts';
import { FIRST_RUN } from '../harness/load-requests.ts';
import { MEMORY_MEGABYTES_MAX, MemoryWatch } from '../harness/memory-watch.ts';
import { percentile, printFigures, progress, Violations } from '../harness/report.ts';
import { runLoad } from '../harness/run-load.ts';
import { checkLoad, countOf, usefulPerSecond } from './check-load.ts';
import { checkRows } from './check-rows.ts';
import { type Cores, watchCores } from './processor-time.ts';

const WARM_UP_MS = 3_000;
const LOOKUPS_PER_SECOND = 50;
const OVER_RUN = 'over';

const given = readArguments(import.meta.filename, {
  seconds: { type: 'string', default: '15' },
  connections: { type: 'string', default: '128' },
  times: { type: 'string', default: '3' },
  pool: { type: 'string', default: '1024' },
  'cpu-prof': { type: 'string' },
  repository: { type: 'string', default: join(import.meta.dirname, '../..') },
});
const durationMs = readWhole('seconds', given.seconds, { min: 1, max: 3_600 }) * 1_000;
const connections = readWhole('connections', given.connections, { min: 1, max: 4_096 });
const partnerConnections = readWhole('pool', given.pool, { min: 1, max: 20_000 });
const times = readWhole('times', given.times, { min: 1, max: 20 });

process.exitCode = await main();

async function main(): Promise<number> {
  const violations = new Violations();
  const profile = given['cpu-prof'];
  const installation = await Installation.start({
    repository: given.repository,
    discardsOutput: true,
    env: { LOG_LEVEL: 'info' },
    nodeOptions: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
  });
  const database = installation.openDatabase();
  const memory = await MemoryWatch.start('the service', () => installation.residentMegabytes);
  try {
    const { apiKey } = await makePartner(database);
    const load = { port: installation.port, apiKey, durationMs, warmUpMs: WARM_UP_MS };
    progress(`The peak: ${connections} connections in a closed loop`);
    const peak = await measure({ ...load, run: FIRST_RUN, connections }, installation);
    const peakPerSecond = usefulPerSecond(peak.figures);
    progress(`${Math.round(peakPerSecond)} confirmations a second; now ${times} times as many are offered`);
    const rates = { requestsPerSecond: peakPerSecond * times, lookupsPerSecond: LOOKUPS_PER_SECOND };
    const over = await measure({ ...load, run: OVER_RUN, connections: partnerConnections, rates }, installation);
    const { rows } = await database.pool.query<{ event: string }>('select partner_event_id as event from contribution');
    const stored = new Set(rows.map(({ event }) => event));
    const runs = [
      { run: FIRST_RUN, outcomes: peak.figures.outcomes },
      { run: OVER_RUN, outcomes: over.figures.outcomes },
    ];
    checkLoad({ peak: peak.figures, over: over.figures, times, lookupsPerSecond: LOOKUPS_PER_SECOND }, violations.report);
    const unknown = checkRows(stored, runs, violations.report);
    memory.endBelow(MEMORY_MEGABYTES_MAX, violations.report);
    print(peak, over, { memoryMegabytes: memory.peak, unknown });
    return violations.printVerdict(
      `${Math.round(peakPerSecond)} confirmations a second at the peak, ${Math.round(usefulPerSecond(over.figures))} under ${times} times as many, ${stored.size} stored`,
    );
  } finally {
    await database.close();
    await installation.close();
  }
}

interface Phase {
  readonly figures: LoadFigures;
  readonly cores: Cores;
}

async function measure(load: Load, installation: Installation): Promise<Phase> {
  const cores = watchCores(installation);
  const figures = await runLoad(load);
  return { figures, cores: cores() };
}

function print(
  peak: Phase,
  over: Phase,
  { memoryMegabytes, unknown }: { readonly memoryMegabytes: number; readonly unknown: number },
): void {
  const peakPerSecond = usefulPerSecond(peak.figures);
  const { confirmations, lookups, connectionsMax, latenessMs, measuredMs } = over.figures;
  printFigures(`The peak, closed loop, ${connections} connections`, {
    'confirmations a second': Math.round(peakPerSecond),
    'p50 and p99, ms': quantiles(peak.figures.confirmations.acceptedMs),
    'answers by status': show(peak.figures.confirmations.byStatus),
    'cores in use': cores(peak),
  });
  printFigures(`${times} times the peak, open loop`, {
    'offered a second': Math.round(countOf(confirmations) / (measuredMs / 1_000)),
    'useful a second': `${Math.round(usefulPerSecond(over.figures))} = ${Math.round((usefulPerSecond(over.figures) / peakPerSecond) * 100)} % of the peak`,
    'accepted p50 and p99, ms': quantiles(confirmations.acceptedMs),
    'refused p50 and p99, ms': quantiles(confirmations.refusedMs),
    'answers by status': show(confirmations.byStatus),
    'refusals without Retry-After': confirmations.refusalsWithoutRetryAfter,
    'look-ups by status': show(lookups.byStatus),
    'look-ups p50 and p99, ms': quantiles(lookups.acceptedMs),
    'connections at most': connectionsMax,
    'sent late at p99, ms': Math.round(latenessMs),
    'cores in use': cores(over),
    'stored without an answer, or behind a 503': unknown,
    'memory of the service at most, MB': memoryMegabytes,
  });
}

function quantiles(values: readonly number[]): string {
  return `${Math.round(percentile(values, 0.5))} and ${Math.round(percentile(values, 0.99))}`;
}

function show(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([status, each]) => `${status} ${each}`)
    .join(', ');
}

function cores({ cores: by }: Phase): string {
  return Object.entries(by)
    .map(([who, number]) => `${who} ${number.toFixed(2)}`)
    .join(', ');
}
