/** The service as an operator runs it: `serve` in a process of its own, on the embedded PostgreSQL in a folder of its own. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { owner } from '../../src/commands/terminal/actor.ts';
import { listProcesses } from '../../src/embedded-postgres/processes.ts';
import { issueApiKey } from '../../src/operations/access/manage-api-key.ts';
import { createPartner, suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { openAuditKeys } from '../../src/service/keys/configured-keys.ts';
import type { Permission } from '../../src/store/access/api-key.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { freePort } from './free-port.ts';
import { listChildren, readCommandLine, readResidentBytes } from './process-usage.ts';
import { hasEnded, type Program, startProgram } from './program.ts';
import { askReadiness, serveWords, untilReady } from './serve.ts';

export interface InstallationOptions {
  /** The checkout whose service runs; by default this one. */
  readonly repository?: string;
  /** Words for Node before the program, such as `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Nobody reads what the service writes: its log then costs it what a log costs, and the experiment nothing. */
  readonly discardsOutput?: boolean;
  /** How many processes share the port; by default one, which is the service itself. */
  readonly processes?: number;
  /** A folder that others use as well, which whoever made it removes; by default one of its own. */
  readonly dataDirectory?: string;
}

export interface PartnerPolicy {
  readonly permission?: Permission;
  readonly isSuspended?: boolean;
}

const REPOSITORY = join(import.meta.dirname, '../..');
const READY_WITHIN_MS = 30_000;
/** The first start makes the database, which takes long on a busy machine. */
const FIRST_READY_WITHIN_MS = 180_000;

/** As good as no limit: an experiment meets a rate limit only where it is about one. */
const OPEN_RATES = { writesPerSecond: 1_000_000, lookupsPerSecond: 1_000_000, reportsPerSecond: 1_000_000 };

/** Those that end with this process when a signal ends it. */
const installations = new Set<Installation>();
const endAll = () => void Promise.allSettled([...installations].map((each) => each.close())).then(() => process.exit(1));

export class Installation {
  readonly dataDirectory: string;
  readonly port: number;
  readonly operationsPort: number;
  readonly #options: InstallationOptions;
  #program: Program | undefined;
  #output = '';

  private constructor(ports: readonly [number, number], options: InstallationOptions) {
    this.dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'partner-impact-reliability-'));
    [this.port, this.operationsPort] = ports;
    this.#options = options;
    installations.add(this);
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      if (!process.listeners(signal).includes(endAll)) process.once(signal, endAll);
  }

  /** Starts the service on an empty folder; resolves when it is ready. */
  static async start(options: InstallationOptions = {}): Promise<Installation> {
    const installation = new Installation([await freePort(), await freePort()], options);
    await installation.startService(FIRST_READY_WITHIN_MS).catch(async (error: unknown) => {
      await installation.close();
      throw error;
    });
    return installation;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The process that serves; a kill of the service is a kill of this one. */
  get service(): ChildProcess {
    if (!this.#program) throw new Error('The service was never started.');
    return this.#program.child;
  }

  /** Whatever the service has written so far, for a person who looks into a failure. */
  get output(): string {
    return this.#output;
  }

  /** Memory that the service's process has in use now; of several processes that with the most. */
  get residentMegabytes(): number {
    const pids = [this.service.pid as number, ...this.listWorkers()];
    return Math.round(Math.max(...pids.map(readResidentBytes)) / 2 ** 20);
  }

  get hasServiceEnded(): boolean {
    return hasEnded({ child: this.service });
  }

  /** Starts the service, anew after a kill; resolves when it is ready. */
  async startService(withinMs = READY_WITHIN_MS): Promise<void> {
    const { repository = REPOSITORY, env = {}, discardsOutput = false } = this.#options;
    const settings = {
      DATA_DIR: this.dataDirectory,
      PORT: String(this.port),
      OPERATIONS_PORT: String(this.operationsPort),
      LOG_LEVEL: 'warn',
    };
    this.#program = startProgram(serveWords({ ...this.#options, repository }), {
      env: { ...process.env, ...settings, ...env },
      stdio: ['ignore', discardsOutput ? 'ignore' : 'pipe', 'pipe'],
    });
    for (const stream of [this.service.stdout, this.service.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.#output = (this.#output + chunk).slice(-1_000_000)));
    }
    await this.#untilReady(withinMs);
  }

  async #untilReady(withinMs: number): Promise<void> {
    try {
      await untilReady(this.operationsPort, { withinMs, hasEnded: () => this.hasServiceEnded });
    } catch (cause) {
      const logs = `The service wrote:\n${this.#output.slice(-3_000)}\nPostgreSQL wrote:\n${this.#readDatabaseLog()}`;
      throw new Error(`${(cause as Error).message}\n${logs}`, { cause });
    }
  }

  async isReady(): Promise<boolean> {
    return (await askReadiness(this.operationsPort)).isReady;
  }

  #readDatabaseLog(): string {
    try {
      return readFileSync(join(this.dataDirectory, 'postgres.log'), 'utf8').slice(-3_000);
    } catch {
      return '(no log)';
    }
  }

  /** `kill -9`; resolves when the process is gone. */
  async killService(): Promise<void> {
    const ended = once(this.service, 'exit');
    this.service.kill('SIGKILL');
    await ended;
  }

  /** The processes that take requests for the first one, where there are several. */
  listWorkers(): number[] {
    return listChildren(this.service.pid as number).filter((child) => readCommandLine(child).includes('main.ts'));
  }

  /** The process id of the embedded server; `undefined` while there is none. */
  findPostmaster(): number | undefined {
    try {
      return Number.parseInt(readFileSync(join(this.dataDirectory, 'postgres/postmaster.pid'), 'utf8'), 10);
    } catch {
      return undefined;
    }
  }

  /** The embedded server and all its sessions. */
  listDatabaseProcesses(): number[] {
    return listProcesses(join(this.dataDirectory, 'postgres'));
  }

  /** Connections to the same database, to prepare and to check; not those of the service. */
  openDatabase(): Database {
    return openDatabase({
      databaseUrl: this.databaseUrl,
      poolSize: 4,
      auditKeys: () => openAuditKeys({ auditKey: undefined, dataDirectory: this.dataDirectory }),
    });
  }

  /** Of the server that the service was told of, else of the embedded one. */
  get databaseUrl(): string {
    const given = this.#options.env?.['DATABASE_URL'];
    if (given !== undefined) return given;
    const host = encodeURIComponent(join(this.dataDirectory, 'postgres'));
    return `postgresql:///postgres?host=${host}&user=postgres`;
  }

  /** Stops the service, and with it its database if it started one. */
  async stopService(): Promise<void> {
    if (!this.hasServiceEnded) await this.#program?.stop();
  }

  /** Stops the service, and removes the folder if it is its own. */
  async close(): Promise<void> {
    await this.stopService();
    if (this.#options.dataDirectory === undefined) rmSync(this.dataDirectory, { recursive: true, force: true });
    installations.delete(this);
  }
}

/** @returns The partner's API key. */
export async function makePartner(database: Database, terms: PartnerPolicy = {}): Promise<{ partnerId: string; apiKey: string }> {
  const { permission = 'read_write', isSuspended = false } = terms;
  const { partnerId } = await createPartner(database, owner(), 'Reliability', OPEN_RATES);
  const { apiKey } = await issueApiKey(database, owner(), {
    environment: 'sandbox',
    partnerId,
    name: 'reliability',
    permission,
    allowedAddresses: [],
    expiresAt: null,
  });
  if (isSuspended) await suspendPartner(database, owner(), partnerId);
  return { partnerId, apiKey };
}
