/**
 * Runs the tests on real PostgreSQL: all of them on the embedded one, or on Debian's 15 what its version can change.
 *
 *     node scripts/test.ts [--engine embedded|debian15] [--name <pattern>] [files, folders or globs …]
 *
 * The last line is the sum: `N passed, N failed, N skipped`.
 * The exit code is 0 only when something was tested, nothing failed and the run came to its end.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type EmbeddedServer, openEmbedded } from '../src/embedded-postgres/open-embedded.ts';
import { migrate } from '../src/store/schema/migrate.ts';
import { findTestFiles } from './testing/find-test-files.ts';
import { type Counts, printSum, REPOSITORY, runFiles } from './testing/run-test-files.ts';
import { openStatementRecord, reportUncovered } from './testing/statement-record.ts';

interface Engine {
  readonly title: string;
  /** Patterns for the files of a run that names none. */
  readonly tests: readonly string[];
  /** Folder of the programs; absent for those of the npm package. */
  readonly binaries?: string;
}

const ALL_TESTS = ['test/**/*.test.ts', 'src/**/*.test.ts'];
/**
 * Together they send every statement of the service that any test makes it send, and look at what it brings: what another version of
 * PostgreSQL does differently shows there. A run of all tests names those that other files alone made it send.
 */
const EVERY_STATEMENT = [
  'src/operations/for-each-partner.test.ts',
  'test/store/!(embedded).test.ts',
  'test/access/{four-eyes,who-can-do-what}.test.ts',
  'test/adjustments/*.test.ts',
  'test/audit/{audit,audited-changes}.test.ts',
  'test/commands/one-manner.test.ts',
  'test/contributions/{add-up-days,blocked,confirm-contribution,confirmation-fields,daily-caps,record-failure,reviews,sealed-contributions}.test.ts',
  'test/emissions/*.test.ts',
  'test/events/{event-bodies,event-commands,list-events,remove-old-events,sequences-on-node}.test.ts',
  'test/impact/{environmental-status,many-partners}.test.ts',
  'test/operator-api/{decisions,endpoint-activity,every-list,found-contributions,impact,passkeys,plans,reconciliations,records,rule-preview,second-person,sign-in,webhooks}.test.ts',
  'test/partner-api/{keyed-answers,limit-hits}.test.ts',
  'test/quotas/moved-estimates.test.ts',
  'test/reconciliations/{reconcile-settlement,reconcile-statement}.test.ts',
  'test/rules/{rule-cache,rules}.test.ts',
  'test/sandbox/{on-request,readiness,sample-data}.test.ts',
  'test/service/metrics-backlog.test.ts',
  'test/settlements/{close-settlement,month-totals,verify-statement}.test.ts',
  'test/webhooks/{first-attempts,hand-over,manage-delivery,settle-attempts,relay-together,self-service,webhook-fairness}.test.ts',
];

/** Those that take longest, waits included, so that the end of a run is not one of them alone. A run of all tests names them at its end. */
const BEGUN_FIRST = [
  'test/console/pages.test.ts',
  'test/service/replaced-processes.test.ts',
  'test/service/processes/standing-still.test.ts',
  'test/repository/samples.test.ts',
  'test/service/database-watch.test.ts',
  'test/service/processes/lines-about-database.test.ts',
  'test/service/start.test.ts',
  'test/sdk/gifts.test.ts',
  'test/console/set-up.test.ts',
  'test/console/worth.test.ts',
  'test/partner-api/small-chunks.test.ts',
  'test/reconciliations/reconcile-statement.test.ts',
  'test/console/parts/unanswered.test.ts',
  'test/console/tasks.test.ts',
  'test/console/incident.test.ts',
  'test/store/embedded.test.ts',
  'test/store/durable-reads.test.ts',
  'test/console/parts/changed-meanwhile.test.ts',
  'test/quotas/stored-deliveries.test.ts',
  'test/reconciliations/large-lists.test.ts',
  'test/reconciliations/list-uploads.test.ts',
  'test/service/processes.test.ts',
  'test/partner-api/availability.test.ts',
  'test/service/embedded-of-processes.test.ts',
  'test/store/answer-watch.test.ts',
  'test/sdk/inbox.test.ts',
  'test/service/database-clock.test.ts',
  'test/repository/documents.test.ts',
  'test/reliability/siege.test.ts',
  'test/reliability/bench-run.test.ts',
  'test/quotas/storage-quota.test.ts',
  'test/settlements/settlement-commands.test.ts',
  'test/webhooks/webhook-delivery.test.ts',
  'test/service/schedule.test.ts',
  'test/store/migration-locks.test.ts',
  'test/store/migration-and-autovacuum.test.ts',
  'test/sandbox/readiness.test.ts',
  'test/sandbox/sample-data.test.ts',
  'test/adjustments/sealed-adjustments.test.ts',
  'test/contributions/sealed-contributions.test.ts',
  'test/audit/superuser.test.ts',
];

