import { type Config, ConfigError, readConfig } from '../config.ts';
import { DEFAULT_VERSION } from '../domain/rules/contribution-rules.ts';
import { explainBreakGlass, listBreakGlass } from '../operations/access/break-glass.ts';
import { requireAuditKeys } from '../operations/audit/require-audit-keys.ts';
import { findSealStart } from '../operations/audit/seal-start.ts';
import { listPartnersUnderDefaults } from '../operations/rules/manage-rule.ts';
import { readVerifiedRuleEntries } from '../operations/rules/verified-rules.ts';
import { openConfiguredSecretBox, requireSecretsKey } from '../service/keys/configured-keys.ts';
import { openStore, type Store, stepAfterFailure } from '../service/open-database.ts';
import { listPartners } from '../store/access/partner.ts';
import { problemOf } from '../store/database-problem.ts';
import {
  checkWritable,
  listDurabilityProblems,
  listMissingTimeouts,
  listWorkerProblems,
  readServerSettings,
  readWorkerConnectionOptions,
  readWorkerSettings,
  type ServerSettings,
  type Worker,
} from '../store/durability.ts';
import { findInstallation } from '../store/installation.ts';
import { listJobRuns, listJobStates } from '../store/jobs/job.ts';
import { listDistributedTables } from '../store/schema/distribute.ts';
import { readMigrationState } from '../store/schema/migrate.ts';
import { findMissingRights } from '../store/schema/missing-rights.ts';
import { listUnreadableSecrets, type UnreadableSecrets } from '../webhooks/security/endpoint-secrets.ts';
import { describeMistypedNames } from './terminal/mistyped-settings.ts';
import { printJson, printTable } from './terminal/output.ts';
import { ProgramCommand } from './terminal/program-command.ts';
import { withoutOperator } from './terminal/with-operator.ts';

type Verdict = 'ok' | 'warning' | 'problem';

interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  /** A finding, and what to do about it. */
  readonly message: string;
}

export function doctorCommand(): ProgramCommand {
  return new ProgramCommand('doctor')
    .description('check settings, database, durability, clock and migrations; say what to do')
    .option('--json', 'one JSON object, for programs')
    .action(withoutOperator('whoever runs the machine has to know what is wrong, also when no database answers', examine));
}

async function examine({ json }: { json?: boolean }): Promise<void> {
  const findings = await listFindings();
  const isWell = findings.every(({ verdict }) => verdict !== 'problem');
  if (json) printJson({ ok: isWell, findings });
  else
    printTable(
      findings.map(({ check, verdict, message }) => ({ check, verdict, message })),
      '',
    );
  if (!isWell) process.exitCode = 1;
}

async function listFindings(): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((message) => ({ check: 'settings', verdict: 'problem', message }));
  }
  return [...examineSettings(config), ...(await examineDatabase(config))];
}

function examineSettings({ environment, databaseUrl, dataDirectory }: Config): Finding[] {
  const mistyped = describeMistypedNames(process.env).map(
    (message): Finding => ({ check: 'settings', verdict: 'warning', message }),
  );
  const findings: Finding[] = [{ check: 'settings', verdict: 'ok', message: `environment ${environment}` }, ...mistyped];
  if (databaseUrl !== undefined) return findings;
  const message = `the embedded PostgreSQL in ${dataDirectory}`;
  const isSandbox = environment === 'sandbox';
  return [
    ...findings,
    {
      check: 'database',
      verdict: isSandbox ? 'ok' : 'warning',
      message: isSandbox ? message : `${message}: set DATABASE_URL to a server that is backed up`,
    },
  ];
}

