/**
 * Kills the service (or its database) in the middle of confirmations, and checks that no partner loses anything.
 *
 *     node reliability/kill/main.ts [--confirmations 5000] [--kills 60] [--clients 32] [--seed N] [--database] [--processes 1]
 *
 * Starts `serve` on the embedded PostgreSQL in a temporary folder. A partner's server, written from the contract alone,
 * deducts points, keeps its intent, sends; `kill -9` falls among its requests; the service starts again; the partner
 * recovers by the contract's rules. Some requests go out twice at once, some points lie near the end of int64, some orders
 * are wanted twice, some estimates are linked with the confirmation and some afterwards, some keys are used wrongly.
 *
 * Once the service is back, no look-up says "not found" of what was stored before the kill. At the end, in the database: each event
 * once, with one transaction id, as it was acknowledged field for field, and with one event that tells of it; one contribution per
 * order; deducted = confirmed + held by another contribution of the order; links as answered.
 *
 *   --confirmations  how many contributions (default 5000)
 *   --kills          how many kills are spread over them (default 60)
 *   --clients        how many requests at once (default 32)
 *   --seed           repeats the schedule of an earlier run (times still differ); printed at the start
 *   --database       kills the embedded server, its postmaster alone or with all sessions; the service must not end, and
 *                    must be ready within 5 s
 *   --processes      so many processes share the port (`serve --processes`): a kill hits one of them, or the first one
 *   --repository     kills the service of another checkout, such as one with a planted defect
 *
 * Limits: ready within 2 s of its own kill, within 5 s of its database's, the next confirmation within 10 s of either, for which one more
 * is sent after the last kill; memory at most 300 MB. A run is void when no kill met a request under way.
 * Exit code 1 when anything is violated.
 */
import { join } from 'node:path';
import { readArguments, readWhole } from '../harness/arguments.ts';
import { Exchange } from '../harness/exchange.ts';
import { Installation, makePartner } from '../harness/installation.ts';
import { type Intent, makeIntents } from '../harness/intent.ts';
import { MEMORY_MEGABYTES_MAX, MemoryWatch } from '../harness/memory-watch.ts';
import { Partner } from '../harness/partner.ts';
import { freshSeed, seeded } from '../harness/random.ts';
import { percentile, printFigures, progress, provenBelow, Violations } from '../harness/report.ts';
import { type Verification, verify } from '../harness/verify-contributions.ts';
import { checkKills, countWithRequests } from './check-kills.ts';
import { KillerAmongRequests, type Target } from './killer-among-requests.ts';

const REPORT_EVERY_MS = 5_000;

const given = readArguments(import.meta.filename, {
  confirmations: { type: 'string', default: '5000' },
  kills: { type: 'string', default: '60' },
  clients: { type: 'string', default: '32' },
  seed: { type: 'string', default: String(freshSeed()) },
  database: { type: 'boolean', default: false },
  processes: { type: 'string', default: '1' },
  repository: { type: 'string', default: join(import.meta.dirname, '../..') },
});
const confirmations = readWhole('confirmations', given.confirmations, { min: 1, max: 1_000_000 });
const kills = readWhole('kills', given.kills, { min: 1, max: confirmations });
const clients = readWhole('clients', given.clients, { min: 1, max: 512 });
const seed = readWhole('seed', given.seed, { min: 0, max: 2 ** 32 - 1 });
const processes = readWhole('processes', given.processes, { min: 1, max: 16 });
const target: Target = given.database ? 'database' : 'service';

process.exitCode = await main();

async function main(): Promise<number> {
  progress(`Seed ${seed}: ${confirmations} confirmations, ${clients} at once, ${kills} times kill -9 of the ${target}`);
  const violations = new Violations();
  const { report } = violations;
  const installation = await Installation.start({ repository: given.repository, processes });
  const database = installation.openDatabase();
  const memory = await MemoryWatch.start('the service', () => installation.residentMegabytes);
  try {
    const { partnerId, apiKey } = await makePartner(database);
    const exchange = new Exchange(installation.baseUrl, apiKey, clients * 2);
    const random = seeded(seed);
    const run = seed.toString(36);
    const intents = makeIntents(confirmations, random, run);
    const [last] = makeIntents(1, random, `last-${run}`) as [Intent];
    const countUnderWay = () => exchange.underWay;
    const killer = new KillerAmongRequests({ installation, target, kills, confirmations, random, countUnderWay, report });
    const partner = await Promise.race([contribute(intents, { last, exchange, killer, report }), killer.broken]);
    intents.push(last);
    progress('Everything is settled; every event is looked up once more');
    await partner.lookUpConfirmed(intents);
    const verification = await verify(database, partnerId, { intents, report });
    await exchange.close();
    checkKills(killer.kills, { asked: kills, target, report });
    memory.endBelow(MEMORY_MEGABYTES_MAX, report);
    print({ intents, partner, killer, verification, memoryMegabytes: memory.peak });
    return violations.printVerdict(
      `${intents.length} contributions, ${countWithRequests(killer.kills)} kills with requests under way, ${verification.rows} rows`,
    );
  } finally {
    await database.close();
    await installation.close();
  }
}

