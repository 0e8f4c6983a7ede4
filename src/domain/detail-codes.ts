import type { SecondStep } from './access/second-step.ts';
import type { NextAction } from './error-codes.ts';

/** What `error.details[].code` says to a partner. `docs/errors.md` has a row for each. */
export const PARTNER_DETAIL_CODES = [
  'missing',
  'unknown_field',
  'wrong_type',
  'wrong_form',
  'too_short',
  'too_long',
  'invalid_characters',
  'unsupported_value',
  'too_small',
  'too_large',
  'not_whole',
  'out_of_bounds',
  'more_problems',
  'invalid_json',
  'not_found',
  'not_of_this_list',
  'not_together',
  'not_possible',
  'same_payload',
  'other_payload',
  'settlement_open',
  'unreadable',
  'too_many_values',
  'other_digits',
  'separators',
  'too_many_lines',
  'too_many_bytes',
  'line_too_long',
  'too_many_blank_lines',
  'too_many_malformed_lines',
  'bytes_of_day_spent',
  'lists_of_day_spent',
  'repeated_column',
  'missing_column',
  'open_quote',
  'not_an_array',
  'not_ended',
  'text_after_end',
] as const;

/** Only operators get these codes, on the command line and in their interface. */
export const OPERATOR_DETAIL_CODES = [
  'already_reversed',
  'already_used',
  'below_points_min',
  'duplicate',
  'empty',
  'in_the_future',
  'in_the_past',
  'no_address',
  'not_confirmed',
  'not_expected',
  'not_fixed',
  'not_minor_units',
  'not_opposite',
  'not_posted',
  'not_public',
  'other_currency',
  'other_origin',
  'record_modified',
  'reserved',
  'same_address',
  'same_maker',
  'same_operator',
  'same_project',
  'sign_in_again',
  'too_soon',
  'unchanged',
  'worker_lost',
  'wrong_length',
  'zero',
] as const;

export type DetailCode =
  | (typeof PARTNER_DETAIL_CODES)[number]
  | (typeof OPERATOR_DETAIL_CODES)[number]
  // The recovery verdict: may points be restored, what to do, and for which record.
  | 'authorized'
  | 'not_authorized'
  | NextAction
  | TransactionId
  // What two operators do together: which step, whose account, until when.
  | SecondStep
  | OperatorId
  | Timestamp;

type TransactionId = `txn_${string}`;
type OperatorId = `opr_${string}` | 'owner';
/** A time in the form of `Date.toISOString`, in UTC. */
type Timestamp = `${string}T${string}Z`;
