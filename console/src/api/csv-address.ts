/** Where a list comes from as a file: `/operator/v1/reviews.csv?reason=…`. */
export function csvAddress(list: string, filters: Readonly<Record<string, unknown>> = {}): string {
  const set = Object.entries(filters).map(([name, value]) => [name, String(value)]);
  return `/operator/v1/${list}.csv?${new URLSearchParams(set)}`;
}
