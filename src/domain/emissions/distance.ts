import { decimalText, readDecimal } from '../numbers/decimal.ts';

/** 200 km. @see docs/spec/interface.md#limits. */
export const DISTANCE_MAX_METRES = 200_000;

/** Three decimals of a kilometre are whole metres. */
export const DISTANCE_DECIMALS = 3;

/** A longer text is not read: it has the wrong form. `"200.000"` has seven characters. */
const READ_LENGTH_MAX = 32;

/**
 * `"12.345"` is 12345 whole metres, 1 to 200 000. `undefined` unless the value is a string with a plain decimal
 * in (0, 200] with at most three decimal places; a JSON number is none.
 *
 * @see docs/spec/interface.md#createdeliveryemissionsestimate, field distance_km: the caller answers `invalid_distance`.
 */
export function readDistanceKm(text: unknown): number | undefined {
  if (typeof text !== 'string' || findDistanceProblem(text) !== undefined) return undefined;
  return Number(readDecimal(text, DISTANCE_DECIMALS));
}

/** Whether a text has another form than a distance, or is outside the bounds; `undefined` for a distance. */
export function findDistanceProblem(text: string): 'wrong_form' | 'too_small' | 'too_large' | undefined {
  const metres = text.length > READ_LENGTH_MAX ? undefined : readDecimal(text, DISTANCE_DECIMALS);
  if (metres === undefined) return 'wrong_form';
  if (metres < 1n) return 'too_small';
  return metres > BigInt(DISTANCE_MAX_METRES) ? 'too_large' : undefined;
}

/** The one text of a distance in kilometres: 12500 metres is `"12.5"`, so that `12.50` and `12.5` are the same request. */
export function distanceText(distanceMetres: number): string {
  return decimalText(distanceMetres, DISTANCE_DECIMALS);
}
