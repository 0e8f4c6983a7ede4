/**
 * Which processes of PostgreSQL work in a cluster, read from `/proc`.
 * A zombie counts as gone: it holds nothing any more.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * The name of a server, which it and all its sessions show in their command lines. It tells servers of other clusters
 * apart where the working directory of a process of another user must not be read, and who started it.
 */
export function serverName(cluster: string, starter: number | string): string {
  return `partner-impact-${createHash('sha256').update(cluster).digest('hex').slice(0, 12)}-${starter}`;
}

/** True when `pid` lives and works in the cluster, as a postmaster and its sessions do. */
export function worksIn(pid: number, cluster: string): boolean {
  const directory = readLink(`/proc/${pid}/cwd`);
  if (directory !== undefined) return directory === cluster && isPostgres(pid);
  return readCommandLine(pid).includes(serverName(cluster, ''));
}

export function listProcesses(cluster: string): number[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return pids.map(Number).filter((pid) => worksIn(pid, cluster));
}

/**
 * True for a session whose postmaster was killed. No new server can start before the last of them has ended.
 * The title `postgres: …` tells it from a postmaster that is only just starting.
 */
export function isOrphanedSession(pid: number, cluster: string): boolean {
  return readCommandLine(pid).startsWith('postgres: ') && !worksIn(parentOf(pid), cluster);
}

/** True when the process that started this postmaster has died, so that nobody will stop it when its work is done. */
export function hasLostStarter(postmasterPid: number, cluster: string): boolean {
  const [, name] = readCommandLine(postmasterPid).split(serverName(cluster, ''));
  return name !== undefined && Number.parseInt(name, 10) !== ownNumber(parentOf(postmasterPid));
}

/** True also for a zombie, and for a process of another user. */
export function hasNumber(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** A file of `/proc`, or any other that may vanish at any moment: then it is empty. */
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

/** Not so a person's shell that stands in the folder. The kernel adds ` (deleted)` when the packages were replaced. */
function isPostgres(pid: number): boolean {
  return /\/postgres( \(deleted\))?$/.test(readLink(`/proc/${pid}/exe`) ?? '');
}

/** The fields of `stat` follow the program's name, which stands in brackets and may itself hold some: state, parent, … */
function parentOf(pid: number): number {
  const stat = readText(`/proc/${pid}/stat`);
  const [, parent] = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  return Number(parent);
}

/** The number by which a process knows itself: the last one of `NSpid`, because it may live in a container. */
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
