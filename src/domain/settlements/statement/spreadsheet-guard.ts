/**
 * The first character of a guarded cell. No identifier, code or number of a statement contains it, so a reader removes it and has the
 * original.
 */
const GUARD = "'";

/** Spreadsheets keep this many digits of a number and replace the others by zeros. */
const DIGITS_MAX = 15;

/** `MAY-5` becomes a date, `TRUE` a truth value. Formulas, numbers, dates and times never begin with a letter. */
const MEANING_WORD = /^(?:true|false|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-.:]?\d.*)$/i;

/**
 * A text that a spreadsheet does not convert: `00123`, `-1+2`, `1-2` and `MAY5` get a leading apostrophe, `ORDER-17` does not.
 *
 * @see docs/spec/settlements.md#2-settlement, Statement, `?excel_safe=true`.
 */
export function guardText(text: string): string {
  return text === '' || (/^[A-Za-z]/.test(text) && !MEANING_WORD.test(text)) ? text : GUARD + text;
}

/** Hexadecimal digits with another letter than the `e` of an exponent. */
const HASH = /^(?=.*[a-df])[0-9a-f]{32,}$/;

/** A formula behind what some spreadsheets, by the language of their system, take for the end of a cell even within quotation marks. */
const FORMULA_WITHIN = /([;\t\r\n]["\s]*)(?=[=+\-@])/g;

/** `March 2026`, `May, 5` and `Dec/26` become dates too. No identifier has a blank, a comma or a slash. */
const MONTH_AND_DAY =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)[\s,./-]+\d/i;

/** The same for a text in any script, and for a hash: what begins with a letter, in Arabic too, is no number and no formula. */
export function guardWords(text: string): string {
  const isPlain = /^\p{L}/u.test(text) && !MEANING_WORD.test(text) && !MONTH_AND_DAY.test(text);
  const isKept = text === '' || HASH.test(text) || isPlain;
  const guarded = text.replaceAll(FORMULA_WITHIN, `$1${GUARD}`);
  return isKept ? guarded : GUARD + guarded;
}

/** A number that a spreadsheet may read as one, unless it would lose digits: with more than fifteen digits it becomes a text. */
export function guardNumber(text: string): string {
  const digits = text.replace(/^[-0.]+|\./g, '');
  return digits.length > DIGITS_MAX ? GUARD + text : text;
}

/** The cell without its guard; any other cell as it is. */
export function unguard<Cell extends string | undefined>(cell: Cell): Cell {
  return (cell?.startsWith(GUARD) ? cell.slice(GUARD.length) : cell) as Cell;
}
