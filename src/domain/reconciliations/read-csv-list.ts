import { unguard } from '../settlements/statement/spreadsheet-guard.ts';
import { countLines } from './count-lines.ts';
import { LIST_LIMITS, type ListLimits } from './list-limits.ts';
import {
  LIST_FIELDS,
  type LineValues,
  type ListEntry,
  type ListField,
  type ListReading,
  lineTooLong,
  overfullLine,
  readListLine,
  refuseList,
  STATEMENT_FIELDS,
  type StatementField,
} from './partner-list.ts';
import { CsvError, type CsvRecord, type CsvSplitter, splitCsv } from './split-csv.ts';

interface Header {
  /** How many values a line may have. */
  readonly columns: number;
  /** The position of each field in a record; the statement's fields only when the list is one. */
  readonly positions: readonly (readonly [field: ListField | StatementField, position: number])[];
}

/**
 * Reads the lines of a partner's CSV list, in order, as the bytes arrive: RFC 4180, in UTF-8, or in UTF-16 with a byte order mark as
 * spreadsheets save "Unicode text", with LF or CR LF, cells separated by commas, semicolons or tabs. The header row names the columns, in
 * any order and case; a line has no value beside them. Spaces around a value are ignored. Blank lines are skipped, up to a limit. A
 * malformed line is reported, and reading continues. The service's own statement is recognised, as served and in the form for
 * spreadsheets: no value of a list begins with that form's apostrophe.
 *
 * @throws ServiceError `invalid_request`: the header row lacks a column, a quotation mark is not closed, a line is too long, too many are
 * blank or malformed (400), or the list has too many lines (413); `details[].code` tells which.
 * @see docs/spec/settlements.md#2-settlement, Reconciliation.
 */
export async function* readCsvList(
  chunks: AsyncIterable<Uint8Array>,
  reading: ListReading = LIST_LIMITS,
): AsyncGenerator<ListEntry> {
  const counter = countLines(reading);
  let header: Header | undefined;
  for await (const records of readRecords(chunks, reading)) {
    for (const { lineNo, cells } of records) {
      if (cells.every(isBlank)) counter.countBlank();
      else if (header) yield counter.count(readLine(lineNo, cells, header));
      else {
        header = readHeader(cells);
        if (header.positions.length > LIST_FIELDS.length) reading.onStatement?.();
      }
    }
  }
  if (!header) throw missingColumns(LIST_FIELDS);
}

const isBlank = (cell: string) => cell.trim() === '';

function readLine(lineNo: number, cells: readonly string[], { columns, positions }: Header): ListEntry {
  const isOverfull = cells.length > columns && !cells.slice(columns).every(isBlank);
  if (isOverfull) return overfullLine(lineNo);
  const values: Record<string, string | undefined> = {};
  for (const [field, position] of positions) values[field] = unguard(cells[position]?.trim());
  return readListLine(lineNo, values as unknown as LineValues);
}

/** The bytes, as they arrive. The delimiter is known after the first line, or after the longest possible line. */
async function* readRecords(chunks: AsyncIterable<Uint8Array>, { lineCharacters }: ListLimits): AsyncGenerator<CsvRecord[]> {
  let [beginning, splitter]: [string, CsvSplitter | undefined] = ['', undefined];
  try {
    for await (const text of decode(chunks)) {
      beginning = splitter ? '' : beginning + text;
      if (!splitter && !beginning.includes('\n') && beginning.length <= lineCharacters) continue;
      const isFirst = splitter === undefined;
      splitter ??= splitCsv(findDelimiter(beginning), lineCharacters);
      yield splitter.read(isFirst ? beginning : text);
    }
    if (!splitter) {
      splitter = splitCsv(findDelimiter(beginning), lineCharacters);
      yield splitter.read(beginning);
    }
    yield splitter.end();
  } catch (error) {
    throw error instanceof CsvError ? describeFailure(error, lineCharacters) : error;
  }
}

/** The text of the bytes, as they arrive. Its byte order mark tells the encoding; without one it is UTF-8. */
async function* decode(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let beginning: Uint8Array = new Uint8Array();
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of chunks) {
    const bytes = decoder ? chunk : Buffer.concat([beginning, chunk]);
    if (!decoder && bytes.length < 2) beginning = bytes;
    else {
      decoder ??= new TextDecoder(encodingOf(bytes));
      yield decoder.decode(bytes, { stream: true });
    }
  }
  yield decoder ? decoder.decode() : new TextDecoder().decode(beginning);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** The character after the name of a column. Two of the three required columns are followed by another. */
function findDelimiter(text: string): string {
  const name = new RegExp(`(?:${LIST_FIELDS.join('|')})[" ]*([,;\\t])`, 'i');
  return name.exec(text.split('\n', 1)[0] as string)?.[1] ?? ',';
}

function readHeader(record: readonly string[]): Header {
  const names = record.map((name) => name.trim().toLowerCase());
  const missing = LIST_FIELDS.filter((field) => !names.includes(field));
  if (missing.length > 0) throw missingColumns(missing);
  const isStatement = STATEMENT_FIELDS.every((field) => names.includes(field));
  const fields = isStatement ? [...LIST_FIELDS, ...STATEMENT_FIELDS] : LIST_FIELDS;
  const repeated = fields.find((field) => names.indexOf(field) !== names.lastIndexOf(field));
  if (repeated) throw refuseList('repeated_column', `The header row has the column ${repeated} twice.`);
  return { columns: names.length, positions: fields.map((field) => [field, names.indexOf(field)]) };
}

function missingColumns(fields: readonly ListField[]) {
  return refuseList('missing_column', `The header row of the list lacks ${fields.join(', ')}.`);
}

function describeFailure({ code, lineNo }: CsvError, lineCharacters: number) {
  if (code === 'record_too_long') return lineTooLong(lineNo, lineCharacters);
  return refuseList('open_quote', `A quotation mark in line ${lineNo} of the list is not closed.`);
}
