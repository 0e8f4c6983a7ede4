import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, parseExactly } from '../harness/call.ts';
import type { Random } from '../harness/random.ts';
import { PARTNERS, REVIEWED } from './calendar.ts';
import type { SimulatedClock } from './clock.ts';
import type { PartnerClient } from './partner-client.ts';
import type { Entry, PartnerRecords } from './partner-records.ts';
import { TOO_MANY_POINTS } from './rule-plan.ts';

const WRITERS = 40;
const PAUSE_MS = 20;

export interface WritersOptions {
  readonly client: PartnerClient;
  readonly partnerRecords: PartnerRecords;
  readonly random: Random;
  /** By partner. */
  readonly apiKeys: readonly string[];
  readonly clock: Pick<SimulatedClock, 'now' | 'earliestNow'>;
  readonly report: (violation: string, kind?: string) => void;
}

export interface WriterCounts {
  sent: number;
  confirmed: number;
  pending: number;
  refused: number;
  withEstimate: number;
  replayed: number;
}

interface Draft {
  readonly partner: number;
  readonly apiKey: string;
  readonly key: string;
  readonly eventId: string;
  readonly orderRef: string;
  readonly points: bigint;
}

interface Confirmed {
  readonly contribution: {
    readonly transaction_id: string;
    readonly status: string;
    readonly contribution_rule_version: string;
    readonly point_conversion_version: string;
    readonly tree_cost_version: string;
  };
  readonly association: { readonly status: string };
}

/** The shops of three partners: they confirm contributions, and write down what they were answered. */
export class Writers {
  readonly counts: WriterCounts = { sent: 0, confirmed: 0, pending: 0, refused: 0, withEstimate: 0, replayed: 0 };
  readonly #options: WritersOptions;

  constructor(options: WritersOptions) {
    this.#options = options;
  }

  /** So many, as fast as they are answered. */
  async send(count: number): Promise<void> {
    let left = count;
    const write = async () => {
      while (left-- > 0) await this.#confirmOne();
    };
    await Promise.all(Array.from({ length: Math.min(WRITERS, count) }, write));
  }

