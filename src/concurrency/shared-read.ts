/** How long what was read is kept. */
export interface Keeping {
  readonly leastMs: number;
  /** What takes long to read is kept for longer than the least, so that reading takes a five-hundredth of the time; but no longer than this. */
  readonly mostMs: number;
}

const TIMES_ITS_DURATION = 500;

interface Kept<Result> {
  readonly sinceMs: number;
  readonly result: Promise<Result>;
  keptMs: number;
}

export interface SharedRead<Source extends object, Result> {
  read(source: Source, key: string): Promise<Result>;
  /** Whoever reads from the source from now on begins anew. */
  forget(source: Source): void;
}

/**
 * What one caller reads serves the others who ask for the same meanwhile and soon after, so that it costs the same for one and for many. A
 * read that fails serves only those who waited for it.
 *
 * @param keeping Counted from the begin of the read.
 * @param read Reads from a source, such as a pool of connections, what a key names.
 * @param isWhole What is not is kept for the least time.
 */
export function sharedRead<Source extends object, Result>(
  { leastMs, mostMs }: Keeping,
  read: (source: Source, key: string) => Promise<Result>,
  isWhole: (result: Result) => boolean = () => true,
): SharedRead<Source, Result> {
  const keptOf = new WeakMap<Source, Map<string, Kept<Result>>>();
  return {
    read(source, key) {
      const nowMs = performance.now();
      const kept = keptOf.get(source) ?? new Map<string, Kept<Result>>();
      keptOf.set(source, kept);
      for (const [each, { sinceMs, keptMs }] of kept) if (nowMs - sinceMs >= keptMs) kept.delete(each);
      const found = kept.get(key);
      if (found) return found.result;
      const begun: Kept<Result> = { sinceMs: nowMs, result: read(source, key), keptMs: Number.POSITIVE_INFINITY };
      kept.set(key, begun);
      begun.result.then(
        (result) => {
          const tookMs = performance.now() - nowMs;
          begun.keptMs = isWhole(result) ? Math.min(mostMs, Math.max(leastMs, TIMES_ITS_DURATION * tookMs)) : leastMs;
        },
        () => {
          if (kept.get(key) === begun) kept.delete(key);
        },
      );
      return begun.result;
    },
    forget: (source) => keptOf.delete(source),
  };
}
