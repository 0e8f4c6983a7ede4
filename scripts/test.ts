/**
 * Runs the tests on real PostgreSQL: the embedded one, and Debian's 15 where it is installed.
 *
 *     node scripts/test.ts [--engine embedded|debian15] [--name <pattern>] [files or globs …]
 *
 * The last line is the sum over all runs: `N passed, N failed, N skipped`.
 * The exit code is 0 only when something was tested, nothing failed and every run came to its end.
 */
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join, matchesGlob, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type EmbeddedServer, openEmbedded } from '../src/embedded-postgres/open-embedded.ts';
import { migrate } from '../src/store/schema/migrate.ts';
import { type Counts, interruption, printSum, REPOSITORY, runFiles } from './run-test-files.ts';

interface Engine {
  readonly name: 'embedded' | 'debian15';
  readonly title: string;
  /** Folder of the programs; absent for those of the npm package. */
  readonly binaries?: string;
}

const DEBIAN_BINARIES = '/usr/lib/postgresql/15/bin';
const ENGINES: readonly Engine[] = [
  { name: 'embedded', title: 'the embedded PostgreSQL 18' },
  { name: 'debian15', title: "Debian's PostgreSQL 15", binaries: DEBIAN_BINARIES },
];

const ALL_TESTS = ['test/**/*.test.ts', 'src/**/*.test.ts'];
/** What has no database, or asks it nothing that other tests do not: one run of them says all. */
const ONE_ENGINE_TESTS = [
  'src/**',
  'test/{commands,repository}/**',
  'test/*/*commands.test.ts',
  'test/access/{owner,who-can-do-what}.test.ts',
  'test/audit/superuser.test.ts',
  'test/partner-api/{availability,http,limit-hits,limits,proxy,recovery-verdict,reference}.test.ts',
  'test/reliability/{bench,fuzz,mutants,quarter-books,siege,webhooks-judge}.test.ts',
  'test/sdk/**',
  'test/service/{admin-listener,database-clock}.test.ts',
  'test/webhooks/{webhook-hanging,webhooks-page}.test.ts',
];
const TEMPLATE = 'template_migrated';

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
    options: { engine: { type: 'string' }, name: { type: 'string' } },
    allowPositionals: true,
  });
  const files = findFiles(positionals);
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const engine of chooseEngines(values.engine)) {
    const isFirst = engine.name === 'embedded' || values.engine !== undefined;
    const own = isFirst ? files : files.filter((file) => !ONE_ENGINE_TESTS.some((pattern) => matchesGlob(file, pattern)));
    if (interruption.signal.aborted || own.length === 0) continue;
    await testOn(engine, own, values.name, counts);
  }
  return printSum(counts);
}

/** A name that fits no file is a mistake and no reason to pass. */
function findFiles(patterns: readonly string[]): string[] {
  const wanted = patterns.length === 0 ? ALL_TESTS : patterns.map((pattern) => relative(REPOSITORY, resolve(pattern)));
  const found = wanted.map((pattern) => ({ pattern, files: globSync(pattern, { cwd: REPOSITORY }) }));
  const empty = patterns.length === 0 ? [] : found.filter(({ files }) => files.length === 0);
  if (empty.length > 0) throw new Error(`No test file fits ${empty.map(({ pattern }) => pattern).join(', ')}.`);
  return [...new Set(found.flatMap(({ files }) => files))].sort();
}

function chooseEngines(only: string | undefined): readonly Engine[] {
  if (only === undefined) {
    if (existsSync(DEBIAN_BINARIES)) return ENGINES;
    console.log(`Debian's PostgreSQL 15 is not installed here (package postgresql-15): testing on the embedded one alone.`);
  }
  const chosen = ENGINES.filter(({ name }) => name === (only ?? 'embedded'));
  if (chosen.length === 0)
    throw new Error(`There is no engine ${only}: choose from ${ENGINES.map(({ name }) => name).join(', ')}.`);
  return chosen;
}

/** One server and one migrated template for all the files of a run; both are gone afterwards, whatever happens. */
async function testOn(engine: Engine, files: readonly string[], namePattern: string | undefined, counts: Counts): Promise<void> {
  console.log(`\nTesting ${files.length} files on ${engine.title} …`);
  const directory = makeTemporaryFolder();
  let server: EmbeddedServer | undefined;
  try {
    server = await openEmbedded(join(directory, 'server'), engine.binaries === undefined ? {} : { binaries: engine.binaries });
    await makeTemplate(server.socketDirectory);
    Object.assign(process.env, {
      TMPDIR: directory,
      TEST_ENGINE: engine.name,
      TEST_DATABASE_HOST: server.socketDirectory,
      TEST_DATABASE_TEMPLATE: TEMPLATE,
    });
    await runFiles(files, counts, { namePattern });
  } catch (failure) {
    counts.failed += 1;
    console.error(`The run on ${engine.title} broke off:`, failure);
  } finally {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
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
