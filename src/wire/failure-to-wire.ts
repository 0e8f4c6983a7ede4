import type { FailureDraft } from '../store/contributions/failure-draft.ts';

/** For operators: in their interface, and by `--json`. */
export function failureToWire(draft: FailureDraft) {
  return {
    partner_id: draft.partnerId,
    failure_id: draft.failureId,
    partner_event_id: draft.partnerEventId,
    partner_order_ref: draft.partnerOrderRef,
    points: draft.points,
    reason: draft.reason,
    status: draft.status,
    drafted_by: draft.draftedBy,
    drafted_at: draft.draftedAt,
    decided_by: draft.decidedBy,
    decided_at: draft.decidedAt,
    transaction_id: draft.transactionId,
  };
}
