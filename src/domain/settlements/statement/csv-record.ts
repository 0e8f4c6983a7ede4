/**
 * One record of RFC 4180 as text, with its line feed: cells apart by commas, and quoted only where they hold a comma, a quotation
 * mark or the end of a line.
 *
 * Of our own although packages do it: statements are hashed and must have the same bytes for as long as they are kept, so what
 * is quoted must not change with a package's version.
 *
 * @see RFC 4180, section 2; with LF alone at the end of a line.
 */
export function csvRecord(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\n`;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
