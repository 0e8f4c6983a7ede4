import { type Config, readConfig } from '../../config.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { mayHaveSampleData, openSampleData, removeSampleData } from '../../service/open-sample-data.ts';
import { listOperators } from '../../store/access/operator.ts';
import { eachPartner } from '../../store/access/partner.ts';
import type { Database } from '../../store/database.ts';
import { countOtherSessions } from '../../store/sandbox/replace-database.ts';
import { findSampleData, type SampleData } from '../../store/sandbox/sample-data.ts';
import { confirm, YES } from '../terminal/confirmation.ts';
import { printProgress, printText } from '../terminal/output.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { stopSignal } from '../terminal/stop-signal.ts';
import { asOperator, withoutOperator } from '../terminal/with-operator.ts';

export function demoCommand(): ProgramCommand {
  const demo = new ProgramCommand('demo').description('sample data of a sandbox with the embedded PostgreSQL');
  demo
    .command('make')
    .description('make the sample data that a start has begun, beside the service')
    .action(withoutOperator('a start of the service calls it, and it makes nothing else', make));
  demo
    .command('remove')
    .description('replace the database with sample data by an empty one; this removes all records, your own too')
    .option(...YES)
    .action(Object.assign(remove, { access: { leastRole: 'admin' as const } }));
  return demo;
}

async function make(): Promise<void> {
  const config = readConfig(process.env);
  refuseElsewhere(config);
  const stop = new AbortController();
  void stopSignal().then(() => stop.abort());
  process.once('disconnect', () => stop.abort());
  await openSampleData(config, { signal: stop.signal, onProgress: printProgress });
}

async function remove({ yes }: { readonly yes?: boolean }): Promise<void> {
  await asOperator('admin', async ({ database, config }) => {
    refuseElsewhere(config);
    const sample = await findSampleData(database.pool);
    if (!sample || sample.status === 'removed') throw refusal('This database has no sample data.');
    if ((await countOtherSessions(database.pool)) > 0) throw refusal('The database is in use. Stop the service first.');
    printText(await listRemoved(database, sample));
    await confirm('Replace the database by an empty one?', 'final', yes);
  });
  await removeSampleData(readConfig(process.env), printProgress);
  printText(
    'The sample data are removed: the database is empty. The next start makes a partner, a key and a link to the console.\n',
  );
}

function refuseElsewhere(config: Config): void {
  if (!mayHaveSampleData(config)) throw refusal('Only a sandbox with the embedded PostgreSQL has sample data.');
}

/** Also names each partner and operator that is not sample data, because their records are removed too. */
async function listRemoved({ pool }: Database, { partnerIds, operatorIds }: SampleData): Promise<string> {
  const partners = await Array.fromAsync(eachPartner(pool));
  const own = partners.filter(({ partnerId }) => !partnerIds.includes(partnerId));
  const people = (await listOperators(pool)).filter(({ operatorId }) => !operatorIds.includes(operatorId));
  const lines = [
    `${pluralise(partnerIds.length, 'partner')} and ${pluralise(operatorIds.length, 'operator')} of the sample data, with all of their records`,
    ...own.map(({ partnerId, name }) => `your partner ${name} (${partnerId}), with its keys and all of its records`),
    ...people.map(({ operatorId, name, email }) => `the operator ${name} (${operatorId}, ${email ?? 'without an address'})`),
    'the audit of all of them',
  ];
  return `This removes:\n${lines.map((line) => `  - ${line}`).join('\n')}\n`;
}

function refusal(sentence: string): ServiceError {
  return new ServiceError('invalid_request', sentence);
}
