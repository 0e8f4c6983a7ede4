import { ADJUSTMENT_REASONS, ADJUSTMENT_STATUSES } from '../../domain/adjustments/adjustment.ts';
import { amountText } from '../../domain/numbers/money.ts';
import type { PricedAdjustment } from '../../operations/adjustments/list-adjustments.ts';
import type { AdjustmentPreview } from '../../operations/adjustments/preview-adjustment.ts';
import { Type } from '../../partner-api/schema-type.ts';
import type { Adjustment } from '../../store/adjustments/adjustment.ts';
import { figuresToData } from '../../wire/settlement-to-wire.ts';
import {
  closed,
  flag,
  integerText,
  line,
  listOf,
  nullableDecimalText,
  nullableShape,
  nullableText,
  nullableTime,
  oneOf,
  shape,
  text,
  time,
} from '../schema-parts.ts';

const AdjustmentBody = shape('Adjustment', {
  partner_id: text('The id of the partner.'),
  adjustment_id: text('The id of the adjustment.'),
  status: oneOf(ADJUSTMENT_STATUSES, 'How far it has come.'),
  transaction_id: text('The contribution, which never changes.'),
  partner_event_id: text("The partner's id of the contribution."),
  partner_order_ref: text("The partner's reference of the order."),
  contribution_points: integerText('The points of the contribution.'),
  reason_code: oneOf(ADJUSTMENT_REASONS, 'The reason of the adjustment, by its code.'),
  reason_en: text('The reason in English, for the partner.'),
  reason_ar: text('The reason in Arabic, for the partner.'),
  points_delta: integerText('The change of the settled points, with its sign.'),
  amount_delta: nullableDecimalText('The change of the settled amount of a restatement; `null` otherwise.'),
  reversal_of: nullableText('The adjustment that it reverses; `null` without one.'),
  beyond_worth_reason: nullableText('Why an admin lets the amount exceed the value of the points; `null` otherwise.'),
  drafted_by: text('Who drafted it.'),
  drafted_at: time('When it was drafted.'),
  approved_by: nullableText('Who approved it; `null` before.'),
  approved_at: nullableTime('When it was approved; `null` before.'),
  rejected_by: nullableText('Who rejected it; `null` unless it was rejected.'),
  rejected_at: nullableTime('When it was rejected; `null` unless it was rejected.'),
  rejection_reason: nullableText('Why the adjustment was rejected; `null` unless it was.'),
  posted_by: nullableText('Who posted it; `null` before.'),
  posted_at: nullableTime('When it was posted; `null` before.'),
  settlement_id: nullableText('The settlement that has its line; `null` until one closes over it.'),
  original_settlement_id: nullableText(
    'The settlement that had the line of the contribution when the adjustment was posted; `null` where none had, and before.',
  ),
});

export function adjustmentToWire(adjustment: Adjustment) {
  const { partnerId, adjustmentId, amountDelta } = adjustment;
  return {
    partner_id: partnerId,
    adjustment_id: adjustmentId,
    status: adjustment.status,
    transaction_id: adjustment.transactionId,
    partner_event_id: adjustment.partnerEventId,
    partner_order_ref: adjustment.partnerOrderRef,
    contribution_points: adjustment.contributionPoints,
    reason_code: adjustment.reasonCode,
    reason_en: adjustment.reasonEn,
    reason_ar: adjustment.reasonAr,
    points_delta: adjustment.pointsDelta,
    amount_delta: amountDelta === null ? null : amountText(amountDelta),
    reversal_of: adjustment.reversalOf,
    beyond_worth_reason: adjustment.beyondWorthReason,
    drafted_by: adjustment.draftedBy,
    drafted_at: adjustment.draftedAt,
    approved_by: adjustment.approvedBy,
    approved_at: adjustment.approvedAt,
    rejected_by: adjustment.rejectedBy,
    rejected_at: adjustment.rejectedAt,
    rejection_reason: adjustment.note,
    posted_by: adjustment.postedBy,
    posted_at: adjustment.postedAt,
    settlement_id: adjustment.settlementId,
    original_settlement_id: adjustment.originalSettlementId,
  };
}

/** In a list, where no preview stands beside it. */
export const ListedAdjustmentBody = shape('ListedAdjustment', {
  ...AdjustmentBody.properties,
  amount: nullableDecimalText(
    'The change of the settled amount, exact: that of a restatement, otherwise the points times their value; `null` without a conversion.',
  ),
  currency: nullableText('The currency of the amount; `null` without one.'),
});

export function listedAdjustmentToWire({ adjustment, amount, currency }: PricedAdjustment) {
  return { ...adjustmentToWire(adjustment), amount: amount === null ? null : amountText(amount), currency };
}

