/** Why a text cannot be cut into records, and the line where the record begins. */
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
  /** The line of the text where it begins, from 1. */
  readonly lineNo: number;
  readonly cells: readonly string[];
}

/** Takes a text apart as it comes. */
export interface CsvSplitter {
  /** The records that end in this piece, in order. */
  read(piece: string): CsvRecord[];
  /** The last record, where no end of a line follows it. */
  end(): CsvRecord[];
}

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Cuts CSV into records: RFC 4180, with LF or CR LF at the end of a line. A quotation mark inside a cell that does not begin with one
 * is text, and so are the quotation marks of a cell that goes on behind the closing one.
 *
 * Of our own because `csv-parse` makes an error object for each record of another length than the first, also where such records are
 * allowed: 29 s for a megabyte of blank lines.
 *
 * @param characters How long a record may be.
 * @throws CsvError From `read` and `end`: a record is too long. From `end`: a quotation mark is not closed.
 */
export function splitCsv(delimiter: string, characters: number): CsvSplitter {
  const separator = delimiter.charCodeAt(0);
  const records: CsvRecord[] = [];
  let [cells, cell, length]: [string[], string, number] = [[], '', 0];
  let [lineNo, recordLineNo] = [1, 1];
  let place: 'cell_start' | 'in_cell' | 'in_quotes' | 'behind_quotes' = 'cell_start';

  const endCell = (rest: string) => {
    cells.push(cell + rest);
    cell = '';
    place = 'cell_start';
  };
  const endRecord = (rest: string) => {
    if (length > characters) throw new CsvError('record_too_long', recordLineNo);
    const isEndedByReturn = place === 'in_cell' && (cell + rest).endsWith('\r');
    endCell(rest);
    if (isEndedByReturn) cells.push((cells.pop() as string).slice(0, -1));
    records.push({ lineNo: recordLineNo, cells });
    [cells, length, recordLineNo] = [[], 0, lineNo];
  };
  /** Behind a quotation mark in a quoted cell: whether the cell goes on. */
  const goesOn = (character: number): boolean => {
    if (character === separator || character === LINE_FEED) return false;
    if (character === QUOTE) place = 'in_quotes';
    else place = 'in_cell';
    if (character !== CARRIAGE_RETURN) cell = character === QUOTE ? `${cell}"` : `"${cell}"`;
    return true;
  };
  const read = (piece: string): void => {
    let [from, recordFrom] = [0, 0];
    for (let at = 0; at < piece.length; at++) {
      const character = piece.charCodeAt(at);
      if (character === LINE_FEED) lineNo++;
      if (place === 'in_quotes') {
        if (character !== QUOTE) continue;
        cell += piece.slice(from, at);
        [from, place] = [at + 1, 'behind_quotes'];
      } else if (place === 'behind_quotes' && goesOn(character)) from = character === QUOTE ? at + 1 : at;
      else if (character === separator) {
        endCell(piece.slice(from, at));
        from = at + 1;
      } else if (character === LINE_FEED) {
        length += at - recordFrom;
        endRecord(piece.slice(from, at));
        from = recordFrom = at + 1;
      } else if (place === 'cell_start') {
        place = character === QUOTE ? 'in_quotes' : 'in_cell';
        from = character === QUOTE ? at + 1 : at;
      }
    }
    cell += piece.slice(from);
    length += piece.length - recordFrom;
    if (length > characters) throw new CsvError('record_too_long', recordLineNo);
  };
  return {
    read(piece) {
      read(piece);
      return records.splice(0);
    },
    end() {
      if (place === 'in_quotes') throw new CsvError('open_quote', recordLineNo);
      if (length > 0) endRecord('');
      return records.splice(0);
    },
  };
}
