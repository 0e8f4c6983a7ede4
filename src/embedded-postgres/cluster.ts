/** A cluster on disk: creates a new one, and refuses one that this PostgreSQL cannot read. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Account, commandAs, handOver } from './account.ts';
import type { Binaries } from './binaries.ts';
import { embeddedProblem, explainFailure, USE_OWN_DATABASE } from './problem.ts';
import { hasNumber } from './processes.ts';

/** Local connections are trusted, because only the owner may enter the folder of the socket; there are no other connections. */
const INITDB_ARGUMENTS = [
  '--username=postgres',
  '--auth-local=trust',
  '--auth-host=reject',
  '--encoding=UTF8',
  '--locale=C.UTF-8',
  '--data-checksums',
  '--no-instructions',
];

export function isCreated(cluster: string): boolean {
  return existsSync(join(cluster, 'PG_VERSION'));
}

/**
 * Creates the cluster under another name and renames it: an incomplete cluster is never used. When several processes create one at once,
 * one succeeds and the others use its cluster.
 *
 * @throws A sentence when the folder or the disk does not allow it.
 */
export async function createCluster(cluster: string, binaries: Binaries, account: Account): Promise<void> {
  removeAbandonedDrafts(cluster);
  const draft = `${cluster}.new-${process.pid}-${randomUUID()}`;
  try {
    mkdirSync(draft, { mode: 0o700 });
    handOver(draft, account);
    const [program = '', ...words] = commandAs(
      account,
      'KILL',
      join(binaries.directory, 'initdb'),
      '-D',
      draft,
      ...INITDB_ARGUMENTS,
    );
    await promisify(execFile)(program, words, { env: binaries.environment });
    renameSync(draft, cluster);
    flushFolder(dirname(cluster));
  } catch (failure) {
    rmSync(draft, { recursive: true, force: true });
    if (!isCreated(cluster)) throw embeddedProblem(explainFailure(wordsOf(failure), dirname(cluster)), failure);
  }
}

/**
 * @throws A sentence when another major version created the cluster, whose files this one cannot read.
 */
export function assertSameMajor(cluster: string, { postgresMajor }: Account): void {
  const made = Number(readFileSync(join(cluster, 'PG_VERSION'), 'utf8'));
  if (made === postgresMajor) return;
  throw embeddedProblem(
    `${cluster} was created by PostgreSQL ${made} and cannot be read by the installed PostgreSQL ${postgresMajor}. ` +
      `Choose another folder with DATA_DIR and restore a dump there, or use the release that created it. ${USE_OWN_DATABASE}`,
  );
}

/** The name contains the id of the process that created it, which a later process, such as this one, may have again in a container. */
function removeAbandonedDrafts(cluster: string): void {
  const prefix = `${basename(cluster)}.new-`;
  for (const name of readdirSync(dirname(cluster)).filter((entry) => entry.startsWith(prefix))) {
    const maker = Number.parseInt(name.slice(prefix.length), 10);
    if (maker === process.pid || !hasNumber(maker)) rmSync(join(dirname(cluster), name), { recursive: true, force: true });
  }
}

/** `initdb` flushes its files; the rename needs its own flush to survive a power failure. */
function flushFolder(path: string): void {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** The output of the program says more than Node's "Command failed". */
function wordsOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const printed = 'stderr' in failure ? String(failure.stderr).trim() : '';
  return printed || failure.message;
}
