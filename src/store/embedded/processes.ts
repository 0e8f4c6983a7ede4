/** Which processes of PostgreSQL work in a cluster, read from `/proc`. A zombie counts as gone: it holds nothing any more. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Followed in a server's command line by the id of the process that started it. */
export const STARTER_SETTING = 'cluster_name=partner-impact-';

/** True when `pid` lives and has the cluster as its working directory, as a postmaster and its sessions do. */
export function worksIn(pid: number, cluster: string): boolean {
  return readLink(`/proc/${pid}/cwd`) === cluster;
}

/** Every process of PostgreSQL in the cluster; a person's shell that stands in the folder is none. */
export function listProcesses(cluster: string): number[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return pids.map(Number).filter((pid) => worksIn(pid, cluster) && isPostgres(pid));
}

/**
 * True for a session whose postmaster was killed. No new server can start before the last of them has ended.
 * The title `postgres: …` tells it from a postmaster that is only just starting.
 */
export function isOrphanedSession(pid: number, cluster: string): boolean {
  return readText(`/proc/${pid}/cmdline`).startsWith('postgres: ') && !worksIn(parentOf(pid), cluster);
}

/** True when the process that started this postmaster has died, so that nobody will stop it when its work is done. */
export function hasLostStarter(postmasterPid: number): boolean {
  const words = readText(`/proc/${postmasterPid}/cmdline`).split('\0');
  const starter = words.find((word) => word.startsWith(STARTER_SETTING))?.slice(STARTER_SETTING.length);
  return starter !== undefined && Number(starter) !== ownNumber(parentOf(postmasterPid));
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

/** The package of a running server may have been replaced meanwhile: the kernel then adds ` (deleted)`. */
function isPostgres(pid: number): boolean {
  return /\/postgres( \(deleted\))?$/.test(readLink(`/proc/${pid}/exe`) ?? '');
}

/** The fields of `stat` follow the program's name, which stands in brackets and may itself hold some: state, parent, … */
function parentOf(pid: number): number {
  const stat = readText(`/proc/${pid}/stat`);
  return Number(
    stat
      .slice(stat.lastIndexOf(')') + 1)
      .trim()
      .split(' ')[1],
  );
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
