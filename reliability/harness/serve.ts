/** `serve` in a process of its own, as an operator starts it. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readNodeFlags } from './node-flags.ts';

export interface ServeOptions {
  /** The checkout whose service runs. */
  readonly repository: string;
  /** Words for Node before the program, such as `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
  /** How many processes share the port; one is the service itself. */
  readonly processes?: number;
  /** Such as `api`; every role by default. */
  readonly roles?: string;
}

/** The words for Node: those of an operator's `npm start`, then the program's. */
export function serveWords({ repository, nodeOptions = [], processes = 1, roles }: ServeOptions): string[] {
  const program = [join(repository, 'bin/partner-impact.mjs'), 'serve'];
  const more = [...(processes > 1 ? ['--processes', `${processes}`] : []), ...(roles === undefined ? [] : ['--roles', roles])];
  return [...readNodeFlags(repository), ...nodeOptions, ...program, ...more];
}

const LOOK_EVERY_MS = 5;
/** Longer than the service itself takes to find out that its database does not answer. */
const LOOK_TIMEOUT_MS = 5_000;

export interface Readiness {
  readonly isReady: boolean;
  /** What the service said, or why it said nothing. */
  readonly answer: string;
}

export async function askReadiness(operationsPort: number): Promise<Readiness> {
  try {
    const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
    const answer = await fetch(`http://127.0.0.1:${operationsPort}/readyz`, { signal });
    return { isReady: answer.status === 200, answer: await answer.text() };
  } catch (error) {
    return { isReady: false, answer: String((error as Error).cause ?? error) };
  }
}

/**
 * @returns After how many milliseconds the service said that it can work.
 * @throws Error With its last answer, when it ends, or is not ready in time.
 */
export async function untilReady(
  operationsPort: number,
  { withinMs, hasEnded, signal }: { withinMs: number; hasEnded: () => boolean; signal?: AbortSignal },
): Promise<number> {
  const since = performance.now();
  let answer = 'nothing';
  while (performance.now() - since < withinMs) {
    signal?.throwIfAborted();
    if (hasEnded()) throw new Error('The service ended by itself.');
    const readiness = await askReadiness(operationsPort);
    if (readiness.isReady) return performance.now() - since;
    answer = readiness.answer;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`The service was not ready within ${withinMs / 1_000} s; at last /readyz said: ${answer}`);
}
