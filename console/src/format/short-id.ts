/** The kind that an id of the service begins with, such as `txn_`. */
const KIND = /^[a-z]+_(?=[0-9A-Z]{6})/;
const BEGINNING = 6;
const END = 6;

/**
 * An id as lists have it: `txn_01M7Y4NYQYPG5MAQDP5ES1PVKD` → `txn_…S1PVKD`. Ids of one hour begin alike, so the kind and the end are
 * kept. What is hardly longer stays whole.
 */
export function shortId(id: string): string {
  const beginning = KIND.exec(id)?.[0] ?? id.slice(0, BEGINNING);
  return id.length <= 20 ? id : `${beginning}…${id.slice(-END)}`;
}
