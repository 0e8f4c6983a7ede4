/**
 * The progress of the planting that an impact batch pays for, first to last.
 *
 * @see docs/spec/settlements.md#4-environmental-status.
 */
export const ENVIRONMENTAL_STATUSES = ['recorded', 'allocated', 'funded', 'in_progress', 'delivered', 'verified'] as const;

export type EnvironmentalStatus = (typeof ENVIRONMENTAL_STATUSES)[number];

/** The next status; `undefined` after the last. */
export function nextEnvironmentalStatus(status: EnvironmentalStatus): EnvironmentalStatus | undefined {
  return ENVIRONMENTAL_STATUSES[ENVIRONMENTAL_STATUSES.indexOf(status) + 1];
}
