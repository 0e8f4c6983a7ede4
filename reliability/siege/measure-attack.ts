import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from '../harness/installation.ts';
import type { LoadFigures, Tally } from '../harness/load-generator.ts';
import { MemoryWatch } from '../harness/memory-watch.ts';
import type { Random } from '../harness/random.ts';
import { percentile } from '../harness/report.ts';
import { runLoad } from '../harness/run-load.ts';
import { watchCores } from '../overload/processor-time.ts';
import type { Attack } from './attack.ts';
import type { Attacker } from './attacker.ts';
import { prepareAttack } from './begin-attack.ts';
import type { Partners, SiegePartner } from './partners.ts';
import { get, LIST_HEAD, listsOf, post } from './requests.ts';

export interface SiegeTools {
  readonly installation: Installation;
  readonly partners: Partners;
  readonly honest: SiegePartner;
  readonly random: Random;
  readonly seconds: number;
}

export interface AttackFigures {
  readonly attacker: Attacker;
  readonly seconds: number;
  readonly quiet: Latency;
  readonly beside: Latency;
  /** What was not answered with success, by status. */
  readonly refused: Record<string, number>;
  /** Requests that the honest partner sent beside the attack. */
  readonly honestRequests: number;
  /** How late the honest requests went out at p99: what the measuring itself could not keep up with. */
  readonly latenessMs: number;
  /** Cores that neither attacker, honest partner, service nor database used: what they took is missing here. */
  readonly othersCores: number;
  /** Of the service, in megabytes. */
  readonly memory: { readonly before: number; readonly peak: number; readonly after: number };
  readonly findings: readonly string[];
}

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Together fifty look-ups and confirmations a second; beside them settlements, events, a statement and a list. */
const RATES = { requestsPerSecond: 25, lookupsPerSecond: 25, reportsPerSecond: 2 };
const CONNECTIONS = 256;
const WARM_UP_MS = 1_000;
const MEMORY_BACK_WITHIN_MS = 12_000;
const LOOK_EVERY_MS = 250;
/** What a heap keeps for its next work, beside a tenth of all that there was. */
const MEMORY_SLACK_MEGABYTES = 32;

/** What the memory may be after an attack. */
export function memoryAfterMax(before: number): number {
  return before * 1.3 + MEMORY_SLACK_MEGABYTES;
}

/** First the honest partner alone, then beside the attack; then the service is looked at until its memory is back. */
export async function measureAttack(attack: Attack, tools: SiegeTools): Promise<AttackFigures> {
  const { installation, partners, random } = tools;
  const { port, operationsPort } = installation;
  const start = await prepareAttack(attack, { partners, port, operationsPort, random });
  const seconds = Math.max(tools.seconds, attack.secondsMin ?? 0);
  const quiet = await runHonest(tools, `quiet-${attack.name}`, tools.seconds / 2);
  const memory = await MemoryWatch.start(attack.name, () => installation.residentMegabytes);
  const honest = runHonest(tools, attack.name, seconds);
  await sleep(WARM_UP_MS);
  const startedAtMs = performance.now();
  const cores = watchCores(installation);
  const { attacker, findings, end } = start();
  await sleep(seconds * 1_000);
  await end();
  const { others } = cores();
  const attackedSeconds = (performance.now() - startedAtMs) / 1_000;
  const beside = await honest;
  const after = await untilMemoryIsBack(memory);
  memory.stop();
  return {
    attacker,
    seconds: attackedSeconds,
    quiet: latencyOf(quiet),
    beside: latencyOf(beside),
    refused: refusedOf(beside),
    honestRequests: [beside.confirmations, beside.lookups, beside.reports].reduce((sum, tally) => sum + count(tally), 0),
    latenessMs: beside.latenessMs,
    othersCores: others,
    memory: { before: memory.before, peak: memory.peak, after },
    findings,
  };
}

function runHonest({ installation, honest }: SiegeTools, run: string, seconds: number): Promise<LoadFigures> {
  const { apiKey, settlementId } = honest;
  const settlement = `/v1/settlements/${settlementId}`;
  const reports = [
    get('/v1/settlements', { apiKey }),
    get(`${settlement}/statement.csv`, { apiKey }),
    get('/v1/events?limit=10', { apiKey }),
    post(listsOf(settlementId), `${LIST_HEAD}event-of-nobody,order-of-nobody,1\n`, {
      apiKey,
      headers: { 'Content-Type': 'text/csv', 'Idempotency-Key': `list-${run}` },
    }),
  ];
  const { port } = installation;
  const load = { port, apiKey, run, lookedUpRun: run, durationMs: seconds * 1_000, warmUpMs: WARM_UP_MS };
  return runLoad({ ...load, connections: CONNECTIONS, rates: RATES, reports });
}

function latencyOf({ confirmations, lookups }: LoadFigures): Latency {
  const all = [confirmations, lookups].flatMap(({ acceptedMs, refusedMs }) => [...acceptedMs, ...refusedMs]);
  return { p50Ms: percentile(all, 0.5), p99Ms: percentile(all, 0.99), maxMs: Math.max(0, ...all) };
}

function refusedOf({ confirmations, lookups, reports }: LoadFigures): Record<string, number> {
  const refused: Record<string, number> = {};
  for (const { byStatus } of [confirmations, lookups, reports])
    for (const [status, times] of Object.entries(byStatus))
      if (!/^2\d\d$/.test(status)) refused[status] = (refused[status] ?? 0) + times;
  return refused;
}

function count({ byStatus }: Tally): number {
  return Object.values(byStatus).reduce((sum, each) => sum + each, 0);
}

async function untilMemoryIsBack(memory: MemoryWatch): Promise<number> {
  const endsAtMs = performance.now() + MEMORY_BACK_WITHIN_MS;
  while (memory.now > memoryAfterMax(memory.before) && performance.now() < endsAtMs) await sleep(LOOK_EVERY_MS);
  return memory.now;
}
