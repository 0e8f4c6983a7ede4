import { unguard } from '../settlements/statement/spreadsheet-guard.ts';
import { countLines } from './count-lines.ts';
import {
  LIST_FIELDS,
  LIST_LIMITS,
  type LineValues,
  type ListEntry,
  type ListField,
  type ListLimits,
  type ListReading,
  lineTooLong,
  readListLine,
  refuseList,
  STATEMENT_FIELDS,
  type StatementField,
} from './partner-list.ts';
import { CsvError, type CsvRecord, type CsvSplitter, splitCsv } from './split-csv.ts';

/** Where each field stands in a record; those of a statement where the list is one. */
type Positions = readonly (readonly [field: ListField | StatementField, position: number])[];

/**
 * The lines of a partner's list in CSV, in order, as the bytes come: RFC 4180, with or without a byte order mark, with LF or CR LF,
 * cells apart by commas, semicolons or tabs. The header row names the columns, in any order and case. Lines without content are
 * passed over, up to a bound. A line that is malformed is told as such, and what follows it is read. The service's own statement is read as
 * one, as it is served and in the form for spreadsheets: no value of a list begins with that form's apostrophe.
 *
 * @throws ServiceError `invalid_request`: the header row lacks a column, a quotation mark is not closed, a line is too long, too many are
 * blank or malformed (400), or the list has more lines than it may (413); `details[].code` tells which.
 * @see docs/spec/settlements.md#2-settlement, Reconciliation.
 */
export async function* readCsvList(
  chunks: AsyncIterable<Uint8Array>,
  reading: ListReading = LIST_LIMITS,
): AsyncGenerator<ListEntry> {
  const counter = countLines(reading);
  let positions: Positions | undefined;
  for await (const records of readRecords(chunks, reading)) {
    for (const { lineNo, cells } of records) {
      if (cells.every((cell) => cell === '')) counter.countBlank();
      else if (positions) yield counter.count(readListLine(lineNo, pick(cells, positions)));
      else {
        positions = readHeader(cells);
        if (positions.length > LIST_FIELDS.length) reading.onStatement?.();
      }
    }
  }
  if (!positions) throw missingColumns(LIST_FIELDS);
}

/** As they come. The delimiter is known when the first line is there, or as much of it as a line may have. */
async function* readRecords(chunks: AsyncIterable<Uint8Array>, { lineCharacters }: ListLimits): AsyncGenerator<CsvRecord[]> {
  const decoder = new TextDecoder();
  let [beginning, splitter]: [string, CsvSplitter | undefined] = ['', undefined];
  try {
    for await (const chunk of chunks) {
      const text = decoder.decode(chunk, { stream: true });
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

/** What stands behind the name of a column. Two of the three that a list must have stand before another. */
function findDelimiter(text: string): string {
  const name = new RegExp(`(?:${LIST_FIELDS.join('|')})[" ]*([,;\\t])`, 'i');
  return name.exec(text.split('\n', 1)[0] as string)?.[1] ?? ',';
}

function readHeader(record: readonly string[]): Positions {
  const names = record.map((name) => name.trim().toLowerCase());
  const missing = LIST_FIELDS.filter((field) => !names.includes(field));
  if (missing.length > 0) throw missingColumns(missing);
  const isStatement = STATEMENT_FIELDS.every((field) => names.includes(field));
  const fields = isStatement ? [...LIST_FIELDS, ...STATEMENT_FIELDS] : LIST_FIELDS;
  const repeated = fields.find((field) => names.indexOf(field) !== names.lastIndexOf(field));
  if (repeated) throw refuseList('repeated_column', `The header row has the column ${repeated} twice.`);
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

function describeFailure({ code, lineNo }: CsvError, lineCharacters: number) {
  if (code === 'record_too_long') return lineTooLong(lineNo, lineCharacters);
  return refuseList('open_quote', `A quotation mark in line ${lineNo} of the list is not closed.`);
}
