/**
 * Measures what operators read over many rows, and what it costs those who confirm.
 *
 *     npm run bench:operators -- [options]
 *
 *     --rows N         contributions (100000)
 *     --partners N     partners; a divisor of 15000 (500)
 *     --deliveries N   deliveries that wait (10000)
 *     --operators N    how many click (10)
 *     --look-seconds N how long each of them looks at a page (1)
 *     --seconds N      of each turn of confirmations (2)
 *     --rounds N       of four turns: without, with, with, without (10)
 *     --database-url U an empty database that the service may fill, instead of the embedded one
 *
 * Every list is read in each order with each filter, first page and second, with the overview and the search; then what each page costs in
 * processor time.
 * Exit code 1 when a read takes more than 300 ms, or confirmations are more than 2 % slower while operators click.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments, readWhole, refuseArguments } from '../../reliability/harness/arguments.ts';
import { progress, Violations } from '../../reliability/harness/report.ts';
import { openPool, readServer, settle } from '../subject/database.ts';
import { Subject } from '../subject/subject.ts';
import { measureClicks } from './clicks.ts';
import { fillLists } from './fill-lists.ts';
import { type Operator, signIn } from './operator.ts';
import { measurePageCosts } from './page-costs.ts';
import { measureReads } from './reads.ts';

const given = readArguments(import.meta.filename, {
  rows: { type: 'string', default: '100000' },
  partners: { type: 'string', default: '500' },
  deliveries: { type: 'string', default: '10000' },
  operators: { type: 'string', default: '10' },
  'look-seconds': { type: 'string', default: '1' },
  seconds: { type: 'string', default: '2' },
  rounds: { type: 'string', default: '10' },
  'database-url': { type: 'string' },
});
const contributions = readWhole('rows', given.rows, { min: 40_000, max: 100_000_000 });
const partners = readWhole('partners', given.partners, { min: 10, max: 5_000 });
if (15_000 % partners !== 0) refuseArguments('--partners must be a divisor of 15000, such as 500 or 5000.');
const deliveries = readWhole('deliveries', given.deliveries, { min: 1, max: 10_000_000 });
const people = readWhole('operators', given.operators, { min: 1, max: 100 });
const lookSeconds = readWhole('look-seconds', given['look-seconds'], { min: 1, max: 600 });
const seconds = readWhole('seconds', given.seconds, { min: 1, max: 600 });
const rounds = readWhole('rounds', given.rounds, { min: 1, max: 100 });

process.exitCode = await main();

async function main(): Promise<number> {
  await using cleanUp = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-operators-'));
  cleanUp.defer(() => rmSync(folder, { recursive: true, force: true }));
  const repository = join(import.meta.dirname, '../..');
  // The rows are nobody's: no event of them is sent, and no job looks at them.
  const options = { name: 'operators', repository, folder, databaseUrl: given['database-url'], processes: 1, roles: 'api' };
  const subject = await Subject.create(options);
  cleanUp.defer(() => subject.stop());
  await subject.start(new AbortController().signal);
  const pool = openPool(subject.databaseUrl);
  cleanUp.defer(() => pool.end());
  const partner = await subject.makePartner();
  const operators: Operator[] = [];
  for (let number = 1; number <= people; number++) operators.push(await signIn(subject, `operator-${number}`));
  await fillLists(pool, countsOf(), progress);
  progress('vacuum');
  await settle(pool);
  const violations = new Violations();
  const [first] = operators as [Operator, ...Operator[]];
  await measureReads(first, violations);
  const { pid: serverPid } = await readServer(pool);
  const processes = serverPid === undefined ? undefined : { pid: subject.pid, serverPid };
  if (processes) await measurePageCosts(first, processes);
  await measureClicks({ subject, partner, processes, operators, lookSeconds, seconds, rounds }, violations);
  return violations.printVerdict(`${contributions} contributions, ${partners} partners, ${deliveries} waiting deliveries`);
}

function countsOf() {
  const fixed = { reviews: 20_000, settlements: 20_000, adjustments: 20_000, endpoints: 10_000 };
  return { partners, contributions, deliveries, ...fixed, others: Math.min(contributions, 1_000_000) };
}
