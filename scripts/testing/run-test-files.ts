import { join } from 'node:path';
import { Readable } from 'node:stream';
import { spec } from 'node:test/reporters';
import { FittingConcurrency } from './fitting-concurrency.ts';
import { type FileRun, type TestEvent, TestProcess } from './test-process.ts';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export const REPOSITORY = join(import.meta.dirname, '../..');
/** Whatever the tests start loads the same modules: they are compiled once, as those of the service are. */
process.env['NODE_COMPILE_CACHE'] ??= join(REPOSITORY, 'node_modules/.cache/node');

const SLOWEST_SHOWN = 15;
/** The most files of tests at once: many wait for a receiver or a time-out. */
const CONCURRENCY = 12;
/** Of all runs together. */
const places = new FittingConcurrency(CONCURRENCY);

export interface RunOptions {
  /** Only tests whose title fits. */
  readonly namePattern?: string | undefined;
  /** The most files of this run at once. */
  readonly concurrency?: number;
  /** What the environment of the tests has beside this process's. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Aborted by a signal to the process: what runs is ended, and the sum says so. */
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    console.error(`\n${signal}: ending the tests …`);
    interruption.abort(new Error(`ended by ${signal}`));
  });
}

/** Prints the sum as the very last line. @returns The exit code: 0 only when something was tested and nothing failed. */
export function printSum(counts: Counts): number {
  const isNothingTested = counts.passed + counts.failed === 0;
  if (isNothingTested) console.log('No test was executed.');
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed > 0 || isNothingTested || interruption.signal.aborted ? 1 : 0;
}

/**
 * Runs files in a few processes, each of which takes one after the other; what a file says is printed when it has come to its end.
 * A file without a test counts as failed, and so does one that ends its process or does not come to its end.
 */
export async function runFiles(files: readonly string[], counts: Counts, options: RunOptions = {}): Promise<void> {
  const runs: FileRun[] = [];
  const events = new Readable({ objectMode: true, read() {} });
  const printed = events.compose(spec).on('data', (text) => process.stdout.write(text));
  const isPrinted = new Promise((resolve, reject) => printed.once('end', resolve).once('error', reject));
  await runAll(files, options, (run) => {
    runs.push(run);
    for (const event of run.events) if (SHOWN.test(event.type) || isStrayError(event)) events.push(event);
    count(run, counts, options.namePattern !== undefined);
  });
  events.push(null);
  await isPrinted;
  for (const { file, end } of runs) if ('problem' in end) console.log(`✖ ${file}: ${end.problem}`);
  printSlowest(runs);
}

/** What else the runner says concerns a single file: its plan and its sums. */
const SHOWN = /^test:(?!plan|diagnostic|summary)/;

/** What was thrown when its test was over: the runner tells of it, and lets the file fail. */
function isStrayError({ type, data }: TestEvent): boolean {
  return type === 'test:diagnostic' && data.message.startsWith('Error: ');
}

function isSkippedSuite({ type, data }: TestEvent): boolean {
  return type === 'test:pass' && data.details.type === 'suite' && data.skip !== undefined;
}

/** Gives each file to a process that has nothing to do, or to a new one. */
async function runAll(
  files: readonly string[],
  { namePattern, env = {}, concurrency = CONCURRENCY }: RunOptions,
  tell: (run: FileRun) => void,
): Promise<void> {
  const { signal } = interruption;
  const hasColours = process.stdout.isTTY;
  const processes = new Set<TestProcess>();
  const free: TestProcess[] = [];
  const running = new Set<Promise<void>>();
  const runOne = async (file: string) => {
    if (signal.aborted) return;
    const chosen = free.pop() ?? new TestProcess(env);
    processes.add(chosen);
    tell(await chosen.run({ file, cwd: REPOSITORY, namePattern, hasColours }));
    if (chosen.isUsable) free.push(chosen);
  };
  signal.addEventListener('abort', () => {
    for (const each of processes) each.kill();
  });
  for (const file of files) {
    while (running.size >= concurrency) await Promise.race(running);
    const run: Promise<void> = places.run(() => runOne(file)).finally(() => running.delete(run));
    running.add(run);
  }
  await Promise.all(running);
  await Promise.all(free.map((each) => each.end()));
}

function count({ file, events, end }: FileRun, counts: Counts, isPartial: boolean): void {
  const summary = events.find(({ type }) => type === 'test:summary')?.data;
  if ('problem' in end || summary === undefined) counts.failed += 1;
  if (summary === undefined) return;
  const { tests, passed, skipped, todo } = summary.counts;
  const failed = tests - passed - skipped - todo;
  // A suite that is skipped whole counts as one: the runner's sum holds none of its tests.
  const skippedSuites = events.filter(isSkippedSuite).length;
  counts.passed += passed;
  counts.skipped += skipped + todo + skippedSuites;
  // What fails outside every test, such as a hook of a suite, is not counted by the runner.
  const strayErrors = events.filter(isStrayError).length;
  counts.failed += failed + strayErrors === 0 && !summary.success ? 1 : failed + strayErrors;
  // Node reports a file without tests as a passed test of the file's name. A file that waits for what never comes ends without any.
  const isReportedAsTest = events.some(({ type, data }) => type === 'test:pass' && data.name === join(REPOSITORY, file));
  if (isReportedAsTest) counts.passed -= 1;
  if (isPartial || (tests + skippedSuites > 0 && !isReportedAsTest)) return;
  counts.failed += 1;
  console.log(`✖ ${file} holds no test`);
}

/** Where the time of a whole run goes; of one or two files the reporter says it itself. */
function printSlowest(runs: readonly FileRun[]): void {
  if (runs.length <= SLOWEST_SHOWN) return;
  const costs = runs.map(({ file, milliseconds, end }) => {
    return { file, seconds: milliseconds / 1_000, processorSeconds: 'problem' in end ? 0 : end.processorSeconds };
  });
  const sum = costs.reduce((seconds, cost) => seconds + cost.processorSeconds, 0);
  console.log(
    `The ${runs.length} files took ${sum.toFixed(0)} s of processor time, that of PostgreSQL apart. The most expensive:`,
  );
  printFirst(costs.toSorted((one, other) => other.processorSeconds - one.processorSeconds));
  console.log('Those that took longest, waits included:');
  printFirst(costs.toSorted((one, other) => other.seconds - one.seconds));
}

interface FileCost {
  readonly file: string;
  readonly seconds: number;
  readonly processorSeconds: number;
}

function printFirst(costs: readonly FileCost[]): void {
  for (const { file, seconds, processorSeconds } of costs.slice(0, SLOWEST_SHOWN))
    console.log(`${processorSeconds.toFixed(1).padStart(7)} s, in ${seconds.toFixed(1)} s  ${file}`);
}
