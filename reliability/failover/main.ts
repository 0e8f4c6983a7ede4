/**
 * Breaks the primary of a synchronous pair under load, and its standby before it, and checks that nothing is lost that was answered,
 * nor denied.
 *
 *     node reliability/failover/main.ts --ha COMMAND [--failovers 5] [--clients 12] [--port 7400] [--seed N]
 *
 * COMMAND starts a pair of PostgreSQL servers under a failover manager: `start FOLDER PORT` prints the address of the primary, `status
 * FOLDER` a line per node (name, role, state, timeline, port, process ids of manager and postmaster), `run FOLDER NAME` brings a
 * node back, `stop FOLDER` ends all. The service runs in a process of its own. A partner's server, written from the contract alone,
 * confirms, looks up, replays, and recovers after silence. The first start of the service, and that of every third failover, falls
 * into the time while the standby is away. The failovers take turns:
 *
 *   server    kill -9 of the primary's postmaster; its manager brings it back as the standby
 *   machine   kill -9 of the manager as well; it is brought back when the other one has taken over
 *   returned  the standby is killed, the service goes on (or starts) without it, it comes back, and then the primary is killed
 *
 * At the end every contribution that a confirmation, a replay or a look-up showed is looked up again, and compared field for field with the
 * answer and with the database: an acknowledged one that is missing is lost, and one that a look-up did not find, denied. So is one that
 * the old primary had stored, when a look-up after the failover says "not found". Each has the event of its confirmation.
 *
 *   --failovers  how many (default 5)
 *   --clients    how many contributions at once (default 12)
 *   --port       the first of the ports that the pair takes (default 7400)
 *   --seed       repeats the contributions of an earlier run; printed at the start
 *
 * Limits: a contribution is confirmed within 15 s of a failover; the service never ends; its memory is at most 300 MB. Exit code 1 when
 * anything is violated.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments, readWhole, refuseArguments } from '../harness/arguments.ts';
import { Exchange } from '../harness/exchange.ts';
import { Installation, makePartner } from '../harness/installation.ts';
import { MEMORY_MEGABYTES_MAX, MemoryWatch } from '../harness/memory-watch.ts';
import { listChildren } from '../harness/process-usage.ts';
import { freshSeed, seeded } from '../harness/random.ts';
import { percentile, printFigures, progress, provenBelow, Violations } from '../harness/report.ts';
import { untilEnded } from '../harness/until-ended.ts';
import { verify } from '../harness/verify-contributions.ts';
import { Load } from './load.ts';
import { Pair } from './pair.ts';

const KINDS = ['server', 'machine', 'returned'] as const;
type Kind = (typeof KINDS)[number];

const WRITES_WITHIN_MS = 15_000;
const WRITES_EVER_WITHIN_MS = 60_000;
/** Confirmed between two failovers, so that each meets work under way. */
const CONFIRMED_BETWEEN = 100;

const given = readArguments(import.meta.filename, {
  ha: { type: 'string', default: '' },
  failovers: { type: 'string', default: '5' },
  clients: { type: 'string', default: '12' },
  port: { type: 'string', default: '7400' },
  seed: { type: 'string', default: String(freshSeed()) },
});
if (given.ha === '') refuseArguments('--ha must name the command that starts the pair; --help says what it has to do.');
const failovers = readWhole('failovers', given.failovers, { min: 1, max: 1_000 });
const clients = readWhole('clients', given.clients, { min: 1, max: 256 });
const port = readWhole('port', given.port, { min: 1_024, max: 65_000 });
const seed = readWhole('seed', given.seed, { min: 0, max: 2 ** 32 - 1 });

interface Failover {
  readonly kind: Kind;
  readonly withoutWriteMs: number;
}

interface Stage {
  readonly pair: Pair;
  readonly installation: Installation;
  readonly load: Load;
  readonly report: (violation: string) => void;
}

process.exitCode = await main();

