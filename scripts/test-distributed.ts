/**
 * Runs the tests of the operations, the races and the kills on a Citus cluster, in four databases; or those of them that are named.
 *
 *     CITUS_URL=postgres://postgres@127.0.0.1:5600/postgres npm run test:distributed
 *     CITUS_URL=… node scripts/test-distributed.ts [--name <pattern>] [files, folders or globs …]
 *
 * The last line is the sum: `N passed, N failed, N skipped`.
 */
import { parseArgs } from 'node:util';
import { distributeTables } from '../src/store/schema/distribute.ts';
import { migrate } from '../src/store/schema/migrate.ts';
import { createClusterDatabase, setShards } from '../test/support/postgres/create-cluster-database.ts';
import { findTestFiles } from './testing/find-test-files.ts';
import { type Counts, printSum, type RunOptions, runFiles } from './testing/run-test-files.ts';

/** It closes the settlements of every partner that there is: the fewer, the sooner. */
const FILE_FIRST = testFile('settlements/close-settlement');

/** Of the files that may run beside each other: the cluster's three servers share the machine. */
const CONCURRENCY = 2;

/** What does not depend on how tables lie is tested on one PostgreSQL. */
const FILES = [
  'operator-api/every-list',
  'contributions/confirm-contribution',
  'contributions/confirmation-fields',
  'contributions/get-contribution-by-partner-event-id',
  'contributions/get-contribution-by-id',
  'emissions/create-delivery-emissions-estimate',
  'emissions/get-delivery-emissions-estimate',
  'emissions/associate-emissions-estimate',
  'contributions/pending',
  'partner-api/error-codes',
  'contributions/blocked',
  'store/distributed',
  'store/plans',
].map(testFile);

/** After them in the same database: they wait more than they compute, while the other databases have files left. */
const FILES_LATER = ['reconciliations/list-uploads', 'quotas/storage-quota'].map(testFile);

/** One after the other in a second database. The first three count all rows of their kinds. */
const FILES_ELSEWHERE = [
  'operator-api/records',
  'operator-api/decisions',
  'operator-api/reconciliations',
  'reliability/closings',
  'settlements/settlements',
  'settlements/settlement-prices',
  'reconciliations/reconcile-settlement',
  'adjustments/adjustments',
  'adjustments/adjustment-bounds',
  'adjustments/adjustment-commands',
  'impact/environmental-status',
  'events/every-event',
  'events/sequences-on-node',
  'contributions/daily-caps',
  'contributions/record-failure',
  'contributions/reviews',
  'operator-api/impact',
  'impact/many-partners',
  'operator-api/found-contributions',
].map(testFile);

/**
 * One after the other in a third: a service delivers whatever is due in its database. The first verifies every record.
 */
const FILES_WITH_DELIVERIES = [
  'sandbox/on-request',
  'webhooks/webhook-delivery',
  'webhooks/settle-attempts',
  'webhooks/manage-delivery',
  'events/remove-old-events',
  'webhooks/webhooks',
  'service/jobs-of-all-partners',
  'events/list-events',
  'events/get-event',
  'operator-api/webhooks',
  'operator-api/endpoint-activity',
].map(testFile);

/** One after the other in a fourth, the more patient ones first: they wait for a lost node, and leave the processors to the others. */
const FILES_OF_PROCESSES = [
  'store/distribute-rows',
  'webhooks/lost-node',
  'service/silent-worker',
  'service/operators-and-lost-worker',
  'service/processes',
].map(testFile);

/** After all others: they change settings of a whole worker. */
const FILES_ALONE = ['service/worker-and-standby'].map(testFile);

function testFile(name: string): string {
  return `test/${name}.test.ts`;
}

process.exitCode = await main().catch((error: Error) => {
  console.error(error.message);
  console.log('0 passed, 1 failed, 0 skipped');
  return 1;
});

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: { name: { type: 'string' } }, allowPositionals: true });
  const wanted = wantedOf(positionals);
  const databaseUrl = process.env['CITUS_URL'];
  if (!databaseUrl) throw new Error('CITUS_URL is not set: it names the coordinator of a Citus cluster.');
  await setShards(databaseUrl);
  await migrate(databaseUrl);
  const distributed = await distributeTables(databaseUrl);
  console.log(
    distributed.length > 0 ? `Distributed by partner: ${distributed.join(', ')}` : 'The tables are distributed already.',
  );
  Object.assign(process.env, { TEST_DATABASE_URL: databaseUrl, TEST_ENGINE: 'citus' });
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const runWanted = async (files: readonly string[], options: RunOptions) => {
    const some = files.filter(wanted);
    if (some.length > 0) await runFiles(some, counts, { ...options, namePattern: values.name });
  };
  const runHere = async () => {
    await runWanted([FILE_FIRST], {});
    await runWanted(FILES, { concurrency: CONCURRENCY });
    await runWanted(FILES_LATER, { concurrency: CONCURRENCY });
  };
  await using created = new AsyncDisposableStack();
  // One after the other: two at once would copy the same template.
  const prepare = async (name: string, files: readonly string[]) => {
    if (!files.some(wanted)) return {};
    const database = await createClusterDatabase(databaseUrl, { name });
    created.defer(() => database.drop());
    return { concurrency: 1, env: { TEST_DATABASE_URL: database.databaseUrl } };
  };
  const elsewhere = await prepare('elsewhere', FILES_ELSEWHERE);
  const withDeliveries = await prepare('with_deliveries', FILES_WITH_DELIVERIES);
  const ofProcesses = await prepare('of_processes', [...FILES_OF_PROCESSES, ...FILES_ALONE]);
  await Promise.all([
    runHere(),
    runWanted(FILES_ELSEWHERE, elsewhere),
    runWanted(FILES_WITH_DELIVERIES, withDeliveries),
    runWanted(FILES_OF_PROCESSES, ofProcesses),
  ]);
  await runWanted(FILES_ALONE, ofProcesses);
  return printSum(counts);
}

/**
 * @returns Whether a file was asked for: without a pattern each is.
 * @throws Error When a pattern fits none of the files that are run on a cluster.
 */
function wantedOf(patterns: readonly string[]): (file: string) => boolean {
  if (patterns.length === 0) return () => true;
  const ofCluster = [
    FILE_FIRST,
    ...FILES,
    ...FILES_LATER,
    ...FILES_ELSEWHERE,
    ...FILES_WITH_DELIVERIES,
    ...FILES_OF_PROCESSES,
    ...FILES_ALONE,
  ];
  const asked = patterns.map((pattern) => ({ pattern, files: findTestFiles([pattern]) }));
  const others = asked.filter(({ files }) => !ofCluster.some((file) => files.has(file)));
  if (others.length > 0) throw new Error(`No test of a cluster fits ${others.map(({ pattern }) => pattern).join(', ')}.`);
  return (file) => asked.some(({ files }) => files.has(file));
}
