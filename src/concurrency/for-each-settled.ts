interface Options {
  readonly signal?: AbortSignal | undefined;
  /** The error message for this number of failures. The message of the first failure is appended. */
  readonly failed: (count: number) => string;
  /** So many items have their work done at the same time; one after another unless it is given. */
  readonly atOnce?: number;
}

/**
 * Does the work for each item, in their order. A failure for one item does not stop the others. It ends after all work that it began.
 *
 * @throws AggregateError When the work failed for some items, after the work for all others. Where the items could not be read to their
 *   end, the last of its errors says why.
 * @throws Error Why the items could not be read to their end, where no work failed.
 */
export async function forEachSettled<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { signal, failed, atOnce = 1 }: Options,
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
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, workOff));
  const unread = ends.find((end) => end.status === 'rejected');
  if (failures.length === 0) {
    if (unread) throw unread.reason;
    return;
  }
  const message = `${failed(failures.length)} The first: ${whyOf(failures[0])}`;
  if (!unread) throw new AggregateError(failures, message);
  throw new AggregateError(
    [...failures, unread.reason],
    `${message} (and the others could not be read: ${whyOf(unread.reason)})`,
  );
}

function whyOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Several loops may read it: each item goes to one of them. */
async function* takenOnce<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
