/** The clock of the service: that of the browser may be hours off, and does not say what is over or may still be done. */
let aheadMs = 0;

/** Of each answer, whose `Date` is in whole seconds. */
export function keepServiceTime({ headers }: Response): void {
  const at = Date.parse(headers.get('date') ?? '');
  if (!Number.isNaN(at)) aheadMs = Date.now() - at;
}

/** Milliseconds since 1970 by the clock of the service, behind it by what the latest answer took and a second at most. */
export function serviceNow(): number {
  return Date.now() - aheadMs;
}
