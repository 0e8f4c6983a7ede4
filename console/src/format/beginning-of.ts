/** The beginning of a text, of so many UTF-16 units at most: one fewer where the last would be half a character, such as of an emoji. */
export function beginningOf(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}
