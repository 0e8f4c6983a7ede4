import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import {
  LIST_FIELDS,
  LIST_LIMITS,
  type LineValues,
  type ListEntry,
  type ListField,
  type ListLimits,
  type ListReading,
  lineTooLong,
  listTooLarge,
  readListLine,
  refuseList,
  STATEMENT_FIELDS,
  type StatementField,
} from './partner-list.ts';
import { unguard } from './spreadsheet-guard.ts';

/** Where each field stands in a record; those of a statement where the list is one. */
type Positions = readonly (readonly [field: ListField | StatementField, position: number])[];

/**
 * The lines of a partner's list in CSV, in order, as the bytes come: RFC 4180, with or without a byte order mark, with LF or CR LF,
 * cells apart by commas, semicolons or tabs. The header row names the columns, in any order and case. Lines without content are
 * passed over. A line that is malformed is told as such, and what follows it is read. The service's own statement is read as one, as it
 * is served and in the form for spreadsheets: no value of a list begins with that form's apostrophe.
 *
 * @throws ServiceError `invalid_request`: the header row lacks a column, a quotation mark is not closed, a line is too long (400),
 * or the list has more lines than it may (413); `details[].code` tells which.
 * @see settlements, section 2, Reconciliation.
 */
export async function* readCsvList(
  chunks: AsyncIterable<Uint8Array>,
  reading: ListReading = LIST_LIMITS,
): AsyncGenerator<ListEntry> {
  const { firstLine, bytes } = await peekFirstLine(chunks, reading);
  let positions: Positions | undefined;
  let count = 0;
  for await (const { lineNo, cells } of parseRecords(bytes, findDelimiter(firstLine), reading)) {
    if (!positions) {
      positions = readHeader(cells);
      if (positions.length > LIST_FIELDS.length) reading.onStatement?.();
      continue;
    }
    if (++count > reading.lines) throw listTooLarge('too_many_lines', `${reading.lines} lines`);
    yield readListLine(lineNo, pick(cells, positions));
  }
  if (!positions) throw missingColumns(LIST_FIELDS);
}

/** The text of the first line, or of what there is of it within the limit, and all of the bytes. */
async function peekFirstLine(chunks: AsyncIterable<Uint8Array>, { lineCharacters }: ListLimits) {
  const iterator = chunks[Symbol.asyncIterator]();
  const taken: Uint8Array[] = [];
  let firstLine = '';
  while (!firstLine.includes('\n') && firstLine.length <= lineCharacters) {
    const { done, value } = await iterator.next();
    if (done) break;
    taken.push(value);
    firstLine += Buffer.from(value).toString('latin1');
  }
  const bytes = async function* () {
    try {
      yield* taken;
      for (let step = await iterator.next(); !step.done; step = await iterator.next()) yield step.value;
    } finally {
      await iterator.return?.();
    }
  };
  return { firstLine: firstLine.split('\n', 1)[0] ?? '', bytes: bytes() };
}

/** What stands behind the name of a column. Two of the three that a list must have stand before another. */
function findDelimiter(firstLine: string): string {
  const name = new RegExp(`(?:${LIST_FIELDS.join('|')})[" ]*([,;\\t])`, 'i');
  return name.exec(firstLine)?.[1] ?? ',';
}

interface CsvLine {
  readonly lineNo: number;
  readonly cells: readonly string[];
}

async function* parseRecords(bytes: AsyncIterable<Uint8Array>, delimiter: string, limits: ListLimits): AsyncGenerator<CsvLine> {
  let nextLine = 1;
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    // A quotation mark within a cell makes that cell malformed, not the list.
    relax_quotes: true,
    max_record_size: limits.lineCharacters,
    // The parser's own count takes a CR LF within a cell for two lines.
    on_record(cells) {
      const line: CsvLine = { lineNo: nextLine, cells };
      nextLine += 1 + countBreaks(cells);
      // Any value is passed on, though the types have it that it must be cells again.
      return cells.every((cell) => cell === '') ? null : (line as unknown as string[]);
    },
  });
  // Ends the parser with the source's error, and the source when the reader stops early; the loop over the parser tells of both.
  pipeline(Readable.from(bytes, { objectMode: false }), parser, () => {});
  try {
    yield* parser as AsyncIterable<CsvLine>;
  } catch (error) {
    throw error instanceof CsvError ? describeFailure(error, nextLine, limits) : error;
  }
}

function readHeader(record: readonly string[]): Positions {
  const names = record.map((name) => name.trim().toLowerCase());
  const missing = LIST_FIELDS.filter((field) => !names.includes(field));
  if (missing.length > 0) throw missingColumns(missing);
  const isStatement = STATEMENT_FIELDS.every((field) => names.includes(field));
  const fields = isStatement ? [...LIST_FIELDS, ...STATEMENT_FIELDS] : LIST_FIELDS;
  const repeated = fields.find((field) => names.indexOf(field) !== names.lastIndexOf(field));
  if (repeated) throw refuseList('repeated_column', `The header row names the column ${repeated} twice.`);
  return fields.map((field) => [field, names.indexOf(field)]);
}

function missingColumns(fields: readonly ListField[]) {
  return refuseList('missing_column', `The header row of the list lacks ${fields.join(', ')}.`);
}

function pick(record: readonly string[], positions: Positions): LineValues {
  const values: Record<string, string | undefined> = {};
  for (const [field, position] of positions) values[field] = unguard(record[position]);
  return values as unknown as LineValues;
}

function countBreaks(cells: readonly string[]): number {
  return cells.reduce((breaks, cell) => breaks + (cell.includes('\n') ? cell.split('\n').length - 1 : 0), 0);
}

function describeFailure(error: CsvError, lineNo: number, limits: ListLimits) {
  if (error.code === 'CSV_MAX_RECORD_SIZE') return lineTooLong(lineNo, limits);
  const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED';
  const message = isOpen
    ? `A quotation mark in line ${lineNo} of the list is not closed.`
    : `Line ${lineNo} of the list is not CSV.`;
  return refuseList(isOpen ? 'open_quote' : 'not_csv', message);
}
