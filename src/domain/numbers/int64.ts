/** The largest whole number of 64 bits with a sign. */
export const INT64_MAX = 9_223_372_036_854_775_807n;

/** Whether a value is a whole number of 64 bits with a sign, as `int8` of the database. */
export function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
}
