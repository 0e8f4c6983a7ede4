/** What two operators do together: what the first of them did, and what only another may do then. */
export const SECOND_STEPS = {
  approve_adjustment: { done: 'drafted the adjustment', wanted: 'approve the adjustment' },
  approve_failure: { done: 'drafted the failure', wanted: 'approve the failure' },
  verify_batch: { done: 'recorded the delivery', wanted: 'verify the batch' },
  verify_corrected_batch: { done: 'corrected the number of trees', wanted: 'verify the batch' },
  correct_verified_batch: { done: 'verified the batch', wanted: 'correct the batch' },
} as const;

export type SecondStep = keyof typeof SECOND_STEPS;

/** The operator who began, and what the second one is about to do. */
export interface Begun {
  readonly operatorId: string;
  readonly step: SecondStep;
}
