import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Program {
  readonly child: ChildProcess;
  /** Asks it to stop, waits for its end and kills it when that takes too long. */
  stop(): Promise<void>;
}

type ProgramOptions = Pick<SpawnOptions, 'env' | 'stdio' | 'detached'>;

/** Its standard error is that of this process; its standard output is not kept. */
const BESIDE: ProgramOptions = { stdio: ['ignore', 'ignore', 'inherit'], detached: true };
/** Longer than the service takes to end in order. */
const STOP_WITHIN_MS = 30_000;

/**
 * Starts a program of Node, which ends with this process, unless a signal ends that and nobody stops the program first.
 *
 * @param options `detached`: Ctrl-C reaches this process alone, which then has to stop the program.
 */
export function startProgram(words: readonly string[], options: ProgramOptions = BESIDE): Program {
  const child = spawn(process.execPath, words, options);
  const killNow = () => void child.kill('SIGKILL');
  process.once('exit', killNow);
  const ended = once(child, 'exit').finally(() => process.off('exit', killNow));
  const stop = async () => {
    child.kill('SIGTERM');
    const isEnded = await Promise.race([ended, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
    if (!isEnded) {
      console.error(`${words.at(-1)} did not end within ${STOP_WITHIN_MS / 1_000} s of SIGTERM, and was killed.`);
      process.exitCode = 1;
      killNow();
    }
    await ended;
  };
  return { child, stop };
}

export function hasEnded({ child }: Pick<Program, 'child'>): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
