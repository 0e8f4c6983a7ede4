/** The steps of a batch, when each is possible, and which change was faster. */
import type { components } from '../../api/operator-types.ts';

type Detail = components['schemas']['ImpactBatchDetail'];
type Status = Detail['batch']['status'];
type Change = Detail['changes'][number];

export type BatchStep = 'allocate' | 'fund' | 'start' | 'deliver' | 'verify' | 'delay' | 'reallocate' | 'correct';

export const NEXT: Readonly<Partial<Record<Status, BatchStep>>> = {
  recorded: 'allocate',
  allocated: 'fund',
  funded: 'start',
  in_progress: 'deliver',
  delivered: 'verify',
};
/** While a project plants. */
const UNDER_WAY: readonly Status[] = ['allocated', 'funded', 'in_progress'];
const KINDS: Readonly<Partial<Record<BatchStep, Change['change_type']>>> = {
  delay: 'delayed',
  reallocate: 'reallocated',
  correct: 'corrected',
};

/** The files that document what the present project plants: those since the batch was last given to another. The service counts no others. */
export function evidenceOfProject({ changes, evidence }: Pick<Detail, 'changes' | 'evidence'>): Detail['evidence'] {
  const former = changes.slice(0, 1 + changes.findLastIndex(({ change_type }) => change_type === 'reallocated'));
  return evidence.slice(former.filter(({ change_type }) => change_type === 'evidence_added').length);
}

/** What may be recorded beside the next status. */
export function otherSteps(status: Status): readonly BatchStep[] {
  return UNDER_WAY.includes(status) ? ['delay', 'reallocate', 'correct'] : ['correct'];
}

/** They say of the batch that what is shown of it is true, so that any change meanwhile is looked at first. */
const OF_ALL_SHOWN: readonly BatchStep[] = ['fund', 'deliver', 'verify'];

/** Whether the step holds for the batch as it is shown alone: its trees, its project, its evidence. */
export function isOfAllShown(step: BatchStep): boolean {
  return OF_ALL_SHOWN.includes(step);
}

/**
 * Whether settlements were added since the step was chosen, which holds for those of the batch from then on.
 *
 * @param seen How many settlements there were.
 */
export function hasOtherSettlements(
  step: BatchStep,
  { settlement_count }: Pick<Detail, 'settlement_count'>,
  seen: number,
): boolean {
  return step === 'allocate' && settlement_count !== seen;
}

/**
 * The change that somebody else recorded first: the same step, one that leaves it no place, or any where the step is of all that is shown.
 *
 * @param seen How many changes there were when the step was chosen.
 */
export function findFaster(step: BatchStep, { batch, changes }: Detail, seen: number): Change | undefined {
  const isSame = ({ change_type, previous_status }: Change) =>
    change_type === 'advanced' ? NEXT[previous_status] === step : KINDS[step] === change_type;
  const later = changes.slice(seen);
  const same = later.findLast(isSame) ?? (isOfAllShown(step) ? later.at(-1) : undefined);
  if (same || NEXT[batch.status] === step || otherSteps(batch.status).includes(step)) return same;
  return changes.findLast(({ change_type }) => change_type === 'advanced' || change_type === 'reallocated');
}
