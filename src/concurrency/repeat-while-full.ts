/**
 * Works on rows in parts, so that no statement takes long, until a part is not full or the signal is aborted.
 *
 * @param limit The most rows of a part.
 * @param work Works on a part, and resolves with its number of rows.
 * @returns How many rows there were in all.
 */
export async function repeatWhileFull(
  limit: number,
  work: (limit: number) => Promise<number>,
  signal?: AbortSignal | undefined,
): Promise<number> {
  let sum = 0;
  for (let count = limit; count === limit && !signal?.aborted; sum += count) count = await work(limit);
  return sum;
}
