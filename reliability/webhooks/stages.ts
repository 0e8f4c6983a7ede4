/** The parts of a run, one after the other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { progress } from '../harness/report.ts';
import { forgetFailures } from './database.ts';
import type { Span } from './latency.ts';
import { type Contribution, contributeAtRate, takeTurns } from './load.ts';
import { type Endpoint, type Experiment, mustHaveAll } from './members.ts';
import { untilDelivered, untilRecorded } from './settle.ts';

/** Shares of the contributions; the rest is for the kills. */
const WARM_UP_SHARE = 0.04;
const SPAN_SHARE = 0.05;
/** Side by side in twos, and each kind as often before the other as after it. */
const SPANS = ['healthy', 'faulty', 'faulty', 'healthy', 'healthy', 'faulty', 'faulty', 'healthy'] as const;
const KILLING_AT_THE_END_MS = 10_000;
/** Events of one span have left before the next begins. */
const QUIET_MS = 1_000;

/**
 * Spans of two kinds at one rate, in turns: other work on the machine falls on both. What faulty endpoints missed is postponed until
 * the last span is over, and their health is forgotten, so that each kind begins as if there had been no other.
 */
export async function measureSpans(experiment: Experiment, perSecond: number): Promise<Span[]> {
  const { database, members } = experiment;
  const all = takeTurns(members);
  const [warmUp, count] = [Math.floor(all.length * WARM_UP_SHARE), Math.floor(all.length * SPAN_SHARE)];
  const faulty = members.flatMap(({ endpoints }) => endpoints.filter(({ faults }) => faults.length > 0));
  progress(`Warming up; then spans of ${count} confirmations, ${perSecond} a second`);
  await contributeAtRate(all.slice(0, warmUp), perSecond);
  const spans: Span[] = [];
  for (const [index, kind] of SPANS.entries()) {
    if (kind === 'faulty') await misbehave(experiment, 0);
    else await heal(experiment, () => true);
    if (kind !== SPANS[index - 1])
      await forgetFailures(
        database,
        faulty.map(({ endpointId }) => endpointId),
      );
    await sleep(QUIET_MS);
    progress(kind === 'faulty' ? 'Three in ten endpoints are faulty' : 'All endpoints are healthy');
    const fromMs = Date.now();
    await contributeAtRate(all.slice(warmUp + index * count, warmUp + (index + 1) * count), perSecond);
    spans.push({ kind, fromMs, untilMs: Date.now() });
    await sleep(QUIET_MS);
  }
  await heal(experiment, () => true);
  progress('All endpoints are healthy, and get what they missed');
  const waiting = { ...experiment, isAwaited: () => true };
  await untilDelivered(waiting);
  await untilRecorded(waiting);
  return spans;
}

/** The rest of the contributions, with other faults, while processes die. */
export async function killMeanwhile(
  experiment: Experiment,
  { kills, perSecond }: { kills: number; perSecond: number },
): Promise<void> {
  const rest = takeTurns(experiment.members).filter(isUnsent);
  progress(`${rest.length} confirmations, ${perSecond} a second, other faults, and ${kills} kills`);
  await misbehave(experiment, 1);
  await Promise.all([contributeAtRate(rest, perSecond), experiment.killer.kill(kills, (rest.length / perSecond) * 1_000)]);
}

/** Half of the faulty endpoints become healthy; some kills fall on their retries too. */
export async function healHalf(experiment: Experiment, kills: number): Promise<void> {
  progress(`Half of the faulty endpoints become healthy; ${kills} more kills`);
  await heal(experiment, mustHaveAll);
  const waiting = { ...experiment, isAwaited: mustHaveAll };
  await Promise.all([experiment.killer.kill(kills, KILLING_AT_THE_END_MS), untilDelivered(waiting)]);
  progress('Every event has arrived; waiting until every delivery is recorded');
  await untilRecorded(waiting);
  for (const receivers of Object.values(experiment.groups)) await receivers.handOver();
}

function isUnsent({ member: { times }, intent }: Contribution): boolean {
  return !times.has(intent.partnerEventId);
}

async function misbehave({ members, network }: Experiment, stage: number): Promise<void> {
  for (const { number, receivers, faults } of members.flatMap(({ endpoints }) => endpoints)) {
    await receivers.behave(number, faults[stage]);
    network.rebind(number, faults[stage] === 'rebound');
  }
}

async function heal({ members, network }: Experiment, isHealed: (endpoint: Endpoint) => boolean): Promise<void> {
  for (const { number, receivers } of members.flatMap(({ endpoints }) => endpoints.filter(isHealed))) {
    await receivers.behave(number, undefined);
    network.rebind(number, false);
  }
}
