import { type Config, ConfigError, readConfig } from '../config.ts';
import { DEFAULT_VERSION } from '../domain/rules/contribution-rules.ts';
import { explainBreakGlass, listBreakGlass } from '../operations/access/break-glass.ts';
import { requireAuditKeys } from '../operations/audit/require-audit-keys.ts';
import { findSealStart } from '../operations/audit/seal-start.ts';
import { listPartnersUnderDefaults } from '../operations/rules/manage-rule.ts';
import { readVerifiedRuleEntries } from '../operations/rules/verified-rules.ts';
import { listJobs } from '../schedule/jobs.ts';
import { nextStepOf } from '../service/database-problem-words.ts';
import { openConfiguredSecretBox, requireSecretsKey } from '../service/keys/configured-keys.ts';
import { configuredSettlementTools } from '../service/keys/configured-seals.ts';
import { nameMissing } from '../service/missing-migrations.ts';
import { describeFailure, openStore, type Store } from '../service/open-database.ts';
import { listSecondFactorsByKey } from '../store/access/operator-password.ts';
import { listPartners } from '../store/access/partner.ts';
import { problemOf } from '../store/database-problem.ts';
import { findEnvironment, findInstallation } from '../store/installation.ts';
import { listDueJobs, listJobStates } from '../store/jobs/job.ts';
import { listJobRuns } from '../store/jobs/job-run.ts';
import { type MigrationState, readMigrationState } from '../store/schema/migrate.ts';
import { listSecretsByKey } from '../store/webhooks/webhook-endpoint.ts';
import { listUnreadableSecrets, type UnreadableSecrets } from '../webhooks/security/endpoint-secrets.ts';
import type { SecretUnreadableError } from '../webhooks/security/secret-box.ts';
import {
  examineClock,
  examinePlace,
  examineRights,
  examineServer,
  examineUniqueKeys,
  examineWorkers,
  type Finding,
} from './examine-server.ts';
import { describeMistypedNames } from './terminal/mistyped-settings.ts';
import { printJson, printTable } from './terminal/output.ts';
import { ProgramCommand } from './terminal/program-command.ts';
import { withoutOperator } from './terminal/with-operator.ts';

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
    const unreadable = [...(await examineRights(store)), ...(await examinePlace(store))];
    // What is read below may be what the role may not read or does not find.
    if (unreadable.length > 0) return [...server, ...unreadable];
    const migrations = await readMigrationState(store.database.pool);
    const found = [
      server,
      await orUnread('workers', examineWorkers(store)),
      await examineClock(store),
      explainMigrations(migrations),
      await orUnread('environment', examineOwner(store, config)),
    ].flat();
    // What is read below may be what a missing migration makes.
    if (migrations.pending.length > 0) return found;
    return [
      found,
      await orUnread('tables', examineUniqueKeys(store, migrations)),
      await examineKeys(store),
      await examineSecrets(store, config),
      await orUnread('operators', examinePeople(store, config)),
      await orUnread('rules', examineRules(store, config)),
      await orUnread('rules', examineProofs(store)),
      await orUnread('jobs', examineJobs(store)),
      await orUnread('jobs', examineSchedule(store, config)),
    ].flat();
  } catch (error) {
    return [{ check: 'connection', verdict: 'problem', message: describeFailure(error) }];
  } finally {
    await store?.close();
  }
}

/** A read that fails, such as of a table that a session has locked, is a finding of its own, and takes no other away. */
function orUnread(check: string, reading: Promise<Finding[]>): Promise<Finding[]> {
  return reading.catch((error: Error) => {
    const reason = problemOf(error)?.reason;
    const step = reason === undefined ? '' : `. ${nextStepOf(reason)}`;
    return [{ check, verdict: 'problem', message: `could not be read: ${error.message}${step}` }];
  });
}

function explainMigrations(state: MigrationState): Finding {
  const { isEmpty, pending, unknown } = state;
  if (unknown.length > 0) {
    const message = `the database has migrations of a newer release (${unknown.join(', ')}), so this release cannot start. Start the newer one`;
    return { check: 'migrations', verdict: 'problem', message };
  }
  if (pending.length === 0) return { check: 'migrations', verdict: 'ok', message: 'up to date' };
  // As of another folder than the one in which the service has its data.
  const lack = isEmpty ? 'this database is empty: no release was here' : `missing: ${nameMissing(state)}`;
  const message = `${lack}. Run: npx partner-impact migrate`;
  return { check: 'migrations', verdict: 'problem', message };
}

/** Under other keys no change can be made, and no key of a partner can be verified. Without an older key the service does not start. */
async function examineKeys({ database }: Store): Promise<Finding[]> {
  try {
    await requireAuditKeys(database);
    await findSealStart(database.pool, database);
    return [{ check: 'keys', verdict: 'ok', message: 'AUDIT_KEY is the key of this database' }];
  } catch (error) {
    return [{ check: 'keys', verdict: 'problem', message: (error as Error).message }];
  }
}