const Figures = shape('SettlementFigures', {
  net_points: integerText('Gross points and adjustments of the period.'),
  payable_points: integerText('What the partner owes in points.'),
  carried_in_points: integerText('The points that the settlement before carried over.'),
  carried_out_points: integerText('The points that are carried into the next settlement.'),
  carried_in_amount: nullableDecimalText('The same as an amount; `null` without a conversion.'),
  net_amount: nullableDecimalText('The amount of the period; `null` without a conversion.'),
  payable_amount: nullableDecimalText('What the partner owes; `null` without a conversion.'),
  carried_out_amount: nullableDecimalText('The amount that is carried over; `null` without a conversion.'),
});

const Effect = shape('AdjustmentEffect', {
  settled_points_before: integerText('The settled points of the contribution without it.'),
  settled_points_after: integerText('The settled points of the contribution with it.'),
  settled_amount_before: nullableDecimalText('The settled amount without it; `null` without a conversion.'),
  settled_amount_after: nullableDecimalText('The settled amount with it; `null` without a conversion.'),
  settled_amount_max: nullableDecimalText('What the points are worth at most; `null` without a conversion.'),
});

const previewMembers = {
  currency: nullableText('The currency of the amounts; `null` without a conversion.'),
  effect: nullableShape(
    Effect,
    'What it changes of the contribution; `null` where it was rejected, and where a rule that bounds it differs from the audit.',
  ),
  problems: listOf(
    shape('AdjustmentProblem', {
      field: text(
        'The field; `rule_version` where a version of a rule differs from the audit: the message names its kind and the version.',
      ),
      code: text('The code.'),
      message: text('Why the adjustment cannot be posted now, in a sentence.'),
    }),
    'What prevents the posting as things stand.',
  ),
  needs_beyond_worth_reason: flag('Whether one of the problems is none where an admin drafts it with `beyond_worth_reason`.'),
  settlement: nullableShape(
    shape('AdjustmentTarget', {
      settlement_id: nullableText('The settlement that has its line, or will have it; `null` where it is not opened yet.'),
      period_label: text('The period.'),
      before: nullableShape(Figures, 'The totals without it; `null` unless the settlement is open.'),
      after: nullableShape(Figures, 'The totals with it; `null` unless the settlement is open.'),
    }),
    'The settlement that it changes; `null` where `effect` is, before a draft that nobody can post, and in the answer to a step while the totals of the month are still being added up.',
  ),
};

export const AdjustmentPreviewBody = shape('AdjustmentPreview', previewMembers);
export const AdjustmentDetail = shape('AdjustmentDetail', {
  adjustment: AdjustmentBody,
  reversal: nullableShape(
    shape('AdjustmentReversal', {
      adjustment_id: text('The id of the adjustment that reverses it.'),
      status: oneOf(ADJUSTMENT_STATUSES, 'How far that one has come.'),
    }),
    'What reverses it, or is drafted to; `null` without one that is not rejected.',
  ),
  ...previewMembers,
});

export function previewToWire({ effect, currency, problems, needsBeyondWorthReason, settlement }: AdjustmentPreview) {
  const exact = (amount: bigint | null) => (amount === null ? null : amountText(amount));
  return {
    currency,
    problems: problems.map(({ field, code, message }) => ({ field, code, message })),
    needs_beyond_worth_reason: needsBeyondWorthReason,
    effect: effect && {
      settled_points_before: effect.settledPointsBefore,
      settled_points_after: effect.settledPointsAfter,
      settled_amount_before: exact(effect.settledAmountBefore),
      settled_amount_after: exact(effect.settledAmountAfter),
      settled_amount_max: exact(effect.settledAmountMax),
    },
    settlement: settlement && {
      settlement_id: settlement.settlementId,
      period_label: settlement.periodLabel,
      before: settlement.totals && figuresToData(settlement.totals.before, currency),
      after: settlement.totals && figuresToData(settlement.totals.after, currency),
    },
  };
}

/** What an integer of a request looks like; a wrong one is told in words. */
export const DraftBody = Type.Object(
  {
    partner_id: Type.String({ minLength: 1, maxLength: 64, description: 'The partner.' }),
    transaction_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'The contribution. Not needed with `reversal_of`.' }),
    ),
    reason_code: oneOf(ADJUSTMENT_REASONS, 'The reason of the adjustment, by its code.'),
    reason_en: line('The reason in English, for the partner.'),
    reason_ar: line('The reason in Arabic, for the partner.'),
    points_delta: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'The change of the settled points in digits, such as `-250`.' }),
    ),
    amount_delta: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The change of the settled amount of a restatement, such as `-12.5`.',
      }),
    ),
    reversal_of: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The adjustment to reverse: this one has the opposite changes, and the request states none.',
      }),
    ),
    beyond_worth_reason: Type.Optional(line('For admins: why the settled amount exceeds the value of the points.')),
  },
  closed,
);
