import { LRUCache } from 'lru-cache';
import { carriedForward, type SettlementTotals, totalsOfContributions, type VersionTotals } from '../domain/settlement-totals.ts';
import type { Queryable } from '../store/database.ts';
import { findLastSequence } from '../store/event.ts';
import { readClock, type Settlement } from '../store/settlement.ts';
import { type Prices, sumUnsettled } from '../store/settlement-line.ts';

export interface OpenTotalsOptions {
  /** Of the settlement before. */
  readonly previous: SettlementTotals | undefined;
  readonly prices: Prices;
}

/** The totals of an open settlement, and the moment at which they were these. */
export type OpenTotals = (
  db: Queryable,
  settlement: Settlement,
  options: OpenTotalsOptions,
) => Promise<{ totals: SettlementTotals; asOf: Date }>;

/** What was added up already: every contribution whose event has this number or a lower one. */
interface Sum {
  readonly throughEvent: bigint;
  readonly byVersion: readonly VersionTotals[];
}

/** Few enough to be read well within a statement's time. */
const EVENTS_AT_ONCE = 20_000n;
const REMEMBERED_MAX = 1_000;

/**
 * Adds up what an open settlement would close over. What has been added up is remembered by the number of its last event, and only what
 * follows is read: the first who asks in a month of a million waits longer than the others, and is answered when asking again.
 */
export function rememberOpenTotals(): OpenTotals {
  const sums = new LRUCache<string, Sum>({ max: REMEMBERED_MAX });
  return async (db, settlement, { previous, prices }) => {
    const { partnerId, settlementId, period } = settlement;
    const of = { partnerId, endsAt: period.endsAt, prices };
    let sum = sums.get(settlementId) ?? { throughEvent: settlement.followsEvent, byVersion: [] };
    const lastSequence = await findLastSequence(db, partnerId);
    while (sum.throughEvent + EVENTS_AT_ONCE <= lastSequence) {
      const throughEvent = sum.throughEvent + EVENTS_AT_ONCE;
      const part = await sumUnsettled(db, { ...of, followsEvent: sum.throughEvent }, { throughEvent });
      sum = { throughEvent, byVersion: addUp([...sum.byVersion, ...part]) };
      sums.set(settlementId, sum);
    }
    const asOf = await readClock(db);
    const rest = await sumUnsettled(db, { ...of, followsEvent: sum.throughEvent });
    const byVersion = addUp([...sum.byVersion, ...rest]);
    return { totals: totalsOfContributions(byVersion, previous && carriedForward(previous)), asOf };
  };
}

function addUp(parts: readonly VersionTotals[]): VersionTotals[] {
  const keyOf = ({ contributionRuleVersion, pointConversionVersion, treeCostVersion }: VersionTotals) =>
    `${contributionRuleVersion} ${pointConversionVersion} ${treeCostVersion}`;
  return [...Map.groupBy(parts, keyOf).values()].map((same) => same.reduce(addTwo));
}

function addTwo(one: VersionTotals, other: VersionTotals): VersionTotals {
  const amount = one.amount === null || other.amount === null ? (one.amount ?? other.amount) : one.amount + other.amount;
  return { ...one, count: one.count + other.count, points: one.points + other.points, amount };
}
