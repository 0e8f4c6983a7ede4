import { decimalText, readDecimal } from '../numbers/decimal.ts';

/** 200 km. @see docs/spec/interface.md#limits. */
export const DISTANCE_MAX_METRES = 200_000;

/** Three decimals of a kilometre are whole metres. */
const DECIMALS = 3;

/** `"200.000"`: a longer text is out of range or has too many decimals. */
const LONGEST_TEXT = 7;

/**
 * `"12.345"` is 12345 whole metres, 1 to 200 000. `undefined` unless the value is a string with a plain decimal
 * in (0, 200] with at most three decimal places; a JSON number is none.
 *
 * @see docs/spec/interface.md#createdeliveryemissionsestimate, field distance_km: the caller answers `invalid_distance`.
 */
export function readDistanceKm(text: unknown): number | undefined {
  if (typeof text !== 'string' || text.length > LONGEST_TEXT) return undefined;
  const distanceMetres = Number(readDecimal(text, DECIMALS) ?? 0n);
  return distanceMetres >= 1 && distanceMetres <= DISTANCE_MAX_METRES ? distanceMetres : undefined;
}

/** The one text of a distance in kilometres: 12500 metres is `"12.5"`, so that `12.50` and `12.5` are the same request. */
export function distanceText(distanceMetres: number): string {
  return decimalText(distanceMetres, DECIMALS);
}
