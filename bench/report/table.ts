export type Column<Row> = readonly [heading: string, show: (row: Row) => string];

/** A heading and a line for each row; the first column to the left, figures to the right. */
export function renderTable<Row>(title: string, columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = [columns.map(([heading]) => heading), ...rows.map((row) => columns.map(([, show]) => show(row)))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return `\n${title}\n\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

export function whole(value: number | undefined): string {
  return value === undefined ? '–' : Math.round(value).toLocaleString('en');
}

/** Two digits behind the point, one from ten on. */
export function decimal(value: number | undefined): string {
  return value === undefined ? '–' : value.toFixed(value < 10 ? 2 : 1);
}

export function ratio(value: number | undefined, reference: number | undefined): string {
  return value === undefined || reference === undefined || reference === 0 ? '–' : `${(value / reference).toFixed(2)}×`;
}

/** Of processor time for a request, of so many cores in use. */
export function microseconds(cores: number | undefined, perSecond: number): string {
  return cores === undefined || perSecond === 0 ? '–' : whole((cores / perSecond) * 1e6);
}
