import { amountOf } from '../numbers/money.ts';
import {
  type ContributionRules,
  type DailyCount,
  isWithinBounds,
  type ReviewReason,
  reviewReason,
} from './contribution-rules.ts';
import type { RuleVersion } from './rule-versions.ts';

/** What would become of a contribution when it comes: recorded at once, reviewed for a reason, or refused. */
export const OUTCOMES = [
  'confirmed',
  'reviews_everything',
  'review_threshold',
  'daily_points_cap',
  'daily_count_cap',
  'out_of_bounds',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** A contribution that was recorded. */
export interface PreviewedContribution {
  readonly points: bigint;
  /** Whether it was reviewed. */
  readonly wasReviewed: boolean;
  /** Whether it failed after that. */
  readonly isFailed: boolean;
  /** The day in the time zone of the partner, such as `2026-11-20`. */
  readonly day: string;
  /**
   * The value of a point under the version of the contribution, in 10^-12 of the currency's unit; `null` without one. `treeCost` likewise.
   */
  readonly pointValue: bigint | null;
  /** The currency of the value; `null` without one. */
  readonly currency: string | null;
  readonly treeCost: bigint | null;
}

export interface Band {
  readonly outcome: Outcome;
  readonly count: bigint;
  readonly points: bigint;
}

export interface RulePreview {
  /** How many contributions were looked at, and their points; for a price without those that failed. */
  readonly count: bigint;
  readonly points: bigint;
  /** How many of them were reviewed. */
  readonly reviewedCount: bigint;
  /** For a contribution rule: what would become of them, in the order of {@link OUTCOMES}; empty for another kind. */
  readonly bands: readonly Band[];
  /** For the other kinds: the value of the points by currency, in the order of their codes; empty where no point has a value. */
  readonly amounts: readonly CurrencyAmount[];
  /** For the other kinds: whole trees, as recorded and under the version; `null` where nothing is known. */
  readonly trees: BeforeAfter;
}

export interface BeforeAfter {
  readonly before: bigint | null;
  readonly after: bigint | null;
}

/** In 10^-12 of the currency's unit. */
export interface CurrencyAmount extends BeforeAfter {
  readonly currency: string;
}

/** Looks at contributions one at a time, those of a partner in the order of time. */
export interface RulePreviewer {
  /** Before the contributions of each partner. */
  beginPartner(): void;
  add(contribution: PreviewedContribution): void;
  preview(): RulePreview;
}

/** @param candidate The version, as it would be stored. */
export function openRulePreview(candidate: RuleVersion, defaults: ContributionRules): RulePreviewer {
  const rules: ContributionRules = candidate.kind === 'contribution_rule' ? { ...defaults, ...candidate } : defaults;
  const bands = new Map<Outcome, { count: bigint; points: bigint }>();
  let [count, points, reviewedCount] = [0n, 0n, 0n];
  let today: DailyCount & { day: string } = { day: '', points: 0n, contributions: 0n };
  const [amounts, trees] = [new Map<string, BeforeAndAfter>(), newSums()];
  return {
    beginPartner() {
      today = { day: '', points: 0n, contributions: 0n };
    },
    add(contribution) {
      // It is on no settlement.
      if (contribution.isFailed && candidate.kind !== 'contribution_rule') return;
      count++;
      points += contribution.points;
      if (contribution.wasReviewed) reviewedCount++;
      if (candidate.kind !== 'contribution_rule') return addPrices(candidate, contribution, { amounts, trees });
      if (contribution.day !== today.day) today = { day: contribution.day, points: 0n, contributions: 0n };
      const outcome = outcomeOf(contribution.points, rules, today);
      const band = bands.get(outcome) ?? { count: 0n, points: 0n };
      bands.set(outcome, { count: band.count + 1n, points: band.points + contribution.points });
      // What failed left its place under the cap to others.
      if (outcome === 'out_of_bounds' || contribution.isFailed) return;
      today = { ...today, points: today.points + contribution.points, contributions: today.contributions + 1n };
    },
    preview: () => ({
      count,
      points,
      reviewedCount,
      amounts: [...amounts].sort(byCode).map(([currency, sums]) => ({ currency, ...sums })),
      trees: { ...trees },
      bands: OUTCOMES.flatMap((outcome) => {
        const band = bands.get(outcome);
        return band ? [{ outcome, ...band }] : [];
      }),
    }),
  };
}

function outcomeOf(points: bigint, rules: ContributionRules, today: DailyCount): Outcome {
  if (!isWithinBounds(points, rules)) return 'out_of_bounds';
  return (reviewReason(points, rules, today) as Exclude<ReviewReason, 'sandbox_scenario'> | undefined) ?? 'confirmed';
}

interface BeforeAndAfter {
  before: bigint | null;
  after: bigint | null;
}

const newSums = (): BeforeAndAfter => ({ before: null, after: null });

/** No sum has several currencies: a version for all partners without a value is meant for those of each currency. */
function addPrices(
  candidate: Exclude<RuleVersion, { kind: 'contribution_rule' }>,
  { points, pointValue, currency, treeCost }: PreviewedContribution,
  { amounts, trees }: { readonly amounts: Map<string, BeforeAndAfter>; readonly trees: BeforeAndAfter },
): void {
  const then = candidate.kind === 'point_conversion' ? candidate : { pointValue, currency };
  const cost = candidate.kind === 'tree_cost' ? candidate.treeCost : treeCost;
  addAmount(amounts, currency, { before: worthOf(points, pointValue), after: null });
  addAmount(amounts, then.currency, { before: null, after: worthOf(points, then.pointValue) });
  trees.before = plus(trees.before, treesOf(points, pointValue, treeCost));
  trees.after = plus(trees.after, treesOf(points, then.pointValue, cost));
}

function addAmount(amounts: Map<string, BeforeAndAfter>, currency: string | null, { before, after }: BeforeAfter): void {
  if (currency === null) return;
  const sums = amounts.get(currency) ?? newSums();
  amounts.set(currency, { before: plus(sums.before, before), after: plus(sums.after, after) });
}

function worthOf(points: bigint, value: bigint | null): bigint | null {
  return value === null ? null : amountOf(points, value);
}

function byCode([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

function treesOf(points: bigint, value: bigint | null, cost: bigint | null): bigint | null {
  return value === null || cost === null ? null : (points * value) / cost;
}

function plus(sum: bigint | null, more: bigint | null): bigint | null {
  return more === null ? sum : (sum ?? 0n) + more;
}
