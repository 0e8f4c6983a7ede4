import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { LoadOutcome, LoadRequest } from './load.ts';

const SCRIPTS = new URL('../wrk/', import.meta.url).pathname;
const CORES_PER_THREAD = 4;

export function findWrk(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'wrk'))
    .find(isExecutable);
}

/** @throws Error When wrk says nothing that can be read. */
export async function loadByWrk(request: LoadRequest, signal: AbortSignal): Promise<LoadOutcome> {
  const { baseUrl, connections, seconds } = request;
  // One thread sends far more than one process of the service answers, and leaves the cores to those under test.
  const threads = Math.min(connections, Math.max(1, Math.floor(availableParallelism() / CORES_PER_THREAD)));
  const words = ['-t', threads, '-c', connections, '-d', `${seconds}s`, '--timeout', '10s', '-s', `${SCRIPTS}load.lua`, baseUrl];
  const { stdout, stderr } = await promisify(execFile)('wrk', words.map(String), {
    signal,
    env: { ...process.env, ...settings(request, threads) },
  });
  const [, figures] = /^BENCH (.*)$/m.exec(stdout) ?? [];
  if (figures === undefined) throw new Error(`wrk did not report what it did:\n${stdout}${stderr}`);
  return JSON.parse(figures);
}

/** The script reads them from its environment, where the key is not shown to everybody who lists the processes. */
function settings(request: LoadRequest, threads: number): Record<string, string> {
  const { scenario, apiKey, apiKeys = [apiKey], token, known, replayable, ratePerSecond } = request;
  return {
    BENCH_WRK_DIRECTORY: SCRIPTS,
    BENCH_SCENARIO: scenario,
    BENCH_THREADS: String(threads),
    BENCH_API_KEYS: apiKeys.join(','),
    BENCH_TOKEN: token,
    BENCH_KNOWN_TOKEN: known.token,
    BENCH_KNOWN_COUNT: String(known.count),
    BENCH_REPLAY_TOKEN: replayable.token,
    BENCH_REPLAY_COUNT: String(replayable.count),
    ...(ratePerSecond !== undefined && { BENCH_RATE_PER_SECOND: String(ratePerSecond) }),
  };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
