/** Many partners who confirm, look up and estimate together, while every event goes to an endpoint. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Baseline, type Bench, measureChecked, measureConstant, measurePgbench, medianBaseline } from '../cells.ts';
import { type Receiver, startReceiver } from '../deliveries/receiver.ts';
import { type Figures, medianFigures, medianOf } from '../measures/measure.ts';
import { progress } from '../report/progress.ts';
import { newToken } from '../rows/identifiers.ts';
import { settle } from '../subject/database.ts';
import { type Installation, makeReplayable } from '../subject/installation.ts';
import { makeCrowd } from './crowd.ts';

export interface MixedRound {
  readonly without: Figures;
  /** With an endpoint for each partner. */
  readonly having: Figures;
  readonly deliveredPerSecond: number;
  /** Events that had not reached their endpoint at half of the load, and at its end. */
  readonly waitingAtHalf: number;
  readonly waitingAtEnd: number;
  readonly constant: Baseline;
  readonly pgbenchPerSecond: number | undefined;
  readonly leastPerSecond: number | undefined;
}

export interface Mixed {
  readonly partners: number;
  readonly connections: number;
  readonly rounds: readonly MixedRound[];
  readonly median: MixedRound;
}

interface MixedTask {
  readonly partners: number;
  readonly connections: number;
  readonly seconds: number;
  readonly rounds: number;
}

const KNOWN = 2_000;
const CONFIRMED_SHARE = 0.6;
const LOOK_EVERY_MS = 50;
/** Nothing has changed for so long: what is missing will not come. */
const PATIENCE_MS = 30_000;
/** What waits at the end of a load may be so much more than at its half. */
const GROWTH_MAX = 1.5;

/** @returns `undefined` where no partners are wanted. */
export async function measureMixed(bench: Bench, task: MixedTask): Promise<Mixed | undefined> {
  const { partners, connections } = task;
  if (partners === 0) return undefined;
  await using cleanUp = new AsyncDisposableStack();
  const receiver = await startReceiver(cleanUp);
  const run = newToken();
  progress(`${partners} partners without endpoints, and ${partners} with one each`);
  const without = await gather(bench.installation, partners);
  const having = await gather(bench.installation, partners, (number) => `${receiver.urlOf(run)}?partner=${number}`);
  const parts = { bench, task, without, having, receiver, run };
  await measureWithout(parts, 2);
  await measureHaving(parts, 2, true);
  const rounds: MixedRound[] = [];
  for (let round = 0; round < task.rounds; round++) {
    rounds.push(await measureRound(parts, round % 2 === 0));
    const { without, having } = rounds[round] as MixedRound;
    progress(`mixed: ${Math.round(without.perSecond)}/s without endpoints, ${Math.round(having.perSecond)}/s with`);
  }
  return { partners, connections, rounds, median: medianRound(rounds) };
}

/** Partners who have confirmed what they look up. */
async function gather(installation: Installation, count: number, urlOf?: (number: number) => string): Promise<Installation> {
  const crowd = await makeCrowd(installation, count, urlOf);
  const known = { token: newToken(), count: KNOWN };
  const apiKeys = crowd.map(({ apiKey }) => apiKey);
  await makeReplayable(installation.subject, { ...installation.partner, apiKeys }, known);
  return { ...installation, crowd, known, replayable: known };
}

interface Parts {
  readonly bench: Bench;
  readonly task: MixedTask;
  readonly without: Installation;
  readonly having: Installation;
  readonly receiver: Receiver;
  readonly run: string;
}

/** Whoever comes first finds the machine otherwise than whoever comes second: they take turns. */
async function measureRound(parts: Parts, isWithoutFirst: boolean): Promise<MixedRound> {
  const { bench, task } = parts;
  const { connections, seconds } = task;
  await settle(bench.installation.pool);
  const constant = await measureConstant(bench, { scenario: 'mix', connections, seconds });
  const pgbench = await measurePgbench(bench.pgbench, { connections, seconds });
  const before = isWithoutFirst ? await measureWithout(parts, seconds) : undefined;
  const having = await measureHaving(parts, seconds);
  const without = before ?? (await measureWithout(parts, seconds));
  return { without, ...having, constant, pgbenchPerSecond: pgbench?.sameRows, leastPerSecond: pgbench?.leastTable };
}

