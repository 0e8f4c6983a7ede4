/**
 * Kills one worker of a Citus cluster in the middle of the confirmations of many partners, and starts it again.
 *
 *     node reliability/lost-worker/main.ts --database-url postgres://…/postgres --worker FOLDER
 *       [--confirmations 5000] [--partners 20] [--outage 5] [--seed N]
 *
 * Each partner's server, written from the contract alone, deducts points, keeps its intent and sends. Meanwhile the partners whose
 * rows lie on the lost worker must be answered 503 or not at all; all others must go on as if nothing were missing, their events
 * included. Once the worker is back everybody recovers by the contract's rules: what the worker had stored is found by every look-up from
 * then on, everything confirmed is looked up once more, and in the database each event stands once, as it was acknowledged, with the
 * event that tells of it.
 *
 *   --database-url   the coordinator; the tables are distributed when they are not yet
 *   --worker         the data folder of a worker on this machine, whose server is killed
 *   --confirmations  how many contributions, over all partners (default 5000)
 *   --partners       how many partners (default 20)
 *   --outage         for how many seconds the worker is away at least (default 5): until an event of the others has got its sequence
 *   --seed           repeats what an earlier run sent; printed at the start
 *
 * Exit code 1 when anything is violated.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openAuditKeys } from '../../src/service/keys/configured-keys.ts';
import { readClock } from '../../src/store/clock.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { findLastSequence } from '../../src/store/events/event.ts';
import { distributeTables } from '../../src/store/schema/distribute.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { readArguments, readWhole, refuseArguments } from '../harness/arguments.ts';
import { Exchange } from '../harness/exchange.ts';
import { Installation, makePartner } from '../harness/installation.ts';
import { type Intent, makeIntents } from '../harness/intent.ts';
import { Partner } from '../harness/partner.ts';
import { freshSeed, seeded } from '../harness/random.ts';
import { printFigures, progress, provenBelow, Violations } from '../harness/report.ts';
import { type Verification, verify } from '../harness/verify-contributions.ts';
import { isRunning, Worker } from './worker.ts';

const CLIENTS_PER_PARTNER = 4;
/** The worker is lost when so much of the work is done, and comes back while some is left. */
const LOST_AT_SHARE = 0.25;
/** The relay asks the other workers apart at the latest by then, on a slow machine too; the worker stays away until it has. */
const SEQUENCED_WITHIN_MS = 60_000;

const given = readArguments(import.meta.filename, {
  'database-url': { type: 'string', default: '' },
  worker: { type: 'string', default: '' },
  confirmations: { type: 'string', default: '5000' },
  partners: { type: 'string', default: '20' },
  outage: { type: 'string', default: '5' },
  seed: { type: 'string', default: String(freshSeed()) },
});
const databaseUrl = given['database-url'];
if (databaseUrl === '' || given.worker === '') refuseArguments('--database-url and --worker are needed; see --help.');
if (!isRunning(given.worker)) refuseArguments(`--worker is the data folder of a running server; ${given.worker} is none.`);
const partnersCount = readWhole('partners', given.partners, { min: 2, max: 200 });
const confirmations = readWhole('confirmations', given.confirmations, { min: partnersCount, max: 1_000_000 });
const outageMs = 1_000 * readWhole('outage', given.outage, { min: 1, max: 30 });
const seed = readWhole('seed', given.seed, { min: 0, max: 2 ** 32 - 1 });

/** One partner's server and what it met while the worker was away. */
interface Member {
  readonly partnerId: string;
  readonly isOnWorker: boolean;
  readonly exchange: Exchange;
  readonly intents: readonly Intent[];
  readonly partner: Partner;
  readonly confirmed: { count: number };
}

/** When the worker was killed, in milliseconds since 1970, once its server has ended: its transactions are over. */
let settledUntilMs = 0;

process.exitCode = await main();

