/**
 * The account that PostgreSQL runs as. PostgreSQL refuses root, and other accounts cannot enter a folder that only root may enter. So
 * root either maps its own files into a user namespace, or switches to another user who may traverse closed folders.
 */
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { embeddedProblem, USE_OWN_DATABASE, whoAmI } from './problem.ts';

export interface Account {
  /** The command prefix that makes a command run as this account. */
  readonly prefix: readonly string[];
  /** Present when files must be given to another user first. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Major version of the `postgres` that this account was able to run. */
  readonly postgresMajor: number;
}

type Candidate = Omit<Account, 'postgresMajor'>;

/** User and group `nobody` on every Linux. */
const NOBODY = 65534;

/** In the namespace root's own files belong to `nobody`, and the server runs as `nobody`: nothing is copied and no owner changes. */
const NAMESPACE: Candidate = { prefix: ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`] };

/**
 * @throws A sentence when the cluster exists and belongs to another user. Root may open any cluster, as its owner.
 */
export function assertUsable(cluster: string): void {
  const owner = statSync(cluster, { throwIfNoEntry: false })?.uid;
  if (owner === undefined || owner === process.getuid?.() || process.getuid?.() === 0) return;
  throw embeddedProblem(
    `${cluster} belongs to user ${owner}, but this is ${whoAmI()}: start as that user, or choose another folder with DATA_DIR.`,
  );
}

/**
 * @param cluster May not exist yet; if it does, its owner decides.
 *
 * @throws A sentence when no account can run the programs, with the reason for each account that was tried.
 */
export function chooseAccount(binaries: Binaries, cluster: string): Account {
  const failures: string[] = [];
  for (const candidate of listCandidates(cluster)) {
    const outcome = tryAccount(candidate, binaries, dirname(cluster));
    if ('postgresMajor' in outcome) {
      refuseIfShared(candidate, dirname(cluster));
      return { ...candidate, ...outcome };
    }
    failures.push(outcome.failure);
  }
  throw embeddedProblem(explain(failures));
}

/**
 * The command line of a command that runs as the account and gets `signal` when this process dies, for any reason. The signal is set up
 * last, because a change of user would reset it.
 */
export function commandAs(account: Account, signal: 'INT' | 'KILL', program: string, ...words: string[]): string[] {
  const boundToUs = hasSetpriv() ? ['setpriv', '--pdeathsig', signal] : [];
  return [...account.prefix, ...boundToUs, program, ...words];
}

/** Gives `path` to the account's user, if it is another than ours. */
export function handOver(path: string, { owner }: Account): void {
  if (owner) chownSync(path, owner.uid, owner.gid);
}

/** Small systems lack it. There a server that outlives its starter is stopped by the next start. */
function hasSetpriv(): boolean {
  return spawnSync('setpriv', ['--version'], { stdio: 'ignore' }).status === 0;
}

function listCandidates(cluster: string): Candidate[] {
  if (process.getuid?.() !== 0) return [{ prefix: [] }];
  if (!existsSync(join(cluster, 'PG_VERSION'))) return [NAMESPACE, becoming({ uid: NOBODY, gid: NOBODY })];
  const owner = statSync(cluster);
  return [owner.uid === 0 ? NAMESPACE : becoming(owner)];
}

/**
 * Of root's capabilities the user keeps one, to traverse folders that are closed to it; containers grant root this one. Without the
 * secure bit it would not count for programs that check beforehand (`access`), such as `initdb`.
 */
function becoming({ uid, gid }: { uid: number; gid: number }): Candidate {
  const right = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  return { prefix: ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...right], owner: { uid, gid } };
}

/**
 * Many programs run as `nobody`: those that can enter the folder would read the data, and own the database through its socket.
 *
 * @throws A sentence when an ordinary process of `nobody` can enter it.
 */
function refuseIfShared({ owner }: Candidate, dataDirectory: string): void {
  if (owner?.uid !== NOBODY || statSync(dataDirectory).uid === NOBODY) return;
  const asNobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--inh-caps=-all', '--ambient-caps=-all'];
  const { status } = spawnSync('setpriv', [...asNobody, 'sh', '-c', 'cd "$1"', 'sh', dataDirectory], { stdio: 'ignore' });
  if (status !== 0) return;
  throw embeddedProblem(
    `${dataDirectory} is accessible to other programs of the user nobody, as which PostgreSQL has to run here, so they could change the database: run "chmod 700 ${dataDirectory}", or start as an ordinary user. ${USE_OWN_DATABASE}`,
  );
}

/** Enters the data directory and runs `postgres --version` as the candidate, which checks permissions, programs and libraries at once. */
function tryAccount(
  candidate: Candidate,
  binaries: Binaries,
  dataDirectory: string,
): { postgresMajor: number } | { failure: string } {
  const script = 'cd "$1" && exec "$2" --version';
  const [program = 'sh', ...words] = [
    ...candidate.prefix,
    'sh',
    '-c',
    script,
    'sh',
    dataDirectory,
    join(binaries.directory, 'postgres'),
  ];
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8', env: binaries.environment });
  const major = /\d+/.exec(stdout ?? '')?.[0];
  if (status === 0 && major) return { postgresMajor: Number(major) };
  return { failure: `${candidate.prefix.slice(0, 2).join(' ')} ${(error?.message ?? stderr).trim()}`.trim() };
}

function explain(failures: readonly string[]): string {
  const reasons = failures.join('; ');
  if (process.getuid?.() !== 0) return `The embedded PostgreSQL cannot run on this machine: ${reasons}. ${USE_OWN_DATABASE}`;
  return `PostgreSQL refuses to run as root, and this machine allows neither a user namespace nor a change of user: ${reasons}. Start as an ordinary user. ${USE_OWN_DATABASE}`;
}
