import { POINTS_MAX } from '../numbers/points.ts';
import type { ErrorDetail } from '../service-error.ts';
import type { NewRule } from './new-rule.ts';
import type { RuleHead, RuleKind } from './rule-versions.ts';

/** A rule in the texts of its request: from the command line, or from a form. An absent field has its default. */
export interface RuleRequest {
  readonly kind: RuleKind;
  readonly version: string;
  readonly partnerId?: string | undefined;
  readonly startsAt?: Date | undefined;
  readonly pointsMin?: string | undefined;
  readonly pointsMax?: string | undefined;
  readonly reviewsEverything?: boolean | undefined;
  readonly reviewThreshold?: string | undefined;
  readonly dailyPointsCap?: string | undefined;
  readonly dailyCountCap?: string | undefined;
  readonly pointValue?: string | undefined;
  readonly treeCost?: string | undefined;
  readonly currency?: string | undefined;
}

/** The fields that only some kinds have, by their names on the wire. */
const FIELDS = {
  points_min: ['pointsMin', ['contribution_rule']],
  points_max: ['pointsMax', ['contribution_rule']],
  reviews_everything: ['reviewsEverything', ['contribution_rule']],
  review_threshold: ['reviewThreshold', ['contribution_rule']],
  daily_points_cap: ['dailyPointsCap', ['contribution_rule']],
  daily_count_cap: ['dailyCountCap', ['contribution_rule']],
  point_value: ['pointValue', ['point_conversion']],
  tree_cost: ['treeCost', ['tree_cost']],
  currency: ['currency', ['point_conversion', 'tree_cost']],
} as const satisfies Record<string, readonly [keyof RuleRequest, readonly RuleKind[]]>;

/** The problems concern the form: a field of another kind, and a text that is no whole number, which counts as absent. */
export interface ReadRuleRequest {
  readonly rule: NewRule;
  readonly problems: readonly ErrorDetail[];
}

/**
 * @param startsAt The start when the request names none.
 */
export function readRuleRequest(request: RuleRequest, startsAt: Date): ReadRuleRequest {
  const problems: ErrorDetail[] = listForeign(request);
  const whole = <Fallback>(field: string, text: string | undefined, fallback: Fallback): bigint | Fallback => {
    if (text === undefined) return fallback;
    if (/^-?\d{1,40}$/.test(text)) return BigInt(text);
    problems.push({ field, code: 'wrong_form', message: `${field} must be a whole number from 1 to ${POINTS_MAX}.` });
    return fallback;
  };
  const head = { version: request.version, startsAt: request.startsAt ?? startsAt, partnerId: request.partnerId ?? null };
  return { rule: readContent(request, head, whole), problems };
}

type ReadWhole = <Fallback>(field: string, text: string | undefined, fallback: Fallback) => bigint | Fallback;

function readContent(request: RuleRequest, head: Omit<RuleHead, 'kind'>, whole: ReadWhole): NewRule {
  const { kind, pointValue = null, treeCost = null, currency = null } = request;
  switch (kind) {
    case 'contribution_rule':
      return {
        ...head,
        kind,
        pointsMin: whole('points_min', request.pointsMin, 1n),
        pointsMax: whole('points_max', request.pointsMax, POINTS_MAX),
        reviewsEverything: request.reviewsEverything ?? false,
        reviewThreshold: whole('review_threshold', request.reviewThreshold, null),
        dailyPointsCap: whole('daily_points_cap', request.dailyPointsCap, null),
        dailyCountCap: whole('daily_count_cap', request.dailyCountCap, null),
      };
    case 'point_conversion':
      return { ...head, kind, pointValue, currency };
    case 'tree_cost':
      return { ...head, kind, treeCost, currency };
  }
}

function listForeign(request: RuleRequest): ErrorDetail[] {
  return Object.entries(FIELDS).flatMap(([field, [member, kinds]]) => {
    const isForeign = request[member] !== undefined && !(kinds as readonly RuleKind[]).includes(request.kind);
    const message = `${field} must be left out: it belongs to ${kinds.join(' and ')}, not to ${request.kind}.`;
    return isForeign ? [{ field, code: 'not_expected', message }] : [];
  });
}