async function main(): Promise<number> {
  progress(`Seed ${seed}: ${failovers} failovers under ${clients} clients`);
  const violations = new Violations();
  const { report } = violations;
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-failover-'));
  // The servers may run as another user, who has to get to their folder.
  chmodSync(folder, 0o755);
  const pair = await Pair.start(given.ha, join(folder, 'pair'), port);
  try {
    await pair.untilSynchronous();
    const away = await pair.findStandby();
    pair.kill(away, 'machine');
    const installation = await Installation.start({ env: { DATABASE_URL: pair.databaseUrl } });
    progress('The service started while the standby was away; it comes back');
    await pair.revive(away);
    try {
      await experiment({ pair, installation, report });
    } finally {
      await installation.close();
    }
  } finally {
    await pair.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return violations.printVerdict(`${failovers} failovers under ${clients} clients`);
}

async function experiment({ pair, installation, report }: Omit<Stage, 'load'>): Promise<void> {
  const database = installation.openDatabase();
  const memory = await MemoryWatch.start('the service', () => installation.residentMegabytes);
  try {
    const { partnerId, apiKey } = await makePartner(database);
    const exchange = new Exchange(installation.baseUrl, apiKey, clients * 2);
    const load = new Load({ exchange, clients, random: seeded(seed), seed, report });
    const done: Failover[] = [];
    for (let index = 0; index < failovers; index++) done.push(await failOver({ pair, installation, load, report }, index));
    await pair.untilSynchronous();
    await load.end();
    progress(`Healed; ${load.intents.length} contributions are looked up once more`);
    const lookedUp = await load.partner.lookUpConfirmed(load.intents);
    const { rows, events, fieldsCompared } = await verify(database, partnerId, { intents: load.intents, report });
    await exchange.close();
    if (installation.hasServiceEnded) report(`the service ended:\n${installation.output.slice(-2_000)}`);
    memory.endBelow(MEMORY_MEGABYTES_MAX, report);
    print(load, done, { lookedUp, rows, events, fieldsCompared });
    printFigures('Memory of the service', { 'at most, MB': memory.peak });
  } finally {
    await database.close();
  }
}

async function failOver(stage: Stage, index: number): Promise<Failover> {
  const { pair, installation, load, report } = stage;
  const kind = KINDS[index % KINDS.length] as Kind;
  await pair.untilSynchronous();
  await expectConfirmed(stage, CONFIRMED_BETWEEN, `before failover ${index + 1}`);
  if (kind === 'returned') await letStandbyReturn(stage);
  const primary = await pair.findPrimary();
  load.takeLongestGap();
  const killedAtMs = Date.now();
  const sessions = primary.postmaster === undefined ? [] : listChildren(primary.postmaster);
  pair.kill(primary, kind === 'server' ? 'server' : 'machine');
  await untilEnded(sessions);
  load.settledUntilMs = killedAtMs;
  await pair.untilReplaced(primary);
  await expectConfirmed(stage, 1, `after failover ${index + 1}`);
  const withoutWriteMs = load.takeLongestGap();
  if (withoutWriteMs > WRITES_WITHIN_MS)
    report(`failover ${index + 1}, ${kind}: ${Math.round(withoutWriteMs)} ms without a write`);
  if (installation.hasServiceEnded) report(`the service ended in failover ${index + 1}`);
  if (kind !== 'server') await pair.revive(primary);
  progress(
    `Failover ${index + 1}, ${kind}: ${(withoutWriteMs / 1000).toFixed(1)} s without a write, ${load.confirmations} confirmed`,
  );
  return { kind, withoutWriteMs };
}

/** Requests go on without the standby, on a service that starts meanwhile; a failover then meets rows of both times. */
async function letStandbyReturn(stage: Stage): Promise<void> {
  const { pair, installation } = stage;
  const standby = await pair.findStandby();
  pair.kill(standby, 'machine');
  await expectConfirmed(stage, 1, 'while the standby was away');
  await installation.killService();
  await installation.startService();
  await expectConfirmed(stage, CONFIRMED_BETWEEN, 'by a service that started while the standby was away');
  await pair.revive(standby);
  await pair.untilSynchronous();
  await expectConfirmed(stage, 1, 'after the standby had returned');
}

async function expectConfirmed({ load, report }: Stage, contributions: number, when: string): Promise<void> {
  if (!(await load.untilConfirmed(contributions, WRITES_EVER_WITHIN_MS)))
    report(`fewer than ${contributions} were confirmed ${when}, within ${WRITES_EVER_WITHIN_MS / 1000} s`);
}

function print(
  { intents, partner: { tally } }: Load,
  done: readonly Failover[],
  { lookedUp, rows, events, fieldsCompared }: { lookedUp: number; rows: number; events: number; fieldsCompared: number },
): void {
  const seconds = (values: readonly number[]) =>
    `median ${(percentile(values, 0.5) / 1000).toFixed(1)}, longest ${(Math.max(0, ...values) / 1000).toFixed(1)}`;
  const ofKind = (kind: Kind) => done.filter((each) => each.kind === kind).map(({ withoutWriteMs }) => withoutWriteMs);
  printFigures(`Failovers of a synchronous pair, seed ${seed}`, {
    failovers: done.length,
    ...Object.fromEntries(KINDS.map((kind) => [`s without a write, ${kind} (${ofKind(kind).length})`, seconds(ofKind(kind))])),
  });
  printFigures('What the partner went through', {
    'confirmations sent': tally.sent,
    'requests without an answer': tally.silent,
    'answers 503': tally.unavailable,
    'found by look-up after silence': tally.foundByLookup,
    'not found, sent again': tally.sentAgainAfterNotFound,
    'replays, all marked': tally.replays,
  });
  const acknowledged = intents.filter(({ learned }) => learned.isAcknowledged).length;
  printFigures('What is there after healing', {
    'acknowledged with 201, first or replayed': acknowledged,
    'known by look-up alone': lookedUp - acknowledged,
    'looked up again': lookedUp,
    'rows in the database': rows,
    'events of confirmations': events,
    'fields compared with the answers': fieldsCompared,
    'a contribution lost or denied': provenBelow(lookedUp),
    'a failover that loses one': provenBelow(done.length),
  });
}
