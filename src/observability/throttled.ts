/** An error that recurs several times a second, such as an unreachable database, is reported once in this time. */
const EVERY_MS = 10_000;
/** Bounds the lines and the memory when each error has a different text: beyond so many in ten seconds the others are one kind. */
const KINDS_MAX = 100;
const OTHERS = Symbol('others');

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
 * Tells errors that just occurred from those that are to be reported. Errors are of one kind when they have the same `recursAs`, the text
 * of an error without the record that it names; one without it recurs as its whole text. Beyond a hundred kinds in ten seconds the others
 * are counted together.
 *
 * @param textOf What an error without `recursAs` recurs as.
 * @param clock Milliseconds from any beginning.
 * @returns How often the error occurred since this function last gave a number for it, which it does once in ten seconds.
 */
export function countRecurrences(
  clock: () => number = () => performance.now(),
  textOf: (error: unknown) => unknown = String,
): (error: unknown) => number | undefined {
  /** The one that was reported first is the first. */
  const known = new Map<unknown, { readonly reportedAtMs: number; unreported: number }>();
  const isRecent = (kind: unknown) => clock() - (known.get(kind)?.reportedAtMs ?? Number.NEGATIVE_INFINITY) < EVERY_MS;
  const makeRoom = () => {
    for (const kind of known.keys())
      if (known.size < KINDS_MAX || isRecent(kind)) return;
      else known.delete(kind);
  };
  return (error) => {
    let kind = kindOf(error) ?? textOf(error);
    if (!known.has(kind)) makeRoom();
    if (!known.has(kind) && known.size >= KINDS_MAX) kind = OTHERS;
    const last = known.get(kind);
    if (last && isRecent(kind)) {
      last.unreported++;
      return undefined;
    }
    known.delete(kind);
    known.set(kind, { reportedAtMs: clock(), unreported: 0 });
    return (last?.unreported ?? 0) + 1;
  };
}

function kindOf(error: unknown): string | undefined {
  return error instanceof Error && 'recursAs' in error ? `${error.name}: ${error.recursAs}` : undefined;
}
