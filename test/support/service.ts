import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../src/config.ts';
import type { PartnerRates } from '../../src/domain/access/partner-rates.ts';
import type { PasswordCosts } from '../../src/domain/access/password.ts';
import type { ContributionRules } from '../../src/domain/rules/contribution-rules.ts';
import { type ApiKeyOptions, type IssuedApiKey, issueApiKey } from '../../src/operations/access/manage-api-key.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { openAuditKeys } from '../../src/service/keys/configured-keys.ts';
import type { ServiceRole } from '../../src/service/role.ts';
import { type Service, startService } from '../../src/service/start-service.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { OWNER } from './actor.ts';
import { Client } from './client.ts';
import { QUIET_ZONE } from './clock/quiet-zone.ts';
import { testDatabase } from './postgres/database.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** As good as no limit, where a test is not about limits. */
export const OPEN_RATES: PartnerRates = { writesPerSecond: 1_000_000, lookupsPerSecond: 1_000_000, reportsPerSecond: 1_000_000 };

export interface TestPartner {
  readonly partner: Partner;
  readonly key: IssuedApiKey;
  readonly client: Client;
}

export interface TestService {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  /** Of the admin listener; 0 for a service of several processes. */
  readonly operationsPort: number;
  /** The service's own kind of connection, for what a test looks up or prepares in the database. */
  readonly database: Database;
  /** @param terms `of`: only a key, of a partner that there is. */
  newPartner(terms?: {
    rates?: Partial<PartnerRates>;
    timeZone?: string;
    key?: Partial<ApiKeyOptions>;
    of?: Partner;
  }): Promise<TestPartner>;
}

export type Prepare = (database: Database) => Promise<void>;

export interface TestServiceOptions {
  readonly rulesOf?: (partnerId: string) => ContributionRules;
  readonly env?: Record<string, string>;
  /** Without the schedule unless told: what is due by the clock would change what a test has put into the past. */
  readonly roles?: readonly ServiceRole[];
  /** Puts into the database what is there before the service starts. */
  readonly prepare?: Prepare;
  /** What deliveries are signed by. */
  readonly clock?: () => number;
  /** Of the passwords of operators: few hundredths of the usual ones, unless a test is about them. */
  readonly passwordCosts?: PasswordCosts | 'usual';
}

const LOW_COSTS: PasswordCosts = { log2N: 10, blockSize: 8, parallelization: 1 };

/** A service in this process on a database of its own, both gone when the file's tests are over. */
export async function testService({
  rulesOf,
  env = {},
  prepare,
  clock,
  passwordCosts = LOW_COSTS,
  roles = ['api', 'webhooks'],
}: TestServiceOptions = {}): Promise<TestService> {
  const { databaseUrl } = await testDatabase();
  await prepareDatabase(databaseUrl, prepare);
  const service: Service = await startService(readConfig(serviceEnv(databaseUrl, env)), {
    ...(rulesOf && { rulesOf }),
    ...(clock && { clock }),
    ...(passwordCosts !== 'usual' && { passwordCosts }),
    roles,
  });
  after(() => service.stop());
  return { ...withPartners(service.baseUrl, service.database), databaseUrl, operationsPort: service.operationsPort };
}

async function prepareDatabase(databaseUrl: string, prepare: Prepare | undefined): Promise<void> {
  if (!prepare) return;
  const database = openDatabase({ databaseUrl, poolSize: 2, auditKeys: () => openAuditKeys(readConfig({})) });
  await prepare(database);
  await database.close();
}

export interface ServiceProcess {
  readonly baseUrl: string;
  readonly process: ChildProcess;
  /** Everything that it wrote so far. */
  output(): string;
  /** Ends it by a signal and waits for its end. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** `serve` in a process of its own, on any free port; ended when the file's tests are over. */
export async function spawnService(
  databaseUrl: string,
  env: Record<string, string> = {},
  args: readonly string[] = [],
  onSpawn: (child: ChildProcess) => void = () => {},
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [MAIN, 'serve', ...args], { env: { ...process.env, ...serviceEnv(databaseUrl, env) } });
  onSpawn(child);
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (written += chunk));
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    child.kill(signal);
    const [code] = await once(child, 'exit');
    return code as number | null;
  };
  after(() => end('SIGKILL'));
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const [, url] = /listens on (\S+)/.exec(written) ?? [];
      if (url || written.includes('accepts no requests')) resolve(url ?? '');
    });
    child.once('exit', () => reject(new Error(`The service ended before it listened:\n${written}`)));
  });
  return { baseUrl, process: child, output: () => written, end };
}

/** Several processes on one database, with partners that may call each of them. */
export async function testServiceProcesses(
  count: number,
  env: Record<string, string> = {},
  prepare?: Prepare,
): Promise<TestService & { processes: ServiceProcess[] }> {
  const { databaseUrl } = await testDatabase();
  await prepareDatabase(databaseUrl, prepare);
  const processes = await Promise.all(Array.from({ length: count }, () => spawnService(databaseUrl, env)));
  const database = openDatabase({ databaseUrl, poolSize: 2, auditKeys: () => openAuditKeys(readConfig({})) });
  after(() => database.close());
  const [first] = processes;
  return { ...withPartners((first as ServiceProcess).baseUrl, database), databaseUrl, operationsPort: 0, processes };
}

export function withPartners(baseUrl: string, database: Database): Omit<TestService, 'databaseUrl' | 'operationsPort'> {
  return {
    baseUrl,
    database,
    async newPartner({ rates = {}, timeZone = QUIET_ZONE, key: terms = {}, of } = {}) {
      const partner = of ?? (await createPartner(database, OWNER, 'Test partner', { ...OPEN_RATES, ...rates, timeZone }));
      const defaults: ApiKeyOptions = { name: 'test', permission: 'read_write', allowedAddresses: [], expiresAt: null };
      const key = await issueApiKey(database, OWNER, {
        environment: 'sandbox',
        partnerId: partner.partnerId,
        ...defaults,
        ...terms,
      });
      return { partner, key, client: new Client(baseUrl, key.apiKey) };
    },
  };
}

export function serviceEnv(databaseUrl: string, env: Record<string, string>): Record<string, string> {
  return { DATABASE_URL: databaseUrl, PORT: '0', OPERATIONS_PORT: '0', LOG_LEVEL: 'silent', ...env };
}
