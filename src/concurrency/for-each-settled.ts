/**
 * Does work for one after the other. What fails for one holds up no other.
 *
 * @param failed What to say, by how many failed. The message of the first failure follows.
 * @throws AggregateError When the work failed for some, after it was done for all others.
 */
export async function eachApart<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { signal, failed }: { readonly signal?: AbortSignal | undefined; readonly failed: (count: number) => string },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for await (const item of items) {
    if (signal?.aborted) break;
    await work(item).catch((error: unknown) => failures.push(error));
  }
  if (failures.length === 0) return;
  const [first] = failures;
  const why = first instanceof Error ? first.message : String(first);
  throw new AggregateError(failures, `${failed(failures.length)} The first: ${why}`);
}
