import type { ContributionStatus } from '../contributions/contribution-status.ts';
import type { DetailCode } from '../detail-codes.ts';
import { MONEY_DECIMALS, readAmount } from '../numbers/money.ts';
import { type ErrorDetail, problem } from '../service-error.ts';
import { checkLine, REASON_CHARACTERS_MAX } from '../single-line-text.ts';
import { ADJUSTMENT_REASONS, type AdjustmentReason, type AdjustmentStatus, isRestatement } from './adjustment.ts';
import { ASK_AN_ADMIN, checkEffect, effectOf, isWithinWorth, type SettledState } from './adjustment-effect.ts';

/** An adjustment as an operator states it. */
export interface NewAdjustment {
  readonly reasonCode: string;
  /** The explanation for the partner, in both languages. */
  readonly reasonEn: string;
  readonly reasonAr: string;
  /** Signed; `0n` for a restatement. */
  readonly pointsDelta: bigint;
  /** A signed decimal with at most twelve decimals; `null` unless it is a restatement. */
  readonly amountDelta: string | null;
  /** The id of the adjustment that this one reverses. */
  readonly reversalOf: string | null;
  /** An admin's reason, when the settled amount exceeds the worth of the points; not shown to the partner. */
  readonly beyondWorthReason?: string | null | undefined;
}

/** The records against which a new adjustment is checked. */
export interface AdjustmentContext extends SettledState {
  readonly transactionId: string;
  readonly contributionStatus: ContributionStatus;
  /** The adjustment with the id `reversalOf`; `undefined` when the partner has none. */
  readonly reversed: ReversedAdjustment | undefined;
}

export interface ReversedAdjustment {
  readonly transactionId: string;
  readonly status: AdjustmentStatus;
  readonly pointsDelta: bigint;
  readonly amountDelta: bigint | null;
  /** Whether another adjustment that is not rejected reverses it. */
  readonly isReversed: boolean;
}

export const NOT_CONFIRMED: ErrorDetail = {
  field: 'transaction_id',
  code: 'not_confirmed',
  message: 'Only a confirmed contribution can be adjusted.',
};

export const NOT_OF_CONTRIBUTION: ErrorDetail = {
  field: 'reversal_of',
  code: 'not_found',
  message: 'reversal_of must name an adjustment of this contribution.',
};

/** The end of a message: operators alone can do it. */
const LOOK_AND_REJECT = ' `adjustment list` shows it; if it is not posted, you may reject it.';

/** The end of each problem at the approval and the posting: operators alone can do it. */
export const REJECT_AND_DRAFT = ' Reject this adjustment and draft a new one.';

/** The end of a message: operators alone can do it. */
const REJECT_INSTEAD = ' Reject this one instead.';

const OF_OPERATORS = [LOOK_AND_REJECT, REJECT_AND_DRAFT, REJECT_INSTEAD, ASK_AN_ADMIN];

/** A draft counts too, so that an adjustment is reversed once. */
export const ALREADY_REVERSED = `Another adjustment already reverses it, or is drafted to reverse it.${LOOK_AND_REJECT}`;

/** The problem in the words for a partner, who can do nothing of what operators can. */
export function problemForPartner({ message, ...detail }: ErrorDetail): ErrorDetail {
  return { ...detail, message: OF_OPERATORS.reduce((left, end) => left.replace(end, ''), message) };
}

/** More than the worth of all points of any contribution. */
const AMOUNT_LIMIT = 10n ** BigInt(31 + MONEY_DECIMALS);

/**
 * All problems of a new adjustment, by the field names on the wire; empty when it can be drafted. Approving and posting check the bounds
 * again, because other adjustments may have been posted meanwhile.
 *
 * @see docs/spec/settlements.md#3-adjustment.
 */
export function checkNewAdjustment(adjustment: NewAdjustment, context: AdjustmentContext): ErrorDetail[] {
  const { reasonCode, reasonEn, reasonAr } = adjustment;
  return [
    context.contributionStatus !== 'confirmed' && NOT_CONFIRMED,
    !isReason(reasonCode) &&
      problem('reason_code', 'unsupported_value', `reason_code must be one of ${ADJUSTMENT_REASONS.join(', ')}.`),
    checkLine('reason_en', reasonEn, REASON_CHARACTERS_MAX),
    checkLine('reason_ar', reasonAr, REASON_CHARACTERS_MAX),
    ...(isReason(reasonCode) ? checkChange(reasonCode, adjustment, context) : []),
  ].filter((found) => found !== false);
}

function isReason(value: string): value is AdjustmentReason {
  return (ADJUSTMENT_REASONS as readonly string[]).includes(value);
}

type Problems = readonly (ErrorDetail | false)[];

/** The changes that an adjustment states. */
export type StatedDeltas = Pick<NewAdjustment, 'pointsDelta' | 'amountDelta' | 'reversalOf' | 'beyondWorthReason'>;

