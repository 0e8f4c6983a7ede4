/**
 * The faults of a sample on request.
 *
 * @see docs/spec/decisions.md#8-sandbox.
 */
export const SAMPLE_FAULTS = ['duplicate', 'reordered', 'bad_signature', 'stale', 'unknown_type', 'rotation'] as const;

export type SampleFault = (typeof SAMPLE_FAULTS)[number];

/** Whether a correct receiver refuses a sample with the fault. */
export function isToBeRefused(fault: SampleFault | undefined): boolean {
  return fault === 'bad_signature' || fault === 'stale';
}
