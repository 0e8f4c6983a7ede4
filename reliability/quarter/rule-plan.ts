import { PARTNERS, REVIEWED, RULE_CHANGES } from './calendar.ts';

export type Kind = 'contribution_rule' | 'point_conversion' | 'tree_cost';

/** A version as an operator makes it, and as the records of the partners count on it. */
export interface PlannedRule {
  readonly kind: Kind;
  readonly label: string;
  /** `null`: for all. */
  readonly partner: number | null;
  readonly startsAt: number;
  readonly pointsMin?: bigint;
  readonly pointsMax?: bigint;
  readonly reviewThreshold?: bigint;
  readonly dailyCountCap?: bigint;
  /** Of a point or a tree, as a decimal; a `currency` comes with it. */
  readonly price?: string;
  readonly currency?: string;
}

/** Past every version's bound, and still a number of points. */
export const TOO_MANY_POINTS = 9_200_000_000_000_000_000n;
const POINTS_MAX = 9_000_000_000_000_000_000n;

const [SAR, CAD] = ['SAR', 'CAD'];

/**
 * Versions of all kinds: those that the quarter begins with, and those that start in the middle of each month.
 *
 * @param firstStart When the first of them start.
 * @param dailyCount Of a usual day of the partner that is reviewed.
 */
export function planRules(firstStart: number, dailyCount: number): readonly PlannedRule[] {
  const bounds = [1n, 5n, 2n, 1n];
  const thresholds = [50_000n, 40_000n, 90_000n, 60_000n];
  const caps = [2, 1.6, 3, 1.8].map((times) => BigInt(Math.ceil(dailyCount * times)));
  const values = ['0.05', '0.0125', '0.033333333333', '0.04'];
  const others = ['0.012', '0.0175', undefined, '0.01'];
  return [firstStart, ...RULE_CHANGES].flatMap((startsAt, step) => {
    const priced = (price: string | undefined, currency: string | undefined) =>
      price === undefined ? {} : { price, currency: currency as string };
    const pointsMax = POINTS_MAX;
    return [
      {
        kind: 'contribution_rule',
        label: `bounds-${step}`,
        partner: null,
        startsAt,
        pointsMin: bounds[step] as bigint,
        pointsMax,
      },
      {
        kind: 'contribution_rule',
        label: `reviewed-${step}`,
        partner: REVIEWED,
        startsAt,
        pointsMin: 1n,
        pointsMax,
        reviewThreshold: thresholds[step] as bigint,
        dailyCountCap: caps[step] as bigint,
      },
      { kind: 'point_conversion', label: `point-sar-${step}`, partner: null, startsAt, ...priced(values[step], SAR) },
      // One of its own, which comes before any for all; for a while its points have no value.
      { kind: 'point_conversion', label: `point-cad-${step}`, partner: 1, startsAt, ...priced(others[step], CAD) },
      { kind: 'tree_cost', label: `tree-sar-${step}`, partner: null, startsAt, ...priced(`${20 + step}.5`, SAR) },
      { kind: 'tree_cost', label: `tree-cad-${step}`, partner: 1, startsAt, ...priced(`${7 + step}`, CAD) },
    ] as const;
  });
}

/**
 * The versions of a kind that a partner may have been under at some moment of a span; more than one only around a change.
 *
 * @returns `undefined` among them where the service's own default is.
 */
export function rulesDuring(
  rules: readonly PlannedRule[],
  { kind, partner, from, to }: { kind: Kind; partner: number; from: number; to: number },
): readonly (PlannedRule | undefined)[] {
  const mine = rules.filter((rule) => rule.kind === kind && isMeantFor(rule, partner));
  const moments = [from, ...mine.map(({ startsAt }) => startsAt).filter((start) => start > from && start <= to)];
  return [...new Set(moments.map((moment) => latest(mine.filter(({ startsAt }) => startsAt <= moment))))];
}

function isMeantFor(rule: PlannedRule, partner: number): boolean {
  if (rule.partner !== null) return rule.partner === partner;
  return rule.currency === undefined || rule.currency === PARTNERS[partner]?.currency;
}

/** Of the partner's own, else of those for all. */
function latest(started: readonly PlannedRule[]): PlannedRule | undefined {
  const own = started.filter(({ partner }) => partner !== null);
  const among = own.length > 0 ? own : started;
  return among.reduce<PlannedRule | undefined>(
    (found, rule) => (found && found.startsAt > rule.startsAt ? found : rule),
    undefined,
  );
}
