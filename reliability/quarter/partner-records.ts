import { DAY_MS, PARTNERS } from './calendar.ts';
import { readMoney } from './money.ts';
import { type PlannedRule, rulesDuring } from './rule-plan.ts';

/** From the sending of what the service did to its answer. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Labels {
  readonly contributionRule: string;
  readonly pointConversion: string;
  readonly treeCost: string;
}

/** A contribution as its sender knows it. */
export interface Entry {
  readonly partner: number;
  readonly key: string;
  readonly eventId: string;
  readonly orderRef: string;
  readonly points: bigint;
  readonly calculationId: string | null;
  readonly sent: Span;
  readonly transactionId: string;
  readonly labels: Labels;
  state: 'confirmed' | 'pending' | 'failed';
  wasPending: boolean;
  /** When it was confirmed; that it was pending before makes it later than `sent`. */
  confirmed: Span | undefined;
  /** What an operator is going to do about it. */
  readonly plan: 'confirm' | 'fail' | 'leave';
}

export interface PostedAdjustment {
  readonly adjustmentId: string;
  readonly entry: Entry;
  readonly pointsDelta: bigint;
  /** As a decimal; `null` unless it is a restatement. */
  readonly amountDelta: string | null;
  readonly reasonCode: string;
  readonly reversalOf: string | null;
  readonly posted: Span;
}

/** What the sender was told, and nothing of what the service has stored. */
export class PartnerRecords {
  readonly rules: readonly PlannedRule[];
  readonly entries: Entry[] = [];
  readonly byTransaction = new Map<string, Entry>();
  readonly adjustments = new Map<string, PostedAdjustment>();
  readonly pending = new Set<Entry>();
  readonly #prices: ReadonlyMap<string, bigint>;
  refused = 0;

  constructor(rules: readonly PlannedRule[]) {
    this.rules = rules;
    const priced = rules.filter(({ kind, price }) => kind === 'point_conversion' && price !== undefined);
    this.#prices = new Map(priced.map(({ label, price }) => [label, readMoney(price as string)]));
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    this.byTransaction.set(entry.transactionId, entry);
    if (entry.state === 'pending') this.pending.add(entry);
  }

  decide(entry: Entry, state: 'confirmed' | 'failed', span: Span): void {
    entry.state = state;
    if (state === 'confirmed') entry.confirmed = span;
    this.pending.delete(entry);
  }

  /** Exact; `null` where its points have no value. */
  priceOf({ labels: { pointConversion } }: Entry): bigint | null {
    return this.#prices.get(pointConversion) ?? null;
  }

  amountOf(entry: Entry): bigint | null {
    const price = this.priceOf(entry);
    return price === null ? null : price * entry.points;
  }

  amountOfAdjustment({ entry, pointsDelta, amountDelta }: PostedAdjustment): bigint | null {
    if (amountDelta !== null) return readMoney(amountDelta);
    const price = this.priceOf(entry);
    return price === null ? null : price * pointsDelta;
  }

  /** The points that stand after all adjustments. */
  pointsOf(partner: number): { contributions: bigint; adjustments: bigint } {
    const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);
    const mine = this.entries.filter((entry) => entry.partner === partner && entry.state === 'confirmed');
    const corrected = [...this.adjustments.values()].filter(({ entry }) => entry.partner === partner);
    return { contributions: sum(mine.map(({ points }) => points)), adjustments: sum(corrected.map((each) => each.pointsDelta)) };
  }

  /** Labels that a contribution cannot have, because no such version was in force while it was under way. */
  listWrongLabels({ partner, sent, labels }: Pick<Entry, 'partner' | 'sent' | 'labels'>): string[] {
    const { contributionRule, pointConversion, treeCost } = labels;
    const given = { contribution_rule: contributionRule, point_conversion: pointConversion, tree_cost: treeCost } as const;
    return (['contribution_rule', 'point_conversion', 'tree_cost'] as const).flatMap((kind) => {
      const possible = rulesDuring(this.rules, { kind, partner, ...sent }).map((rule) => rule?.label ?? 'default-1');
      return possible.includes(given[kind]) ? [] : [`${given[kind]} instead of ${possible.join(' or ')}`];
    });
  }

  /**
   * What may come of a contribution by the bounds and the threshold alone. A daily cap may make a pending one of any that is confirmed.
   *
   * @returns Statuses of the answer.
   */
  listPossibleAnswers(partner: number, points: bigint, sent: Span): readonly (201 | 202 | 400)[] {
    return rulesDuring(this.rules, { kind: 'contribution_rule', partner, ...sent }).flatMap((rule): (201 | 202 | 400)[] => {
      if (points < (rule?.pointsMin ?? 1n) || points > (rule?.pointsMax ?? points)) return [400];
      if (rule?.reviewThreshold !== undefined && points >= rule.reviewThreshold) return [202];
      return rule?.dailyCountCap === undefined ? [201] : [201, 202];
    });
  }

  /** Days on which more was confirmed at once than the cap lets through. The zone is the one without daylight saving. */
  listDaysOverCap(partner: number, offsetMs: number): string[] {
    const counts = new Map<number, { count: bigint; cap: bigint }>();
    for (const entry of this.entries) {
      if (entry.partner !== partner || entry.wasPending) continue;
      const [day, lastDay] = [entry.sent.from, entry.sent.to].map((instant) => Math.floor((instant + offsetMs) / DAY_MS));
      if (day === undefined || day !== lastDay) continue;
      const caps = rulesDuring(this.rules, { kind: 'contribution_rule', partner, ...wholeDay(day, offsetMs) });
      const cap = caps.reduce((most, rule) => bigger(most, rule?.dailyCountCap ?? entryCountMax), 0n);
      const counted = counts.get(day) ?? { count: 0n, cap };
      counts.set(day, { count: counted.count + 1n, cap });
    }
    return [...counts].flatMap(([day, { count, cap }]) =>
      count > cap
        ? [`${count} on ${new Date(day * DAY_MS).toISOString().slice(0, 10)} at ${PARTNERS[partner]?.name}, cap ${cap}`]
        : [],
    );
  }
}

const entryCountMax = 1_000_000_000n;

function wholeDay(day: number, offsetMs: number): Span {
  const from = day * DAY_MS - offsetMs;
  return { from, to: from + DAY_MS - 1 };
}

function bigger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
