import type { RuleVersion } from '../rules/rule-versions.ts';
import type { VersionTotals } from '../settlements/settlement-totals.ts';

/** Totals of settlements that are in a batch, or may be. */
export interface WorthSource {
  readonly points: bigint;
  readonly currency: string | null;
  readonly byVersion: readonly VersionTotals[];
}

/** What points of one currency are worth, and how many trees that pays. */
export interface Worth {
  /** `null` for points without a value. */
  readonly currency: string | null;
  readonly points: bigint;
  /** Exact, in 10^-12 of the currency's unit; `null` without a value. */
  readonly amount: bigint | null;
  /** Whole trees at the costs that the contributions were recorded with; `null` where none had a cost. */
  readonly trees: bigint | null;
  /** What one tree costs at these versions, ascending, each once; in 10^-12 of the currency's unit. */
  readonly treeCosts: readonly bigint[];
}

/** What a tree costs, by the label of its version. */
export type TreeCosts = ReadonlyMap<string, bigint>;

export function treeCostsOf(versions: Iterable<RuleVersion>): TreeCosts {
  const costs = [...versions].flatMap((rule) =>
    rule.kind === 'tree_cost' && rule.treeCost !== null ? [[rule.version, rule.treeCost] as const] : [],
  );
  return new Map(costs);
}

/** Adds up settlements one at a time, in memory that grows only with the number of currencies and versions. */
export interface WorthCounter {
  add(settlement: WorthSource): void;
  /** The sums of each currency, in the order of their codes; the sum of points without a value is last. */
  worth(): Worth[];
}

/**
 * Whole trees are rounded down once for each version of the tree cost. It is an orientation: the number of trees of a batch is what an
 * operator states.
 */
export function countWorth(costs: TreeCosts): WorthCounter {
  const sums = new Map<string | null, { points: bigint; amount: bigint | null; byCost: Map<string, bigint> }>();
  return {
    add({ currency, points, byVersion }) {
      const sum = sums.get(currency) ?? { points: 0n, amount: null, byCost: new Map<string, bigint>() };
      sums.set(currency, sum);
      sum.points += points;
      for (const { amount, treeCostVersion } of byVersion) {
        if (amount === null) continue;
        sum.amount = (sum.amount ?? 0n) + amount;
        sum.byCost.set(treeCostVersion, (sum.byCost.get(treeCostVersion) ?? 0n) + amount);
      }
    },
    worth: () =>
      [...sums]
        .map(([currency, { points, amount, byCost }]) => ({ currency, points, amount, ...treesOf(byCost, costs) }))
        .sort((one, other) => ((one.currency ?? '~') < (other.currency ?? '~') ? -1 : 1)),
  };
}

function treesOf(byCost: ReadonlyMap<string, bigint>, costs: TreeCosts): Pick<Worth, 'trees' | 'treeCosts'> {
  let trees: bigint | null = null;
  const used = new Set<bigint>();
  for (const [version, amount] of byCost) {
    const cost = costs.get(version);
    if (cost === undefined) continue;
    used.add(cost);
    trees = (trees ?? 0n) + (amount > 0n ? amount / cost : 0n);
  }
  return { trees, treeCosts: [...used].sort((one, other) => (one < other ? -1 : 1)) };
}
