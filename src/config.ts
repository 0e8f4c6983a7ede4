import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENVIRONMENTS, type Environment } from './domain/access/api-key.ts';
import { isAddressOrBlock } from './domain/access/client-address.ts';
import { readNamedKeys } from './domain/audit/named-key.ts';

/** All settings, read once from the environment. */
export interface Config {
  readonly environment: Environment;
  readonly host: string;
  readonly port: number;
  /** The internal listener: liveness, readiness, metrics. */
  readonly operationsHost: string;
  readonly operationsPort: number;
  /** Host names by which the metrics may be asked for. */
  readonly operationsNames: readonly string[];
  /** `undefined` for the embedded PostgreSQL under `dataDirectory`. */
  readonly databaseUrl: string | undefined;
  /** Off where a transaction pooler that does not know named statements stands before the database. */
  readonly preparesStatements: boolean;
  readonly dataDirectory: string;
  /** Whether `/docs` is served: without a key, for anybody who reaches the port. */
  readonly showsReference: boolean;
  readonly trustedProxies: readonly string[];
  /** The keys of endpoint secrets as text; `undefined` for one that is made and kept in `dataDirectory`. */
  readonly secretsKey: string | undefined;
  /** The keys of the audit and of settlements as text; `undefined` for one that is made and kept in `dataDirectory`. */
  readonly auditKey: string | undefined;
  /** Whether events may go to plain http and to private addresses. */
  readonly allowsInsecureWebhooks: boolean;
  /** Whether they may go to 127.0.0.1 and ::1: in a sandbox that this machine has for itself, where nothing else is set. */
  readonly allowsWebhooksToThisMachine: boolean;
  /** How long events, their deliveries and attempts are kept. */
  readonly eventDays: number;
  /** After so many hours a pending contribution fails by itself. */
  readonly reviewExpiryHours: number;
  readonly logLevel: string;
}

/** Settings that make no sense, all of them at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings make no sense:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

const DEFAULT_DATA_DIRECTORY = fileURLToPath(new URL('../var', import.meta.url));
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** @throws ConfigError With every problem, each naming its setting, the form of its value and what it is. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const problems: string[] = [];
  const read = reader(env, problems);
  const environment = read.oneOf('SERVICE_ENVIRONMENT', ENVIRONMENTS, 'sandbox');
  const settings = {
    environment,
    host: read.text('HOST', '127.0.0.1'),
    port: read.port('PORT', 8080),
    operationsHost: read.text('OPERATIONS_HOST', '127.0.0.1'),
    operationsPort: read.port('OPERATIONS_PORT', 8081),
    operationsNames: read.hostNames('OPERATIONS_NAMES'),
    databaseUrl: read.databaseUrl('DATABASE_URL'),
    preparesStatements: read.oneOf('DATABASE_PREPARED_STATEMENTS', ['on', 'off'], 'on') === 'on',
    dataDirectory: resolve(read.text('DATA_DIR', DEFAULT_DATA_DIRECTORY)),
    showsReference: read.oneOf('REFERENCE', ['on', 'off'], environment === 'production' ? 'off' : 'on') === 'on',
    trustedProxies: read.addresses('TRUSTED_PROXIES'),
    secretsKey: read.namedKeys('SECRETS_KEY'),
    auditKey: read.namedKeys('AUDIT_KEY'),
    allowsInsecureWebhooks: read.oneOf('WEBHOOK_ALLOW_INSECURE', ['true', 'false'], 'false') === 'true',
    eventDays: read.wholeNumber('EVENT_RETENTION_DAYS', { least: 7, most: 3_650 }, 90),
    reviewExpiryHours: read.wholeNumber('REVIEW_EXPIRY_HOURS', { least: 1, most: 8_760 }, 72),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  };
  const isOpen = !env['WEBHOOK_ALLOW_INSECURE'] && isSandboxOfThisMachine(settings);
  const config: Config = Object.freeze({ ...settings, allowsWebhooksToThisMachine: isOpen });
  if (config.port !== 0 && config.port === config.operationsPort) {
    problems.push(`PORT and OPERATIONS_PORT must differ; both are ${config.port}.`);
  }
  if (config.environment === 'production') {
    if (config.allowsInsecureWebhooks)
      problems.push('WEBHOOK_ALLOW_INSECURE must not be true in production: it lets events go to private addresses.');
    if (config.secretsKey === undefined)
      problems.push('SECRETS_KEY must be set in production: the secrets of webhook endpoints are kept under it.');
    if (config.auditKey === undefined)
      problems.push('AUDIT_KEY must be set in production: audit entries and settlements are sealed with it.');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** `npm start` as it comes: the embedded database, and nobody from elsewhere who could name an address of this machine. */
function isSandboxOfThisMachine({
  environment,
  databaseUrl,
  host,
  trustedProxies,
}: Pick<Config, 'environment' | 'databaseUrl' | 'host' | 'trustedProxies'>): boolean {
  const isServedHere = ['127.0.0.1', '::1', 'localhost'].includes(host) && trustedProxies.length === 0;
  return environment === 'sandbox' && databaseUrl === undefined && isServedHere;
}

function readList(value = ''): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

function reader(env: NodeJS.ProcessEnv, problems: string[]) {
  const given = (name: string) => (env[name] === '' ? undefined : env[name]);
  const refuse = <T>(problem: string, instead: T): T => {
    problems.push(problem);
    return instead;
  };
  return {
    text: (name: string, fallback: string): string => given(name) ?? fallback,
    namedKeys(name: string): string | undefined {
      const value = given(name);
      try {
        if (value !== undefined) readNamedKeys(value, name);
        return value;
      } catch (error) {
        return refuse((error as Error).message, undefined);
      }
    },
    oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
      const value = given(name) ?? fallback;
      return allowed.includes(value as T)
        ? (value as T)
        : refuse(`${name} must be ${allowed.join(' or ')}; it is "${value}".`, fallback);
    },
    port(name: string, fallback: number): number {
      const value = given(name) ?? String(fallback);
      const isPort = /^\d{1,5}$/.test(value) && Number(value) <= 65_535;
      return isPort ? Number(value) : refuse(`${name} must be a port, 0 to 65535; it is "${value}".`, fallback);
    },
    wholeNumber(name: string, { least, most }: { least: number; most: number }, fallback: number): number {
      const value = given(name) ?? String(fallback);
      const isInside = /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most;
      return isInside
        ? Number(value)
        : refuse(`${name} must be a whole number from ${least} to ${most}; it is "${value}".`, fallback);
    },
    databaseUrl(name: string): string | undefined {
      const value = given(name);
      // The value may hold a password, so that it is not repeated.
      return value === undefined || /^postgres(ql)?:\/\//.test(value)
        ? value
        : refuse(`${name} must be a PostgreSQL address such as postgresql://user:password@host:5432/database.`, undefined);
    },
    hostNames(name: string): string[] {
      const entries = readList(given(name));
      const wrong = entries.filter((entry) => !/^[A-Za-z0-9._-]+$/.test(entry));
      return wrong.length === 0
        ? entries
        : refuse(`${name} must be host names with commas between, without ports; not so: ${wrong.join(', ')}.`, []);
    },
    addresses(name: string): string[] {
      const entries = readList(given(name));
      const wrong = entries.filter((entry) => !isAddressOrBlock(entry));
      return wrong.length === 0
        ? entries
        : refuse(`${name} must be addresses or CIDR blocks with commas between; not so: ${wrong.join(', ')}.`, []);
    },
  };
}
