import type { Begun } from '../access/second-step.ts';
import type { EnvironmentalChangeType, EnvironmentalStatus } from './environmental-status.ts';

/**
 * Which changes of an impact batch need four eyes, and between whom.
 *
 * @see docs/spec/settlements.md#4-environmental-status.
 */

/** A change that an operator requests; `to` is the status to which it advances the batch. */
export interface RequestedChange {
  readonly changeType: EnvironmentalChangeType;
  readonly to?: EnvironmentalStatus;
}

/**
 * `first`: a second operator decides later on what the change records, so its operator must be known: a delivery, and a correction before
 * the verification. `second`: another operator than each of {@link begunBefore} makes it, an approver: a verification, and a correction
 * after it. `undefined`: either may make it.
 */
export function operatorOfChange(
  status: EnvironmentalStatus,
  { changeType, to }: RequestedChange,
): 'first' | 'second' | undefined {
  if (changeType === 'advanced') {
    if (to === 'delivered') return 'first';
    return to === 'verified' && status === 'delivered' ? 'second' : undefined;
  }
  if (changeType !== 'corrected') return undefined;
  if (status === 'delivered') return 'first';
  return status === 'verified' ? 'second' : undefined;
}

interface DeliveredBatch {
  readonly status: EnvironmentalStatus;
  /** The operator who recorded the delivery, and then the one who verified it; `null` before. */
  readonly deliveredBy: string | null;
  readonly verifiedBy: string | null;
}

interface RecordedChange {
  readonly changeType: EnvironmentalChangeType;
  /** After the change. */
  readonly status: EnvironmentalStatus;
  readonly operatorId: string;
}

/**
 * What the second operator decides on, and who did it: the delivery and the last correction of its trees, when the batch is delivered; the
 * verification, when it is verified.
 *
 * @param changes The history of the batch, the oldest first.
 */
export function begunBefore({ status, deliveredBy, verifiedBy }: DeliveredBatch, changes: readonly RecordedChange[]): Begun[] {
  if (status === 'verified') return [{ operatorId: verifiedBy ?? '', step: 'correct_verified_batch' }];
  const correction = changes.findLast((change) => change.changeType === 'corrected' && change.status === 'delivered');
  return [
    { operatorId: deliveredBy ?? '', step: 'verify_batch' },
    ...(correction ? [{ operatorId: correction.operatorId, step: 'verify_corrected_batch' } as const] : []),
  ];
}
