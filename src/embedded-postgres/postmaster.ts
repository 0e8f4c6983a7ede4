/**
 * The server of a cluster as its own `postmaster.pid` describes it: the only register and the only lock. No other file is kept, so
 * nothing is stale after a kill.
 */
import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { hasNumber, readText, workingFolder, worksIn } from './processes.ts';

export interface Postmaster {
  readonly pid: number;
  readonly socketDirectory: string;
  /** `starting` lasts while PostgreSQL recovers a cluster that was not shut down; empty until the file has a status. */
  readonly status: 'starting' | 'stopping' | 'ready' | 'standby' | '';
}

/** Name of the socket in its folder. Without a TCP port every server can keep PostgreSQL's usual number. */
export const SOCKET_NAME = '.s.PGSQL.5432';
const SOCKET_LOCK = `${SOCKET_NAME}.lock`;

/** The living postmaster; `undefined` also for one in another container, whose processes are not visible here. */
export function findPostmaster(cluster: string): Postmaster | undefined {
  const postmaster = readLockFile(cluster);
  return postmaster && worksIn(postmaster.pid, cluster) ? postmaster : undefined;
}

/**
 * Connects to the socket instead of reading the process table: a server in another container shares our files but neither our process ids
 * nor our shared memory, and a second server on the cluster would destroy it.
 */
export async function findAnsweringPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const postmaster = readLockFile(cluster);
  if (!postmaster?.socketDirectory) return undefined;
  return (await answers(join(postmaster.socketDirectory, SOCKET_NAME))) ? { ...postmaster, status: 'ready' } : undefined;
}

/** Whether its socket has been removed, as by who clears `/tmp`: it lives, and nobody can reach it any more. */
export function hasLostSocket({ socketDirectory }: Postmaster): boolean {
  return !existsSync(join(socketDirectory, SOCKET_NAME));
}

/**
 * The folder of the original, where this cluster is a copy: its `postmaster.pid` was copied too, and names the socket of the server that
 * works in the original. `undefined` where it is no copy, and for a server in another container.
 */
export function findOriginal({ socketDirectory }: Postmaster, cluster: string): string | undefined {
  const pid = firstNumber(readText(join(socketDirectory, SOCKET_LOCK)));
  const folder = workingFolder(pid);
  if (folder === undefined || readLockFile(folder)?.pid !== pid) return undefined;
  const [there, here] = [statSync(folder), statSync(cluster)];
  return there.ino === here.ino && there.dev === here.dev ? undefined : folder;
}

/**
 * Removes the files that a killed server left, or that were copied with the cluster. PostgreSQL does so itself, except while any process
 * has the id in its lock files: a zombie, after a reboot another program, or the server of the original. Call this only when no process
 * works in the cluster.
 */
export function clearStaleLocks(cluster: string): void {
  const stale = readLockFile(cluster);
  const locks = [lockFile(cluster), join(cluster, SOCKET_LOCK)];
  const isElsewhere = stale !== undefined && stale.socketDirectory !== cluster;
  if (isElsewhere && findOriginal(stale, cluster) === undefined) {
    const lock = join(stale.socketDirectory, SOCKET_LOCK);
    if (firstNumber(readText(lock)) === stale.pid) locks.push(lock);
  }
  for (const path of locks) {
    const text = readText(path);
    const pid = firstNumber(text);
    // A server that starts at this moment works here.
    if (hasNumber(pid) && !worksIn(pid, cluster)) removeUnchanged(path, text);
  }
}

/** Renamed first, so that the file of a server that starts at this moment is noticed and put back. */
function removeUnchanged(path: string, text: string): void {
  const moved = `${path}.stale-${process.pid}`;
  try {
    renameSync(path, moved);
    if (readText(moved) !== text) linkSync(moved, path);
  } catch (failure) {
    // Another process removed it, or a server has written a new one: nothing is left to do.
    if (!(failure instanceof Error && 'code' in failure && (failure.code === 'ENOENT' || failure.code === 'EEXIST')))
      throw failure;
  }
  rmSync(moved, { force: true });
}

/** The meaning of each line is PostgreSQL's own (`src/include/utils/pidfile.h`). */
function readLockFile(cluster: string): Postmaster | undefined {
  const text = readText(lockFile(cluster));
  const lines = text.split('\n');
  const pid = firstNumber(text);
  return pid ? { pid, socketDirectory: lines[4] ?? '', status: (lines[7] ?? '').trim() as Postmaster['status'] } : undefined;
}

function lockFile(cluster: string): string {
  return join(cluster, 'postmaster.pid');
}

function firstNumber(text: string): number {
  return Number.parseInt(text, 10);
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const conclude = (isAnswered: boolean) => {
      connection.destroy();
      resolve(isAnswered);
    };
    connection.on('connect', () => conclude(true)).on('error', () => conclude(false));
  });
}
