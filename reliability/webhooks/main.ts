/**
 * Sends events to receivers of which some misbehave, kills the service again and again, and checks that every event arrives.
 *
 *     node reliability/webhooks/main.ts [--events 20000] [--endpoints 20] [--processes 2] [--kills 20] [--rate 100] [--seed N] [--guarded]
 *
 * Starts `serve` on the embedded PostgreSQL in a temporary folder, partners with five endpoints each, and their receivers in
 * processes of their own. Partners' servers, written from the contract alone, confirm contributions over HTTP: some go out twice,
 * some are refused, some get their estimate linked later. Three in ten endpoints misbehave, each in its own way:
 * 500 with an adversarial body, 429 with Retry-After, reset, slow, silent, redirects inward, an endless body, one byte a second.
 *
 *   1. At one rate of confirmations all receivers are healthy, then three in ten are faulty, and so on in turns: with the faulty
 *      ones first attempts at healthy endpoints may be twice as slow at p99, and no more.
 *   2. Three in ten are faulty in another way, and processes of the service, or all of it, get `kill -9` at random moments.
 *   3. Half of the faulty ones become healthy. Their retries are due after up to a day: the experiment moves the due times up
 *      in the database instead of waiting, and ends the pauses of breakers. What a process may be sending is not moved.
 *
 * At the end each endpoint that is healthy has each event of its partner, with the sequences 1 to N; signatures by the interface
 * and by the published verifier are right, timestamps fresh; an event has one id, the same bytes everywhere, and says what the
 * partner was answered; nothing came of what is not committed, nothing of another partner; nobody was sent inward.
 *
 *   --events     how many contributions are begun (default 20000); each that is confirmed is an event, and each later link
 *   --endpoints  how many, five for a partner (default 20)
 *   --processes  so many processes share the work (default 2)
 *   --kills      how many kills are spread over the second and third part (default 20)
 *   --rate       confirmations a second in the first part, twice as many in the second (default 100)
 *   --seed       repeats the schedule of an earlier run (times still differ); printed at the start
 *   --guarded    with the guard of addresses on: in a network of its own, from which nothing goes out, receivers have a public
 *                address, names and TLS; one name turns to a loopback address meanwhile. Needs `unshare`, `ip` and `openssl`
 *   --repository sends by the service of another checkout, such as one with a planted defect
 *
 * Exit code 1 when anything is violated, that p99 and the 300 MB of memory that the service may use included.
 */
import { join } from 'node:path';
import { readArguments, readWhole } from '../harness/arguments.ts';
import { Installation } from '../harness/installation.ts';
import { MEMORY_MEGABYTES_MAX, MemoryWatch } from '../harness/memory-watch.ts';
import { freshSeed, seeded } from '../harness/random.ts';
import { progress, Violations } from '../harness/report.ts';
import { ArrivalLog } from './arrival-log.ts';
import { countAddressRefusals } from './database.ts';
import { describeFault } from './faults.ts';
import { KillerOverTime } from './killer-over-time.ts';
import { checkLatencies, measureLatencies } from './latency.ts';
import type { Experiment } from './members.ts';
import { assertGuarded, makeMembers, openReceiverGroups } from './set-up.ts';
import { healHalf, killMeanwhile, measureSpans } from './stages.ts';
import { printSummary } from './summary.ts';
import { isInOwnNetwork, openTestNetwork, runInOwnNetwork } from './test-network.ts';
import { checkEverything } from './verdict.ts';

const KILLING_RATE = 2;
const KILLS_AT_THE_END_SHARE = 0.2;

const given = readArguments(import.meta.filename, {
  events: { type: 'string', default: '20000' },
  endpoints: { type: 'string', default: '20' },
  processes: { type: 'string', default: '2' },
  kills: { type: 'string', default: '20' },
  rate: { type: 'string', default: '100' },
  seed: { type: 'string', default: String(freshSeed()) },
  guarded: { type: 'boolean', default: false },
  repository: { type: 'string', default: join(import.meta.dirname, '../..') },
});
const { repository } = given;
const seed = readWhole('seed', given.seed, { min: 0, max: 2 ** 32 - 1 });
const events = readWhole('events', given.events, { min: 100, max: 1_000_000 });
const endpoints = readWhole('endpoints', given.endpoints, { min: 2, max: 100 });
const processes = readWhole('processes', given.processes, { min: 1, max: 16 });
const kills = readWhole('kills', given.kills, { min: 0, max: 10_000 });
const rate = readWhole('rate', given.rate, { min: 1, max: 10_000 });

process.exitCode = given.guarded && !isInOwnNetwork() ? runInOwnNetwork() : await main();

async function main(): Promise<number> {
  const title = `${events} contributions to ${endpoints} endpoints, ${kills} times kill -9, seed ${seed}, guard ${given.guarded ? 'on' : 'off'}`;
  progress(title);
  const violations = new Violations();
  await using cleanUp = new AsyncDisposableStack();
  const experiment = await setUp(violations.report, cleanUp);
  const { arrivalLog, killer, longestHeldMs } = experiment;
  const memory = await MemoryWatch.start('the service', () => experiment.installation.residentMegabytes);
  const spans = await measureSpans(experiment, rate);
  const killsAtTheEnd = Math.round(kills * KILLS_AT_THE_END_SHARE);
  await killMeanwhile(experiment, { kills: kills - killsAtTheEnd, perSecond: rate * KILLING_RATE });
  await healHalf(experiment, killsAtTheEnd);
  const verdict = await checkEverything(experiment);
  const latencies = measureLatencies(experiment, spans);
  checkLatencies(latencies, violations.report);
  memory.endBelow(MEMORY_MEGABYTES_MAX, violations.report);
  printSummary({
    title,
    members: experiment.members,
    arrivalLog,
    verdict,
    longestHeldMs,
    kills: killer.kills,
    perSecond: rate,
    latencies,
    memoryMegabytes: memory.peak,
    addressesRefused: await countAddressRefusals(experiment.database),
  });
  return violations.printVerdict(
    `${events} contributions, ${arrivalLog.arrivals} arrivals at ${endpoints} endpoints, ${killer.kills.length} kills`,
  );
}

async function setUp(report: Violations['report'], cleanUp: AsyncDisposableStack): Promise<Experiment> {
  const random = seeded(seed);
  const network = await openTestNetwork(Array.from({ length: endpoints }, (_, number) => number));
  cleanUp.defer(() => network.close());
  const installation = await Installation.start({ repository, processes, env: network.env });
  cleanUp.defer(() => installation.close());
  const database = installation.openDatabase();
  cleanUp.defer(() => database.close());
  const arrivalLog = new ArrivalLog(report);
  const longestHeldMs = new Map<string, number>();
  const groups = await openReceiverGroups(endpoints, network, {
    arrivalLog,
    onHolding({ fault, heldMs }) {
      const words = describeFault(fault);
      longestHeldMs.set(words, Math.max(heldMs, longestHeldMs.get(words) ?? 0));
    },
  });
  cleanUp.defer(() => {
    groups.healthy.close();
    groups.faulty.close();
  });
  progress('Endpoints are entered, and answer their challenges');
  const tools = { installation, database, groups, network, report };
  const members = await makeMembers({ repository, events, endpoints, seed, random }, tools);
  for (const { exchange } of members) cleanUp.defer(() => exchange.close());
  if (given.guarded) await assertGuarded(repository, tools, members[0]?.partnerId ?? '');
  return { ...tools, members, arrivalLog, killer: new KillerOverTime(installation, random, report), longestHeldMs };
}
