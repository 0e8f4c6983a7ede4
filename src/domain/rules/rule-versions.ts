import { type ContributionRules, DEFAULT_RULES } from './contribution-rules.ts';

/**
 * The kinds of rule that operators set, each under labels of its own.
 *
 * @see docs/spec/settlements.md#1-contribution-rules-the-version-labels.
 */
export const RULE_KINDS = ['contribution_rule', 'point_conversion', 'tree_cost'] as const;

export type RuleKind = (typeof RULE_KINDS)[number];

/** The fields that every version has. After a contribution carries its label, a version never changes. */
export interface RuleHead {
  readonly kind: RuleKind;
  /** The label in contributions; unique for its kind. */
  readonly version: string;
  readonly startsAt: Date;
  /** `null`: for every partner that has no version of its own. */
  readonly partnerId: string | null;
}

/** Bounds of a contribution, and which contributions are reviewed; see {@link ContributionRules} for each field. */
export interface ContributionRule extends RuleHead {
  readonly kind: 'contribution_rule';
  readonly pointsMin: bigint;
  readonly pointsMax: bigint;
  readonly reviewsEverything: boolean;
  readonly reviewThreshold: bigint | null;
  readonly dailyPointsCap: bigint | null;
  readonly dailyCountCap: bigint | null;
}

/** The value of one point, in 10^-12 of the currency's unit; both `null` when points have none. */
export interface PointConversion extends RuleHead {
  readonly kind: 'point_conversion';
  readonly pointValue: bigint | null;
  readonly currency: string | null;
}

/** The cost of one tree, in 10^-12 of the currency's unit; both `null` when it is unknown. */
export interface TreeCost extends RuleHead {
  readonly kind: 'tree_cost';
  readonly treeCost: bigint | null;
  readonly currency: string | null;
}

export type RuleVersion = ContributionRule | PointConversion | TreeCost;

/** The partner for which a rule is chosen. */
export interface RuledPartner {
  readonly partnerId: string;
  /** The currency of the partner's settlements; `null` when none is fixed. */
  readonly currency: string | null;
}

/**
 * The version of one kind that is in force for a partner at an instant: the latest start at or before it; a version of the partner's own
 * precedes every version for all, however old. A value in another currency than the partner's is in force for other partners only.
 *
 * @returns `undefined` when `default-1` applies.
 * @see docs/spec/settlements.md#1-contribution-rules-the-version-labels.
 */
export function findVersionInForce<Kind extends RuleKind>(
  kind: Kind,
  versions: Iterable<RuleVersion>,
  { partner, at }: { partner: RuledPartner; at: Date },
): Extract<RuleVersion, { kind: Kind }> | undefined {
  let found: RuleVersion | undefined;
  for (const version of versions) {
    if (version.kind !== kind || version.startsAt > at || !isMeantFor(version, partner)) continue;
    if (!found || isPreferred(version, found)) found = version;
  }
  return found as Extract<RuleVersion, { kind: Kind }> | undefined;
}

/**
 * Every version of one kind that was in force for a partner during a time span, including its first and last moment.
 *
 * @param versions Without the withdrawn ones.
 */
export function listVersionsInForce<Kind extends RuleKind>(
  kind: Kind,
  versions: readonly RuleVersion[],
  { partner, from, to }: { partner: RuledPartner; from: Date; to: Date },
): Extract<RuleVersion, { kind: Kind }>[] {
  const starts = versions.map(({ startsAt }) => startsAt).filter((start) => start > from && start <= to);
  const found = [from, ...starts].map((at) => findVersionInForce(kind, versions, { partner, at }));
  return [...new Set(found.filter((version) => version !== undefined))];
}

/** All rules in force for a partner at an instant, under the three labels. */
export function rulesInForce(versions: readonly RuleVersion[], partner: RuledPartner, at: Date): ContributionRules {
  const rule = findVersionInForce('contribution_rule', versions, { partner, at });
  const conversion = findVersionInForce('point_conversion', versions, { partner, at });
  const cost = findVersionInForce('tree_cost', versions, { partner, at });
  return {
    ...DEFAULT_RULES,
    ...(rule && {
      contributionRuleVersion: rule.version,
      pointsMin: rule.pointsMin,
      pointsMax: rule.pointsMax,
      reviewsEverything: rule.reviewsEverything,
      reviewThreshold: rule.reviewThreshold,
      dailyPointsCap: rule.dailyPointsCap,
      dailyCountCap: rule.dailyCountCap,
    }),
    ...(conversion && { pointConversionVersion: conversion.version, pointValue: conversion.pointValue }),
    ...(cost && { treeCostVersion: cost.version, treeCost: cost.treeCost }),
  };
}

/** Whether a version, when both have started, is in force in the place of another one for everybody for whom that one was meant. */
export function replaces(version: RuleVersion, other: RuleVersion): boolean {
  if (version.kind !== other.kind || version.partnerId !== other.partnerId || !isPreferred(version, other)) return false;
  const currency = currencyOf(version);
  return currency === null || currency === currencyOf(other);
}

/** `null`: for partners of every currency. */
function currencyOf(version: RuleVersion): string | null {
  return version.kind === 'contribution_rule' ? null : version.currency;
}

function isMeantFor(version: RuleVersion, { partnerId, currency }: RuledPartner): boolean {
  if (version.partnerId !== null && version.partnerId !== partnerId) return false;
  const meant = currencyOf(version);
  return meant === null || meant === currency;
}

/** Two versions with one start are refused on creation. If there are two all the same, the label decides, in every process alike. */
function isPreferred(version: RuleVersion, over: RuleVersion): boolean {
  if ((version.partnerId === null) !== (over.partnerId === null)) return version.partnerId !== null;
  const later = version.startsAt.getTime() - over.startsAt.getTime();
  return later === 0 ? version.version > over.version : later > 0;
}