/**
 * Under other keys nothing is delivered to the endpoints, no code of a second factor is checked, and every new secret is encrypted under a
 * key that nobody kept.
 */
async function examineSecrets({ database }: Store, config: Config): Promise<Finding[]> {
  try {
    const openBox = () => {
      requireSecretsKey(config);
      return openConfiguredSecretBox(config);
    };
    const ofEndpoints = listUnreadableSecrets(await listSecretsByKey(database.pool), openBox);
    const ofOperators = listUnreadableSecrets(await listSecondFactorsByKey(database.pool), openBox);
    return [...ofEndpoints.map(explainEndpoints), ...ofOperators.map(explainOperators)].map((message) => ({
      check: 'keys',
      verdict: 'problem',
      message,
    }));
  } catch (error) {
    return [{ check: 'keys', verdict: 'problem', message: (error as Error).message }];
  }
}

function explainEndpoints({ error, ownerCount }: UnreadableSecrets): string {
  const who = ownerCount === 1 ? 'Its deliveries wait' : `${ownerCount} endpoints use this key, and their deliveries wait`;
  return explainUnreadable(error, who);
}

function explainOperators({ error, ownerCount }: UnreadableSecrets): string {
  const who = ownerCount === 1 ? 'The operator' : `${ownerCount} operators use this key, and`;
  return explainUnreadable(error, `${who} cannot sign in with a password, only with a passkey`);
}

function explainUnreadable(error: SecretUnreadableError, who: string): string {
  const where = error.isKeyMissing ? 'after the new one' : 'in place of the one of the same name';
  return `${error.message} ${who}. Put the key that was kept into SECRETS_KEY, ${where}, and restart`;
}

async function examineOwner({ database }: Store, { environment }: Config): Promise<Finding[]> {
  const owner = await findEnvironment(database.pool);
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
  const findings: Finding[] = [];
  const hasAdmin = Boolean((await findInstallation(pool))?.firstAdminAt);
  if (environment === 'production' && !hasAdmin) {
    const message =
      'there is no admin yet, so every command with these settings acts for the owner account. Run: npx partner-impact operator create --name NAME --email ADDRESS --role admin';
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
  const unruled = await listPartnersUnderDefaults(database.pool);
  if (unruled.length === 0) {
    const [partner] = await listPartners(database.pool, { afterId: '', limit: 1 });
    if (partner) return [{ check: 'rules', verdict: 'ok', message: 'every partner has rules' }];
    const message = `there is no partner yet. ${DEFAULT_VERSION} applies to a partner without rules: any number of points, no review, no value. Run: npx partner-impact rule create --help`;
    return [{ check: 'rules', verdict: 'ok', message }];
  }
  const named = unruled.slice(0, 3).map(({ partnerId, kinds }) => `${partnerId}: ${kinds.join(', ')}`);
  const more = unruled.length > named.length ? `, and ${unruled.length - named.length} more partners` : '';
  const message = `${DEFAULT_VERSION} applies (${named.join('; ')}${more}): any number of points, no value. Run: npx partner-impact rule create --help`;
  return [{ check: 'rules', verdict: 'warning', message }];
}

/** Rules that differ from the audit are not applied: confirmations under them are refused. */
async function examineProofs({ database }: Store): Promise<Finding[]> {
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
  const failing = (await listJobStates(database.pool)).filter(({ failuresInRow }) => failuresInRow > 0);
  return Promise.all(
    failing.map(async ({ jobName, failuresInRow }): Promise<Finding> => {
      const [last] = await listJobRuns(database.pool, { jobName, limit: 1 });
      const message = `${jobName} failed ${failuresInRow} times in a row: ${last?.error ?? 'it runs again now'}`;
      return { check: 'jobs', verdict: 'problem', message };
    }),
  );
}

/** Longer than most runs take. One that takes longer, and is stopped with its process, is named until another process begins it again. */
const OVERDUE_MS = 600_000;

/** Jobs that no process runs: none has the role `schedule`, or none runs at all. */
async function examineSchedule({ database: { pool } }: Store, config: Config): Promise<Finding[]> {
  const { now, jobNames } = await listDueJobs(pool);
  const known = listJobs({ ...config, settlementTools: configuredSettlementTools(config) }).map(({ name }) => name);
  const overdue = (await listJobStates(pool))
    .filter(
      ({ jobName, dueAt }) =>
        known.includes(jobName) && jobNames.includes(jobName) && now.getTime() - dueAt.getTime() > OVERDUE_MS,
    )
    .map(({ jobName, dueAt }) => `${jobName} since ${dueAt.toISOString()}`);
  if (overdue.length === 0) return [];
  const message = `no process runs what is due: ${overdue.join(', ')}. Start the service, or a process with the role schedule (serve --roles schedule)`;
  return [{ check: 'jobs', verdict: 'warning', message }];
}