const ENGINES: Readonly<Record<string, Engine>> = {
  embedded: { title: 'the embedded PostgreSQL 18', tests: ALL_TESTS },
  debian15: { title: "Debian's PostgreSQL 15", tests: EVERY_STATEMENT, binaries: '/usr/lib/postgresql/15/bin' },
};
const TEMPLATE = 'template_migrated';
const CONSOLE_TESTS = /^test\/(?:support\/)?console\//;

const MEMORY_FOLDER = '/dev/shm';
/** What statfs(2) calls a file system in memory. */
const TMPFS = 0x01021994;
const MEMORY_BYTES_MIN = 4 * 2 ** 30;

process.exitCode = await main().catch((failure: Error) => {
  console.error(failure.message);
  console.log('0 passed, 1 failed, 0 skipped');
  return 1;
});

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { engine: { type: 'string', default: 'embedded' }, name: { type: 'string' } },
    allowPositionals: true,
  });
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const isWhole = values.engine === 'embedded' && positionals.length === 0 && values.name === undefined;
  await testOn(values.engine, findFiles(positionals, values.engine), { namePattern: values.name, isWhole }, counts);
  return printSum(counts);
}

/** Those that take longest come first. */
function findFiles(patterns: readonly string[], engine: string): string[] {
  const { tests } = findEngine(engine);
  const files = findTestFiles(patterns.length === 0 ? tests.map((pattern) => join(REPOSITORY, pattern)) : patterns);
  const gone = BEGUN_FIRST.filter((file) => !existsSync(join(REPOSITORY, file)));
  if (gone.length > 0) throw new Error(`BEGUN_FIRST names what is no file: ${gone.join(', ')}.`);
  const first = BEGUN_FIRST.filter((file) => files.has(file));
  return [...first, ...[...files].filter((file) => !first.includes(file)).sort()];
}

function findEngine(name: string): Engine {
  const engine = ENGINES[name];
  if (!engine) throw new Error(`There is no engine ${name}: choose from ${Object.keys(ENGINES).join(', ')}.`);
  return engine;
}

/** One server and one migrated template for all the files of a run; both are gone afterwards, whatever happens. */
async function testOn(
  name: string,
  files: readonly string[],
  { namePattern, isWhole }: { readonly namePattern: string | undefined; readonly isWhole: boolean },
  counts: Counts,
): Promise<void> {
  const { title, binaries } = findEngine(name);
  if (binaries !== undefined && !existsSync(binaries))
    throw new Error(`${title} is not installed here: there is no ${binaries} (package postgresql-15).`);
  console.log(`\nTesting ${files.length} files on ${title} …`);
  const directory = makeTemporaryFolder();
  let server: EmbeddedServer | undefined;
  try {
    server = await openEmbedded(join(directory, 'server'), binaries === undefined ? {} : { binaries });
    await makeTemplate(server.socketDirectory);
    const record = isWhole ? openStatementRecord(directory, REPOSITORY) : undefined;
    Object.assign(process.env, record?.env, {
      TMPDIR: directory,
      TEST_ENGINE: name,
      TEST_DATABASE_HOST: server.socketDirectory,
      TEST_DATABASE_TEMPLATE: TEMPLATE,
    });
    // Once for all: of two files that build it, one would take it away from the service of the other.
    if (files.some((file) => CONSOLE_TESTS.test(file))) buildConsole();
    await runFiles(files, counts, { namePattern });
    if (record) reportUncovered(record.read(), findFiles([], 'debian15'));
  } catch (failure) {
    counts.failed += 1;
    console.error(`The run on ${title} broke off:`, failure);
  } finally {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function buildConsole(): void {
  const { status } = spawnSync(process.execPath, [join(REPOSITORY, 'scripts/build-console.mjs')], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The console could not be built.');
}

/**
 * For all that a run writes. In memory where there is room, because a file system on a disk takes five times the processor time for a new
 * database; what PostgreSQL is told to make durable it makes so there as well, for as long as the machine is on.
 */
function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(hasRoomInMemory() ? MEMORY_FOLDER : tmpdir(), 'tests-'));
  // Some tests act as another user below it.
  chmodSync(folder, 0o711);
  return folder;
}

function hasRoomInMemory(): boolean {
  if (!existsSync(MEMORY_FOLDER)) return false;
  const { type, bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return type === TMPFS && bavail * bsize >= MEMORY_BYTES_MIN && freemem() >= MEMORY_BYTES_MIN;
}

/** Nobody may connect to it afterwards: PostgreSQL copies no database that is in use. */
async function makeTemplate(host: string): Promise<void> {
  const client = new pg.Client({ host, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    await client.query(`create database ${TEMPLATE}`);
    await migrate(`postgresql:///${TEMPLATE}?host=${encodeURIComponent(host)}&user=postgres`);
    await client.query(`alter database ${TEMPLATE} with is_template true allow_connections false`);
  } finally {
    await client.end();
  }
}
