interface Terms {
  readonly signal?: AbortSignal | undefined;
  /** The error message for this number of failures. The message of the first failure is appended. */
  readonly failed: (count: number) => string;
  /** So many items have their work done at the same time; one after another unless it is given. */
  readonly atOnce?: number;
}

/**
 * Does the work for each item, in their order. A failure for one item does not stop the others.
 *
 * @throws AggregateError When the work failed for some items, after the work for all others.
 */
export async function forEachSettled<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { signal, failed, atOnce = 1 }: Terms,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const left = takenOnce(items);
  const workOff = async () => {
    for await (const item of left) {
      if (signal?.aborted) break;
      await work(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, workOff));
  if (failures.length === 0) return;
  const [first] = failures;
  const why = first instanceof Error ? first.message : String(first);
  throw new AggregateError(failures, `${failed(failures.length)} The first: ${why}`);
}

/** Several loops may read it: each item goes to one of them. */
async function* takenOnce<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
