import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../domain/service-error.ts';
import {
  addUpVersions,
  carriedForward,
  type SettlementTotals,
  totalsOfSums,
  type VersionTotals,
} from '../../domain/settlements/settlement-totals.ts';
import { sumUnsettledAdjustments } from '../../store/adjustments/adjustment-assignment.ts';
import { readClock } from '../../store/clock.ts';
import type { Queryable } from '../../store/database.ts';
import { findLastSequence } from '../../store/events/event.ts';
import type { Prices } from '../../store/settlements/price-of-points.ts';
import type { Settlement } from '../../store/settlements/settlement.ts';
import { type SumOptions, sumUnsettled } from '../../store/settlements/unsettled-contribution.ts';

export interface OpenTotalsOptions {
  /** Carried from the previous settlement. */
  readonly previous: SettlementTotals | undefined;
  readonly prices: Prices;
}

/** A turn has ended before everything was added up; the next call continues. */
export class TotalsUnderWayError extends ServiceError {
  constructor() {
    super('internal_service_unavailable', 'The totals of the open settlement are being added up. Send the request again.');
  }
}

/**
 * The totals of an open settlement, and the time of these totals.
 *
 * @throws TotalsUnderWayError At the end of a turn.
 */
export type OpenTotals = (
  db: Queryable,
  settlement: Settlement,
  options: OpenTotalsOptions,
) => Promise<{ totals: SettlementTotals; asOf: Date }>;

/** What is added up: every contribution whose event has this number or a lower one. */
interface Sum {
  readonly throughEvent: bigint;
  readonly byVersion: readonly VersionTotals[];
}

/** How much one call reads. */
export interface SumTurn {
  /** Of one statement. */
  readonly eventsAtOnce: bigint;
  /** After this time no further statement begins, unless it is the last. */
  readonly turnMs: number;
}

/** Few enough to be read well within a query's time limit. */
const EVENTS_AT_ONCE = 20_000n;
const REMEMBERED_MAX = 1_000;

/**
 * Adds up what an open settlement would contain. The sum is remembered with the number of its last event, and only later events are read.
 *
 * @param turn Without `turnMs` a call ends when all is added up.
 */
export function rememberOpenTotals({
  eventsAtOnce = EVENTS_AT_ONCE,
  turnMs = Number.POSITIVE_INFINITY,
}: Partial<SumTurn> = {}): OpenTotals {
  const sums = new LRUCache<string, Sum>({ max: REMEMBERED_MAX });
  return async (db, settlement, { previous, prices }) => {
    const { partnerId, settlementId, period } = settlement;
    const of = { partnerId, endsAt: period.endsAt, prices };
    const endsMs = performance.now() + turnMs;
    let sum = sums.get(settlementId) ?? { throughEvent: settlement.followsEvent, byVersion: [] };
    const lastSequence = await findLastSequence(db, partnerId);
    while (sum.throughEvent + eventsAtOnce <= lastSequence) {
      const throughEvent = sum.throughEvent + eventsAtOnce;
      const part = await sumUnsettled(db, { ...of, followsEvent: sum.throughEvent }, { throughEvent });
      sum = { throughEvent, byVersion: addUpVersions([...sum.byVersion, ...part]) };
      sums.set(settlementId, sum);
      if (throughEvent + eventsAtOnce <= lastSequence && performance.now() >= endsMs) throw new TotalsUnderWayError();
    }
    const asOf = await readClock(db);
    const rest = await sumUnsettled(db, { ...of, followsEvent: sum.throughEvent });
    const contributions = addUpVersions([...sum.byVersion, ...rest]);
    return { totals: await totalsWith(db, contributions, { ...of, previous }), asOf };
  };
}

/** What an open settlement would contain if it were closed now, in one statement for its contributions. */
export async function totalsOfOpen(
  db: Queryable,
  { partnerId, followsEvent, period: { endsAt } }: Pick<Settlement, 'partnerId' | 'followsEvent' | 'period'>,
  { previous, prices, ...options }: OpenTotalsOptions & SumOptions,
): Promise<SettlementTotals> {
  const of = { partnerId, endsAt, prices };
  return totalsWith(db, await sumUnsettled(db, { ...of, followsEvent }, options), { ...of, previous });
}

/** Its contributions, its adjustments, and what is carried in. */
async function totalsWith(
  db: Queryable,
  contributions: readonly VersionTotals[],
  { previous, ...of }: OpenTotalsOptions & { readonly partnerId: string; readonly endsAt: Date },
): Promise<SettlementTotals> {
  const adjustments = await sumUnsettledAdjustments(db, of);
  return totalsOfSums({ contributions, adjustments, carried: previous && carriedForward(previous) });
}
