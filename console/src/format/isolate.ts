/** What is read from left to right, such as an id or `2026-11-2`, within a text of either direction. */
export function isolate(text: string): string {
  return `\u2066${text}\u2069`;
}

/** What somebody else wrote, in its own direction. */
export function isolateForeign(text: string): string {
  return `\u2068${text}\u2069`;
}

/** Whether a letter of Hebrew, Arabic or another script of their direction is in it. */
export function isRightToLeft(text: string): boolean {
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(text);
}
