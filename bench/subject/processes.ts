/** Programs that the bench starts, and what the kernel knows of them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The kernel counts processor time in hundredths of a second, whatever its own clock is. */
const TICKS_PER_SECOND = 100;
const STOP_WITHIN_MS = 15_000;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

export interface Program {
  readonly child: ChildProcess;
  /** Asks it to stop, waits for its end and kills it when that takes too long. */
  stop(): Promise<void>;
}

/**
 * Starts a program of Node in a process group of its own: Ctrl-C reaches the bench alone, which then stops the program.
 *
 * Its standard output, the log included, is written to /dev/null.
 *
 * @param problems File descriptor for its standard error.
 */
export function startProgram(words: readonly string[], env: NodeJS.ProcessEnv, problems: number): Program {
  const child = spawn(process.execPath, words, { env, detached: true, stdio: ['ignore', 'ignore', problems] });
  const killNow = () => void child.kill('SIGKILL');
  process.once('exit', killNow);
  const ended = once(child, 'exit').finally(() => process.off('exit', killNow));
  const stop = async () => {
    child.kill('SIGTERM');
    const isEnded = await Promise.race([ended, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
    if (!isEnded) killNow();
    await ended;
  };
  return { child, stop };
}

export function hasEnded({ child }: Program): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

interface Entry {
  readonly parentPid: number;
  readonly cpuSeconds: number;
}

export interface Usage {
  /** Spent so far, also by members that have ended and that their parent has waited for. */
  readonly cpuSeconds: number;
  /** Held now. */
  readonly residentBytes: number;
}

/** A process with all its descendants, without those below `except`. */
export function readUsage(root: number, except?: number): Usage {
  const all = readProcesses();
  const usage = { cpuSeconds: 0, residentBytes: 0 };
  const add = (pid: number): void => {
    const entry = all.get(pid);
    if (!entry || pid === except) return;
    usage.cpuSeconds += entry.cpuSeconds;
    usage.residentBytes += readResidentBytes(pid);
    for (const [child, { parentPid }] of all) if (parentPid === pid) add(child);
  };
  add(root);
  return usage;
}

export function findParent(pid: number): { readonly pid: number; readonly name: string } | undefined {
  const parentPid = readEntry(pid)?.parentPid;
  if (parentPid === undefined) return undefined;
  return { pid: parentPid, name: readProc(`${parentPid}/comm`)?.trim() ?? '' };
}

function readProcesses(): Map<number, Entry> {
  const pids = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
  return new Map(
    pids.flatMap((pid) => {
      const entry = readEntry(pid);
      return entry ? [[pid, entry] as const] : [];
    }),
  );
}

/** The fields after the program's name, which may itself hold blanks and brackets. @see proc_pid_stat(5). */
function readEntry(pid: number): Entry | undefined {
  const stat = readProc(`${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parentPid = 0] = fields;
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
  return { parentPid, cpuSeconds: ticks / TICKS_PER_SECOND };
}

function readResidentBytes(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(`${pid}/status`) ?? '') ?? [];
  return Number(kilobytes) * 1_024;
}

/** `undefined` when the process has ended since it was listed. */
function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return undefined;
  }
}
