/** The parts of a run, one after the other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { progress } from '../support/report.ts';
import type { Span } from './latency.ts';
import { type Contribution, contributeAtRate, takeTurns } from './load.ts';
import { type Cast, type Endpoint, mustHaveAll } from './members.ts';
import { untilDelivered, untilRecorded } from './settle.ts';

/** Shares of the contributions; the rest is for the kills. */
const WARM_UP_SHARE = 0.04;
/** Each of four: all healthy, twice with faults, all healthy. */
const SPAN_SHARE = 0.1;
const KILLING_AT_THE_END_MS = 10_000;
/** Events of one span have left before the next begins. */
const QUIET_MS = 1_000;

/** Four spans at one rate. A machine that becomes slower or faster meanwhile does so for both kinds. */
export async function measureSpans(cast: Cast, perSecond: number): Promise<Record<'healthy' | 'faulty', Span[]>> {
  const all = takeTurns(cast.members);
  const [warmUp, span] = [Math.floor(all.length * WARM_UP_SHARE), Math.floor(all.length * SPAN_SHARE)];
  const measure = async (from: number, spans: number): Promise<Span> => {
    const fromMs = Date.now();
    await contributeAtRate(all.slice(from, from + spans * span), perSecond);
    const untilMs = Date.now();
    await sleep(QUIET_MS);
    return { fromMs, untilMs };
  };
  progress(`Warming up, then ${perSecond} confirmations a second, all endpoints healthy`);
  await contributeAtRate(all.slice(0, warmUp), perSecond);
  const before = await measure(warmUp, 1);
  progress('The same with the faulty endpoints');
  await misbehave(cast, 0);
  const faulty = await measure(warmUp + span, 2);
  progress('All endpoints become healthy; what they missed comes after');
  await heal(cast, () => true);
  const waiting = { ...cast, isAwaited: () => true };
  await untilDelivered(waiting);
  await untilRecorded(waiting);
  progress('The same with all endpoints healthy again');
  const after = await measure(warmUp + 3 * span, 1);
  return { healthy: [before, after], faulty: [faulty] };
}

/** The rest of the contributions, with other faults, while processes die. */
export async function killMeanwhile(cast: Cast, { kills, perSecond }: { kills: number; perSecond: number }): Promise<void> {
  const rest = takeTurns(cast.members).filter(isUnsent);
  progress(`${rest.length} confirmations, ${perSecond} a second, other faults, and ${kills} kills`);
  await misbehave(cast, 1);
  await Promise.all([contributeAtRate(rest, perSecond), cast.killer.strike(kills, (rest.length / perSecond) * 1_000)]);
}

/** Half of the faulty endpoints become healthy; some kills fall on their retries too. */
export async function healHalf(cast: Cast, kills: number): Promise<void> {
  progress(`Half of the faulty endpoints become healthy; ${kills} more kills`);
  await heal(cast, mustHaveAll);
  const waiting = { ...cast, isAwaited: mustHaveAll };
  await Promise.all([cast.killer.strike(kills, KILLING_AT_THE_END_MS), untilDelivered(waiting)]);
  progress('Every event has arrived; waiting until every delivery is recorded');
  await untilRecorded(waiting);
  for (const receivers of Object.values(cast.crew)) await receivers.handOver();
}

function isUnsent({ member: { times }, intent }: Contribution): boolean {
  return !times.has(intent.partnerEventId);
}

async function misbehave({ members, surroundings }: Cast, stage: number): Promise<void> {
  for (const { number, receivers, faults } of members.flatMap(({ endpoints }) => endpoints)) {
    await receivers.behave(number, faults[stage]);
    surroundings.rebind(number, faults[stage] === 'rebound');
  }
}

async function heal({ members, surroundings }: Cast, isHealed: (endpoint: Endpoint) => boolean): Promise<void> {
  for (const { number, receivers } of members.flatMap(({ endpoints }) => endpoints.filter(isHealed))) {
    await receivers.behave(number, undefined);
    surroundings.rebind(number, false);
  }
}
