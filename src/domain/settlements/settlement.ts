import type { DetailCode } from '../detail-codes.ts';
import { isShortIdentifier } from '../identifiers.ts';
import type { ErrorDetail } from '../service-error.ts';
import { isText, textForm } from '../single-line-text.ts';
import type { SettlementPeriod } from './settlement-period.ts';

/** @see docs/spec/settlements.md#2-settlement. */
export const SETTLEMENT_STATUSES = ['open', 'closed'] as const;

export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number];

/** The possible next statuses. A partner always has one open settlement; a closed one never changes. */
export const SETTLEMENT_TRANSITIONS = {
  none: ['open'],
  open: ['closed'],
  closed: [],
} as const satisfies Record<'none' | SettlementStatus, readonly SettlementStatus[]>;

/**
 * Whether a record that is on no settlement is assigned to the one that closes: every record before its end, however old.
 *
 * @param at A contribution's `confirmed_at`, an adjustment's `posted_at`.
 * @see docs/spec/settlements.md#2-settlement, "Assignment at close".
 */
export function isBeforeEnd(at: Date, { endsAt }: SettlementPeriod): boolean {
  return at < endsAt;
}

/**
 * The partner's answer to a closed settlement. It does not reopen the settlement.
 *
 * @see docs/spec/settlements.md#2-settlement, field acknowledgement.
 */
export const ACKNOWLEDGEMENT_STATUSES = ['pending', 'accepted', 'disputed'] as const;

export type AcknowledgementStatus = (typeof ACKNOWLEDGEMENT_STATUSES)[number];

/** After a dispute the partner may accept; an acceptance is final. */
const ACKNOWLEDGEMENT_TRANSITIONS = {
  pending: ['accepted', 'disputed'],
  disputed: ['accepted'],
  accepted: [],
} as const satisfies Record<AcknowledgementStatus, readonly AcknowledgementStatus[]>;

/** The members that a partner sends. */
export interface Acknowledgement {
  readonly status: AcknowledgementStatus;
  /** The partner's own reference, of the interface's pattern. */
  readonly reference: string | null;
  readonly note: string | null;
}

export const NOTE_CHARACTERS_MAX = 1_000;

/** All problems of an acknowledgement, by field; empty when it may be recorded. */
export function checkAcknowledgement(
  { settlement, acknowledgement }: { settlement: SettlementStatus; acknowledgement: AcknowledgementStatus },
  { status, reference, note }: Acknowledgement,
): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const add = (field: string, code: DetailCode, message: string) => problems.push({ field, code, message });
  if (settlement !== 'closed')
    add('settlement_id', 'settlement_open', 'The settlement is open; acknowledge it after it is closed.');
  if (!(ACKNOWLEDGEMENT_TRANSITIONS[acknowledgement] as readonly string[]).includes(status))
    add(
      'status',
      'not_possible',
      acknowledgement === status
        ? `The acknowledgement is ${status} already; its reference and note do not change.`
        : `The acknowledgement is ${acknowledgement} and cannot become ${status}.`,
    );
  if (reference !== null && !isShortIdentifier(reference))
    add('reference', 'wrong_form', 'reference must be of 1 to 128 characters out of A-Z a-z 0-9 . _ : -');
  if (note !== null && !isText(note, NOTE_CHARACTERS_MAX))
    add('note', 'wrong_form', `note must be ${textForm(note, NOTE_CHARACTERS_MAX)}.`);
  return problems;
}
