/**
 * Reads page after page, each after the last row of the previous one, until a page is not full.
 *
 * @param read Reads at most `limit` rows in their order; `last` is `undefined` for the first page.
 */
export async function* eachPage<Row>(
  limit: number,
  read: (last: Row | undefined, limit: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let page: readonly Row[] | undefined; page === undefined || page.length === limit; ) {
    page = await read(page?.at(-1), limit);
    yield page;
  }
}

/** The rows of {@link eachPage}. */
export async function* eachRow<Row>(
  limit: number,
  read: (last: Row | undefined, limit: number) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for await (const page of eachPage(limit, read)) yield* page;
}
