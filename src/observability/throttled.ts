/** An error that recurs several times a second, such as an unreachable database, is reported once in this time. */
const EVERY_MS = 10_000;
/** Bounds the memory when each error has a different text. */
const KINDS_MAX = 1_000;

/**
 * Reports an error when it first occurs, and the same error again after ten seconds at the earliest.
 *
 * @param report `times`: how often the error occurred since its last report, this time included. `rest`: what came with this one.
 * @param clock Milliseconds from any beginning.
 */
export function throttled<Rest extends unknown[]>(
  report: (error: unknown, times: number, ...rest: Rest) => void,
  clock?: () => number,
): (error: unknown, ...rest: Rest) => void {
  const timesOf = countRecurrences(clock);
  return (error, ...rest) => {
    const times = timesOf(error);
    if (times !== undefined) report(error, times, ...rest);
  };
}

/**
 * Tells errors that just occurred from those that are to be reported.
 *
 * @param clock Milliseconds from any beginning.
 * @returns How often the error occurred since this function last gave a number for it, which it does once in ten seconds.
 */
export function countRecurrences(clock: () => number = () => performance.now()): (error: unknown) => number | undefined {
  const known = new Map<string, { readonly reportedAtMs: number; unreported: number }>();
  return (error) => {
    const kind = String(error);
    const last = known.get(kind);
    if (last && clock() - last.reportedAtMs < EVERY_MS) {
      last.unreported++;
      return undefined;
    }
    if (known.size >= KINDS_MAX) known.clear();
    known.set(kind, { reportedAtMs: clock(), unreported: 0 });
    return (last?.unreported ?? 0) + 1;
  };
}
