import { type ErrorDetail, problem } from '../service-error.ts';

/**
 * The statuses of an impact batch, and the changes that are possible in each. `batch-four-eyes.ts` says who may make them.
 *
 * @see docs/spec/settlements.md#4-environmental-status.
 */

/** The progress of the planting that an impact batch pays for, first to last. */
export const ENVIRONMENTAL_STATUSES = ['recorded', 'allocated', 'funded', 'in_progress', 'delivered', 'verified'] as const;

export type EnvironmentalStatus = (typeof ENVIRONMENTAL_STATUSES)[number];

/** The next status; `undefined` after the last. */
export function nextEnvironmentalStatus(status: EnvironmentalStatus): EnvironmentalStatus | undefined {
  return ENVIRONMENTAL_STATUSES[ENVIRONMENTAL_STATUSES.indexOf(status) + 1];
}

/** The kind of a change; the event's `change_type`. */
export const ENVIRONMENTAL_CHANGE_TYPES = ['advanced', 'delayed', 'reallocated', 'evidence_added', 'corrected'] as const;

export type EnvironmentalChangeType = (typeof ENVIRONMENTAL_CHANGE_TYPES)[number];

/** The statuses in which a change is possible. `verified` is terminal: a correction does not change it. */
export const ENVIRONMENTAL_CHANGES = {
  advanced: ['recorded', 'allocated', 'funded', 'in_progress', 'delivered'],
  delayed: ['allocated', 'funded', 'in_progress'],
  reallocated: ['allocated', 'funded', 'in_progress'],
  evidence_added: ['allocated', 'funded', 'in_progress', 'delivered'],
  corrected: ENVIRONMENTAL_STATUSES,
} as const satisfies Record<EnvironmentalChangeType, readonly EnvironmentalStatus[]>;

/** The facts that a decision about a batch uses. */
export interface ImpactBatchFacts {
  readonly status: EnvironmentalStatus;
  /** `null` until the batch is allocated for the first time. */
  readonly projectId: string | null;
  /** Of its present project: {@link countProjectEvidence}. */
  readonly evidenceCount: number;
}

/** The most files that document what one project does: each event of the batch, and each of its audit entries, has all of them. */
const EVIDENCE_MAX = 50;

/** A change that an operator requests. */
export type EnvironmentalChange =
  | { readonly changeType: 'advanced'; readonly projectId?: string | undefined }
  | { readonly changeType: 'delayed'; readonly expectedDeliveryPeriod: string }
  | { readonly changeType: 'reallocated'; readonly projectId: string }
  | { readonly changeType: 'evidence_added' }
  | { readonly changeType: 'corrected' };

/**
 * The status after a change that {@link checkEnvironmentalChange} allows. When a project cannot deliver, the batch is allocated again, to
 * another project, which has to be funded again.
 */
export function environmentalStatusAfter(status: EnvironmentalStatus, changeType: EnvironmentalChangeType): EnvironmentalStatus {
  if (changeType === 'reallocated') return 'allocated';
  return changeType === 'advanced' ? (nextEnvironmentalStatus(status) ?? status) : status;
}

/**
 * How many files document what the present project does: those that were added since the batch was last reallocated.
 *
 * @param changes The history of the batch, the oldest first.
 */
export function countProjectEvidence(changes: readonly { readonly changeType: EnvironmentalChangeType }[]): number {
  const ofProject = changes.slice(1 + changes.findLastIndex(({ changeType }) => changeType === 'reallocated'));
  return ofProject.filter(({ changeType }) => changeType === 'evidence_added').length;
}

/**
 * Why a change is refused, or `undefined` when it may be recorded. Statuses advance one step at a time. Delay is an attribute, not a
 * status. `verified` needs evidence of the present project.
 */
export function checkEnvironmentalChange(batch: ImpactBatchFacts, change: EnvironmentalChange): ErrorDetail | undefined {
  const { status } = batch;
  if (!(ENVIRONMENTAL_CHANGES[change.changeType] as readonly EnvironmentalStatus[]).includes(status))
    return problem('change_type', 'not_possible', `The change ${change.changeType} is not possible: the batch is ${status}.`);
  switch (change.changeType) {
    case 'advanced':
      return checkAdvance(batch, change);
    case 'delayed':
      return isDeliveryPeriod(change.expectedDeliveryPeriod)
        ? undefined
        : problem(
            'expected_delivery_period',
            'wrong_form',
            'The expected period must be a year, quarter or month: 2027, 2027-Q2, 2027-05.',
          );
    case 'reallocated':
      return change.projectId === batch.projectId
        ? problem('project_id', 'same_project', 'The batch already belongs to this project; give another one.')
        : undefined;
    case 'evidence_added':
      return batch.evidenceCount >= EVIDENCE_MAX
        ? problem(
            'file',
            'not_possible',
            `The batch has ${EVIDENCE_MAX} files of evidence of its project, the most that it takes. Verify the batch by these.`,
          )
        : undefined;
    case 'corrected':
      return undefined;
  }
}

/** The expected delivery period: a year, a quarter or a month. */
export function isDeliveryPeriod(text: string): boolean {
  return /^2\d{3}(?:-(?:Q[1-4]|0[1-9]|1[0-2]))?$/.test(text);
}

function checkAdvance(batch: ImpactBatchFacts, change: { readonly projectId?: string | undefined }): ErrorDetail | undefined {
  switch (nextEnvironmentalStatus(batch.status)) {
    case 'allocated':
      return change.projectId === undefined
        ? problem('project_id', 'missing', 'Give the project to which the batch is allocated.')
        : undefined;
    case 'verified':
      return batch.evidenceCount === 0
        ? problem(
            'evidence',
            'missing',
            'Add evidence of the delivery before you verify it; that of a former project does not count.',
          )
        : undefined;
    default:
      return undefined;
  }
}
