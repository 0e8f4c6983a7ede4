import { INT64_MAX, isInt64 } from './int64.ts';

/** The largest number of points: the interface's int64. @see docs/spec/interface.md#contribution, field points. */
export const POINTS_MAX = INT64_MAX;

/**
 * Whether a value, as `readJson` gives it, is a number of points: whole, 1 to {@link POINTS_MAX}.
 * A float is never one, even 100: it has lost what its sender wrote.
 *
 * @see docs/spec/interface.md#confirmcontribution, field points.
 */
export function isPoints(value: unknown): value is bigint {
  return typeof value === 'bigint' && value >= 1n && value <= POINTS_MAX;
}

/** A change of points: any int64. */
export function isSignedPoints(value: unknown): value is bigint {
  return isInt64(value);
}
