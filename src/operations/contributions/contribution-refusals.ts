import { existingRecord } from '../../domain/recovery-verdict.ts';
import type { ContributionRules } from '../../domain/rules/contribution-rules.ts';
import { type ErrorDetail, ServiceError } from '../../domain/service-error.ts';
import type { ContributionRecord } from '../../store/contributions/contribution.ts';

/** The event is recorded under another key; the details say whether the payload is the same. */
export function eventConflict(existing: ContributionRecord, fingerprint: Buffer): ServiceError {
  const isSamePayload = existing.fingerprint.equals(fingerprint);
  const message = `This partner_event_id is recorded under another Idempotency-Key, with ${isSamePayload ? 'the same' : 'another'} payload.`;
  const detail: ErrorDetail = { field: 'partner_event_id', code: isSamePayload ? 'same_payload' : 'other_payload', message };
  return new ServiceError('partner_event_conflict', message, {
    details: [detail, existingRecord(existing.contribution.transactionId)],
  });
}

/**
 * Another event holds the order: finally when it is confirmed, temporarily while it is pending. The index `contribution_order_holder` of
 * the database lets no second one hold it.
 */
export function orderConflict({ contribution }: ContributionRecord): ServiceError {
  const details = [existingRecord(contribution.transactionId)];
  if (contribution.status === 'pending') {
    return new ServiceError('contribution_pending', 'A pending contribution of another event holds this partner_order_ref.', {
      details,
    });
  }
  return new ServiceError('partner_order_conflict', 'Another contribution is confirmed for this partner_order_ref.', { details });
}

export function outOfBounds({ pointsMin, pointsMax }: ContributionRules): ServiceError {
  const message = `points must be from ${pointsMin} to ${pointsMax} by the partner's rules.`;
  return new ServiceError('invalid_point_amount', message, { details: [{ field: 'points', code: 'out_of_bounds', message }] });
}
