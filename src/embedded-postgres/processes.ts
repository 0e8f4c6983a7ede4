/** The processes of PostgreSQL that work in a cluster, read from `/proc`. A zombie counts as gone: it holds nothing. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * The name of a server, which it and all its sessions show in their command lines. It distinguishes servers of other clusters when the
 * working directory of another user's process cannot be read, and names who started it.
 */
export function serverName(cluster: string, starter: number | string): string {
  return `partner-impact-${createHash('sha256').update(cluster).digest('hex').slice(0, 12)}-${starter}`;
}

/** True when `pid` lives and works in the cluster, as a postmaster or a session. */
export function worksIn(pid: number, cluster: string): boolean {
  const directory = readLink(`/proc/${pid}/cwd`);
  if (directory !== undefined) return directory === cluster && isPostgres(pid);
  return readCommandLine(pid).includes(serverName(cluster, ''));
}

/** The folder in which a process of PostgreSQL works; `undefined` for another process, and for one that cannot be looked at. */
export function workingFolder(pid: number): string | undefined {
  return isPostgres(pid) ? readLink(`/proc/${pid}/cwd`) : undefined;
}

export function listProcesses(cluster: string): number[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return pids.map(Number).filter((pid) => worksIn(pid, cluster));
}

/**
 * True for a session whose postmaster was killed. No new server can start before the last such session has ended. The title `postgres: …`
 * distinguishes it from a postmaster that is starting.
 */
export function isOrphanedSession(pid: number, cluster: string): boolean {
  return readCommandLine(pid).startsWith('postgres: ') && !worksIn(parentOf(pid), cluster);
}

/** True when the process that started this postmaster has died, so that no process will stop it. */
export function hasLostStarter(postmasterPid: number, cluster: string): boolean {
  const [, name] = readCommandLine(postmasterPid).split(serverName(cluster, ''));
  return name !== undefined && Number.parseInt(name, 10) !== ownNumber(parentOf(postmasterPid));
}

/** True also for a zombie, and for a process of another user. */
export function hasNumber(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** The text of a file of `/proc`, or of another file that may vanish at any moment; empty when it is gone. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readCommandLine(pid: number): string {
  return readText(`/proc/${pid}/cmdline`);
}

/** A person's shell in the folder does not count. The kernel adds ` (deleted)` after the packages were replaced. */
function isPostgres(pid: number): boolean {
  return /\/postgres( \(deleted\))?$/.test(readLink(`/proc/${pid}/exe`) ?? '');
}

/** The fields of `stat` follow the program's name, which is in brackets and may contain brackets: state, parent, … */
function parentOf(pid: number): number {
  const stat = readText(`/proc/${pid}/stat`);
  const [, parent] = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  return Number(parent);
}

/** The id by which a process knows itself: the last one of `NSpid`, because it may run in a container. */
function ownNumber(pid: number): number {
  const numbers = /^NSpid:(.*)$/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? '';
  return Number(numbers.trim().split('\t').at(-1));
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