async function measureWithout({ bench, task: { connections }, without }: Parts, seconds: number): Promise<Figures> {
  return (await measureChecked(bench, without, { scenario: 'mix', connections, seconds })).figures;
}

async function measureHaving(
  { bench, task: { connections }, having, receiver, run }: Parts,
  seconds: number,
  isWarmUp = false,
): Promise<Pick<MixedRound, 'having' | 'deliveredPerSecond' | 'waitingAtHalf' | 'waitingAtEnd'>> {
  const countWaiting = () => countUndelivered(having);
  await untilNone(bench.signal, countWaiting);
  await receiver.forget(run);
  const half = sleep((seconds * 1_000) / 2).then(countWaiting);
  const end = sleep(seconds * 1_000).then(async () => ({ waiting: await countWaiting(), received: await receiver.read(run) }));
  const { figures, stored } = await measureChecked(bench, having, { scenario: 'mix', connections, seconds });
  const [waitingAtHalf, { waiting: waitingAtEnd, received }] = await Promise.all([half, end]);
  // What a second brings may always be on its way.
  const allowed = Math.max(waitingAtHalf * GROWTH_MAX, figures.perSecond * CONFIRMED_SHARE);
  // In the first seconds the events under way become as many as the load keeps under way.
  if (!isWarmUp && waitingAtEnd > allowed)
    bench.problems.push(`mixed: deliveries fell behind: ${waitingAtHalf} waited at half of the load, ${waitingAtEnd} at its end`);
  await untilNone(bench.signal, countWaiting);
  const { count } = await receiver.read(run);
  if (count < stored.contributions) bench.problems.push(`mixed: ${stored.contributions} events were due and ${count} came`);
  return { having: figures, deliveredPerSecond: received.count / seconds, waitingAtHalf, waitingAtEnd };
}

const UNDELIVERED = `select (select count(*) from event_outbox where partner_id = any ($1))
  + (select count(*) from delivery where partner_id = any ($1) and ended_at is null) as count`;

async function countUndelivered({ pool, crowd = [] }: Installation): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(UNDELIVERED, [crowd.map(({ partnerId }) => partnerId)]);
  return rows[0]?.count ?? 0;
}

async function untilNone(signal: AbortSignal, count: () => Promise<number>): Promise<void> {
  for (let [fewest, since] = [Number.POSITIVE_INFINITY, performance.now()]; ; await sleep(LOOK_EVERY_MS)) {
    signal.throwIfAborted();
    const left = await count();
    if (left === 0) return;
    if (left < fewest) [fewest, since] = [left, performance.now()];
    if (performance.now() - since > PATIENCE_MS) throw new Error(`${left} events do not reach their endpoints.`);
  }
}

function medianRound(rounds: readonly MixedRound[]): MixedRound {
  const median = (read: (round: MixedRound) => number) => medianOf(rounds.map(read));
  const known = (values: readonly (number | undefined)[]) => {
    const numbers = values.filter((value) => value !== undefined);
    return numbers.length === 0 ? undefined : medianOf(numbers);
  };
  return {
    without: medianFigures(rounds.map(({ without }) => without)),
    having: medianFigures(rounds.map(({ having }) => having)),
    deliveredPerSecond: median((round) => round.deliveredPerSecond),
    waitingAtHalf: median((round) => round.waitingAtHalf),
    waitingAtEnd: median((round) => round.waitingAtEnd),
    constant: medianBaseline(rounds.map(({ constant }) => constant)),
    pgbenchPerSecond: known(rounds.map(({ pgbenchPerSecond }) => pgbenchPerSecond)),
    leastPerSecond: known(rounds.map(({ leastPerSecond }) => leastPerSecond)),
  };
}
