/** JSON in which a `bigint` is an integer with all its digits. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member));
}