async function examineDatabase(config: Config): Promise<Finding[]> {
  let store: Store | undefined;
  try {
    store = await openStore(config);
    const server = await examineServer(store);
    // Some of what is read below needs a commit too.
    if (server.some(({ check }) => check === 'writing')) return server;
    const rights = await examineRights(store);
    // What is read below may be what the role may not read.
    if (rights.length > 0) return [...server, ...rights];
    return [
      server,
      await examineWorkers(store),
      await examineClock(store),
      await examineMigrations(store),
      await examineKeys(store),
      await examineSecrets(store, config),
      await examineOwner(store, config),
      await examinePeople(store, config),
      await examineRules(store, config),
      await examineProofs(store),
      await examineJobs(store),
    ].flat();
  } catch (error) {
    const message = `${(error as Error).message.replace(/\.$/, '')}. ${stepAfterFailure(error)}.`;
    return [{ check: 'connection', verdict: 'problem', message }];
  } finally {
    await store?.close();
  }
}

async function examineServer({ database }: Store): Promise<Finding[]> {
  const settings = await readServerSettings(database.pool);
  const problems = listDurabilityProblems(settings);
  const findings: Finding[] = problems.map((message) => ({ check: 'durability', verdict: 'problem', message }));
  if (problems.length === 0)
    findings.push({ check: 'durability', verdict: 'ok', message: `PostgreSQL ${settings.version}, every commit is durable` });
  const blocked = await checkWritable(database.pool).catch((error: Error) => error);
  if (blocked !== undefined) findings.push({ check: 'writing', verdict: 'problem', message: explainBlocked(blocked, settings) });
  if (settings.synchronousStandbyNames === '' && settings.standbys > 0) {
    const message =
      'a standby follows asynchronously: an automatic failover to it would lose answered contributions. Name it in synchronous_standby_names (Patroni: synchronous_mode)';
    findings.push({ check: 'standby', verdict: 'warning', message });
  }
  for (const [name, value, wanted] of [
    ['statement_timeout', settings.statementTimeout, '4500ms'],
    ['idle_in_transaction_session_timeout', settings.idleInTransactionTimeout, '3s'],
  ]) {
    const message = `${name} is not in effect in this session, so a lost client can block a contribution: alter role … set ${name} = '${wanted}'`;
    if (value === '0') findings.push({ check: 'time-outs', verdict: 'warning', message });
  }
  return findings;
}

function explainBlocked(error: Error, { synchronousStandbyNames: names, standbys }: ServerSettings): string {
  if (names === '' || problemOf(error)?.reason !== 'no_answer') return error.message;
  return `no commit was answered in time. Commits wait for synchronous_standby_names = '${names}'; servers that follow: ${standbys}. Start the standby; where none is missing, look at the disk of the WAL (wait_event of pg_stat_activity is SyncRep while commits wait for a standby)`;
}

const TABLES_NAMED_MAX = 5;

/** After a restore, or a migration by a role that grants nothing to the one of the service. */
async function examineRights({ database }: Store): Promise<Finding[]> {
  const { role, tables } = await findMissingRights(database.pool);
  if (tables.length === 0) return [];
  const more = tables.length > TABLES_NAMED_MAX ? ` and ${tables.length - TABLES_NAMED_MAX} more tables` : '';
  const named = tables.slice(0, TABLES_NAMED_MAX).join(', ');
  const message = `the role ${role} lacks rights on ${named}${more}: grant it select, insert, update and delete, as the owner of the tables`;
  return [{ check: 'rights', verdict: 'problem', message }];
}

/** Of a distributed database, the servers that hold the rows. */
async function examineWorkers({ database }: Store): Promise<Finding[]> {
  if ((await listDistributedTables(database)).length === 0) return [];
  try {
    const workers = await readWorkerSettings(database);
    const missing = listMissingTimeouts(workers, await readWorkerConnectionOptions(database));
    return [
      ...judgeWorkers(workers),
      ...missing.map((message): Finding => ({ check: 'time-outs', verdict: 'warning', message })),
    ];
  } catch (error) {
    return [{ check: 'workers', verdict: 'problem', message: `the coordinator cannot ask them: ${(error as Error).message}` }];
  }
}

