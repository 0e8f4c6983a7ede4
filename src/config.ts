import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENVIRONMENTS, type Environment } from './domain/access/api-key.ts';
import { isAddressOrBlock } from './domain/access/client-address.ts';
import { readNamedKeys } from './domain/audit/named-key.ts';
import { REVIEW_EXPIRY_HOURS } from './domain/contributions/review-expiry.ts';
import { EVENT_RETENTION_DAYS } from './domain/events/event-retention.ts';

/** All settings, read once from the environment. */
export interface Config {
  readonly environment: Environment;
  readonly host: string;
  readonly port: number;
  /** The admin listener: liveness, readiness, metrics. */
  readonly operationsHost: string;
  readonly operationsPort: number;
  /** Host names that requests for metrics may use. */
  readonly operationsNames: readonly string[];
  /** `undefined` for the embedded PostgreSQL under `dataDirectory`. */
  readonly databaseUrl: string | undefined;
  /** Off when a transaction pooler without support for named statements is in front of the database. */
  readonly preparesStatements: boolean;
  readonly dataDirectory: string;
  /** Whether `/docs` is served, without a key, to every client that reaches the port. */
  readonly servesReference: boolean;
  readonly trustedProxies: readonly string[];
  /** The keys of endpoint secrets as text; `undefined` for a key that is created and stored in `dataDirectory`. */
  readonly secretsKey: string | undefined;
  /** The keys of the audit and of settlements as text; `undefined` for a key that is created and stored in `dataDirectory`. */
  readonly auditKey: string | undefined;
  /** Whether events may be sent to plain http and to private addresses. */
  readonly allowsInsecureWebhooks: boolean;
  /** Whether events may be sent to 127.0.0.1 and ::1: in a sandbox that only this machine uses, unless set otherwise. */
  readonly allowsWebhooksToThisMachine: boolean;
  /** How long events, deliveries, attempts and rehearsals are kept. */
  readonly eventDays: number;
  /** After this many hours a pending contribution fails automatically. */
  readonly reviewExpiryHours: number;
  readonly logLevel: string;
}

/** A setting, as the documents list it. */
export interface Setting {
  /** The text of the default in the environment. */
  readonly default?: string;
  /** A default that depends on another setting. */
  readonly shownDefault?: string;
  readonly meaning: string;
  /** Text for the operating guide only. */
  readonly more?: string;
}

const KEY_FORM = '`id:base64 of 32 bytes`, separated by commas';

