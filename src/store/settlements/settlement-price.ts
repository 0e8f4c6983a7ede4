import { writeExact } from './exact-totals.ts';

/** What one point is worth, by the version label; a version that is not there gives no amount. */
export interface Prices {
  readonly currency: string | null;
  readonly values: ReadonlyMap<string, bigint>;
}

/** The parameters of what amounts are computed by. */
export function priceLists({ values }: Prices): [string[], (string | null)[]] {
  return [[...values.keys()], [...values.values()].map(writeExact)];
}