interface Experiment {
  /** Sent when the last kill is over: whether the service confirms again shows even where nothing was left to send. */
  readonly last: Intent;
  readonly exchange: Exchange;
  readonly killer: KillerAmongRequests;
  readonly report: (violation: string) => void;
}

/** Each client takes the next intent as soon as it is done with its last one. */
async function contribute(intents: readonly Intent[], { last, exchange, killer, report }: Experiment): Promise<Partner> {
  const partner = new Partner({
    exchange,
    onSent: () => killer.noteSent(),
    onConfirmed: () => killer.noteConfirmed(),
    settledUntilMs: () => killer.settledUntilMs,
    report,
  });
  let next = 0;
  const timer = setInterval(() => progress(`${next} of ${intents.length} begun, ${killer.kills.length} kills`), REPORT_EVERY_MS);
  const client = async () => {
    for (let intent = intents[next++]; intent; intent = intents[next++]) await partner.contribute(intent);
  };
  await Promise.all(Array.from({ length: clients }, client));
  await killer.finish();
  await partner.contribute(last);
  clearInterval(timer);
  return partner;
}

function print({
  intents,
  partner: { tally },
  killer,
  verification,
  memoryMegabytes,
}: {
  intents: readonly Intent[];
  partner: Partner;
  killer: KillerAmongRequests;
  verification: Verification;
  memoryMegabytes: number;
}): void {
  const times = (values: number[]) =>
    `median ${Math.round(percentile(values, 0.5))}, p95 ${Math.round(percentile(values, 0.95))}, most ${Math.round(Math.max(0, ...values))}`;
  const acknowledged = intents.filter(({ learned }) => learned.isAcknowledged).length;
  const learnedByLookup = intents.filter(({ learned }) => learned.outcome === 'confirmed' && !learned.isAcknowledged).length;
  printFigures(`kill -9 of the ${target}, seed ${seed}`, {
    kills: killer.kills.length,
    'kills with requests under way': countWithRequests(killer.kills),
    'requests under way at a kill': times(killer.kills.map(({ requestsCut }) => requestsCut)),
    'ready again, ms': times(killer.kills.map(({ readyAfterMs }) => readyAfterMs)),
    'next confirmation, ms': times(killer.kills.map(({ confirmedAfterMs }) => confirmedAfterMs).filter(Number.isFinite)),
    'memory of the service at most, MB': memoryMegabytes,
  });
  printFigures('What the partner went through', {
    'confirmations sent': tally.sent,
    'of these twice at once': tally.sentTwiceAtOnce,
    'requests without an answer': tally.silent,
    'answers 503': tally.unavailable,
    'found by look-up after silence': tally.foundByLookup,
    'not found, sent again': tally.sentAgainAfterNotFound,
    'replays, all marked': tally.replays,
    idempotency_conflict: tally.keyConflicts,
    partner_event_conflict: tally.eventConflicts,
    partner_order_conflict: tally.ordersHeld,
    'estimates linked afterwards': tally.linksAfterwards,
  });
  printFigures('What the database holds', {
    'contributions, one per event and order': verification.rows,
    'acknowledged with 201': acknowledged,
    'known by look-up alone': learnedByLookup,
    'fields compared with the answers': verification.fieldsCompared,
    links: verification.links,
    'events of confirmations': verification.events,
    'points deducted': verification.pointsDeducted,
    '= confirmed': verification.pointsConfirmed,
    '+ held by another contribution of the order': verification.pointsHeld,
    'a kill that loses or doubles one': provenBelow(countWithRequests(killer.kills)),
  });
}
