/**
 * Does the work for each item, one after another. A failure for one item does not stop the others.
 *
 * @param failed The error message for this number of failures. The message of the first failure is appended.
 * @throws AggregateError When the work failed for some items, after the work for all others.
 */
export async function forEachSettled<Item>(
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
