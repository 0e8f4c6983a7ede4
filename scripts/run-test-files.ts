import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export const REPOSITORY = join(import.meta.dirname, '..');
/** Each file is a process of its own, and all of them load the same modules: they are compiled once, as those of the service are. */
process.env['NODE_COMPILE_CACHE'] ??= join(REPOSITORY, 'node_modules/.cache/node');

const SLOWEST_SHOWN = 15;
/** Files of tests at once: many wait for a receiver or a time-out, so that two leave half of two cores idle. */
const CONCURRENCY = 4;

export interface RunOptions {
  /** Only tests whose title fits. */
  readonly namePattern?: string | undefined;
  readonly concurrency?: number;
}
/** A file that is silent for so long hangs: with an open handle a process of tests never ends by itself. */
const SILENCE_LIMIT_MS = 180_000;

/** Aborted by a signal to the process: what runs is ended, and the sum says so. */
export const interruption = new AbortController();
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

/** Adds what the run itself counted; a run that says nothing at its end, or a file without a test, counts as failed. */
export async function runFiles(
  files: readonly string[],
  counts: Counts,
  { namePattern, concurrency = CONCURRENCY }: RunOptions = {},
): Promise<void> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error(`nothing happened for ${SILENCE_LIMIT_MS / 1000} s`)), SILENCE_LIMIT_MS);
  const events = run({
    cwd: REPOSITORY,
    files: files.map((file) => join(REPOSITORY, file)),
    concurrency,
    signal: AbortSignal.any([silence.signal, interruption.signal]),
    ...(namePattern === undefined ? {} : { testNamePatterns: [namePattern] }),
  });
  let hasSummary = false;
  const times: FileTime[] = [];
  // Node reports a file without tests as a passed test of the file's name.
  events.on('test:pass', ({ name, file }) => {
    if (name !== file) return;
    counts.passed -= 1;
    if (namePattern !== undefined) return;
    counts.failed += 1;
    console.log(`✖ ${relative(REPOSITORY, name)} holds no test`);
  });
  events.on('test:summary', ({ file, success, duration_ms: milliseconds, counts: { tests, passed, skipped, todo } }) => {
    if (file !== undefined) {
      times.push({ file: relative(REPOSITORY, file), milliseconds });
      return;
    }
    hasSummary = true;
    const failed = tests - passed - skipped - todo;
    counts.passed += passed;
    counts.skipped += skipped + todo;
    // What fails outside every test, such as a hook of a suite, is not counted by the run.
    counts.failed += failed === 0 && !success ? 1 : failed;
  });
  const printed = events.compose(spec);
  printed.on('data', (text) => {
    timer.refresh();
    process.stdout.write(text);
  });
  await new Promise((resolve, reject) => printed.once('end', resolve).once('error', reject));
  clearTimeout(timer);
  printSlowest(times);
  if (!hasSummary) throw new Error('The run ended without a summary.');
}

interface FileTime {
  readonly file: string;
  readonly milliseconds: number;
}

/** Where the time of a whole run goes; of one or two files the reporter says it itself. */
function printSlowest(times: readonly FileTime[]): void {
  if (times.length <= SLOWEST_SHOWN) return;
  console.log(`The slowest of ${times.length} files:`);
  const slowest = times.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, SLOWEST_SHOWN);
  for (const { file, milliseconds } of slowest) console.log(`${(milliseconds / 1_000).toFixed(1).padStart(7)} s  ${file}`);
}
