/**
 * The server of a cluster as its own `postmaster.pid` describes it: the only register and the only lock. No other file is kept, so
 * nothing is stale after a kill.
 */
import { linkSync, renameSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { hasNumber, readText, worksIn } from './processes.ts';

export interface Postmaster {
  readonly pid: number;
  readonly socketDirectory: string;
  /** `starting` lasts while PostgreSQL recovers a cluster that was not shut down; empty until the file has a status. */
  readonly status: 'starting' | 'stopping' | 'ready' | 'standby' | '';
}

/** Name of the socket in its folder. Without a TCP port every server can keep PostgreSQL's usual number. */
export const SOCKET_NAME = '.s.PGSQL.5432';

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

/**
 * Removes the files that a killed server left. PostgreSQL does so itself, except while any process has the id in its lock files: a
 * zombie, or after a reboot another program. Call this only when no process works in the cluster.
 */
export function clearStaleLocks(cluster: string): void {
  const stale = readLockFile(cluster);
  if (!stale || !hasNumber(stale.pid)) return;
  for (const path of [join(stale.socketDirectory, `${SOCKET_NAME}.lock`), lockFile(cluster)]) {
    const text = readText(path);
    if (firstNumber(text) === stale.pid) removeUnchanged(path, text);
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
