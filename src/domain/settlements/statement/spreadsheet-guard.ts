/**
 * What a guarded cell begins with. No identifier, code or number of a statement can hold it, so whoever reads the cells again
 * takes away the one at the beginning and has the original.
 */
const GUARD = "'";

/** Spreadsheets keep so many digits of a number and make zeros of the rest. */
const DIGITS_MAX = 15;

/** `MAY-5` becomes a date, `TRUE` a truth value. Formulas, numbers, dates and times all begin with something else than a letter. */
const MEANING_WORD = /^(?:true|false|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-.:]?\d.*)$/i;

/**
 * A text as a spreadsheet leaves it alone: `00123`, `-1+2`, `1-2` and `MAY5` get an apostrophe before them, `ORDER-17` does not.
 *
 * @see docs/spec/settlements.md#2-settlement, Statement, `?excel_safe=true`.
 */
export function guardText(text: string): string {
  return text === '' || (/^[A-Za-z]/.test(text) && !MEANING_WORD.test(text)) ? text : GUARD + text;
}

/** A number that a spreadsheet may read as one, unless it would lose digits: past fifteen it becomes a text. */
export function guardNumber(text: string): string {
  const digits = text.replace(/^[-0.]+|\./g, '');
  return digits.length > DIGITS_MAX ? GUARD + text : text;
}

/** The cell without its guard; any other cell as it is. */
export function unguard<Cell extends string | undefined>(cell: Cell): Cell {
  return (cell?.startsWith(GUARD) ? cell.slice(GUARD.length) : cell) as Cell;
}
