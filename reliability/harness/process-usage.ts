/** What the kernel knows of processes. */
import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts processor time in hundredths of a second, whatever its own clock is. */
const TICKS_PER_SECOND = 100;

interface Entry {
  readonly parentPid: number;
  /** Its own. */
  readonly ownSeconds: number;
  /** With those of children that have ended and that it has waited for. */
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

/** Seconds of processor time that these processes have used so far, each by itself; those that have ended count nothing. */
export function readOwnSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (readEntry(pid)?.ownSeconds ?? 0), 0);
}

/** The same of the whole machine, whoever used it. */
export function readMachineSeconds(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0] = line.trim().split(/\s+/).slice(1).map(Number);
  return (user + nice + system + interrupts + softInterrupts) / TICKS_PER_SECOND;
}

/** The processes that it started, and that run. */
export function listChildren(pid: number): number[] {
  return (readProc(`${pid}/task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number);
}

/** Its words, each followed by a null byte; empty when it has ended. */
export function readCommandLine(pid: number): string {
  return readProc(`${pid}/cmdline`) ?? '';
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
  const secondsOf = (from: number, to: number) => fields.slice(from, to).reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
  return { parentPid, ownSeconds: secondsOf(11, 13), cpuSeconds: secondsOf(11, 15) };
}

/** Memory that a process holds now. */
export function readResidentBytes(pid: number): number {
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