function judgeWorkers(workers: readonly Worker[]): Finding[] {
  const check = 'workers';
  const silent = workers.filter(({ settings }) => settings === undefined);
  const problems = [
    ...listWorkerProblems(workers),
    ...silent.map(({ node }) => `${node} does not answer the coordinator: partners whose rows are there get 503`),
  ];
  if (problems.length > 0) return problems.map((message) => ({ check, verdict: 'problem', message }));
  return [{ check, verdict: 'ok', message: `${workers.length} workers answer, every commit is durable` }];
}

const CLOCK_TOLERANCE_MS = 2_000;

/** Records carry the database's time, webhooks and certificates the time of this machine. Partners accept a difference of five minutes. */
async function examineClock({ database }: Store): Promise<Finding> {
  const sentAt = Date.now();
  const { rows } = await database.pool.query<{ now: Date }>('select clock_timestamp() as now');
  const offsetMs = Math.round((rows[0]?.now.getTime() ?? 0) - (sentAt + Date.now()) / 2);
  const isNear = Math.abs(offsetMs) <= CLOCK_TOLERANCE_MS;
  const message = `the database's clock is ${offsetMs} ms from this machine's${isNear ? '' : ': synchronise both (NTP)'}`;
  return { check: 'clock', verdict: isNear ? 'ok' : 'problem', message };
}

async function examineMigrations({ database }: Store): Promise<Finding> {
  const { pending, unknown } = await readMigrationState(database.pool);
  if (unknown.length > 0) {
    const message = `a newer release was here (${unknown.join(', ')}): this one cannot be started any more. Start that release`;
    return { check: 'migrations', verdict: 'problem', message };
  }
  if (pending.length === 0) return { check: 'migrations', verdict: 'ok', message: 'up to date' };
  return { check: 'migrations', verdict: 'problem', message: `missing: ${pending.join(', ')}. Run: npx partner-impact migrate` };
}

/** Under other keys no change can be made, and no key of a partner can be verified. Without an older key the service does not start. */
async function examineKeys({ database }: Store): Promise<Finding[]> {
  if ((await readMigrationState(database.pool)).pending.length > 0) return [];
  try {
    await requireAuditKeys(database);
    await findSealStart(database.pool, database);
    return [{ check: 'keys', verdict: 'ok', message: 'AUDIT_KEY is the key of this database' }];
  } catch (error) {
    return [{ check: 'keys', verdict: 'problem', message: (error as Error).message }];
  }
}

/** Under other keys nothing is delivered to the endpoints, and every new secret is encrypted under a key that nobody kept. */
async function examineSecrets({ database }: Store, config: Config): Promise<Finding[]> {
  if ((await readMigrationState(database.pool)).pending.length > 0) return [];
  try {
    const unreadable = await listUnreadableSecrets(database.pool, () => {
      requireSecretsKey(config);
      return openConfiguredSecretBox(config);
    });
    return unreadable.map((each) => ({ check: 'keys', verdict: 'problem', message: explainUnreadable(each) }));
  } catch (error) {
    return [{ check: 'keys', verdict: 'problem', message: (error as Error).message }];
  }
}

function explainUnreadable({ error, endpointCount }: UnreadableSecrets): string {
  const who = endpointCount === 1 ? 'Its deliveries wait' : `${endpointCount} endpoints use this key, and their deliveries wait`;
  const where = error.isKeyMissing ? 'after the new one' : 'in place of the one of the same name';
  return `${error.message} ${who}. Put the key that was kept into SECRETS_KEY, ${where}, and restart`;
}

async function examineOwner({ database }: Store, { environment }: Config): Promise<Finding[]> {
  const { rows } = await database.pool
    .query<{ environment: string }>("select environment from installation where to_regclass('installation') is not null")
    .catch(() => ({ rows: [] }));
  const owner = rows[0]?.environment;
  if (owner === undefined || owner === environment) return [];
  return [
    {
      check: 'environment',
      verdict: 'problem',
      message: `the database belongs to ${owner}, SERVICE_ENVIRONMENT is ${environment}`,
    },
  ];
}

