/** JSON in which a `bigint` is an integer with all its digits. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member));
}

/**
 * Reads JSON of a record; an integer above 2^53 keeps its digits when it is written again.
 *
 * @returns The text itself when it is no JSON: somebody may have edited the record.
 */
export function readExactJson(text: string): unknown {
  try {
    return JSON.parse(text, (_name, member: unknown, context?: { source?: string }) =>
      typeof member === 'number' && !Number.isSafeInteger(member) && context?.source ? JSON.rawJSON(context.source) : member,
    );
  } catch {
    return text;
  }
}
