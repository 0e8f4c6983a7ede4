/** Partners with their servers, and endpoints that are entered as an operator enters them. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Exchange } from '../harness/exchange.ts';
import { type Installation, makePartner } from '../harness/installation.ts';
import { makeIntents } from '../harness/intent.ts';
import { Partner } from '../harness/partner.ts';
import type { Random } from '../harness/random.ts';
import type { ArrivalLog } from './arrival-log.ts';
import { untilFirstSequenced } from './database.ts';
import { type Fault, RECEIVER_FAULTS } from './faults.ts';
import type { Endpoint, Member, ReceiverGroups, Tools } from './members.ts';
import type { Holding } from './messages.ts';
import { Receivers } from './receivers.ts';
import type { TestNetwork } from './test-network.ts';

export interface Plan {
  readonly repository: string;
  readonly events: number;
  readonly endpoints: number;
  readonly seed: number;
  readonly random: Random;
}

/** As many as one partner may have. */
const ENDPOINTS_OF_PARTNER = 5;
const FAULTY_SHARE = 0.3;
const STAGES = 2;
const CONNECTIONS = 64;
const COMMANDS_AT_ONCE = 2;

/** Which endpoints will misbehave: some of each partner's, so that every partner has healthy ones beside. */
function chooseFaulty(endpoints: number): number[] {
  const partners = Math.ceil(endpoints / ENDPOINTS_OF_PARTNER);
  const inTurn = Array.from({ length: ENDPOINTS_OF_PARTNER }, (_, place) =>
    Array.from({ length: partners }, (_, partner) => partner * ENDPOINTS_OF_PARTNER + place),
  ).flat();
  return inTurn.filter((number) => number < endpoints).slice(0, Math.round(endpoints * FAULTY_SHARE));
}

export async function openReceiverGroups(
  endpoints: number,
  { host, tls }: TestNetwork,
  { arrivalLog, onHolding }: { arrivalLog: ArrivalLog; onHolding: (holding: Holding) => void },
): Promise<ReceiverGroups> {
  const faulty = chooseFaulty(endpoints);
  const healthy = Array.from({ length: endpoints }, (_, number) => number).filter((number) => !faulty.includes(number));
  const open = (numbers: readonly number[]) =>
    Receivers.open({ endpoints: numbers, host, tls, onArrival: arrivalLog.add, onHolding });
  return { healthy: await open(healthy), faulty: await open(faulty) };
}

export async function makeMembers(plan: Plan, tools: Tools): Promise<Member[]> {
  const { events, endpoints, seed, random } = plan;
  const count = Math.ceil(endpoints / ENDPOINTS_OF_PARTNER);
  const numbers = Array.from({ length: endpoints }, (_, number) => number);
  const faults = assignFaults(endpoints, tools.network.tls !== undefined, random);
  const { report } = tools;
  return inBatches(count, async (index): Promise<Member> => {
    const { partnerId, apiKey } = await makePartner(tools.database);
    await untilFirstSequenced(tools.database, partnerId);
    const exchange = new Exchange(tools.installation.baseUrl, apiKey, CONNECTIONS);
    const own = numbers.slice(index * ENDPOINTS_OF_PARTNER, (index + 1) * ENDPOINTS_OF_PARTNER);
    return {
      partnerId,
      exchange,
      server: new Partner({ exchange, report, onSent: () => {}, onConfirmed: () => {} }),
      intents: makeIntents(Math.ceil(events / count), random, `${seed.toString(36)}-${index}`),
      times: new Map(),
      endpoints: await inBatches(own.length, (place) => enter(own[place] ?? 0, { partnerId, faults, plan, tools })),
    };
  });
}

/** Every fault has its turn in one of the stages, as long as there are endpoints enough. The first half is healed at the end. */
function assignFaults(endpoints: number, hasNames: boolean, random: Random): Map<number, { faults: Fault[]; isHealed: boolean }> {
  const all: Fault[] = hasNames ? [...RECEIVER_FAULTS, 'rebound'] : [...RECEIVER_FAULTS];
  const faulty = chooseFaulty(endpoints);
  const first = random.whole(0, all.length - 1);
  return new Map(
    faulty.map((number, index) => {
      const faults = Array.from(
        { length: STAGES },
        (_, stage) => all[(first + index + stage * faulty.length) % all.length] as Fault,
      );
      return [number, { faults, isHealed: index < Math.ceil(faulty.length / 2) }];
    }),
  );
}

interface Entering {
  readonly partnerId: string;
  readonly faults: ReadonlyMap<number, { readonly faults: readonly Fault[]; readonly isHealed: boolean }>;
  readonly plan: Plan;
  readonly tools: Tools;
}

/** By the command of the service; the receiver answers the challenge. */
async function enter(number: number, { partnerId, faults, plan, tools }: Entering): Promise<Endpoint> {
  const { installation, groups, network } = tools;
  const receivers = faults.has(number) ? groups.faulty : groups.healthy;
  const url = network.urlOf(number, receivers.ports[number] ?? 0);
  const { endpoint_id: endpointId, secret } = await addEndpoint(plan.repository, installation, {
    partnerId,
    url,
    env: network.env,
  });
  await receivers.learnSecret(number, secret);
  return { number, endpointId, receivers, ...(faults.get(number) ?? { faults: [], isHealed: false }) };
}

interface NewEndpoint {
  readonly partnerId: string;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
}

/** @throws Error When the command refuses, with what it says. */
export async function addEndpoint(
  repository: string,
  { dataDirectory }: Installation,
  { partnerId, url, env }: NewEndpoint,
): Promise<{ endpoint_id: string; secret: string }> {
  const words = [join(repository, 'bin/partner-impact.mjs'), 'endpoint', 'add', '--partner', partnerId, '--url', url, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    env: { ...process.env, ...env, DATA_DIR: dataDirectory },
  });
  return JSON.parse(stdout);
}

/** A few at a time: each command is a program of its own. */
async function inBatches<Made>(count: number, make: (index: number) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = [];
  while (made.length < count) {
    const size = Math.min(COMMANDS_AT_ONCE, count - made.length);
    made.push(...(await Promise.all(Array.from({ length: size }, (_, place) => make(made.length + place)))));
  }
  return made;
}

/** @throws Error When the service takes an endpoint that leads inside: the guard is not on then, and the run would show nothing. */
export async function assertGuarded(repository: string, { installation, network }: Tools, partnerId: string): Promise<void> {
  for (const url of ['https://127.0.0.1:8443/', 'https://localhost/', 'http://198.41.0.4/']) {
    const isTaken = await addEndpoint(repository, installation, { partnerId, url, env: network.env }).then(
      () => true,
      () => false,
    );
    if (isTaken) throw new Error(`The guard is not on: ${url} was taken.`);
  }
}