async function main(): Promise<number> {
  progress(
    `Seed ${seed}: ${confirmations} confirmations of ${partnersCount} partners, one worker away for ${outageMs / 1_000} s`,
  );
  await migrate(databaseUrl);
  const database = openDatabase({
    databaseUrl,
    poolSize: 4,
    auditKeys: () => openAuditKeys({ auditKey: undefined, dataDirectory: installation.dataDirectory }),
  });
  await distributeTables(databaseUrl);
  const violations = new Violations();
  const { report } = violations;
  const worker = new Worker(given.worker);
  const installation = await Installation.start({ env: { DATABASE_URL: databaseUrl } });
  try {
    const members = await Promise.all(Array.from({ length: partnersCount }, (_, index) => makeMember(index)));
    const onWorker = members.filter(({ isOnWorker }) => isOnWorker);
    const elsewhere = members.filter(({ isOnWorker }) => !isOnWorker);
    if (onWorker.length === 0 || elsewhere.length === 0) throw new Error('All partners lie on one worker; take more of them.');
    const [outage] = await Promise.all([loseWorker(members), ...members.map(contributeAll)]);
    if (outage.requestsCut === 0) report('void: the kill met no request of a partner on the worker');
    if (outage.elsewhere === 0) report('the other partners did not go on');
    if (outage.sequenced === 0) report(`no event of the other partners got a sequence within ${SEQUENCED_WITHIN_MS / 1_000} s`);
    const madeMeanwhile = await countMade(onWorker, outage);
    if (madeMeanwhile > 0) report(`${madeMeanwhile} contributions of partners on the lost worker were made while it was away`);
    for (const { partner, partnerId } of elsewhere)
      if (partner.tally.unavailable + partner.tally.silent > 0)
        report(`${partnerId}, which lies elsewhere, met ${partner.tally.unavailable} × 503 and ${partner.tally.silent} silences`);
    const found = await verifyAll(members, report);
    print({ onWorker, elsewhere, outage, madeMeanwhile, found });
    return violations.printVerdict(
      `${confirmations} confirmations of ${partnersCount} partners, a worker away for ${outageMs / 1_000} s`,
    );
  } finally {
    await worker.start();
    await database.close();
    await installation.close();
  }

  async function makeMember(index: number): Promise<Member> {
    const { partnerId, apiKey } = await makePartner(database);
    const exchange = new Exchange(installation.baseUrl, apiKey, CLIENTS_PER_PARTNER * 2);
    const count = Math.ceil(confirmations / partnersCount);
    const intents = makeIntents(count, seeded(seed + index), `${seed.toString(36)}-${index}`);
    const confirmed = { count: 0 };
    const onConfirmed = () => confirmed.count++;
    const partner = new Partner({ exchange, onSent: () => {}, onConfirmed, settledUntilMs: () => settledUntilMs, report });
    return { partnerId, isOnWorker: (await findPort(partnerId)) === worker.port, exchange, intents, partner, confirmed };
  }

  /** The port of the node that holds a partner's rows. */
  async function findPort(partnerId: string): Promise<number> {
    const { rows } = await database.pool.query<{ nodeport: number }>(
      `select nodeport from citus_shards where shardid = get_shard_id_for_distribution_column('contribution', $1::text)`,
      [partnerId],
    );
    return rows[0]?.nodeport ?? 0;
  }

  async function loseWorker(members: readonly Member[]): Promise<Outage> {
    const count = (wanted: boolean) =>
      members.filter(({ isOnWorker }) => isOnWorker === wanted).reduce((sum, { confirmed }) => sum + confirmed.count, 0);
    while (count(true) + count(false) < confirmations * LOST_AT_SHARE) await sleep(10);
    const killedAtMs = Date.now();
    const requestsCut = members.reduce((sum, { isOnWorker, exchange }) => sum + (isOnWorker ? exchange.underWay : 0), 0);
    await worker.kill();
    settledUntilMs = killedAtMs;
    const from = await readClock(database.pool);
    progress(`the worker is gone; ${count(true) + count(false)} are confirmed`);
    const before = { elsewhere: count(false), sequenced: await countSequenced(database, members) };
    const sequencedMeanwhile = async () => (await countSequenced(database, members)) - before.sequenced;
    await sleep(outageMs);
    const deadline = performance.now() + SEQUENCED_WITHIN_MS - outageMs;
    while ((await sequencedMeanwhile()) === 0 && performance.now() < deadline) await sleep(500);
    const during = { elsewhere: count(false) - before.elsewhere, sequenced: await sequencedMeanwhile() };
    const until = await readClock(database.pool);
    await worker.start();
    progress(`the worker is back; meanwhile the others confirmed ${during.elsewhere}`);
    return { ...during, requestsCut, from, until };
  }
}

