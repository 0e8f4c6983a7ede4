/** The service under test, as an operator runs it: `serve` in a process of its own, with everything switched on. */
import { execFile } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../reliability/harness/free-port.ts';
import { hasEnded, type Program, startProgram } from '../../reliability/harness/program.ts';
import { serveWords, untilReady } from '../../reliability/harness/serve.ts';

export interface SubjectOptions {
  /** What the tables call it. */
  readonly name: string;
  /** The checkout whose service runs. */
  readonly repository: string;
  /** For its embedded database and for what it complains of; removed by the caller. */
  readonly folder: string;
  /** `undefined` for a fresh embedded server. */
  readonly databaseUrl: string | undefined;
  readonly processes: number;
  /** Such as `api`; every role by default. */
  readonly roles?: string;
}

export interface Partner {
  readonly partnerId: string;
  readonly apiKey: string;
}

/** The most that the command line grants; nothing is refused at this rate. */
const RATE_PER_SECOND = '1000000';
const READY_WITHIN_MS = 60_000;
const SOCKET_FOLDER_LINE = 4;

export class Subject {
  readonly name: string;
  readonly baseUrl: string;
  readonly options: SubjectOptions;
  readonly #env: NodeJS.ProcessEnv;
  #program: Program | undefined;

  private constructor(options: SubjectOptions, [port, operationsPort]: readonly [number, number]) {
    this.name = options.name;
    this.baseUrl = `http://127.0.0.1:${port}`;
    this.options = options;
    this.#env = {
      ...process.env,
      DATABASE_URL: options.databaseUrl ?? '',
      DATA_DIR: options.folder,
      PORT: String(port),
      OPERATIONS_PORT: String(operationsPort),
      LOG_LEVEL: 'info',
      // The receiver of the bench is on this machine.
      WEBHOOK_ALLOW_INSECURE: 'true',
    };
  }

  static async create(options: SubjectOptions): Promise<Subject> {
    mkdirSync(options.folder, { recursive: true });
    return new Subject(options, [await freePort(), await freePort()]);
  }

  get pid(): number {
    return this.#program?.child.pid ?? 0;
  }

  /**
   * Starts the service, whose database may be there already.
   *
   * @returns After how many seconds it was ready to work.
   * @throws Error With what it complained of.
   */
  async start(signal: AbortSignal): Promise<number> {
    const problems = join(this.options.folder, 'service.stderr');
    const descriptor = openSync(problems, 'w');
    const since = performance.now();
    const program = startProgram(serveWords(this.options), {
      env: this.#env,
      stdio: ['ignore', 'ignore', descriptor],
      detached: true,
    });
    this.#program = program;
    closeSync(descriptor);
    try {
      const wait = { withinMs: READY_WITHIN_MS, hasEnded: () => hasEnded(program), signal };
      await untilReady(Number(this.#env['OPERATIONS_PORT']), wait);
      return (performance.now() - since) / 1_000;
    } catch (cause) {
      signal.throwIfAborted();
      throw new Error(`${this.name}: ${(cause as Error).message}\n${readFileSync(problems, 'utf8')}`, { cause });
    }
  }

  async stop(): Promise<void> {
    await this.#program?.stop();
    this.#program = undefined;
  }

  /** A partner without limits to speak of, and its key, made by the command line like any other. */
  async makePartner(): Promise<Partner> {
    const rates = ['writes', 'lookups', 'reports'].flatMap((kind) => [`--${kind}-per-second`, RATE_PER_SECOND]);
    const partner = await this.#command(['partner', 'create', '--name', 'Bench', ...rates]);
    const partnerId = String(partner['partner_id']);
    const key = await this.#command(['key', 'issue', '--partner', partnerId, '--name', 'bench']);
    return { partnerId, apiKey: String(key['api_key']) };
  }

  get operationsUrl(): string {
    return `http://127.0.0.1:${this.#env['OPERATIONS_PORT']}`;
  }

  /** @returns The code of the one-time link of a new operator. */
  async makeOperator(name: string, role: string): Promise<string> {
    const words = ['operator', 'create', '--name', name, '--email', `${name}@bench.invalid`, '--role', role];
    return String((await this.#command(words))['sign_in_code']);
  }

  /** @returns Its id. The receiver has to answer the challenge. */
  async addEndpoint(partnerId: string, url: string): Promise<string> {
    return String((await this.#command(['endpoint', 'add', '--partner', partnerId, '--url', url]))['endpoint_id']);
  }

  async changeEndpoint(partnerId: string, endpointId: string, what: 'enable' | 'disable' | 'remove'): Promise<void> {
    // An earlier release that is measured does not ask.
    const asks = what === 'remove' && (await this.#print(['endpoint', what, '--help'])).includes('--yes');
    await this.#command(['endpoint', what, '--partner', partnerId, '--endpoint', endpointId, ...(asks ? ['--yes'] : [])]);
  }

  async #command(words: readonly string[]): Promise<Record<string, unknown>> {
    return JSON.parse(await this.#print([...words, '--json']));
  }

  async #print(words: readonly string[]): Promise<string> {
    const main = join(this.options.repository, 'bin/partner-impact.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...words], { env: this.#env });
    return stdout;
  }

  /** Where the bench itself reaches the same database. */
  get databaseUrl(): string {
    const { databaseUrl, folder } = this.options;
    if (databaseUrl !== undefined) return databaseUrl;
    const lines = readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n');
    return `postgresql:///postgres?host=${encodeURIComponent(lines[SOCKET_FOLDER_LINE] ?? '')}&user=postgres`;
  }
}
