import { idAfterRecords, idBeforeRecords } from '../../domain/identifiers.ts';
import { DEFAULT_RULES } from '../../domain/rules/contribution-rules.ts';
import { checkNewRule, earliestStart, toRuleVersion } from '../../domain/rules/new-rule.ts';
import {
  openRulePreview,
  type PreviewedContribution,
  type RulePreview,
  type RulePreviewer,
} from '../../domain/rules/preview-rule.ts';
import { type RuleRequest, readRuleRequest } from '../../domain/rules/rule-request.ts';
import { findVersionInForce, type RuleVersion } from '../../domain/rules/rule-versions.ts';
import { refuseInvalid } from '../../domain/service-error.ts';
import { calendarDay, calendarPeriod } from '../../domain/settlements/settlement-period.ts';
import { eachPartner, type Partner } from '../../store/access/partner.ts';
import { readClock } from '../../store/clock.ts';
import { listRuledContributions, type RuledContribution } from '../../store/contributions/contribution-preview.ts';
import type { Queryable } from '../../store/database.ts';
import { findRuleVersionConflicts, listRuleVersions } from '../../store/rules/rule-version.ts';
import { getPartner } from '../access/manage-partner.ts';

/** Over what a version is previewed: the calendar month that ended last, by the calendar of each partner, or the days until now. */
export const PREVIEW_PERIODS = ['last_month', 'last_30_days'] as const;
export type PreviewPeriod = (typeof PREVIEW_PERIODS)[number];

const DAYS_MS = 30 * 86_400_000;
/** The most contributions of all partners together: reading them takes a second at most. */
const CONTRIBUTIONS_MAX = 20_000;
const PARTNERS_MAX = 500;

export interface PreviewedRule extends RulePreview {
  readonly from: Date;
  /** When the partners have several time zones, `from` is the earliest beginning and `to` the latest end. */
  readonly to: Date;
  /** Partners for which the version would be in force. */
  readonly partnerCount: number;
  /** Whether all of their contributions of the period were looked at. */
  readonly isComplete: boolean;
}

/**
 * What a version would have done to the contributions of a period, had it been in force. It looks at 20,000 of them at most, and at 500
 * partners: at one partner after another, in the order of their ids, and at the latest contributions of each. Nothing is stored.
 *
 * @throws ServiceError `invalid_request` with all problems of the version.
 */
export async function previewRule(db: Queryable, request: RuleRequest, over: PreviewPeriod): Promise<PreviewedRule> {
  const now = await readClock(db);
  const versions = (await listRuleVersions(db)).filter(({ withdrawnAt }) => withdrawnAt === null);
  const candidate = await readCandidate(db, request, now);
  const previewer = openRulePreview(candidate, DEFAULT_RULES);
  const prices = pricesOf(versions);
  let [left, partnerCount, isComplete] = [CONTRIBUTIONS_MAX, 0, true];
  let whole: Period | undefined;
  for await (const partner of partnersOf(db, candidate)) {
    if (!isMeantFor(candidate, [...versions, candidate], partner)) continue;
    if (partnerCount === PARTNERS_MAX || left === 0) {
      isComplete = false;
      break;
    }
    partnerCount++;
    const own = periodOf(over, now, partner);
    whole = whole ? spanOf(whole, own) : own;
    const bounds = { afterId: idBeforeRecords('txn', own.from), beforeId: idAfterRecords('txn', own.to) };
    const found = await listRuledContributions(db, partner.partnerId, { ...bounds, limit: left + 1 });
    if (found.length > left) isComplete = false;
    const latest = found.slice(0, left);
    left -= latest.length;
    const within = latest.filter(({ createdAt }) => createdAt >= own.from && createdAt < own.to);
    addAll(previewer, partner, within.toReversed(), prices);
  }
  const ofPartner = candidate.partnerId === null ? undefined : await getPartner(db, candidate.partnerId);
  return { ...previewer.preview(), ...(whole ?? periodOf(over, now, ofPartner)), partnerCount, isComplete };
}

interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** From the earlier beginning to the later end. */
function spanOf(one: Period, other: Period): Period {
  return { from: one.from < other.from ? one.from : other.from, to: one.to > other.to ? one.to : other.to };
}

/** @param partner By whose calendar; without one by that of UTC. */
function periodOf(over: PreviewPeriod, now: Date, partner: Partner | undefined): Period {
  if (over === 'last_30_days') return { from: new Date(now.getTime() - DAYS_MS), to: now };
  const zone = partner?.timeZone ?? 'UTC';
  const { startsAt: to } = calendarPeriod(now, zone);
  return { from: calendarPeriod(new Date(to.getTime() - 1), zone).startsAt, to };
}

async function readCandidate(db: Queryable, request: RuleRequest, now: Date): Promise<RuleVersion> {
  const { rule, problems } = readRuleRequest(request, earliestStart(now));
  const partnerCurrency = rule.partnerId === null ? undefined : (await getPartner(db, rule.partnerId)).currency;
  const existing = await findRuleVersionConflicts(db, rule);
  refuseInvalid([...problems, ...checkNewRule(rule, { now, partnerCurrency, existing })]);
  return toRuleVersion(rule);
}

async function* partnersOf(db: Queryable, { partnerId }: RuleVersion): AsyncGenerator<Partner> {
  if (partnerId === null) yield* eachPartner(db);
  else yield await getPartner(db, partnerId);
}

/** At its start the version would be the one in force for the partner. */
function isMeantFor(candidate: RuleVersion, versions: readonly RuleVersion[], partner: Partner): boolean {
  return findVersionInForce(candidate.kind, versions, { partner, at: candidate.startsAt }) === candidate;
}

interface PricesByLabel {
  readonly values: ReadonlyMap<string, Pick<PreviewedContribution, 'pointValue' | 'currency'>>;
  readonly costs: ReadonlyMap<string, bigint | null>;
}

function pricesOf(versions: readonly RuleVersion[]): PricesByLabel {
  const values = new Map<string, Pick<PreviewedContribution, 'pointValue' | 'currency'>>();
  const costs = new Map<string, bigint | null>();
  for (const rule of versions) {
    if (rule.kind === 'point_conversion') values.set(rule.version, rule);
    if (rule.kind === 'tree_cost') costs.set(rule.version, rule.treeCost);
  }
  return { values, costs };
}

function addAll(
  previewer: RulePreviewer,
  { timeZone }: Partner,
  contributions: readonly RuledContribution[],
  { values, costs }: PricesByLabel,
): void {
  const dayOf = daysIn(timeZone);
  previewer.beginPartner();
  for (const { points, status, firstStatus, createdAt, pointConversionVersion, treeCostVersion } of contributions) {
    // Two people recorded it as failed: no rule was asked.
    if (firstStatus === 'failed') continue;
    previewer.add({
      points,
      wasReviewed: firstStatus === 'pending',
      isFailed: status === 'failed',
      day: dayOf(createdAt),
      pointValue: values.get(pointConversionVersion)?.pointValue ?? null,
      currency: values.get(pointConversionVersion)?.currency ?? null,
      treeCost: costs.get(treeCostVersion) ?? null,
    });
  }
}

const QUARTER_HOUR_MS = 900_000;

/** A day begins with a quarter of an hour in every time zone, so that the day of each quarter is computed once, and not for each of 20,000 contributions. */
function daysIn(timeZone: string): (at: Date) => string {
  const days = new Map<number, string>();
  return (at) => {
    const quarter = Math.floor(at.getTime() / QUARTER_HOUR_MS);
    const day = days.get(quarter) ?? calendarDay(at, timeZone);
    days.set(quarter, day);
    return day;
  };
}
