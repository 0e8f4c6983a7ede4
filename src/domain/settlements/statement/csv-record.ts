/**
 * One record of RFC 4180 as text, with its line feed: cells separated by commas, and quoted only when they contain a comma, a quotation
 * mark or a line end. No package is used: statements are hashed and must keep the same bytes, so quoting must not change with a package's
 * version.
 *
 * @see RFC 4180, section 2; with LF alone as the line end.
 */
export function csvRecord(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\n`;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
