import { createRequire } from 'node:module';

/** A row for people: column headings to values, each on one line. */
export type Row = Readonly<Record<string, string>>;

/** A wider table would be broken by most terminals and documents. */
export const COLUMNS_MAX = 120;
const GAP = '  ';

/**
 * The lines of a table that fits {@link COLUMNS_MAX} columns, as a terminal counts them: an Arabic vowel mark takes none. Cells are
 * wrapped at spaces. When that is not enough, each row is printed as fields, with a blank line between two rows.
 */
export function layOutTable(rows: readonly Row[]): string[] {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names.map((name) => name.toUpperCase()), ...rows.map((row) => names.map((name) => row[name] ?? ''))];
  const widths = fitWidths(lines);
  if (widths === undefined)
    return rows.flatMap((row, index) => [...(index === 0 ? [] : ['']), ...layOutFields(row, COLUMNS_MAX)]);
  return lines.flatMap((cells) => layOutLine(cells, widths));
}

/**
 * One record, a line for each field.
 *
 * @param columnsMax Longer values are wrapped at spaces.
 */
export function layOutFields(fields: Row, columnsMax = Number.POSITIVE_INFINITY): string[] {
  const width = widestOf(Object.keys(fields));
  return Object.entries(fields).flatMap(([name, value]) =>
    wrap(value, columnsMax - width - GAP.length).map((part, line) => `${pad(line === 0 ? name : '', width)}${GAP}${part}`),
  );
}

/** `undefined` when the longest words of the columns do not fit side by side. */
function fitWidths(lines: readonly (readonly string[])[]): number[] | undefined {
  const columns = (lines[0] ?? []).map((_, index) => lines.map((cells) => cells[index] ?? ''));
  const widths = columns.map((cells) => widestOf(cells));
  let over = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - COLUMNS_MAX;
  if (over <= 0) return widths;
  const least = columns.map((cells) => widestOf(cells.flatMap((cell) => cell.split(' '))));
  while (over > 0) {
    const index = widestToWrap(widths, least);
    if (index === undefined) return undefined;
    widths[index] = (widths[index] as number) - 1;
    over--;
  }
  return widths;
}

/** There may be more texts than a call takes arguments. */
function widestOf(texts: readonly string[]): number {
  return texts.reduce((widest, text) => Math.max(widest, widthOf(text)), 0);
}

function widestToWrap(widths: readonly number[], least: readonly number[]): number | undefined {
  const wrappable = widths.map((width, index) => (width > (least[index] as number) ? width : 0));
  const widest = Math.max(...wrappable);
  return widest === 0 ? undefined : wrappable.indexOf(widest);
}

function layOutLine(cells: readonly string[], widths: readonly number[]): string[] {
  const wrapped = cells.map((cell, index) => wrap(cell, widths[index] as number));
  const height = Math.max(...wrapped.map((parts) => parts.length));
  return Array.from({ length: height }, (_, line) =>
    wrapped
      .map((parts, index) => pad(parts[line] ?? '', widths[index] as number))
      .join(GAP)
      .trimEnd(),
  );
}

function wrap(cell: string, width: number): string[] {
  if (widthOf(cell) <= width) return [cell];
  const lines: string[] = [];
  for (const word of cell.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${word}`) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** In most texts each character takes one column, which is quick to check. */
function widthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : loadStringWidth()(text);
}

/** When a text needs it: its expressions over all of Unicode take longer than most of what a command loads. */
function loadStringWidth(): (text: string) => number {
  return createRequire(import.meta.url)('string-width').default;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
