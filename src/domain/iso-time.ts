const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** A time of ISO 8601 with its zone, such as 2026-11-20T19:29:00Z; `undefined` for another text, and for a day that does not exist. */
export function parseIsoTime(text: string): Date | undefined {
  const day = TIME.exec(text)?.[1];
  if (day === undefined || !isDay(day)) return undefined;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** JavaScript takes 30 February for 2 March. */
function isDay(day: string): boolean {
  const midnight = new Date(day);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(`${day}T`);
}
