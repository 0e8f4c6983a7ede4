/** Why a text cannot be split into records, and the line where the record begins. */
export class CsvError extends Error {
  override readonly name = 'CsvError';
  readonly code: 'open_quote' | 'record_too_long';
  readonly lineNo: number;

  constructor(code: CsvError['code'], lineNo: number) {
    super(`${code} in line ${lineNo}`);
    this.code = code;
    this.lineNo = lineNo;
  }
}

export interface CsvRecord {
  /** The line of the text where the record begins, from 1. */
  readonly lineNo: number;
  readonly cells: readonly string[];
}

/** Splits a text as it arrives. */
export interface CsvSplitter {
  /** The records that end in this piece, in order. */
  read(piece: string): CsvRecord[];
  /** The last record, when no line end follows it. */
  end(): CsvRecord[];
}

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Splits CSV into records: RFC 4180, with LF or CR LF line ends. A quotation mark inside an unquoted cell is text, and so are quotation
 * marks after the closing one. No package is used because `csv-parse` creates an error object for each record whose length differs from
 * the first, even when such records are allowed: 29 s for a megabyte of blank lines.
 *
 * @param characters The longest record.
 * @throws CsvError From `read` and `end`: a record is too long. From `end`: a quotation mark is not closed.
 */
export function splitCsv(delimiter: string, characters: number): CsvSplitter {
  return new RecordSplitter(delimiter.charCodeAt(0), characters);
}

class RecordSplitter implements CsvSplitter {
  readonly #separator: number;
  readonly #charactersMax: number;
  #place: 'cell_start' | 'in_cell' | 'in_quotes' | 'behind_quotes' = 'cell_start';
  #lineNo = 1;
  #piece = '';
  /** The position in the piece from which the cell is not in `#cell` yet. */
  #from = 0;
  #cell = '';
  #cells: string[] = [];
  #recordLineNo = 1;
  /** The position of the record in the piece, and its length in earlier pieces. */
  #recordFrom = 0;
  #length = 0;
  #records: CsvRecord[] = [];

  constructor(separator: number, charactersMax: number) {
    this.#separator = separator;
    this.#charactersMax = charactersMax;
  }

  read(piece: string): CsvRecord[] {
    [this.#piece, this.#from, this.#recordFrom, this.#records] = [piece, 0, 0, []];
    for (let at = 0; at < piece.length; at++) {
      const character = piece.charCodeAt(at);
      if (character === LINE_FEED) this.#lineNo++;
      if (this.#place === 'in_quotes') this.#readInQuotes(character, at);
      else if (this.#place !== 'behind_quotes' || !this.#goesOn(character, at)) this.#readOutside(character, at);
    }
    this.#cell += piece.slice(this.#from);
    this.#length += piece.length - this.#recordFrom;
    this.#checkLength();
    return this.#records;
  }

  end(): CsvRecord[] {
    if (this.#place === 'in_quotes') throw new CsvError('open_quote', this.#recordLineNo);
    this.#records = [];
    if (this.#length > 0) this.#endRecord('');
    return this.#records;
  }

  #readInQuotes(character: number, at: number): void {
    if (character !== QUOTE) return;
    this.#cell += this.#piece.slice(this.#from, at);
    this.#from = at + 1;
    this.#place = 'behind_quotes';
  }

  /** After a quotation mark in a quoted cell: whether the cell continues. */
  #goesOn(character: number, at: number): boolean {
    if (character === this.#separator || character === LINE_FEED) return false;
    const isQuote = character === QUOTE;
    if (character !== CARRIAGE_RETURN) this.#cell = isQuote ? `${this.#cell}"` : `"${this.#cell}"`;
    this.#place = isQuote ? 'in_quotes' : 'in_cell';
    this.#from = isQuote ? at + 1 : at;
    return true;
  }

  #readOutside(character: number, at: number): void {
    if (character === this.#separator) {
      this.#endCell(this.#piece.slice(this.#from, at));
      this.#from = at + 1;
    } else if (character === LINE_FEED) {
      this.#length += at - this.#recordFrom;
      this.#endRecord(this.#piece.slice(this.#from, at));
      this.#from = this.#recordFrom = at + 1;
    } else if (this.#place === 'cell_start') {
      this.#place = character === QUOTE ? 'in_quotes' : 'in_cell';
      this.#from = character === QUOTE ? at + 1 : at;
    }
  }

  #endCell(rest: string): void {
    this.#cells.push(this.#cell + rest);
    this.#cell = '';
    this.#place = 'cell_start';
  }

  #endRecord(rest: string): void {
    this.#checkLength();
    const isEndedByReturn = this.#place === 'in_cell' && (this.#cell + rest).endsWith('\r');
    this.#endCell(rest);
    const cells = this.#cells;
    if (isEndedByReturn) cells.push((cells.pop() as string).slice(0, -1));
    this.#records.push({ lineNo: this.#recordLineNo, cells });
    [this.#cells, this.#length, this.#recordLineNo] = [[], 0, this.#lineNo];
  }

  #checkLength(): void {
    if (this.#length > this.#charactersMax) throw new CsvError('record_too_long', this.#recordLineNo);
  }
}