  /** At a steady pace, by any number of connections, for as long as the work takes. */
  async during<Result>(perSecond: number, work: () => Promise<Result>): Promise<Result> {
    const state = { isOver: false };
    const started = performance.now();
    let begun = 0;
    const write = async () => {
      while (!state.isOver) {
        if (begun < ((performance.now() - started) / 1_000) * perSecond) {
          begun++;
          await this.#confirmOne();
        } else await sleep(PAUSE_MS);
      }
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, write));
    try {
      return await work();
    } finally {
      state.isOver = true;
      await writing;
    }
  }

  async #confirmOne(): Promise<void> {
    const { partnerRecords, random, clock, report } = this.#options;
    const draft = this.#draft();
    const calculationId = random.chance(0.02) ? await this.#estimate(draft) : null;
    const from = clock.earliestNow();
    const answer = await this.#post(draft, calculationId);
    const sent = { from, to: clock.now() };
    const possible = partnerRecords.listPossibleAnswers(draft.partner, draft.points, slack(sent));
    if (!(possible as number[]).includes(answer.status)) {
      const words = `${draft.points} points of ${PARTNERS[draft.partner]?.name} were answered ${answer.status} instead of ${possible.join(' or ')}`;
      report(`${words}: ${answer.bytes.toString().slice(0, 300)}`, `answered ${answer.status}`);
    }
    if (answer.status !== 201 && answer.status !== 202) {
      this.counts.refused++;
      return;
    }
    const entry = this.#enter(draft, { calculationId, sent, answer });
    if (random.chance(0.01)) await this.#replay(draft, entry);
  }

  #draft(): Draft {
    const { random, apiKeys } = this.#options;
    const number = this.counts.sent++;
    const partner = number % PARTNERS.length;
    const name = `quarter-${partner}-${number}`;
    const apiKey = apiKeys[partner] as string;
    return {
      partner,
      apiKey,
      key: `${name}-key`,
      eventId: `${name}-event`,
      orderRef: `${name}-order`,
      points: somePoints(random, partner),
    };
  }

  #post({ apiKey, key, eventId, orderRef, points }: Draft, calculationId: string | null): Promise<Answer> {
    const calculation = calculationId === null ? '' : `,"calculation_id":"${calculationId}"`;
    const body = `{"partner_event_id":"${eventId}","partner_order_ref":"${orderRef}","points":${points}${calculation}}`;
    return this.#options.client.call({ apiKey, path: '/v1/impact-transactions', body, idempotencyKey: key });
  }

  async #estimate({ apiKey, key, orderRef }: Draft): Promise<string | null> {
    const { client, random, report } = this.#options;
    const distance = `${random.whole(0, 99)}.${random.whole(1, 9)}`;
    const order = { partner_order_ref: orderRef, distance_km: distance, distance_unit: 'km', vehicle_category: 'car_gasoline' };
    const body = JSON.stringify(order);
    const answer = await client.call({ apiKey, path: '/v1/emissions/estimates', body, idempotencyKey: `${key}-estimate` });
    if (answer.status !== 201) {
      report(`an estimate was answered ${answer.status}: ${answer.bytes.toString().slice(0, 300)}`, 'estimate');
      return null;
    }
    this.counts.withEstimate++;
    return parseExactly<{ estimate: { calculation_id: string } }>(answer.bytes).estimate.calculation_id;
  }

  #enter(draft: Draft, { calculationId, sent, answer }: Pick<Entry, 'calculationId' | 'sent'> & { answer: Answer }): Entry {
    const { partnerRecords, random, report } = this.#options;
    const { contribution, association } = parseExactly<Confirmed>(answer.bytes);
    const isPending = answer.status === 202;
    this.counts[isPending ? 'pending' : 'confirmed']++;
    const decision = random.fraction();
    const entry: Entry = {
      ...draft,
      calculationId,
      sent,
      transactionId: contribution.transaction_id,
      labels: {
        contributionRule: contribution.contribution_rule_version,
        pointConversion: contribution.point_conversion_version,
        treeCost: contribution.tree_cost_version,
      },
      state: isPending ? 'pending' : 'confirmed',
      wasPending: isPending,
      confirmed: isPending ? undefined : sent,
      plan: decision < 0.5 ? 'confirm' : decision < 0.8 ? 'fail' : 'leave',
    };
    if (partnerRecords.byTransaction.has(entry.transactionId)) report(`${entry.transactionId} was given twice`, 'given twice');
    if (contribution.status !== entry.state) report(`${answer.status} came with the status ${contribution.status}`, 'status');
    if (calculationId !== null && !isPending && association.status !== 'associated')
      report(`${entry.transactionId} was not linked: ${answer.bytes.toString().slice(0, 400)}`, 'not linked');
    for (const wrong of partnerRecords.listWrongLabels({ ...entry, sent: slack(sent) }))
      report(`${entry.transactionId} has ${wrong}`, 'label');
    partnerRecords.add(entry);
    return entry;
  }

  /** The partner's server did not hear the answer, and asks again. */
  async #replay(draft: Draft, entry: Entry): Promise<void> {
    const { report } = this.#options;
    const answer = await this.#post(draft, entry.calculationId);
    this.counts.replayed++;
    const { contribution } = parseExactly<Partial<Confirmed>>(answer.bytes);
    if (contribution?.transaction_id !== entry.transactionId || answer.headers['idempotent-replayed'] !== 'true')
      report(`a repeated confirmation was answered ${answer.status}: ${answer.bytes.toString().slice(0, 300)}`, 'replay');
  }
}

/** Processes and the database may have had a time that differs from this one by so much. */
const SLACK_MS = 1_500;

export function slack({ from, to }: Entry['sent']): Entry['sent'] {
  return { from: from - SLACK_MS, to: to + SLACK_MS };
}

function somePoints(random: Random, partner: number): bigint {
  const kind = random.fraction();
  if (kind < 0.001) return TOO_MANY_POINTS;
  // Few are so large: their sum alone is past every integer of 64 bits.
  if (kind < 0.003 && partner !== REVIEWED)
    return 1_000_000_000_000_000_000n * BigInt(random.whole(1, 8)) + BigInt(random.whole(0, 999));
  if (kind < 0.0032) return 8_000_000_000_000_000_000n;
  if (kind < 0.013) return BigInt(random.whole(40_000, 200_000));
  if (kind < 0.02) return BigInt(random.whole(1, 6));
  return BigInt(random.whole(7, 2_500));
}
