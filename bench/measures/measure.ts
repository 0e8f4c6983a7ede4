import { setTimeout as sleep } from 'node:timers/promises';
import { answeredOk, type Load, type LoadOutcome } from '../load/load.ts';
import { prepareEstimates } from '../rows/fill.ts';
import { newToken } from '../rows/identifiers.ts';
import { SCENARIOS, type ScenarioName } from '../scenarios.ts';
import { countStoredSince, type StoredCounts } from '../subject/database.ts';
import { type Installation, readServiceUsage } from '../subject/installation.ts';
import { listProblems } from './reconcile.ts';

/** What is done to one installation, for how long. */
export interface Task {
  readonly scenario: ScenarioName;
  readonly connections: number;
  readonly seconds: number;
  readonly ratePerSecond?: number;
}

/** Figures of one load, or the median of several. */
export interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Seconds of processor time a second: 1 is one core. */
  readonly serviceCpu: number;
  readonly databaseCpu: number | undefined;
  readonly residentMegabytes: number;
}

export interface Measurement {
  readonly figures: Figures;
  readonly outcome: LoadOutcome;
  readonly stored: StoredCounts;
  /** What makes the figures worthless; empty as a rule. */
  readonly problems: readonly string[];
}

/** More than any machine here confirms; what is too many only costs the time to prepare them. */
const ESTIMATES_PER_SECOND = 20_000;
const ESTIMATES_PER_CONNECTION_SECOND = 4_000;
/** wrk looks at its clock ten times a second only, and so stops late. */
const OVERRUN_SECONDS = 0.5;
const SETTLE_MS = 100;

/** Loads the service, and compares afterwards what it acknowledged with what the database holds. */
export async function measure(installation: Installation, load: Load, task: Task, signal: AbortSignal): Promise<Measurement> {
  const { subject, partner, crowd, known, replayable, pool } = installation;
  const token = newToken();
  if (SCENARIOS[task.scenario].needsEstimates)
    await prepareEstimates(pool, partner.partnerId, { token, count: estimatesFor(task) });
  const sinceMs = Date.now();
  const before = readServiceUsage(installation);
  const startedAt = performance.now();
  const apiKeys = crowd?.map(({ apiKey }) => apiKey);
  const request = { ...task, token, known, replayable, baseUrl: subject.baseUrl, apiKey: partner.apiKey, apiKeys };
  const outcome = await load(request, signal);
  const elapsedSeconds = (performance.now() - startedAt) / 1_000;
  const after = readServiceUsage(installation);
  const stored = await countWhenQuiet(installation, sinceMs);
  const spent = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? undefined : (to - from) / elapsedSeconds;
  const { p50Ms, p90Ms, p99Ms, maxMs, seconds } = outcome;
  const figures = {
    perSecond: answeredOk(outcome) / seconds,
    p50Ms,
    p90Ms,
    p99Ms,
    maxMs,
    serviceCpu: spent(before.service.cpuSeconds, after.service.cpuSeconds) ?? 0,
    databaseCpu: spent(before.database?.cpuSeconds, after.database?.cpuSeconds),
    residentMegabytes: after.service.residentBytes / 2 ** 20,
  };
  return { figures, outcome, stored, problems: listProblems(task, outcome, stored) };
}

function estimatesFor({ connections, seconds, ratePerSecond = ESTIMATES_PER_SECOND }: Task): number {
  const perSecond = Math.min(ratePerSecond, connections * ESTIMATES_PER_CONNECTION_SECOND);
  return Math.ceil(perSecond * (seconds + OVERRUN_SECONDS));
}

/** Requests that the end of the load cut off may still be under way. */
async function countWhenQuiet({ pool, partner, crowd = [partner] }: Installation, sinceMs: number): Promise<StoredCounts> {
  const partnerIds = crowd.map(({ partnerId }) => partnerId);
  for (let last: StoredCounts | undefined; ; ) {
    await sleep(SETTLE_MS);
    const counts = await countStoredSince(pool, partnerIds, sinceMs);
    if (last && last.contributions === counts.contributions && last.estimates === counts.estimates) return counts;
    last = counts;
  }
}

/** The median of each figure: one round that something disturbed decides nothing. */
export function medianFigures(rounds: readonly Figures[]): Figures {
  const median = (read: (figures: Figures) => number) => medianOf(rounds.map(read));
  return {
    perSecond: median((each) => each.perSecond),
    p50Ms: median((each) => each.p50Ms),
    p90Ms: median((each) => each.p90Ms),
    p99Ms: median((each) => each.p99Ms),
    maxMs: median((each) => each.maxMs),
    serviceCpu: median((each) => each.serviceCpu),
    databaseCpu: rounds[0]?.databaseCpu === undefined ? undefined : median((each) => each.databaseCpu ?? 0),
    residentMegabytes: median((each) => each.residentMegabytes),
  };
}

/** @param values At least one. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (place: number) => sorted[Math.floor(place)] ?? 0;
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2;
}
