import { createHash } from 'node:crypto';
import type { SettlementLine } from '../settlement-line.ts';
import { csvRecord } from './csv-record.ts';
import { guardNumber, guardText } from './spreadsheet-guard.ts';
import { type ColumnKind, STATEMENT_COLUMNS, STATEMENT_HEADER } from './statement-columns.ts';

/** The stored digest of a statement's plain bytes, by which a later check finds whether they are the same. */
export interface StatementDigest {
  /** SHA-256 of all plain bytes, 64 lower-case hexadecimal digits. */
  readonly csvSha256: string;
  /** Lines of the settlement, without the header row. */
  readonly lineCount: number;
  /** Of the plain bytes. */
  readonly byteCount: number;
}

export interface StatementOptions {
  /** Guards cells that a spreadsheet would convert. The digest is not of these bytes. */
  readonly isExcelSafe?: boolean;
}

/** The bytes that are hashed, or the bytes for spreadsheets. */
export type StatementForm = 'plain' | 'excel_safe';

/** The least size of a chunk, except the last. */
const CHUNK_CHARACTERS = 64 * 1024;

const GUARDS: Record<ColumnKind, (cell: string) => string> = { number: guardNumber, text: guardText, time: (cell) => cell };

/** The cells of a line as they are written. */
export function statementCells(line: SettlementLine, form: StatementForm): string[] {
  const cells = STATEMENT_COLUMNS.map(({ cell }) => cell(line));
  return form === 'plain' ? cells : guardCells(cells);
}

/** The cells of a line for spreadsheets. */
export function guardCells(cells: readonly string[]): string[] {
  return cells.map((cell, n) => GUARDS[STATEMENT_COLUMNS[n]?.kind ?? 'time'](cell));
}

/**
 * The statement of a closed settlement: CSV of RFC 4180 in UTF-8, lines ending with LF, a header row, no footer. The same lines always
 * give the same bytes. Memory does not grow with the number of lines.
 *
 * @param lines In the order of their numbers.
 * @returns The chunks, and as the return value of the generator the digest of the plain bytes, in whichever form the chunks are;
 * {@link digestStatement} gives the digest alone.
 * @throws RangeError When the numbers of the lines have a gap, so that some are missing.
 * @see docs/spec/settlements.md#2-settlement, Statement.
 */
export async function* writeStatement(
  lines: AsyncIterable<SettlementLine> | Iterable<SettlementLine>,
  { isExcelSafe = false }: StatementOptions = {},
): AsyncGenerator<Buffer, StatementDigest> {
  const hash = createHash('sha256');
  const header = csvRecord(STATEMENT_HEADER);
  let [text, plain, lineCount, byteCount] = [header, header, 0, 0];
  const cutChunk = () => {
    const chunk = Buffer.from(text);
    const hashed = isExcelSafe ? Buffer.from(plain) : chunk;
    hash.update(hashed);
    byteCount += hashed.length;
    [text, plain] = ['', ''];
    return chunk;
  };
  for await (const line of lines) {
    if (line.lineNo !== ++lineCount)
      throw new RangeError(`Line ${line.lineNo} of a settlement stands where line ${lineCount} belongs`);
    const cells = statementCells(line, 'plain');
    const record = csvRecord(cells);
    text += isExcelSafe ? csvRecord(guardCells(cells)) : record;
    if (isExcelSafe) plain += record;
    if (text.length >= CHUNK_CHARACTERS) yield cutChunk();
  }
  if (text !== '') yield cutChunk();
  return { csvSha256: hash.digest('hex'), lineCount, byteCount };
}

/** The digest that is stored when a settlement closes; the bytes are not kept. */
export async function digestStatement(lines: AsyncIterable<SettlementLine> | Iterable<SettlementLine>): Promise<StatementDigest> {
  const chunks = writeStatement(lines);
  let step = await chunks.next();
  while (!step.done) step = await chunks.next();
  return step.value;
}