/** By the service, and in the database by a session of its own: those from before the outage hold a connection to the server that was killed. */
async function verifyAll(members: readonly Member[], report: Violations['report']): Promise<Verification[]> {
  progress('Everything is settled; every event is looked up once more');
  for (const { partner, intents } of members) await partner.lookUpConfirmed(intents);
  const reader = openDatabase({ databaseUrl, poolSize: 1 });
  const found: Verification[] = [];
  try {
    for (const { partnerId, intents } of members) found.push(await verify(reader, partnerId, { intents, report }));
  } finally {
    await reader.close();
  }
  return found;
}

/** By the clock of the database: an answer of before may be on its way to a partner for long. */
async function countMade(members: readonly Member[], { from, until }: Outage): Promise<number> {
  const reader = openDatabase({ databaseUrl, poolSize: 1 });
  try {
    const { rows } = await reader.pool.query<{ made: number }>(
      'select count(*)::int4 as made from contribution where partner_id = any ($1) and created_at > $2 and created_at < $3',
      [members.map(({ partnerId }) => partnerId), from, until],
    );
    return rows[0]?.made ?? 0;
  } finally {
    await reader.close();
  }
}

/** Events of the partners elsewhere that have a sequence. */
async function countSequenced({ pool }: Pick<Database, 'pool'>, members: readonly Member[]): Promise<number> {
  const elsewhere = members.filter(({ isOnWorker }) => !isOnWorker);
  const last = await Promise.all(elsewhere.map(({ partnerId }) => findLastSequence(pool, partnerId)));
  return last.reduce((sum, sequence) => sum + Number(sequence), 0);
}

async function contributeAll({ partner, intents }: Member): Promise<void> {
  let next = 0;
  const client = async () => {
    for (let intent = intents[next++]; intent; intent = intents[next++]) await partner.contribute(intent);
  };
  await Promise.all(Array.from({ length: CLIENTS_PER_PARTNER }, client));
}

/** What happened while the worker was away. */
interface Outage {
  /** Requests of the partners on the worker that were under way when it was killed. */
  readonly requestsCut: number;
  readonly from: Date;
  readonly until: Date;
  /** Confirmations of the other partners. */
  readonly elsewhere: number;
  /** Their events that got a sequence. */
  readonly sequenced: number;
}

interface Figures {
  readonly onWorker: readonly Member[];
  readonly elsewhere: readonly Member[];
  readonly outage: Outage;
  readonly madeMeanwhile: number;
  readonly found: readonly Verification[];
}

function print({ onWorker, elsewhere, outage, madeMeanwhile, found }: Figures): void {
  const sum = (
    members: readonly Member[],
    of: 'unavailable' | 'silent' | 'foundByLookup' | 'sentAgainAfterNotFound' | 'replays',
  ) => members.reduce((total, { partner }) => total + partner.tally[of], 0);
  for (const [title, members, during] of [
    ['Partners on the lost worker', onWorker, madeMeanwhile],
    ['All others', elsewhere, outage.elsewhere],
  ] as const)
    printFigures(title, {
      partners: members.length,
      'confirmed while the worker was away': during,
      'answers 503': sum(members, 'unavailable'),
      'requests without an answer': sum(members, 'silent'),
      'found by look-up after silence': sum(members, 'foundByLookup'),
      'not found, sent again': sum(members, 'sentAgainAfterNotFound'),
      'replays, all marked': sum(members, 'replays'),
    });
  printFigures('Events of the others', { 'sequenced while the worker was away': outage.sequenced });
  const total = (of: 'rows' | 'links' | 'events' | 'fieldsCompared') => found.reduce((all, each) => all + each[of], 0);
  const points = (of: 'pointsDeducted' | 'pointsConfirmed' | 'pointsHeld') => found.reduce((all, each) => all + each[of], 0n);
  printFigures('What the database holds', {
    'contributions, one per event and order': total('rows'),
    'fields compared with the answers': total('fieldsCompared'),
    links: total('links'),
    'events of confirmations': total('events'),
    'points deducted': points('pointsDeducted'),
    '= confirmed': points('pointsConfirmed'),
    '+ held by another contribution of the order': points('pointsHeld'),
    'requests under way on the worker when it was killed': outage.requestsCut,
    'one of these lost or doubled': provenBelow(outage.requestsCut),
  });
}
