import { readJson } from '../parse-json.ts';
import { countLines } from './count-lines.ts';
import { LIST_LIMITS, type ListLimits } from './list-limits.ts';
import {
  LIST_FIELDS,
  type LineValues,
  type ListEntry,
  type ListReading,
  lineTooLong,
  readListLine,
  refuseList,
  STATEMENT_FIELDS,
  unreadableLine,
} from './partner-list.ts';
import { JsonArrayError, splitJsonArray } from './split-json-array.ts';

/**
 * Reads the lines of a partner's JSON list, in order, as the bytes arrive: one array of objects. Numbers are exact. An element that is
 * malformed, or no JSON, is reported, and reading continues.
 *
 * @throws ServiceError `invalid_request`: the text is no array, or not a complete one, an element is too long, too many are malformed
 * (400), or there are too many elements (413); `details[].code` tells which.
 * @see docs/spec/settlements.md#2-settlement, Reconciliation.
 */
export async function* readJsonList(
  chunks: AsyncIterable<Uint8Array>,
  reading: ListReading = LIST_LIMITS,
): AsyncGenerator<ListEntry> {
  const decoder = new TextDecoder();
  const splitter = splitJsonArray(reading.lineCharacters);
  const counter = countLines(reading);
  let lineNo = 0;
  try {
    for await (const chunk of chunks) {
      for (const element of splitter.read(decoder.decode(chunk, { stream: true }))) {
        yield counter.count(readElement(++lineNo, element, reading));
      }
    }
    splitter.end();
  } catch (error) {
    throw error instanceof JsonArrayError ? describeFailure(error, reading) : error;
  }
}

function readElement(lineNo: number, element: string, { onStatement }: ListReading): ListEntry {
  // Creating an error object for each malformed element costs more than reading the rest of it.
  if (!/^[ \t\r\n]*\{/.test(element)) return unreadableLine(lineNo);
  let value: unknown;
  try {
    value = readJson(element);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return unreadableLine(lineNo);
  }
  const members = value as Record<string, unknown>;
  const isStatement = STATEMENT_FIELDS.every((name) => Object.hasOwn(members, name));
  if (isStatement) onStatement?.();
  const names = isStatement ? [...LIST_FIELDS, ...STATEMENT_FIELDS] : LIST_FIELDS;
  const values = Object.fromEntries(names.map((name) => [name, Object.hasOwn(members, name) ? members[name] : undefined]));
  // A CSV cell is a string; in JSON, points are a number.
  return readListLine(lineNo, { ...values, ...(typeof values.points === 'string' && { points: NaN }) } as LineValues);
}

function describeFailure({ code, elementNo }: JsonArrayError, { lineCharacters }: ListLimits) {
  switch (code) {
    case 'element_too_long':
      return lineTooLong(elementNo, lineCharacters);
    case 'not_an_array':
      return refuseList(code, 'The list must be a JSON array of objects.');
    case 'not_ended':
      return refuseList(code, `The list ends after ${elementNo} elements before the end of its array; it may be truncated.`);
    case 'text_after_end':
      return refuseList(code, 'There is text after the end of the array.');
  }
}