/** The tables of README.md and docs/operating.md are written from this: `npm run settings`. */
export const SETTINGS = {
  SERVICE_ENVIRONMENT: {
    default: 'sandbox',
    meaning: '`sandbox` or `production`. A database belongs to one of them permanently',
    more: 'The first start on a database stores it there; services of the other environment refuse to start on it. Keys start with `pi_sandbox_` or `pi_live_`',
  },
  HOST: { default: '127.0.0.1', meaning: 'address of the partner interface', more: '`0.0.0.0` for all addresses' },
  PORT: { default: '8080', meaning: 'port of the partner interface; `0` selects a free one' },
  OPERATIONS_HOST: {
    default: '127.0.0.1',
    meaning: 'address of the admin listener: `/livez`, `/readyz`, `/metrics`, and the interface of operators',
    more: 'Partners must not reach it',
  },
  OPERATIONS_PORT: { default: '8081', meaning: 'port of the admin listener; not the same as `PORT`' },
  OPERATIONS_NAMES: {
    meaning:
      'host names under which `/metrics` and the interface of operators may be requested, separated by commas and without ports',
    more: 'Addresses, `localhost` and the name in `OPERATIONS_HOST` are always allowed',
  },
  DATABASE_URL: {
    meaning:
      'a PostgreSQL 15 or later, `postgresql://user:password@host:5432/database`. Without it the service uses the embedded one',
  },
  DATABASE_PREPARED_STATEMENTS: {
    default: 'on',
    meaning: '`on` or `off`. Set `off` behind a transaction pooler such as PgBouncer',
    more: 'See [behind PgBouncer](#behind-pgbouncer)',
  },
  DATA_DIR: {
    shownDefault: '`var` in the installation',
    meaning: 'folder of the embedded PostgreSQL and of generated keys',
    more: 'Created with mode 700 if it is missing',
  },
  REFERENCE: {
    shownDefault: '`on`; in production `off`',
    meaning: '`on` or `off`: whether `/docs` is served',
    more: 'It needs no key. The service sends at most 32 of its files at a time. In production the page cannot send requests',
  },
  TRUSTED_PROXIES: { meaning: 'addresses and CIDR blocks, separated by commas, whose `X-Forwarded-For` is trusted' },
  SECRETS_KEY: {
    meaning: `keys that encrypt the secrets of webhook endpoints and the second factors of operators, ${KEY_FORM}. Required in production`,
    more: 'The first key encrypts, all decrypt. Without the setting the service creates one and stores it in `DATA_DIR`',
  },
  AUDIT_KEY: {
    meaning: `keys that seal audit entries, contributions and settlements, ${KEY_FORM}. Required in production`,
    more: 'The first key seals; keep older ones to verify their seals. Without the setting the service creates one and stores it in `DATA_DIR`',
  },
  WEBHOOK_ALLOW_INSECURE: {
    meaning: '`true` allows events to plain http and to private addresses, for development. Production refuses it',
    more: 'Without it a sandbox with the embedded database, a loopback `HOST` and no `TRUSTED_PROXIES` may send to exactly 127.0.0.1 and ::1, written as addresses, and prints this at its start. `false` refuses that too',
  },
  EVENT_RETENTION_DAYS: {
    default: `${EVENT_RETENTION_DAYS.usual}`,
    meaning: `days for which events, their deliveries and attempts, and rehearsals of a sandbox are kept, ${EVENT_RETENTION_DAYS.least} to ${EVENT_RETENTION_DAYS.most}`,
  },
  REVIEW_EXPIRY_HOURS: {
    default: `${REVIEW_EXPIRY_HOURS.usual}`,
    meaning: `hours after which an undecided pending contribution fails, ${REVIEW_EXPIRY_HOURS.least} to ${REVIEW_EXPIRY_HOURS.most}`,
  },
  LOG_LEVEL: { default: 'info', meaning: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`' },
} as const satisfies Readonly<Record<string, Setting>>;

type SettingName = keyof typeof SETTINGS;

/** Invalid settings, all of them together. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Invalid configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

const DEFAULT_DATA_DIRECTORY = fileURLToPath(new URL('../var', import.meta.url));
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/**
 * @throws ConfigError With every problem; each names its setting, the valid form and the value.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const problems: string[] = [];
  const read = new SettingsReader(env, problems);
  const environment = read.oneOf('SERVICE_ENVIRONMENT', ENVIRONMENTS);
  const settings = {
    environment,
    host: read.text('HOST'),
    port: read.port('PORT'),
    operationsHost: read.text('OPERATIONS_HOST'),
    operationsPort: read.port('OPERATIONS_PORT'),
    operationsNames: read.hostNames('OPERATIONS_NAMES'),
    databaseUrl: read.databaseUrl('DATABASE_URL'),
    preparesStatements: read.oneOf('DATABASE_PREPARED_STATEMENTS', ['on', 'off']) === 'on',
    dataDirectory: resolve(read.text('DATA_DIR', DEFAULT_DATA_DIRECTORY)),
    servesReference: read.oneOf('REFERENCE', ['on', 'off'], environment === 'production' ? 'off' : 'on') === 'on',
    trustedProxies: read.addresses('TRUSTED_PROXIES'),
    secretsKey: read.namedKeys('SECRETS_KEY'),
    auditKey: read.namedKeys('AUDIT_KEY'),
    allowsInsecureWebhooks: read.oneOf('WEBHOOK_ALLOW_INSECURE', ['true', 'false'], 'false') === 'true',
    eventDays: read.wholeNumber('EVENT_RETENTION_DAYS', EVENT_RETENTION_DAYS),
    reviewExpiryHours: read.wholeNumber('REVIEW_EXPIRY_HOURS', REVIEW_EXPIRY_HOURS),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS),
  };
  const isOpen = !env['WEBHOOK_ALLOW_INSECURE'] && isSandboxOfThisMachine(settings);
  const config: Config = Object.freeze({ ...settings, allowsWebhooksToThisMachine: isOpen });
  if (config.port !== 0 && config.port === config.operationsPort) {
    problems.push(`PORT and OPERATIONS_PORT must differ; both are ${config.port}.`);
  }
  // What was to be filled in and was not: either value would be a guess about which records these are.
  if (env['SERVICE_ENVIRONMENT'] === '')
    problems.push('SERVICE_ENVIRONMENT must be sandbox or production; it is empty. Leave it out for a sandbox.');
  if (config.environment === 'production') {
    if (env['DATABASE_URL'] === '')
      problems.push(
        'DATABASE_URL must name a database in production; it is empty. Leave it out for the embedded one in DATA_DIR.',
      );
    if (config.allowsInsecureWebhooks)
      problems.push('WEBHOOK_ALLOW_INSECURE must not be true in production: it allows events to private addresses.');
    if (config.secretsKey === undefined)
      problems.push('SECRETS_KEY must be set in production: it encrypts the secrets of webhook endpoints.');
    if (config.auditKey === undefined)
      problems.push('AUDIT_KEY must be set in production: it seals audit entries, contributions and settlements.');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Whether the settings are those of `npm start`: the embedded database, and no other machine can add an endpoint here. */
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

/** Reads settings by their form; collects the problems. */
class SettingsReader {
  readonly #env: NodeJS.ProcessEnv;
  readonly #problems: string[];

  constructor(env: NodeJS.ProcessEnv, problems: string[]) {
    this.#env = env;
    this.#problems = problems;
  }

  text(name: SettingName, fallback = defaultOf(name)): string {
    return this.#given(name) ?? fallback;
  }

  namedKeys(name: SettingName): string | undefined {
    const value = this.#given(name);
    try {
      if (value !== undefined) readNamedKeys(value, name);
      return value;
    } catch (error) {
      return this.#refuse((error as Error).message, undefined);
    }
  }

  oneOf<T extends string>(name: SettingName, allowed: readonly T[], fallback = defaultOf(name) as T): T {
    const value = this.text(name, fallback);
    return allowed.includes(value as T)
      ? (value as T)
      : this.#refuse(`${name} must be ${allowed.join(' or ')}; it is "${value}".`, fallback);
  }

  port(name: SettingName): number {
    const value = this.text(name);
    const isPort = /^\d{1,5}$/.test(value) && Number(value) <= 65_535;
    return isPort ? Number(value) : this.#refuse(`${name} must be a port, 0 to 65535; it is "${value}".`, 0);
  }

  wholeNumber(name: SettingName, { least, most }: { least: number; most: number }): number {
    const value = this.text(name);
    const isInside = /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most;
    return isInside
      ? Number(value)
      : this.#refuse(`${name} must be a whole number from ${least} to ${most}; it is "${value}".`, least);
  }

  databaseUrl(name: SettingName): string | undefined {
    const value = this.#given(name);
    // The value may contain a password, so the message does not repeat it.
    return value === undefined || /^postgres(ql)?:\/\//.test(value)
      ? value
      : this.#refuse(`${name} must be a PostgreSQL address such as postgresql://user:password@host:5432/database.`, undefined);
  }

  hostNames(name: SettingName): string[] {
    return this.#list(name, 'host names without ports', (entry) => /^[A-Za-z0-9._-]+$/.test(entry));
  }

  addresses(name: SettingName): string[] {
    return this.#list(name, 'addresses or CIDR blocks', isAddressOrBlock);
  }

  #list(name: SettingName, what: string, isValid: (entry: string) => boolean): string[] {
    const entries = readList(this.#given(name));
    const wrong = entries.filter((entry) => !isValid(entry));
    return wrong.length === 0
      ? entries
      : this.#refuse(`${name} must be ${what}, separated by commas; invalid: ${wrong.join(', ')}.`, []);
  }

  #given(name: SettingName): string | undefined {
    return this.#env[name] === '' ? undefined : this.#env[name];
  }

  #refuse<T>(problem: string, instead: T): T {
    this.#problems.push(problem);
    return instead;
  }
}

function defaultOf(name: SettingName): string {
  return (SETTINGS[name] as Setting).default ?? '';
}
