import { writeExact } from './exact-totals.ts';

/** The value of one point, by the version label; a missing version gives no amount. */
export interface Prices {
  readonly currency: string | null;
  readonly values: ReadonlyMap<string, bigint>;
}

/** The parameters for computing amounts. */
export function priceLists({ values }: Prices): [string[], (string | null)[]] {
  return [[...values.keys()], [...values.values()].map(writeExact)];
}
