/**
 * JSON for a browser: an int64 is a string of its digits, as in the JSON of Protocol Buffers, because a number of JavaScript would lose
 * the last ones. A time is ISO 8601 in UTC.
 */
export function operatorJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? String(member) : member));
}
