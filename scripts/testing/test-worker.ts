/**
 * Runs files of tests in this process one after the other, because most of what a file takes is loading the program.
 * Started and told by `test-process.ts`. As in a process of its own, a file is over when nothing is open any more.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { loadTestRunner } from './load-test-runner.ts';

export interface Task {
  /** Relative to `cwd`. */
  readonly file: string;
  readonly cwd: string;
  readonly namePattern?: string | undefined;
  readonly hasColours: boolean;
}

/** What the runner says of a file, and that the file is over. */
export type Report =
  | { readonly event: { readonly type: string; readonly data: unknown } }
  /** Of this process, and of those that it started and that have ended. */
  | { readonly processorSeconds: number };

/** After so long without a word, what is open is told. */
const SILENCE_MS = 60_000;
const environment = { ...process.env };
const loaded = loadTestRunner();

process.on('message', async (task: Task) => {
  const before = readProcessorSeconds();
  // The runner ends a file when nothing keeps this process from ending.
  process.channel?.unref();
  await runFile(task);
  process.channel?.ref();
  restoreEnvironment();
  report({ processorSeconds: readProcessorSeconds() - before });
});

process.once('disconnect', () => process.exit());

async function runFile({ file, cwd, namePattern, hasColours }: Task): Promise<void> {
  process.env['TEST_FILE'] = file;
  const silence = setInterval(listOpenHandles, SILENCE_MS).unref();
  const run = await loaded;
  const events = run({
    cwd,
    files: [join(cwd, file)],
    isolation: 'none',
    ...(namePattern === undefined ? {} : { testNamePatterns: [namePattern] }),
  });
  for await (const { type, data } of events) {
    silence.refresh();
    report({ event: { type, data: sendable(data, hasColours) } });
  }
  clearInterval(silence);
}

function report(report: Report): void {
  process.send?.(report);
}

function listOpenHandles(): void {
  console.error(`Nothing was heard for ${SILENCE_MS / 1000} s. Open: ${process.getActiveResourcesInfo().join(', ')}`);
}

/** An error is sent as the text that the reporter would print. */
function sendable(data: unknown, colors: boolean): unknown {
  const { details } = data as { details?: { error?: Error & { code?: string; failureType?: string } } };
  if (!details?.error) return data;
  const { error } = details;
  const text = inspect(error.code === 'ERR_TEST_FAILURE' ? error.cause : error, {
    colors,
    breakLength: Number.POSITIVE_INFINITY,
  });
  return { ...(data as object), details: { ...details, error: { text, failureType: error.failureType } } };
}

/** Columns of `/proc/self/stat` behind the name: the ticks of this process, and of its children, for programs and for the system. */
const TICKS = [11, 12, 13, 14];
const TICKS_PER_SECOND = 100;

function readProcessorSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const columns = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  return TICKS.reduce((sum, column) => sum + Number(columns[column]), 0) / TICKS_PER_SECOND;
}

function restoreEnvironment(): void {
  for (const name of Object.keys(process.env)) if (environment[name] === undefined) delete process.env[name];
  Object.assign(process.env, environment);
}