/** What the deltas of a confirmed contribution are checked against. */
export type ChangeContext = Omit<AdjustmentContext, 'contributionStatus'>;

/** The problems of the deltas, and of what they reverse, before the reason for the partner is written. */
export function checkStatedDeltas(reason: AdjustmentReason, deltas: StatedDeltas, context: ChangeContext): ErrorDetail[] {
  return checkChange(reason, deltas, context).filter((found) => found !== false);
}

function checkDeltas(reason: AdjustmentReason, deltas: StatedDeltas, settled: SettledState): Problems {
  const form = isRestatement(reason) ? checkRestatement(deltas, settled) : checkPointsDelta(deltas);
  return form.some((found) => found !== false) ? form : checkBounds(deltas, settled);
}

function checkRestatement({ pointsDelta, amountDelta }: StatedDeltas, { pointValue }: SettledState): Problems {
  const amount = amountDelta === null ? undefined : readAmount(amountDelta);
  const form = 'a signed decimal in a string other than zero, with at most twelve decimals, such as "-12.5"';
  return [
    pointsDelta !== 0n &&
      problem('points_delta', 'not_expected', 'points_delta must be 0: a restatement changes only the amount.'),
    !amount && problem('amount_delta', amountDelta === null ? 'missing' : 'wrong_form', `amount_delta must be ${form}.`),
    amount !== undefined &&
      (amount >= AMOUNT_LIMIT || amount <= -AMOUNT_LIMIT) &&
      problem('amount_delta', 'out_of_bounds', 'amount_delta must have at most 31 digits before the point.'),
    pointValue === null &&
      problem('amount_delta', 'not_possible', 'The contribution has no amount: its points were not converted.'),
  ];
}

function checkPointsDelta({ pointsDelta, amountDelta }: StatedDeltas): Problems {
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

/** A reversal takes its deltas from what it reverses: under a reason of the other kind, only the reason is wrong. */
function checkChange(reason: AdjustmentReason, deltas: StatedDeltas, context: ChangeContext): Problems {
  if (deltas.reversalOf === null) return checkDeltas(reason, deltas, context);
  const { reversed } = context;
  const isOfAmount = reversed ? reversed.amountDelta !== null : isRestatement(reason);
  if (isOfAmount !== isRestatement(reason)) return [problem('reason_code', 'unsupported_value', reasonsOf(isOfAmount))];
  return [...checkDeltas(reason, deltas, context), checkReversal(deltas, context)];
}

function reasonsOf(isOfAmount: boolean): string {
  const fitting = ADJUSTMENT_REASONS.filter((reason) => isRestatement(reason) === isOfAmount).join(isOfAmount ? ' or ' : ', ');
  return isOfAmount
    ? `reason_code must be ${fitting}: the adjustment to reverse is a restatement.`
    : `reason_code must be one of ${fitting}: the adjustment to reverse changes points.`;
}

/** Checks well-formed deltas against the settled state. */
function checkBounds(stated: StatedDeltas, settled: SettledState): Problems {
  const { pointsDelta, amountDelta, reversalOf, beyondWorthReason = null } = stated;
  const deltas = { pointsDelta, amountDelta: amountDelta === null ? null : (readAmount(amountDelta) ?? null) };
  const isNeeded = !isWithinWorth(effectOf(settled, deltas));
  return [
    ...checkEffect(settled, { ...deltas, reversalOf, beyondWorthReason }),
    beyondWorthReason !== null && checkBeyondWorth(beyondWorthReason, isNeeded),
  ];
}

function checkBeyondWorth(reason: string, isNeeded: boolean): ErrorDetail | false {
  const field = 'beyond_worth_reason';
  if (isNeeded) return checkLine(field, reason, REASON_CHARACTERS_MAX);
  return problem(field, 'not_expected', `${field} must be left out, because the settled amount stays within its bounds.`);
}

function checkReversal(
  { pointsDelta, amountDelta }: StatedDeltas,
  { transactionId, reversed }: ChangeContext,
): ErrorDetail | false {
  const refuse = (code: DetailCode, message: string) => problem('reversal_of', code, message);
  if (reversed?.transactionId !== transactionId) return NOT_OF_CONTRIBUTION;
  if (reversed.status !== 'posted') return refuse('not_posted', `Only a posted adjustment can be reversed.${REJECT_INSTEAD}`);
  if (reversed.isReversed) return refuse('already_reversed', ALREADY_REVERSED);
  const amount = amountDelta === null ? null : (readAmount(amountDelta) ?? null);
  const isOpposite =
    pointsDelta === -reversed.pointsDelta && amount === (reversed.amountDelta === null ? null : -reversed.amountDelta);
  return !isOpposite && refuse('not_opposite', 'A reversal must have the opposite deltas.');
}
