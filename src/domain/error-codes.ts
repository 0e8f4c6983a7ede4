/**
 * The closed table of the contract's error codes: one status, one `retryable` and one recovery verdict each. `nextAction` is what a
 * partner's program does after the error, when the outcome of a contribution could be misread. `retryAfterSeconds` is sent with every
 * answer of the code unless the cause has a better value.
 *
 * @see docs/spec/interface.md#errors; docs/spec/decisions.md#1-http.
 */
export const ERROR_CODES = {
  invalid_request: { status: 400, isRetryable: false, nextAction: 'fix_request' },
  invalid_point_amount: { status: 400, isRetryable: false, nextAction: 'fix_request' },
  unsupported_vehicle: { status: 400, isRetryable: false, nextAction: 'fix_request' },
  invalid_distance: { status: 400, isRetryable: false, nextAction: 'fix_request' },
  unauthorized: { status: 401, isRetryable: false, nextAction: 'fix_request' },
  forbidden: { status: 403, isRetryable: false, nextAction: 'fix_request' },
  partner_suspended: { status: 403, isRetryable: false, nextAction: 'wait' },
  contribution_not_found: { status: 404, isRetryable: true, nextAction: 'retry_same_request' },
  estimate_not_found: { status: 404, isRetryable: false, nextAction: undefined },
  idempotency_conflict: { status: 409, isRetryable: false, nextAction: 'fix_request' },
  partner_event_conflict: { status: 409, isRetryable: false, nextAction: 'use_existing' },
  partner_order_conflict: { status: 409, isRetryable: false, nextAction: 'contact_operator' },
  association_conflict: { status: 409, isRetryable: false, nextAction: 'use_existing' },
  contribution_pending: { status: 409, isRetryable: true, nextAction: 'wait', retryAfterSeconds: 300 },
  estimate_expired: { status: 410, isRetryable: false, nextAction: undefined },
  calculation_mismatch: { status: 422, isRetryable: false, nextAction: undefined },
  contribution_final_failure: { status: 422, isRetryable: false, nextAction: 'restore_points' },
  rate_limited: { status: 429, isRetryable: true, nextAction: 'retry_same_request', retryAfterSeconds: 1 },
  internal_service_unavailable: { status: 503, isRetryable: true, nextAction: 'look_up', retryAfterSeconds: 1 },
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof ERROR_CODES;

export type NextAction =
  | 'fix_request'
  | 'wait'
  | 'retry_same_request'
  | 'use_existing'
  | 'contact_operator'
  | 'restore_points'
  | 'look_up';

export interface ErrorCodeEntry {
  readonly status: number;
  readonly isRetryable: boolean;
  readonly nextAction: NextAction | undefined;
  /** Whole seconds for `Retry-After`; a code without it sends no such header. */
  readonly retryAfterSeconds?: number;
}

export const ERROR_CODE_NAMES = Object.keys(ERROR_CODES) as ErrorCode[];

/** The row of the table, with every column for every code. */
export function describeErrorCode(code: ErrorCode): ErrorCodeEntry {
  return ERROR_CODES[code];
}
