import { refuseSuspended } from '../../domain/access/partner-standing.ts';
import { isWithinBounds } from '../../domain/rules/contribution-rules.ts';
import type { ContributionRecord } from '../../store/contributions/contribution.ts';
import { assertSameFingerprint } from '../same-fingerprint.ts';
import { eventConflict, orderConflict, outOfBounds } from './contribution-refusals.ts';
import type { Confirmation, ConfirmationOutcome, UnruledRequest } from './decide-confirmations.ts';

/** The records under a confirmation's key, its event and its order. */
export type Conflicts = readonly ContributionRecord[];

/**
 * The record that a request replays, or what refuses it beside the records that it conflicts with. In the order of the contract: key, event,
 * suspension, bounds, order.
 */
export function classifyConflict(confirmation: Confirmation, conflicts: Conflicts): ConfirmationOutcome | undefined {
  const ofKey = findStoredOutcome(confirmation, conflicts);
  if (ofKey) return ofKey;
  refuseSuspended(confirmation);
  if (!isWithinBounds(confirmation.points, confirmation.rules)) throw outOfBounds(confirmation.rules);
  const holder = conflicts[0];
  if (holder) throw orderConflict(holder);
  return undefined;
}

/** The outcome that its key or its event is recorded with, or a conflict, whatever the rules are. */
export function findStoredOutcome(request: UnruledRequest, conflicts: Conflicts): ConfirmationOutcome | undefined {
  const ofKey = findOwnOutcome(request, conflicts);
  if (ofKey) return ofKey;
  const ofEvent = conflicts.find(({ contribution }) => contribution.partnerEventId === request.partnerEventId);
  if (ofEvent && isRecordedFailureOf(ofEvent, request)) return { record: ofEvent, isReplay: true };
  if (ofEvent) throw eventConflict(ofEvent, request.fingerprint);
  return undefined;
}

/**
 * A failure that two operators recorded has no key of the partner. The confirmation of the same event gets this record, whatever its key
 * is. A confirmation with other points or another order is a conflict.
 */
function isRecordedFailureOf(
  { firstStatus, contribution }: ContributionRecord,
  { partnerOrderRef, points }: UnruledRequest,
): boolean {
  return firstStatus === 'failed' && contribution.partnerOrderRef === partnerOrderRef && contribution.points === points;
}

export function findOwnOutcome(request: UnruledRequest, conflicts: Conflicts): ConfirmationOutcome | undefined {
  const record = conflicts.find(({ idempotencyKey }) => idempotencyKey === request.idempotencyKey);
  if (!record) return undefined;
  if (record.contribution.transactionId === request.transactionId) return { record, isReplay: false };
  assertSameFingerprint(record.fingerprint, request.fingerprint);
  return { record, isReplay: true };
}
