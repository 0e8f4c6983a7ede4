import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { printNotice } from '../terminal/output.ts';

const STOPPED_WITHIN_MS = 4_000;

/**
 * Makes sample data in a process of its own with the lowest priority, so that requests do not wait for it. It ends when the service ends,
 * for whatever reason; the next start continues.
 *
 * @returns A function that stops it, and resolves when it has ended.
 */
export function startSampleProcess(): () => Promise<void> {
  const child = fork(process.argv[1] as string, ['demo', 'make'], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').catch(() => [1]);
  let isStopping = false;
  child.once('spawn', () => giveWay(child.pid));
  void ended.then(([code]) => {
    if (code !== 0 && !isStopping) printNotice('Sample data: they could not be made completely. The next start continues.');
  });
  return async () => {
    isStopping = true;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS);
    await ended;
    clearTimeout(timer);
  };
}

function giveWay(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or this account may not change it: it then shares the processor like any other.
  }
}
