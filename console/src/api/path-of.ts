/** Paths of the service with values in them. What stands in an address of the console may have been written by anybody. */

declare const isMade: unique symbol;

/** Below `/operator/v1/`. Made here alone, so that no value in it leads to another path. */
export type ServicePath = string & { readonly [isMade]: true };

/**
 * The path of a template, such as `` pathOf`partners/${partnerId}/keys` ``: each value is one segment of it.
 *
 * @throws RangeError Of a value that a browser takes for no segment: `.` or `..`.
 */
export function pathOf(words: TemplateStringsArray, ...values: readonly string[]): ServicePath {
  return String.raw({ raw: words }, ...values.map(segmentOf)) as ServicePath;
}

function segmentOf(value: string): string {
  // A browser takes them for segments of dots encoded, too.
  if (value === '.' || value === '..') throw new RangeError(`${JSON.stringify(value)} is no segment of a path.`);
  return encodeURIComponent(value);
}
