import type { DetailCode } from './detail-codes.ts';
import { describeErrorCode, type ErrorCode } from './error-codes.ts';
import type { ErrorDetail } from './service-error.ts';

/** The operations whose errors a partner could misread as a verdict on a contribution. */
export type RecoverableOperation = 'confirm' | 'lookup' | 'associate';

const NOT_AUTHORIZED = 'Do not restore points. Only contribution_final_failure authorizes it.';
const AUTHORIZED =
  'The failure is terminal. Restore the points once per transaction_id, and never twice for one partner_event_id.';

const LOOK_UP_FIRST =
  'This refusal concerns only this request, never an earlier one. Look up by partner_event_id; if nothing is found,';
const WAIT_AS_TOLD = 'Wait as many seconds as Retry-After says, then';

/** The next step of the sender: one sentence for each code that the operation can answer. */
const NEXT_STEPS: Record<RecoverableOperation, Partial<Record<ErrorCode, string>>> = {
  confirm: {
    invalid_request: `${LOOK_UP_FIRST} correct the request and send it.`,
    invalid_point_amount: `${LOOK_UP_FIRST} correct points and send it. If points is the deducted amount, ask the operator.`,
    unauthorized: `${LOOK_UP_FIRST} send the same confirmation; both with a valid key.`,
    forbidden: `${LOOK_UP_FIRST} send the same confirmation with a key, and from an address, that may confirm.`,
    partner_suspended:
      'Keep the confirmation with its Idempotency-Key, and send it again when the operator has ended the suspension. Look-ups still work.',
    idempotency_conflict:
      'Look up by partner_event_id; if nothing is found, the key belongs to another event: send this event under a new Idempotency-Key.',
    partner_event_conflict:
      'The event is recorded: use the contribution in transaction_id, and compare it with the deducted points.',
    partner_order_conflict:
      'Ask the operator: the contribution in transaction_id holds the order, and this confirmation is refused while it does.',
    contribution_pending: `${WAIT_AS_TOLD} send the same confirmation. The pending contribution in transaction_id holds the order.`,
    contribution_final_failure: 'Restore the points of this partner_event_id, once.',
    rate_limited: `${WAIT_AS_TOLD} send the same confirmation.`,
    internal_service_unavailable:
      'The outcome is unknown. Look up by partner_event_id; if nothing is found, send the same confirmation.',
  },
  lookup: {
    invalid_request: 'Correct the look-up and send it. The refusal says nothing about the contribution.',
    unauthorized: 'Send the look-up with a valid key. The refusal says nothing about the contribution.',
    forbidden: 'Send the look-up from an address that the key allows. The refusal says nothing about the contribution.',
    contribution_not_found: 'Send the original confirmation, with its own Idempotency-Key and payload.',
    rate_limited: `${WAIT_AS_TOLD} send the look-up again.`,
    internal_service_unavailable: 'The answer is unknown; the contribution may be recorded. Look up again.',
  },
  associate: {
    invalid_request: 'Correct the association and send it. The contribution does not change.',
    unauthorized: 'Send the association with a valid key. The contribution does not change.',
    forbidden: 'Send the association with a key, and from an address, that may write. The contribution does not change.',
    partner_suspended:
      'Keep the association with its Idempotency-Key, and send it again when the operator has ended the suspension. The contribution does not change.',
    contribution_not_found:
      'Look up by partner_event_id. If the contribution is found, associate with its transaction_id; if not, send the original confirmation, with its own Idempotency-Key and payload.',
    idempotency_conflict:
      'Look up the contribution, which shows its association. If it has none, send this association under a new Idempotency-Key.',
    association_conflict: 'Use the existing link: transaction_id is its contribution.',
    contribution_pending: `${WAIT_AS_TOLD} send the same association. The contribution is pending.`,
    contribution_final_failure: 'Restore the points of this partner_event_id, once.',
    rate_limited: `${WAIT_AS_TOLD} send the same association.`,
    internal_service_unavailable:
      'The outcome is unknown. Look up the contribution, which shows its association. If it has none, send the same association.',
  },
};

/**
 * The recovery verdict in machine form: whether points may be restored, and what to do next. The first item concerns points only, the
 * second the next step only, so that they cannot contradict each other.
 *
 * @see docs/spec/decisions.md#1-http, "The recovery verdict"; docs/spec/interface.md#errors, recovery rules 1 to 4.
 */
export function recoveryVerdict(code: ErrorCode, operation: RecoverableOperation): ErrorDetail[] {
  const { nextAction } = describeErrorCode(code);
  const isFinal = code === 'contribution_final_failure';
  const verdict: ErrorDetail[] = [
    {
      field: 'point_restoration',
      code: isFinal ? 'authorized' : 'not_authorized',
      message: isFinal ? AUTHORIZED : NOT_AUTHORIZED,
    },
  ];
  const message = NEXT_STEPS[operation][code];
  if (nextAction && message) verdict.push({ field: 'next_action', code: nextAction, message });
  return verdict;
}

/** The third item of a verdict: the existing record. */
export function existingRecord(transactionId: string): ErrorDetail {
  return { field: 'transaction_id', code: transactionId as DetailCode, message: 'The contribution that is recorded.' };
}
