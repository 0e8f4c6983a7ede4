/**
 * Verifies every record by the command `verify` while a partner confirms and looks up: who must not notice.
 *
 *     npm run reliability -- verify [--contributions 300000] [--rate 500]
 *
 *   --contributions  how many there are (default 300000), each with its event
 *   --rate           confirmations a second while it is verified, and as many look-ups (default 500)
 *
 * Prints the latencies without and beside the verification, its time, and the processor time and memory of its process. Fails when a
 * request is refused, when the p99 beside it is more than 100 ms above the one without, or when the command does not end with exit code 0.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { readArguments, readWhole } from '../harness/arguments.ts';
import { Installation, makePartner } from '../harness/installation.ts';
import type { Load, LoadFigures } from '../harness/load-generator.ts';
import { readResidentBytes } from '../harness/process-usage.ts';
import { percentile, printFigures, progress, Violations } from '../harness/report.ts';
import { runLoad } from '../harness/run-load.ts';
import { fill } from '../siege/partners.ts';

const P99_ABOVE_MS_MAX = 100;
/** After a second that is not measured. */
const WITHOUT = { durationMs: 10_000, warmUpMs: 1_000 };
/** Repeated until the verification has ended: the last one may outlast it by so much. */
const BESIDE = { durationMs: 2_000, warmUpMs: 0 };
const LOOK_EVERY_MS = 100;

const given = readArguments(import.meta.filename, {
  contributions: { type: 'string', default: '300000' },
  rate: { type: 'string', default: '500' },
});
const contributions = readWhole('contributions', given.contributions, { min: 1_000, max: 100_000_000 });
const rate = readWhole('rate', given.rate, { min: 1, max: 10_000 });
const violations = new Violations();

const installation = await Installation.start();
const database = installation.openDatabase();
try {
  const { apiKey } = await makePartner(database);
  progress(`${contributions} contributions`);
  await fill(installation.port, apiKey, { run: 'fill', count: contributions });
  const without = await load(apiKey, 'without', WITHOUT);
  progress('verify');
  const verification = verify();
  const rounds: LoadFigures[] = [];
  while (!verification.hasEnded()) rounds.push(await load(apiKey, `beside-${rounds.length}`, BESIDE));
  const { code, output, seconds, peakMegabytes } = await verification.result;
  const beside = rounds.flatMap(latenciesOf);
  printFigures('Verification beside load', {
    'confirmations and look-ups alone': describe(latenciesOf(without)),
    'beside the verification': describe(beside),
    'the verification': `${seconds.toFixed(1)} s, ${peakMegabytes.toFixed(0)} MB at most, exit code ${code}`,
  });
  if (code !== 0) violations.report(`verify ended with exit code ${code}: ${output.slice(-2_000)}`);
  for (const round of [without, ...rounds]) reportRefusals(round);
  const aboveMs = percentile(beside, 0.99) - percentile(latenciesOf(without), 0.99);
  if (aboveMs > P99_ABOVE_MS_MAX)
    violations.report(`p99 beside the verification is ${aboveMs.toFixed(0)} ms above the one without`);
  process.exitCode = violations.printVerdict(
    `${seconds.toFixed(1)} s of verification, p99 beside it ${aboveMs.toFixed(0)} ms above the one without`,
  );
} finally {
  await database.close();
  await installation.close();
}

function load(apiKey: string, run: string, times: Pick<Load, 'durationMs' | 'warmUpMs'>): Promise<LoadFigures> {
  const { port } = installation;
  const rates = { requestsPerSecond: rate, lookupsPerSecond: rate };
  return runLoad({ port, apiKey, run, lookedUpRun: 'fill', ...times, connections: 128, rates });
}

/** The command, in a process of its own, as an operator starts it. */
function verify() {
  const command = join(import.meta.dirname, '../../bin/partner-impact.mjs');
  const env = { ...process.env, DATA_DIR: installation.dataDirectory };
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, [command, 'verify'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let peakBytes = 0;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const watch = async () => {
    for (; !hasEnded(); await sleep(LOOK_EVERY_MS)) peakBytes = Math.max(peakBytes, readResidentBytes(child.pid as number));
  };
  const result = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr), watch()]).then(
    ([[code], stdout, stderr]) => {
      const seconds = (performance.now() - startedAtMs) / 1_000;
      return { code, output: stdout + stderr, seconds, peakMegabytes: peakBytes / 2 ** 20 };
    },
  );
  return { hasEnded, result };
}

function latenciesOf({ confirmations, lookups }: LoadFigures): number[] {
  return [confirmations, lookups].flatMap(({ acceptedMs }) => acceptedMs);
}

const UNANSWERED: Readonly<Record<string, string>> = {
  none: 'got no answer',
  unsent: 'were not sent, because all connections waited for an answer',
};

function reportRefusals({ confirmations, lookups, unanswered }: LoadFigures): void {
  for (const { byStatus } of [confirmations, lookups])
    for (const [status, times] of Object.entries(byStatus))
      if (!status.startsWith('2'))
        violations.report(`${times} requests ${UNANSWERED[status] ?? `were answered ${status}`}`, `status ${status}`);
  if (unanswered > 0) violations.report(`${unanswered} requests were not answered`);
}

function describe(latenciesMs: readonly number[]): string {
  const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => percentile(latenciesMs, share).toFixed(1));
  return `${latenciesMs.length} requests, p50 ${p50} ms, p99 ${p99} ms, longest ${longest} ms`;
}
