/** What is read from left to right, such as an id or `2026-11-2`, within a text of either direction. */
export function isolate(text: string): string {
  return `\u2066${text}\u2069`;
}
