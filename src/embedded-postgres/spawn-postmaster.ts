/** Starts a server process: its settings, its socket, its log. Another module decides whether it may be started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { type Account, commandAs } from './account.ts';
import type { Binaries } from './binaries.ts';
import { SOCKET_NAME } from './postmaster.ts';
import { embeddedProblem, explainingFailure } from './problem.ts';
import { serverName } from './processes.ts';

export interface Launch {
  readonly pid: number | undefined;
  readonly hasEnded: () => boolean;
  /** The server's log since this launch. */
  readonly readLog: () => string;
}

/** `sun_path` has 108 bytes, the last for the terminating zero. */
const SOCKET_PATH_BYTES_MAX = 107;

const SHARED_MEGABYTES_MIN = 128;
const SHARED_MEGABYTES_MAX = 4_096;

const LOG_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Durability (`fsync`, `full_page_writes`, `synchronous_commit`) keeps PostgreSQL's default: on. At most 1 GB of WAL, because a start
 * after a kill replays it. The log is terse: details of an error repeat the values of a row.
 */
const SETTINGS: readonly string[] = [
  'listen_addresses=',
  'port=5432',
  'unix_socket_permissions=0700',
  'max_connections=200',
  `shared_buffers=${sharedMegabytes()}MB`,
  'max_wal_size=1GB',
  'log_error_verbosity=terse',
  'timezone=UTC',
  'log_timezone=UTC',
];

/**
 * A quarter of the memory that this process may use, as PostgreSQL's manual advises, so that the indexes of millions of contributions are
 * not read again and again from the system's cache. It is allocated only as it fills.
 */
function sharedMegabytes(): number {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.min(SHARED_MEGABYTES_MAX, Math.max(SHARED_MEGABYTES_MIN, Math.floor(bytes / 4 / 2 ** 20)));
}

/**
 * Starts `postgres` and returns at once. PostgreSQL itself refuses a second server on a cluster, so a second attempt is safe. The server
 * has its own process group: Ctrl-C must reach the service first, which then stops the server. When this process is killed, the kernel
 * ends the server (SIGINT: sessions end, a checkpoint is written).
 */
export function spawnPostmaster(cluster: string, binaries: Binaries, account: Account): Launch {
  const logPath = join(dirname(cluster), 'postgres.log');
  const log = explainingFailure(dirname(cluster), () => openLog(logPath));
  const logStart = statSync(logPath).size;
  const settings = [
    ...SETTINGS,
    `unix_socket_directories=${quote(socketDirectory(cluster, account))}`,
    `cluster_name=${serverName(cluster, process.pid)}`,
  ];
  const command = commandAs(
    account,
    'INT',
    join(binaries.directory, 'postgres'),
    '-D',
    cluster,
    ...settings.flatMap((setting) => ['-c', setting]),
  );
  const [program = '', ...words] = command;
  const child = spawn(program, words, { detached: true, stdio: ['ignore', log, log], env: binaries.environment });
  closeSync(log);
  child.unref();
  return { pid: child.pid, hasEnded: watchEnd(child), readLog: () => readFileSync(logPath).subarray(logStart).toString() };
}

function watchEnd(child: ChildProcess): () => boolean {
  let hasEnded = false;
  child.on('exit', () => {
    hasEnded = true;
  });
  child.on('error', () => {
    hasEnded = true;
  });
  return () => hasEnded;
}

/** At a start a large log takes the place of the previous one. While the server runs its log has no bound. */
function openLog(path: string): number {
  if (existsSync(path) && statSync(path).size > LOG_BYTES_MAX) renameSync(path, `${path}.previous`);
  return openSync(path, 'a', 0o600);
}

/** The socket is in the data directory; when that path is too long, in a short folder named after it. */
function socketDirectory(cluster: string, account: Account): string {
  if (Buffer.byteLength(join(cluster, SOCKET_NAME)) <= SOCKET_PATH_BYTES_MAX) return cluster;
  const name = `partner-impact-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`;
  const short = join(existsSync('/tmp') ? '/tmp' : tmpdir(), name);
  explainingFailure(short, () => mkdirSync(short, { recursive: true, mode: 0o700 }));
  closeFolder(short, account);
  return short;
}

/**
 * The folder stays ours when the server runs as another user, who may traverse closed folders; other programs of that user may not. A
 * folder that an earlier release gave to that user is taken back by its descriptor, because another file may have the name meanwhile.
 */
function closeFolder(path: string, { owner }: Account): void {
  let folder: number | undefined;
  try {
    folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    if (![uid, owner?.uid].includes(fstatSync(folder).uid)) throw new Error('another user owns it');
    if (owner) fchownSync(folder, uid, gid);
    fchmodSync(folder, 0o700);
  } catch (cause) {
    throw embeddedProblem(
      `${path}, which the database needs for its socket, belongs to another user: choose a shorter path with DATA_DIR.`,
      cause,
    );
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}

/** One element of a list setting. */
function quote(path: string): string {
  return `"${path.replaceAll('"', '""')}"`;
}
