import { writeExact } from './exact-totals.ts';

/** The value of one point, by the version label; a missing version gives no amount. */
export interface Prices {
  readonly currency: string | null;
  readonly values: ReadonlyMap<string, bigint>;
}

/**
 * The amount of points in SQL: the points times the value of one point of their version; null where the version has none.
 *
 * @param points Their column.
 * @param version The column of their version.
 * @param lists The parameters that hold {@link priceLists}.
 */
export function amountOfPoints(points: string, version: string, [versions, values]: readonly [string, string]): string {
  return `${points} * (select value from unnest(${versions}::text[], ${values}::numeric[]) as price (version, value)
          where version = ${version})`;
}

/** The parameters for computing amounts. */
export function priceLists({ values }: Prices): [string[], (string | null)[]] {
  return [[...values.keys()], [...values.values()].map(writeExact)];
}
