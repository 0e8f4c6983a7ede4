import { findMinorUnits } from '../numbers/currency.ts';
import { amountText, isWholeMinorUnits } from '../numbers/money.ts';
import { type ErrorDetail, problem } from '../service-error.ts';

/** The end of a message: operators alone can do it. */
export const ASK_AN_ADMIN = ' Or ask an admin to draft it with beyond_worth_reason.';

/** The settled state of a contribution, after all posted adjustments. */
export interface SettledState {
  /** Points of the contribution; they never change. */
  readonly points: bigint;
  readonly settledPoints: bigint;
  /** The sum of the restatements of its amount, in 10^-12 of the currency's unit. */
  readonly restated: bigint;
  /** The value of one point under the contribution's conversion version; `null` when it has no amount. */
  readonly pointValue: bigint | null;
  /** The highest value of one point under any version that was in force for the partner since it has its currency. */
  readonly highestValue: bigint | null;
  readonly currency: string | null;
}

export interface Deltas {
  readonly pointsDelta: bigint;
  /** `null` unless it is a restatement. */
  readonly amountDelta: bigint | null;
}

/** What is settled of a contribution before an adjustment and after it. Amounts are `null` when its points have no value. */
export interface AdjustmentEffect {
  readonly settledPointsBefore: bigint;
  readonly settledPointsAfter: bigint;
  readonly settledAmountBefore: bigint | null;
  readonly settledAmountAfter: bigint | null;
  /** The value of the settled points after the adjustment, at the highest value of a point. */
  readonly settledAmountMax: bigint | null;
}

/** @see docs/spec/settlements.md#3-adjustment. */
export function effectOf(settled: SettledState, { pointsDelta, amountDelta }: Deltas): AdjustmentEffect {
  const { settledPoints, restated, pointValue, highestValue } = settled;
  const pointsAfter = settledPoints + pointsDelta;
  const of = (points: bigint) => (pointValue === null ? null : points * pointValue + restated);
  const amountAfter = of(pointsAfter);
  const highest = pointValue !== null && highestValue !== null && highestValue > pointValue ? highestValue : pointValue;
  return {
    settledPointsBefore: settledPoints,
    settledPointsAfter: pointsAfter,
    settledAmountBefore: of(settledPoints),
    settledAmountAfter: amountAfter === null ? null : amountAfter + (amountDelta ?? 0n),
    settledAmountMax: highest === null ? null : pointsAfter * highest,
  };
}

/**
 * The settled points of a contribution after an adjustment. At first all of its points are settled.
 *
 * @param points The contribution's points; they never change.
 * @param settledPoints Points settled before: `points` and all posted deltas.
 * @returns `undefined` for a result below 0 or above `points`; then the adjustment must not be posted.
 * @see docs/spec/settlements.md#3-adjustment: settled points stay within 0 and the contribution's points.
 */
export function settledPointsAfter(points: bigint, settledPoints: bigint, pointsDelta: bigint): bigint | undefined {
  const after = settledPoints + pointsDelta;
  return after >= 0n && after <= points ? after : undefined;
}

/**
 * The problems that prevent posting an adjustment now; empty when it can be posted.
 *
 * @see docs/spec/settlements.md#3-adjustment: settled points stay within 0 and the contribution's points, the settled amount within 0 and
 * their worth.
 */
export function checkEffect(
  settled: SettledState,
  deltas: Deltas & { readonly reversalOf: string | null; readonly beyondWorthReason: string | null },
): ErrorDetail[] {
  const effect = effectOf(settled, deltas);
  const { points, settledPoints, currency } = settled;
  if (settledPointsAfter(points, settledPoints, deltas.pointsDelta) === undefined)
    return [
      problem(
        'points_delta',
        'out_of_bounds',
        `points_delta must leave 0 to ${points} points settled; ${settledPoints} are settled now.`,
      ),
    ];
  return [
    deltas.amountDelta !== null && deltas.reversalOf === null && checkMinorUnits(deltas.amountDelta, currency),
    deltas.beyondWorthReason === null && !isWithinWorth(effect) && beyondWorth(effect, deltas, currency),
  ].filter((found) => found !== false);
}

/** Whether only an admin can draft it, with a reason: the points stay within their bounds, but the settled amount leaves their worth. */
export function needsBeyondWorthReason(settled: SettledState, deltas: Deltas): boolean {
  const { points, settledPoints } = settled;
  return settledPointsAfter(points, settledPoints, deltas.pointsDelta) !== undefined && !isWithinWorth(effectOf(settled, deltas));
}

/** Whether an adjustment needs no admin's reason. */
export function isWithinWorth({ settledAmountAfter: after, settledAmountMax: most }: AdjustmentEffect): boolean {
  return after === null || most === null || (after >= 0n && after <= most);
}

/** A reversed restatement may be older than the rule that amounts are whole minor units. */
function checkMinorUnits(amount: bigint, currency: string | null): ErrorDetail | false {
  if (currency === null || isWholeMinorUnits(amount, currency)) return false;
  const form = `a whole number of minor units of ${currency}, which has ${findMinorUnits(currency)} decimals`;
  return problem('amount_delta', 'not_minor_units', `amount_delta must be ${form}.`);
}

function beyondWorth(effect: AdjustmentEffect, { amountDelta }: Deltas, currency: string | null): ErrorDetail {
  const field = amountDelta === null ? 'points_delta' : 'amount_delta';
  const { settledPointsAfter: points, settledAmountBefore: before, settledAmountAfter: after, settledAmountMax: most } = effect;
  const [now, then, worth] = [before, after, most].map((amount) => `${amountText(amount ?? 0n)} ${currency}`);
  return problem(
    field,
    'out_of_bounds',
    `${field} would leave ${then} settled for ${points} points, which are worth at most ${worth}; ${now} is settled now. ` +
      `Change the delta, or reverse a restatement first (reversal_of).${ASK_AN_ADMIN}`,
  );
}
