/** What recurs several times a second while something is wrong, such as a database that is away, is told so often and no more. */
const EVERY_MS = 10_000;
/** A text that differs each time must not fill the memory. */
const KINDS_MAX = 1_000;

/**
 * Tells an error when it first occurs, and the same one again after ten seconds at the earliest.
 *
 * @param tell `times`: how often it occurred since it was last told, this time included.
 * @param clock Milliseconds from any beginning.
 */
export function seldom(
  tell: (error: unknown, times: number) => void,
  clock: () => number = () => performance.now(),
): (error: unknown) => void {
  const known = new Map<string, { readonly toldAtMs: number; untold: number }>();
  return (error) => {
    const kind = String(error);
    const last = known.get(kind);
    if (last && clock() - last.toldAtMs < EVERY_MS) return void last.untold++;
    if (known.size >= KINDS_MAX) known.clear();
    known.set(kind, { toldAtMs: clock(), untold: 0 });
    tell(error, (last?.untold ?? 0) + 1);
  };
}
