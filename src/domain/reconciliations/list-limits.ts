/** The largest list, and the longest line. */
export interface ListLimits {
  readonly lines: number;
  readonly bytes: number;
  readonly lineCharacters: number;
  /** The most malformed lines. A list with more has another format, and nothing of it is compared. */
  readonly malformedLines: number;
  /** The most blank lines of a CSV list. */
  readonly blankLines: number;
}

/** @see docs/spec/settlements.md#2-settlement, Reconciliation: up to 1 000 000 lines or 100 MiB. */
export const LIST_LIMITS: ListLimits = {
  lines: 1_000_000,
  bytes: 100 * 1024 * 1024,
  lineCharacters: 16 * 1024,
  malformedLines: 10_000,
  blankLines: 10_000,
};
