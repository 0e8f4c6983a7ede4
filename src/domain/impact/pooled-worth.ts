import { payableOf } from '../numbers/money.ts';
import type { RuleVersion } from '../rules/rule-versions.ts';
import type { VersionTotals } from '../settlements/settlement-totals.ts';

/** Totals of settlements that are in a batch, or may be. */
export interface WorthSource {
  /** Of contributions and adjustments. */
  readonly points: bigint;
  readonly currency: string | null;
  /** Net and carried in, exact, in 10^-12 of the currency's unit; `null` without a value. */
  readonly amount: bigint | null;
  /** Without what is carried in. */
  readonly byVersion: readonly VersionTotals[];
}

/** A part of an amount, with the cost of a tree that it pays at; both in 10^-12 of the currency's unit. */
export interface TreeShare {
  readonly cost: bigint;
  readonly amount: bigint;
}

/** What partners pay for points of one currency, and how many trees that pays. */
export interface PooledWorth {
  /** `null` for points without a value. */
  readonly currency: string | null;
  readonly points: bigint;
  /** The sum of the payable amounts, in 10^-12 of the currency's unit; `null` without a value. */
  readonly amount: bigint | null;
  /** Whole trees at the costs that the contributions were recorded with; `null` where a part of what is paid has none. */
  readonly trees: bigint | null;
  /** The part of the amount at each cost of a tree, in ascending order of the costs. */
  readonly treeShares: readonly TreeShare[];
}

/** What a tree costs, by the label of its version. */
export type TreeCosts = ReadonlyMap<string, bigint>;

export function treeCostsOf(versions: Iterable<RuleVersion>): TreeCosts {
  const costs = [...versions].flatMap((rule) =>
    rule.kind === 'tree_cost' && rule.treeCost !== null ? [[rule.version, rule.treeCost] as const] : [],
  );
  return new Map(costs);
}

/** Adds up settlements one at a time, in memory that grows only with the number of currencies and costs. */
export interface WorthCounter {
  add(settlement: WorthSource): void;
  /** The sums of each currency, in the order of their codes; the sum of points without a value is last. */
  worth(): PooledWorth[];
}

/**
 * Whole trees are rounded down once for each cost of a tree. It is an orientation: the number of trees of a batch is what an operator
 * states.
 */
export function countWorth(costs: TreeCosts): WorthCounter {
  const sums = new Map<string | null, WorthSum>();
  return {
    add(settlement) {
      const { currency, points, amount } = settlement;
      const sum = sums.get(currency) ?? { points: 0n, amount: null, byCost: new Map(), isWithoutCost: false };
      sums.set(currency, sum);
      sum.points += points;
      if (currency !== null && amount !== null) sum.amount = (sum.amount ?? 0n) + payableOf(amount, currency);
      if (isPaidWithoutCost(settlement, costs)) sum.isWithoutCost = true;
      for (const share of sharesOf(settlement, costs))
        sum.byCost.set(share.cost, (sum.byCost.get(share.cost) ?? 0n) + share.amount);
    },
    worth: () =>
      [...sums]
        .map(([currency, sum]) => ({ currency, points: sum.points, amount: sum.amount, ...treesOf(sum) }))
        .sort((one, other) => ((one.currency ?? '~') < (other.currency ?? '~') ? -1 : 1)),
  };
}

interface WorthSum {
  points: bigint;
  amount: bigint | null;
  readonly byCost: Map<bigint, bigint>;
  /** Whether a part of what is paid has no cost of a tree. */
  isWithoutCost: boolean;
}

function isPaidWithoutCost({ amount, byVersion }: WorthSource, costs: TreeCosts): boolean {
  if (amount === null || amount <= 0n) return false;
  return byVersion.some((each) => (each.amount ?? 0n) > 0n && !costs.has(each.treeCostVersion));
}

/**
 * What pays trees of a settlement, by their cost. What its versions come to above its amount, because of adjustments and of what is
 * carried in, is taken from the cheapest trees first: the number of trees is rather too low than too high.
 */
function sharesOf({ amount, byVersion }: WorthSource, costs: TreeCosts): TreeShare[] {
  if (amount === null) return [];
  const positive = byVersion.map((each) => ({ version: each.treeCostVersion, amount: atLeastZero(each.amount ?? 0n) }));
  const sum = positive.reduce((before, each) => before + each.amount, 0n);
  let excess = sum - atLeastZero(amount);
  const known = positive.flatMap(({ version, amount }) => {
    const cost = costs.get(version);
    return cost === undefined ? [] : [{ cost, amount }];
  });
  return known.sort(byCost).map((share) => {
    const taken = excess < share.amount ? atLeastZero(excess) : share.amount;
    excess -= taken;
    return { cost: share.cost, amount: share.amount - taken };
  });
}

function treesOf({ amount: paid, byCost: sums, isWithoutCost }: WorthSum): Pick<PooledWorth, 'trees' | 'treeShares'> {
  const treeShares = [...sums].map(([cost, amount]) => ({ cost, amount })).sort(byCost);
  const trees = treeShares.reduce((sum, { cost, amount }) => sum + amount / cost, 0n);
  return { trees: isWithoutCost || paid === null ? null : trees, treeShares };
}

function byCost(one: TreeShare, other: TreeShare): number {
  return one.cost < other.cost ? -1 : 1;
}

function atLeastZero(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}
