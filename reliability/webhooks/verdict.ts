/** What is checked at the end: what arrived, what was recorded, how long things took, and how the service bore it. */

import { verify } from '../harness/verify-contributions.ts';
import { type CheckedArrivals, type CheckedEndpoint, checkArrivals } from './check-arrivals.ts';
import { FIRST_EVENTS, listDeliveries } from './database.ts';
import { type Endpoint, type Experiment, mustHaveAll } from './members.ts';
import { findPauses, findRepetitions, type Pauses, type Repetitions } from './repetitions.ts';
import { readTruth } from './truth.ts';

/** 5 s to connect, 15 s for an answer, and a busy machine. */
const HELD_MS_MAX = 25_000;

export interface Verdict {
  readonly judgement: CheckedArrivals;
  readonly repetitions: Repetitions;
  readonly pauses: Pauses;
  readonly reachedInward: number;
  /** How often the service logged each kind of error. */
  readonly errorsLogged: ReadonlyMap<string, number>;
}

export async function checkEverything(experiment: Experiment): Promise<Verdict> {
  const { installation, arrivalLog, groups, report } = experiment;
  if (installation.hasServiceEnded) report('the service has ended by itself');
  const reachedInward = groups.healthy.reachedInward + groups.faulty.reachedInward;
  if (reachedInward > 0) report(`${reachedInward} connections reached a loopback listener`);
  const judgement = checkArrivals(arrivalLog, await readTruths(experiment), report);
  await checkRecords(experiment);
  const endpoints = listEndpoints(experiment);
  const healthy = endpoints.filter(({ faults }) => faults.length === 0).map(({ number }) => number);
  const kills = experiment.killer.kills.map(({ atMs }) => atMs);
  const repetitions = findRepetitions(arrivalLog, healthy, kills);
  const pauses = findPauses(
    arrivalLog,
    endpoints.map(({ number }) => number),
    kills,
  );
  checkTimes(experiment, repetitions, pauses);
  return {
    judgement,
    repetitions,
    pauses,
    reachedInward,
    errorsLogged: countErrors(installation.output),
  };
}

/** What was acknowledged is stored first of all: a contribution that is lost would not be missed among the events. */
async function readTruths({ database, members, report }: Experiment): Promise<CheckedEndpoint[]> {
  const checked: CheckedEndpoint[] = [];
  for (const member of members) {
    await verify(database, member.partnerId, { intents: member.intents, report });
    const truth = await readTruth(database, member);
    for (const endpoint of member.endpoints)
      checked.push({
        number: endpoint.number,
        truth,
        mustHaveAll: mustHaveAll(endpoint),
        firstSequence: FIRST_EVENTS + 1,
      });
  }
  return checked;
}

/** What the database calls delivered was answered 2xx; the rest still waits. */
async function checkRecords(experiment: Experiment): Promise<void> {
  const { database, arrivalLog, report } = experiment;
  const numbers = new Map(listEndpoints(experiment).map(({ endpointId, number }) => [endpointId, number]));
  for (const { endpointId, eventId, status } of await listDeliveries(database)) {
    const endpoint = numbers.get(endpointId) ?? -1;
    const arrivals = arrivalLog.deliveredTo(endpoint).get(eventId)?.arrivals ?? [];
    if (status === 'delivered' && !arrivals.some(({ is2xx }) => is2xx))
      report(`${eventId} is recorded as delivered to endpoint ${endpoint}, which did not answer it 2xx`, 'delivered before 2xx');
    if (status !== 'delivered' && status !== 'waiting')
      report(`${eventId} is ${status} at endpoint ${endpoint}, which has attempts left and is not disabled`, status);
  }
}

function checkTimes({ longestHeldMs, report }: Experiment, repetitions: Repetitions, pauses: Pauses): void {
  const { withoutReason, unexplained } = repetitions;
  if (withoutReason > 0) report(`${withoutReason} events came again after 2xx, and nothing had been killed`);
  for (const late of unexplained) report(`an event came later than its lease and the kills explain: ${late}`, 'late');
  if (pauses.early > 0) report(`${pauses.early} of ${pauses.asked} attempts came before the Retry-After was over`);
  for (const [words, heldMs] of longestHeldMs)
    if (heldMs > HELD_MS_MAX) report(`a connection to a receiver that is "${words}" was kept for ${heldMs} ms`);
}

const LOG_LEVEL_ERROR = 50;

/** By what they say. A line that is cut off, or no JSON, is none of the log. */
function countErrors(output: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of output.split('\n')) {
    const [, level = '0', msg = ''] = /^\{"level":(\d+),.*"msg":"(.*)"\}$/.exec(line) ?? [];
    const [, reason = ''] = /"err":\{.*?"message":"(.*?)"/.exec(line) ?? [];
    if (Number(level) < LOG_LEVEL_ERROR) continue;
    const words = `${msg}: ${reason}`;
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return counts;
}

function listEndpoints({ members }: Experiment): Endpoint[] {
  return members.flatMap(({ endpoints }) => endpoints);
}
