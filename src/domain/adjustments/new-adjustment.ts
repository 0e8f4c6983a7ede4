import type { ContributionStatus } from '../contributions/contribution-status.ts';
import type { DetailCode } from '../detail-codes.ts';
import { MONEY_DECIMALS, readAmount } from '../numbers/money.ts';
import type { ErrorDetail } from '../service-error.ts';
import { isLine, lineForm } from '../single-line-text.ts';
import { ADJUSTMENT_REASONS, type AdjustmentReason, type AdjustmentStatus, isRestatement } from './adjustment.ts';
import { checkEffect, effectOf, isWithinWorth, type Standing } from './adjustment-effect.ts';

/** An adjustment as an operator states it. */
export interface NewAdjustment {
  readonly reasonCode: string;
  /** Why, for the partner, in both languages. */
  readonly reasonEn: string;
  readonly reasonAr: string;
  /** Signed; `0n` for a restatement. */
  readonly pointsDelta: bigint;
  /** A signed decimal with at most twelve decimals; `null` unless it is a restatement. */
  readonly amountDelta: string | null;
  /** The adjustment that this one undoes. */
  readonly reversalOf: string | null;
  /** An admin's, where the settled amount goes beyond what the points are worth; not for the partner. */
  readonly beyondWorthReason?: string | null | undefined;
}

/** What a new adjustment is checked against. */
export interface AdjustmentSurroundings extends Standing {
  readonly transactionId: string;
  readonly contributionStatus: ContributionStatus;
  /** What `reversalOf` names; `undefined` where the partner has no such adjustment. */
  readonly reversed: ReversedAdjustment | undefined;
}

export interface ReversedAdjustment {
  readonly transactionId: string;
  readonly status: AdjustmentStatus;
  readonly pointsDelta: bigint;
  readonly amountDelta: bigint | null;
  /** Whether another adjustment, one that was not rejected, undoes it already. */
  readonly isReversed: boolean;
}

/** A draft counts too, so that what is undone is undone once. */
export const ALREADY_REVERSED =
  'Another adjustment already reverses it, or is drafted to reverse it. `adjustment list` shows it; if it is not posted, you may reject it.';

const REASON_CHARACTERS_MAX = 500;
/** More than all points of a contribution are ever worth. */
const AMOUNT_MAX = 10n ** BigInt(30 + MONEY_DECIMALS);

/**
 * Everything that is wrong with a new adjustment, field by field under the names on the wire; empty when it may be drafted.
 * The bounds of what is settled are checked again when it is approved and posted, since others may have been posted meanwhile.
 *
 * @see docs/spec/settlements.md#3-adjustment.
 */
export function checkNewAdjustment(adjustment: NewAdjustment, surroundings: AdjustmentSurroundings): ErrorDetail[] {
  const { reasonCode, reasonEn, reasonAr } = adjustment;
  return [
    surroundings.contributionStatus !== 'confirmed' &&
      problem('transaction_id', 'not_confirmed', 'Only a confirmed contribution can be adjusted.'),
    !isReason(reasonCode) &&
      problem('reason_code', 'unsupported_value', `reason_code must be one of ${ADJUSTMENT_REASONS.join(', ')}.`),
    !isLine(reasonEn, REASON_CHARACTERS_MAX) &&
      problem('reason_en', 'wrong_form', `reason_en must be ${lineForm(reasonEn, REASON_CHARACTERS_MAX)}.`),
    !isLine(reasonAr, REASON_CHARACTERS_MAX) &&
      problem('reason_ar', 'wrong_form', `reason_ar must be ${lineForm(reasonAr, REASON_CHARACTERS_MAX)}.`),
    ...(isReason(reasonCode) ? checkDeltas(reasonCode, adjustment, surroundings) : []),
    adjustment.reversalOf !== null && checkReversal(adjustment, surroundings),
  ].filter((found) => found !== false);
}

function isReason(value: string): value is AdjustmentReason {
  return (ADJUSTMENT_REASONS as readonly string[]).includes(value);
}

