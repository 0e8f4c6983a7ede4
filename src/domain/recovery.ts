import type { DetailCode } from './detail-codes.ts';
import { describeErrorCode, type ErrorCode, type NextAction } from './error-codes.ts';
import type { ErrorDetail } from './service-error.ts';

/** The operations whose errors a partner could misread as a verdict on a contribution. */
export type RecoverableOperation = 'confirm' | 'lookup' | 'associate';

const NOT_AUTHORIZED =
  'Do not restore points. Look up by partner_event_id, then retry the original confirmation with the same Idempotency-Key and payload.';
const AUTHORIZED = 'The failure is terminal. Restore the points once per transaction_id.';

const NEXT_ACTIONS: Record<NextAction, string> = {
  fix_request: 'Correct the request and send it again.',
  wait: 'Wait, then send the same request again; look-ups stay open meanwhile.',
  retry_same_request: 'Send the original confirmation again with the same Idempotency-Key and payload.',
  use_existing: 'Use the record that exists; it is named in transaction_id.',
  contact_operator: 'Ask the operator to resolve the order; the contribution that holds it is named in transaction_id.',
  restore_points: 'Restore the points of this transaction_id, once.',
  look_up: 'The outcome is unknown. Look up by partner_event_id; when nothing is found, send the same request again.',
};

const FIX_CONFIRMATION =
  'This refusal speaks of this request only, never of an earlier one. Look up by partner_event_id first; when nothing is found, correct the request and send it again.';
const FIX_KEY =
  'Look up by partner_event_id. When nothing is found, the key belongs to another event: send this event under a new Idempotency-Key.';

/**
 * The recovery verdict in machine form: whether points may be restored, and what to do next.
 *
 * @see decisions, section 1, "The recovery verdict"; interface, "Errors", recovery rules 1 to 4.
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
  if (nextAction)
    verdict.push({ field: 'next_action', code: nextAction, message: nextActionMessage(code, nextAction, operation) });
  return verdict;
}

function nextActionMessage(code: ErrorCode, nextAction: NextAction, operation: RecoverableOperation): string {
  if (operation !== 'confirm' || nextAction !== 'fix_request') return NEXT_ACTIONS[nextAction];
  return code === 'idempotency_conflict' ? FIX_KEY : FIX_CONFIRMATION;
}

/** The third item of a verdict: the record that exists already. */
export function existingRecord(transactionId: string): ErrorDetail {
  return { field: 'transaction_id', code: transactionId as DetailCode, message: 'The contribution that is recorded.' };
}