const BREAK_GLASS_DAYS = 30;
const BREAK_GLASS_SHOWN = 5;
const DAY_MS = 86_400_000;

/** Who can act alone: the owner of a production machine before the first admin exists, and with `--break-glass`. */
async function examinePeople({ database: { pool } }: Store, { environment }: Config): Promise<Finding[]> {
  if ((await readMigrationState(pool)).pending.length > 0) return [];
  const findings: Finding[] = [];
  const hasAdmin = Boolean((await findInstallation(pool))?.firstAdminAt);
  if (environment === 'production' && !hasAdmin) {
    const message =
      'there is no admin yet, so every user of the machine acts for the owner account. Run: npx partner-impact operator create --name NAME --email ADDRESS --role admin';
    findings.push({ check: 'operators', verdict: 'warning', message });
  }
  const uses = await listBreakGlass(pool, new Date(Date.now() - BREAK_GLASS_DAYS * DAY_MS));
  for (const use of uses.slice(0, BREAK_GLASS_SHOWN))
    findings.push({ check: 'break-glass', verdict: 'warning', message: explainBreakGlass(use) });
  if (uses.length > BREAK_GLASS_SHOWN) {
    const message = `${uses.length} times in ${BREAK_GLASS_DAYS} days. Run: npx partner-impact audit list --subject owner`;
    findings.push({ check: 'break-glass', verdict: 'warning', message });
  }
  return findings;
}

/** In production each contribution should be under rules that an operator created: `default-1` has no bounds and no conversion. */
async function examineRules({ database }: Store, { environment }: Config): Promise<Finding[]> {
  if (environment !== 'production') return [];
  if ((await readMigrationState(database.pool)).pending.length > 0) return [];
  const unruled = await listPartnersUnderDefaults(database.pool);
  if (unruled.length === 0) {
    const [partner] = await listPartners(database.pool, { afterId: '', limit: 1 });
    if (partner) return [{ check: 'rules', verdict: 'ok', message: 'every partner has rules' }];
    const message = `there is no partner yet. Without rules ${DEFAULT_VERSION} will apply to it: any number of points, no value`;
    return [{ check: 'rules', verdict: 'ok', message }];
  }
  const named = unruled.slice(0, 3).map(({ partnerId, kinds }) => `${partnerId}: ${kinds.join(', ')}`);
  const more = unruled.length > named.length ? `, and ${unruled.length - named.length} more partners` : '';
  const message = `${DEFAULT_VERSION} applies (${named.join('; ')}${more}): any number of points, no value. Run: npx partner-impact rule create --help`;
  return [{ check: 'rules', verdict: 'warning', message }];
}

/** Rules that differ from the audit are not applied: confirmations under them are refused. */
async function examineProofs({ database }: Store): Promise<Finding[]> {
  if ((await readMigrationState(database.pool)).pending.length > 0) return [];
  try {
    database.auditKeys();
  } catch {
    // What is wrong with the keys is told of them; without them no rule can be verified.
    return [];
  }
  const { doubts } = await readVerifiedRuleEntries(database.pool, database.auditKeys);
  return [...doubts].map(([rule, doubt]) => ({
    check: 'rules',
    verdict: 'problem',
    message: `${rule} differs from the audit: ${doubt}. Run: npx partner-impact rule verify`,
  }));
}

/** Jobs that fail again and again: a closing that found a modified row, for instance. */
async function examineJobs({ database }: Store): Promise<Finding[]> {
  if ((await readMigrationState(database.pool)).pending.length > 0) return [];
  const failing = (await listJobStates(database.pool)).filter(({ failuresInRow }) => failuresInRow > 0);
  return Promise.all(
    failing.map(async ({ jobName, failuresInRow }): Promise<Finding> => {
      const [last] = await listJobRuns(database.pool, { jobName, limit: 1 });
      const message = `${jobName} failed ${failuresInRow} times in a row: ${last?.error ?? 'it runs again now'}`;
      return { check: 'jobs', verdict: 'problem', message };
    }),
  );
}