type Problems = readonly (ErrorDetail | false)[];

function checkDeltas(reason: AdjustmentReason, adjustment: NewAdjustment, surroundings: AdjustmentSurroundings): Problems {
  const form = isRestatement(reason) ? checkRestatement(adjustment, surroundings) : checkPointsDelta(adjustment);
  return form.some((found) => found !== false) ? form : checkBounds(adjustment, surroundings);
}

function checkRestatement({ pointsDelta, amountDelta }: NewAdjustment, { pointValue }: AdjustmentSurroundings): Problems {
  const amount = amountDelta === null ? undefined : readAmount(amountDelta);
  const form = 'a signed decimal in a string other than zero, with at most twelve decimals, such as "-12.5"';
  return [
    pointsDelta !== 0n &&
      problem('points_delta', 'not_expected', 'points_delta must be 0: a restatement changes only the amount.'),
    !amount && problem('amount_delta', amountDelta === null ? 'missing' : 'wrong_form', `amount_delta must be ${form}.`),
    amount !== undefined &&
      (amount > AMOUNT_MAX || amount < -AMOUNT_MAX) &&
      problem('amount_delta', 'out_of_bounds', 'amount_delta must have at most 30 digits before the point.'),
    pointValue === null &&
      problem('amount_delta', 'not_possible', 'The contribution has no amount: its points were not converted.'),
  ];
}

function checkPointsDelta({ pointsDelta, amountDelta }: NewAdjustment): Problems {
  return [
    pointsDelta === 0n && problem('points_delta', 'zero', 'points_delta must not be 0.'),
    amountDelta !== null &&
      problem(
        'amount_delta',
        'not_expected',
        'amount_delta must be left out: except for restatements the amount follows from the points.',
      ),
  ];
}

/** Deltas that are well formed, against what stands. */
function checkBounds(adjustment: NewAdjustment, surroundings: AdjustmentSurroundings): Problems {
  const { pointsDelta, amountDelta, reversalOf, beyondWorthReason = null } = adjustment;
  const deltas = { pointsDelta, amountDelta: amountDelta === null ? null : (readAmount(amountDelta) ?? null) };
  const isNeeded = !isWithinWorth(effectOf(surroundings, deltas));
  return [
    ...checkEffect(surroundings, { ...deltas, reversalOf, beyondWorthReason }),
    beyondWorthReason !== null && checkBeyondWorth(beyondWorthReason, isNeeded),
  ];
}

function checkBeyondWorth(reason: string, isNeeded: boolean): ErrorDetail | false {
  const refuse = (code: DetailCode, message: string) => problem('beyond_worth_reason', code, message);
  if (!isNeeded)
    return refuse('not_expected', 'beyond_worth_reason must be left out, because the settled amount stays within its bounds.');
  return (
    !isLine(reason, REASON_CHARACTERS_MAX) &&
    refuse('wrong_form', `beyond_worth_reason must be ${lineForm(reason, REASON_CHARACTERS_MAX)}.`)
  );
}

function checkReversal(
  { pointsDelta, amountDelta }: NewAdjustment,
  { transactionId, reversed }: AdjustmentSurroundings,
): ErrorDetail | false {
  const refuse = (code: DetailCode, message: string) => problem('reversal_of', code, message);
  if (reversed?.transactionId !== transactionId)
    return refuse('not_found', 'reversal_of must name an adjustment of this contribution.');
  if (reversed.status !== 'posted')
    return refuse('not_posted', 'Only a posted adjustment can be reversed; reject this one instead.');
  if (reversed.isReversed) return refuse('already_reversed', ALREADY_REVERSED);
  const amount = amountDelta === null ? null : (readAmount(amountDelta) ?? null);
  const isOpposite =
    pointsDelta === -reversed.pointsDelta && amount === (reversed.amountDelta === null ? null : -reversed.amountDelta);
  return !isOpposite && refuse('not_opposite', 'A reversal must have the opposite deltas.');
}

function problem(field: string, code: DetailCode, message: string): ErrorDetail {
  return { field, code, message };
}
