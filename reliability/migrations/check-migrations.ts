export interface MigrationsFigures {
  /** How many files were applied. */
  readonly applied: number;
  /** Names of the files that the database lacks at the end. */
  readonly pending: readonly string[];
  /** The longest that a writer waited for a lock while files were applied. */
  readonly longestWaitMs: number;
  /** How many pairs of a contribution and an estimate were written while files were applied. */
  readonly pairsMeanwhile: number;
  /** Tables with a row of before that is missing or has other values. */
  readonly changed: readonly string[];
  /** Contributions of the writers: acknowledged, and there at the end. */
  readonly written: { readonly expected: number; readonly found: number };
}

const WAIT_MAX_MS = 500;

/** Every file was applied, beside writers who did not wait, and every row is there at the end as it was written. */
export function checkMigrations(figures: MigrationsFigures, report: (violation: string) => void): void {
  const { applied, pending, longestWaitMs, pairsMeanwhile, changed, written } = figures;
  if (applied === 0) report('void: no file was applied');
  if (pairsMeanwhile === 0) report('void: nothing was written while files were applied');
  if (pending.length > 0) report(`${pending.join(', ')} were not applied`);
  if (longestWaitMs > WAIT_MAX_MS) report(`a writer waited ${longestWaitMs} ms for a lock`);
  for (const table of changed) report(`the rows of ${table} are not those of before the migrations`);
  if (written.found !== written.expected)
    report(`${written.expected} contributions were written beside the migrations, and ${written.found} are there`);
}
