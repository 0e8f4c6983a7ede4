/**
 * The default database: a real PostgreSQL from npm, one server per data directory, reachable only by a Unix socket. This folder finds,
 * starts and stops that server; it does not know what is stored in it. Every error whose `code` is `EMBEDDED_PROBLEM` has a message for
 * the person who started the service.
 */
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertUsable, chooseAccount } from './account.ts';
import { attachOrStart, type Running } from './attach-or-start.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { assertSameMajor, createCluster, isCreated } from './cluster.ts';
import { hasLostSocket, type Postmaster } from './postmaster.ts';
import { embeddedProblem, explainingFailure, USE_OWN_DATABASE, USE_SETTINGS_OF_SERVICE } from './problem.ts';
import { worksIn } from './processes.ts';

export { EMBEDDED_PROBLEM, USE_SETTINGS_OF_SERVICE } from './problem.ts';

export interface EmbeddedServer {
  /** Folder of the Unix socket: what the driver takes as `host`, with user `postgres` and no password. There is no TCP port. */
  readonly socketDirectory: string;
  /** True when this process started the server, and so must stop it. */
  readonly isOwner: boolean;
  /**
   * When the server is gone, starts it again where this process may, or attaches to the one that another process started; while it is alive,
   * this only looks at `/proc` and at its socket. An own server whose socket was removed is shut down and started again: it makes its socket at its start
   * only. Overlapping calls share one attempt. Never creates a new cluster. Does nothing after {@link stop}.
   */
  ensureRunning(): Promise<void>;
  /**
   * Fast shutdown (sessions end, a checkpoint is written) by the owner; waits at most ten seconds for it. Waits for no server that this
   * process has not begun to start.
   */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Folder of `postgres` and `initdb`; by default the programs of the npm package. */
  readonly binaries?: string;
  /** Whether this process may start the server; by default it may. Whoever starts it takes it along at its own end. */
  readonly mayStart?: boolean;
  /** Whether this process may create the cluster; by default it may where it may start the server. */
  readonly mayCreate?: boolean;
  /** Called with a sentence when something takes longer than a moment. */
  readonly onProgress?: (sentence: string) => void;
}

const STOP_TIMEOUT_MS = 10_000;

/**
 * Attaches to the running server of `dataDirectory`, or starts one; creates the cluster the first time, where this process may.
 *
 * @param dataDirectory Created with the cluster when missing (mode 700); holds the cluster `postgres` and the log `postgres.log`.
 * @throws An error with a sentence and the code `EMBEDDED_PROBLEM`. Where there is no cluster and this process may not create one, nothing
 * was started or written.
 */
export async function openEmbedded(dataDirectory: string, options: EmbeddedOptions = {}): Promise<EmbeddedServer> {
  const { mayStart = true, mayCreate = mayStart, onProgress = () => {} } = options;
  if (process.platform !== 'linux') throw embeddedProblem(`The embedded PostgreSQL runs on Linux only. ${USE_OWN_DATABASE}`);
  if (mayStart && !mayCreate) requireCluster(dataDirectory);
  const { cluster, binaries } = findPlace(dataDirectory, options.binaries);
  const account = chooseAccount(binaries, cluster);
  if (!isCreated(cluster)) {
    if (!mayCreate) throw hasDisappeared(cluster);
    onProgress(`Creating a PostgreSQL ${account.postgresMajor} database in ${cluster} (only at the first start) …`);
    await createCluster(cluster, binaries, account);
  }
  assertSameMajor(cluster, account);
  const start = (isUnwanted?: () => boolean) => attachOrStart({ cluster, binaries, account, mayStart, onProgress, isUnwanted });
  return new KeptServer(cluster, await start(), { start, onProgress });
}

/** Only reads. A cluster that this user may not read is there: the error says whose it is. */
function requireCluster(dataDirectory: string): void {
  const cluster = join(dataDirectory, 'postgres');
  explainingFailure(dataDirectory, () => assertUsable(cluster));
  if (isCreated(cluster)) return;
  throw embeddedProblem(
    `There is no database in ${dataDirectory}. ${USE_SETTINGS_OF_SERVICE} If there is none yet, start the service (npm start), or run: npx partner-impact migrate`,
  );
}

function findPlace(dataDirectory: string, given: string | undefined): { cluster: string; binaries: Binaries } {
  return explainingFailure(dataDirectory, () => {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
    const root = realpathSync(dataDirectory);
    const cluster = join(root, 'postgres');
    assertUsable(cluster);
    return { cluster, binaries: findBinaries(root, given) };
  });
}

function hasDisappeared(cluster: string): Error {
  return embeddedProblem(`${cluster} has disappeared: restore it, or restart the service with an empty database.`);
}

class KeptServer implements EmbeddedServer {
  readonly #cluster: string;
  readonly #start: (isUnwanted: () => boolean) => Promise<Running>;
  readonly #onProgress: (sentence: string) => void;
  #running: Running;
  #attempt: Promise<void> | undefined;
  #isStopped = false;

  constructor(
    cluster: string,
    first: Running,
    { start, onProgress }: { start: (isUnwanted: () => boolean) => Promise<Running>; onProgress: (sentence: string) => void },
  ) {
    this.#cluster = cluster;
    this.#running = first;
    this.#start = start;
    this.#onProgress = onProgress;
  }

  get socketDirectory(): string {
    return this.#running.postmaster.socketDirectory;
  }

  get isOwner(): boolean {
    return this.#running.isOurs;
  }

  async ensureRunning(): Promise<void> {
    if (this.#isStopped || this.#works()) return;
    if (!isCreated(this.#cluster)) throw hasDisappeared(this.#cluster);
    this.#attempt ??= this.#restart();
    await this.#attempt;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#attempt?.catch(() => {});
    if (this.#running.isOurs) await shutDown(this.#running.postmaster, this.#cluster);
  }

  /** To another process the socket of a server may be invisible, as where each has a `/tmp` of its own: only its owner may judge. */
  #works(): boolean {
    const { postmaster, isOurs } = this.#running;
    return worksIn(postmaster.pid, this.#cluster) && !(isOurs && hasLostSocket(postmaster));
  }

  async #restart(): Promise<void> {
    try {
      if (this.isOwner && worksIn(this.#running.postmaster.pid, this.#cluster)) {
        this.#onProgress(`The socket of the database was removed from ${this.socketDirectory}: the database is started again …`);
        await shutDown(this.#running.postmaster, this.#cluster);
      }
      this.#running = await this.#start(() => this.#isStopped);
    } catch (error) {
      if (!this.#isStopped) throw error;
    } finally {
      this.#attempt = undefined;
    }
  }
}

async function shutDown({ pid }: Postmaster, cluster: string): Promise<void> {
  if (!worksIn(pid, cluster)) return;
  try {
    process.kill(pid, 'SIGINT');
  } catch (failure) {
    // It has ended meanwhile.
    if ((failure as NodeJS.ErrnoException).code !== 'ESRCH') throw failure;
  }
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while (worksIn(pid, cluster) && performance.now() < deadline) await sleep(20);
}
