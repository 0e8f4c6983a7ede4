/**
 * The checks before a partner goes live, in their order, each with what to do when it is missing.
 *
 * @see docs/spec/decisions.md#8-sandbox, last paragraph.
 */
export const READINESS_CHECKS = {
  replayed_key:
    'Send one confirmation twice, with the same Idempotency-Key and payload, and read the second answer as the first. Or begin partner_order_ref with SIM-TIMEOUT-BEFORE-COMMIT-, and send the request again under its key when the look-up finds nothing.',
  recovered_lost_answer:
    'Confirm with X-Sandbox-Scenario: timeout_after_commit, then look the contribution up by partner_event_id within an hour, instead of confirming anew.',
  waited_out_rate_limit:
    'Confirm with X-Sandbox-Scenario: rate_limited;times=1, wait as many seconds as Retry-After says, then send the same request again.',
  verified_signature:
    'Have a sample event accepted (POST /v1/sandbox/events), and one with "fault": "bad_signature" refused with a status from 400 to 499.',
  acknowledged_repeated_event: 'Answer 2xx to both deliveries of a sample with "fault": "duplicate", and book it once.',
  caught_up:
    'Stop your receiver, confirm, start it again: fetch GET /v1/events with the after_sequence that you kept, until has_more is false (catchUp of the package).',
  reconciled_settlement:
    'Close a settlement (POST /v1/sandbox/settlements/close) and compare your own list with it (POST /v1/settlements/{settlement_id}/reconciliations) until every line is matched and none is missing on either side. What you sent by hand, and the other contribution of order_taken, are in no list of yours: close their settlement, and compare the next one.',
  exact_points:
    'Confirm 9007199254740993 points, then look the contribution up, or send the same confirmation again (with the package, confirm the stored intent once more): every digit must have come through. Or begin partner_order_ref with SIM-TIMEOUT-AFTER-COMMIT-, so that a program looks up by itself.',
} as const;

export type ReadinessCheck = keyof typeof READINESS_CHECKS;

/** How long a request that the scenario `rate_limited` refuses has to wait: only one that waited shows that `Retry-After` is heeded. */
export const RATE_LIMIT_WAIT_SECONDS = 1;

/** How long after an answer was lost a look-up still shows that the partner recovers. */
export const RECOVERY_HOURS = 1;

/** A number of points that a program with floating-point numbers cannot send. */
export const EXACT_POINTS = 9_007_199_254_740_993n;

/** The evidence that is recorded from the traffic of a partner; other evidence follows from records. */
export type ReadinessItem =
  | 'replayed_key'
  | 'sample_accepted'
  | 'bad_signature_refused'
  | 'acknowledged_repeated_event'
  | 'caught_up'
  | 'exact_points';

/** The verdicts of a list that is right: a line of another settlement is not missing, it is matched there. */
const RIGHT_VERDICTS: readonly string[] = ['matched', 'other_settlement'];
/** How the points of matched lines were compared; no lines of their own. */
const MATCHED_BY: readonly string[] = ['gross', 'net'];

/** Lines by verdict. */
export type ComparedLines = Readonly<Record<string, number | undefined>>;

/** Each verdict that a right list does not have, with its number of lines, such as `missing_in_service 2`. */
export function findWrongVerdicts(lines: ComparedLines): string[] {
  return Object.entries(lines)
    .filter(([verdict, count = 0]) => count > 0 && ![...RIGHT_VERDICTS, ...MATCHED_BY].includes(verdict))
    .map(([verdict, count]) => `${verdict} ${count}`);
}

/** Whether a list shows that the books of the partner and the service agree: a line matched, and none missing on either side. */
export function isReconciled(lines: ComparedLines): boolean {
  return (lines['matched'] ?? 0) > 0 && findWrongVerdicts(lines).length === 0;
}
