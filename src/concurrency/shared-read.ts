interface Kept<Result> {
  readonly sinceMs: number;
  readonly result: Promise<Result>;
}

export interface SharedRead<Source extends object, Result> {
  read(source: Source, key: string): Promise<Result>;
  /** Whoever reads from the source from now on begins anew. */
  forget(source: Source): void;
}

/**
 * What one caller reads serves the others who ask for the same soon after, so that it costs the same for one and for many. A read that
 * fails serves only those who waited for it.
 *
 * @param keptMs Counted from the begin of the read.
 * @param read Reads from a source, such as a pool of connections, what a key names.
 */
export function sharedRead<Source extends object, Result>(
  keptMs: number,
  read: (source: Source, key: string) => Promise<Result>,
): SharedRead<Source, Result> {
  const keptOf = new WeakMap<Source, Map<string, Kept<Result>>>();
  return {
    read(source, key) {
      const nowMs = performance.now();
      const kept = keptOf.get(source) ?? new Map<string, Kept<Result>>();
      keptOf.set(source, kept);
      for (const [each, { sinceMs }] of kept) if (nowMs - sinceMs >= keptMs) kept.delete(each);
      const found = kept.get(key);
      if (found) return found.result;
      const result = read(source, key);
      kept.set(key, { sinceMs: nowMs, result });
      result.catch(() => {
        if (kept.get(key)?.result === result) kept.delete(key);
      });
      return result;
    },
    forget: (source) => keptOf.delete(source),
  };
}
