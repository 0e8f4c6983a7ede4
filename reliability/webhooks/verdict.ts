/** What is judged at the end: what arrived, what was recorded, how long things took, and how the service bore it. */
import { FIRST_EVENTS, listDeliveries } from './database.ts';
import { type JudgedEndpoint, type Judgement, judgeArrivals } from './judge.ts';
import { type Cast, type Endpoint, mustHaveAll } from './members.ts';
import { findPauses, findRepetitions, type Pauses, type Repetitions } from './repetitions.ts';
import { readTruth } from './truth.ts';

/** 5 s to connect, 15 s for an answer, and a busy machine. */
const HELD_MS_MAX = 25_000;

export interface Verdict {
  readonly judgement: Judgement;
  readonly repetitions: Repetitions;
  readonly pauses: Pauses;
  readonly reachedInward: number;
  /** How often the service logged each kind of error. */
  readonly errorsLogged: ReadonlyMap<string, number>;
}

export async function judgeEverything(cast: Cast): Promise<Verdict> {
  const { installation, ledger, crew, report } = cast;
  if (installation.hasServiceEnded) report('the service has ended by itself');
  const reachedInward = crew.healthy.reachedInward + crew.faulty.reachedInward;
  if (reachedInward > 0) report(`${reachedInward} connections reached a loopback listener`);
  const judgement = judgeArrivals(ledger, await readTruths(cast), report);
  await judgeRecords(cast);
  const endpoints = listEndpoints(cast);
  const healthy = endpoints.filter(({ faults }) => faults.length === 0).map(({ number }) => number);
  const kills = cast.killer.kills.map(({ atMs }) => atMs);
  const repetitions = findRepetitions(ledger, healthy, kills);
  const pauses = findPauses(
    ledger,
    endpoints.map(({ number }) => number),
    kills,
  );
  judgeTimes(cast, repetitions, pauses);
  return {
    ...{ judgement, repetitions, pauses, reachedInward },
    errorsLogged: countErrors(installation.output),
  };
}

async function readTruths({ database, members }: Cast): Promise<JudgedEndpoint[]> {
  const judged: JudgedEndpoint[] = [];
  for (const member of members) {
    const truth = await readTruth(database, member);
    for (const endpoint of member.endpoints)
      judged.push({
        number: endpoint.number,
        truth,
        mustHaveAll: mustHaveAll(endpoint),
        firstSequence: FIRST_EVENTS + 1,
      });
  }
  return judged;
}

/** What the database calls delivered was answered 2xx; the rest still waits. */
async function judgeRecords(cast: Cast): Promise<void> {
  const { database, ledger, report } = cast;
  const numbers = new Map(listEndpoints(cast).map(({ endpointId, number }) => [endpointId, number]));
  for (const { endpointId, eventId, status } of await listDeliveries(database)) {
    const endpoint = numbers.get(endpointId) ?? -1;
    const arrivals = ledger.deliveredTo(endpoint).get(eventId)?.arrivals ?? [];
    if (status === 'delivered' && !arrivals.some(({ is2xx }) => is2xx))
      report(`${eventId} is recorded as delivered to endpoint ${endpoint}, which did not answer it 2xx`, 'delivered before 2xx');
    if (status !== 'delivered' && status !== 'waiting')
      report(`${eventId} is ${status} at endpoint ${endpoint}, which has attempts left and is not disabled`, status);
  }
}

function judgeTimes({ longestHeldMs, report }: Cast, repetitions: Repetitions, pauses: Pauses): void {
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

function listEndpoints({ members }: Cast): Endpoint[] {
  return members.flatMap(({ endpoints }) => endpoints);
}
