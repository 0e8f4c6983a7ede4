/**
 * After how many hours a pending contribution that no operator decided fails: by default, at least and at most.
 *
 * @see docs/spec/decisions.md#4-pending-and-failed.
 */
export const REVIEW_EXPIRY_HOURS = { usual: 72, least: 1, most: 8_760 } as const;
