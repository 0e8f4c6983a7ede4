import type { Bench } from '../cells.ts';
import { type Receiver, startReceiver } from '../deliveries/receiver.ts';
import { failures, type LoadOutcome, type LoadRequest } from '../load/load.ts';
import { progress } from '../report/progress.ts';
import { newToken } from '../rows/identifiers.ts';
import type { ScenarioName } from '../scenarios.ts';
import { type Installation, installEmpty } from '../subject/installation.ts';
import type { SubjectOptions } from '../subject/subject.ts';

/** What a partner that lost an answer asks for, while others confirm. */
const ASKED = ['lookup-by-event', 'replay'] as const satisfies ScenarioName[];

type Latency = Pick<LoadOutcome, 'p50Ms' | 'p99Ms' | 'maxMs'> & { readonly perSecond: number };

/** One scenario in the first minute of a new database, and of one that holds rows and knows their statistics. */
export interface Young {
  /** The revision that was measured. */
  readonly revision: string;
  readonly scenario: (typeof ASKED)[number];
  readonly young: Latency;
  readonly old: Latency;
  /** Confirmations a second meanwhile. */
  readonly confirmed: { readonly young: number; readonly old: number };
}

/** Nothing is analysed before autovacuum looks for the first time. */
export const FIRST_MINUTE_SECONDS = 60;
const CONFIRMING_CONNECTIONS = 64;
const ASKING_CONNECTIONS = 8;

/**
 * Confirms at full load, with an endpoint that is sent every event, and looks up and replays beside it: on a database that was made just
 * before, then on that of the bench, which holds ten thousand rows and was analysed.
 */
export async function measureYoung(
  bench: Bench,
  installation: Installation,
  { subject, seconds }: { subject: SubjectOptions; seconds: number },
): Promise<Young[]> {
  await using cleanUp = new AsyncDisposableStack();
  const receiver = await startReceiver(cleanUp);
  progress(`the first ${seconds} s of a new database (${subject.name})`);
  const young = await loadAll(bench, await installEmpty(subject, cleanUp, bench.signal), { receiver, seconds });
  progress(`the same on a database that was analysed (${subject.name})`);
  const old = await loadAll(bench, installation, { receiver, seconds });
  const confirmed = { young: latencyOf(young.confirm).perSecond, old: latencyOf(old.confirm).perSecond };
  return ASKED.map((scenario) => ({
    revision: subject.name,
    scenario,
    young: latencyOf(young[scenario]),
    old: latencyOf(old[scenario]),
    confirmed,
  }));
}

type Outcomes = Record<'confirm' | (typeof ASKED)[number], LoadOutcome>;

async function loadAll(
  { load, signal, problems }: Bench,
  { subject, partner, replayable }: Installation,
  { receiver, seconds }: { receiver: Receiver; seconds: number },
): Promise<Outcomes> {
  await subject.addEndpoint(partner.partnerId, receiver.urlOf(newToken()));
  const send = async (scenario: keyof Outcomes, connections: number): Promise<[string, LoadOutcome]> => {
    const { baseUrl } = subject;
    // What was confirmed through the service can be replayed as well as looked up.
    const rows = { token: newToken(), known: replayable, replayable };
    const request: LoadRequest = { scenario, baseUrl, apiKey: partner.apiKey, connections, seconds, ...rows };
    const outcome = await load(request, signal);
    if (failures(outcome) > 0) problems.push(`${scenario} on a young or old database: ${failures(outcome)} requests failed`);
    return [scenario, outcome];
  };
  const all = [send('confirm', CONFIRMING_CONNECTIONS), ...ASKED.map((scenario) => send(scenario, ASKING_CONNECTIONS))];
  return Object.fromEntries(await Promise.all(all)) as Outcomes;
}

function latencyOf({ p50Ms, p99Ms, maxMs, seconds, statuses }: LoadOutcome): Latency {
  const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  return { p50Ms, p99Ms, maxMs, perSecond: answered / seconds };
}
