import type { paths } from './operator-types.ts';
import type { ServicePath } from './path-of.ts';

type NameIn<Path> = Path extends `/operator/v1/${infer Name}.csv` ? (Name extends `${string}/${string}` ? never : Name) : never;

/** Where a list comes from as a file: `/operator/v1/reviews.csv?reason=…`. */
export function csvAddress(list: NameIn<keyof paths> | ServicePath, filters: Readonly<Record<string, unknown>> = {}): string {
  const set = Object.entries(filters).map(([name, value]) => [name, String(value)]);
  const query = new URLSearchParams(set);
  return `/operator/v1/${list}.csv${query.size > 0 ? `?${query}` : ''}`;
}
