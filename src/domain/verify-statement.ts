import { createHash } from 'node:crypto';
import { readAmount } from './money.ts';
import type { LineType } from './settlement-line.ts';
import { countTotals, type SettlementTotals, settlementAmount, type TotalsCounter } from './settlement-totals.ts';
import { REQUIRED_COLUMNS, STATEMENT_COLUMNS, STATEMENT_HEADER } from './statement-columns.ts';

/** What the service has kept of a statement; what is not known is not compared. */
export interface ExpectedStatement {
  readonly csvSha256?: string;
  readonly lineCount?: number;
  readonly totals?: ExpectedTotals;
}

/** The fields of the closed settlement. */
export interface ExpectedTotals
  extends Pick<
    SettlementTotals,
    'contributionCount' | 'adjustmentCount' | 'grossPoints' | 'adjustmentPoints' | 'carriedPoints' | 'netPoints'
  > {
  /** As it was billed: rounded to the currency's minor units. */
  readonly amount: string | null;
  readonly currency: string | null;
}

/** One thing that is wrong with a statement. */
export interface StatementProblem {
  /** In the file, from 1, the header row; `null` where the file as a whole is meant. */
  readonly line: number | null;
  readonly column: string | null;
  readonly code: string;
  readonly message: string;
}

export interface StatementVerdict {
  /** Nothing is wrong. */
  readonly isIntact: boolean;
  /** The first line that is wrong, if any, then what is wrong with the file as a whole. */
  readonly problems: readonly StatementProblem[];
  /** Of the bytes that were read, whatever they are. */
  readonly csvSha256: string;
  /** Up to the first line that is wrong, as are the totals. */
  readonly lineCount: number;
  readonly totals: SettlementTotals;
}

/** Where each column stands. */
const POSITIONS: ReadonlyMap<string, number> = new Map(STATEMENT_HEADER.map((name, n) => [name, n]));

/** Longer than any line of a statement: 18 cells of 128 characters at most. */
const LINE_BYTES_MAX = 4_096;

/**
 * Whether a statement's file is the one that the service made: every line in its form and number, the totals, the SHA-256.
 *
 * The SHA-256 alone decides; the rest says where to look. A file whose lines are all well formed and whose sums are right may still
 * be another one, a reference changed in it for instance. Memory does not grow with the number of lines.
 *
 * @param chunks The file's bytes, cut anywhere.
 * @see settlements, section 2, Statement: the command line verifies a statement file and its chain.
 */
export async function verifyStatement(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  expected: ExpectedStatement = {},
): Promise<StatementVerdict> {
  const hash = createHash('sha256');
  const reader = readStatementLines();
  for await (const chunk of chunks) {
    hash.update(chunk);
    reader.read(chunk);
  }
  const lineProblem = reader.end();
  const found = { csvSha256: hash.digest('hex'), lineCount: reader.lineCount(), totals: reader.counter.totals() };
  const fileProblems = [...(lineProblem ? [] : checkTotals(found, expected)), ...checkHash(found, expected)];
  const problems = [...(lineProblem ? [lineProblem] : []), ...fileProblems];
  return { isIntact: problems.length === 0, problems, ...found };
}

type LineProblem = StatementProblem | undefined;

/**
 * Checks lines as their bytes come, up to the first that is wrong. No package for CSV is needed: in the form that the
 * service writes, no cell of a statement holds a comma, a quotation mark or the end of a line.
 */
function readStatementLines() {
  const counter = countTotals();
  let [rest, line] = ['', 0];
  let problem: LineProblem;
  const readLine = (text: string) => {
    line++;
    problem = line === 1 ? checkHeader(text) : checkLine(text, line, counter);
  };
  return {
    counter,
    /** Lines that are right, without the header row. */
    lineCount: () => Math.max(0, problem ? line - 2 : line - 1),
    read(chunk: Uint8Array): void {
      if (problem) return;
      // Every form is of ASCII, so a byte of anything else is as wrong in Latin 1 as in UTF-8.
      const lines = (rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) {
        readLine(text);
        if (problem) return;
      }
      if (rest.length > LINE_BYTES_MAX) readLine(rest);
    },
    end(): LineProblem {
      if (!problem && line === 0 && rest === '') readLine('');
      if (!problem && rest !== '') {
        line++;
        problem = at(line, null, 'no_line_end', 'The last line has no line feed at its end; the file may be cut off.');
      }
      return problem;
    },
  };
}

function checkHeader(text: string): LineProblem {
  const cells = text.split(',');
  const wrong = STATEMENT_HEADER.findIndex((name, n) => cells[n] !== name);
  if (wrong < 0 && cells.length === STATEMENT_HEADER.length) return undefined;
  const name = STATEMENT_HEADER[wrong];
  if (cells.at(-1)?.endsWith('\r'))
    return at(1, null, 'other_line_end', 'Lines end with CR LF; the service ends them with LF alone.');
  return name === undefined
    ? at(1, null, 'wrong_header', `The header row has ${cells.length} columns; a statement has ${STATEMENT_HEADER.length}.`)
    : at(1, name, 'wrong_header', `Column ${wrong + 1} of the header row must be ${name}.`);
}

/** Counts the line when it is right. */
function checkLine(text: string, line: number, counter: TotalsCounter): LineProblem {
  const cells = text.split(',');
  if (cells.length !== STATEMENT_COLUMNS.length)
    return at(
      line,
      null,
      'wrong_cell_count',
      `The line has ${cells.length} cells; a statement's have ${STATEMENT_COLUMNS.length}.`,
    );
  const wrong = STATEMENT_COLUMNS.find(({ form }, n) => !form.test(cells[n] ?? ''));
  if (wrong)
    return at(line, wrong.name, 'wrong_form', `The cell of ${wrong.name} is not in the form in which the service writes it.`);
  const cell = (name: string) => cells[POSITIONS.get(name) ?? -1] ?? '';
  if (cell('line_no') !== String(line - 1))
    return at(line, 'line_no', 'line_gap', `Line ${cell('line_no')} of the settlement stands where line ${line - 1} belongs.`);
  const missing = REQUIRED_COLUMNS[cell('line_type') as LineType].find((name) => cell(name) === '');
  if (missing) return at(line, missing, 'missing', `A line of type ${cell('line_type')} has a ${missing}.`);
  if ((cell('amount') === '') !== (cell('currency') === ''))
    return at(line, 'currency', 'wrong_form', 'A line has an amount and its currency, or neither.');
  counter.add({
    lineType: cell('line_type') as LineType,
    points: BigInt(cell('points')),
    amount: readAmount(cell('amount')) ?? null,
    contributionRuleVersion: cell('contribution_rule_version') || null,
    pointConversionVersion: cell('point_conversion_version') || null,
    treeCostVersion: cell('tree_cost_version') || null,
  });
  return undefined;
}

type Found = Pick<StatementVerdict, 'csvSha256' | 'lineCount' | 'totals'>;

function checkTotals({ lineCount, totals }: Found, expected: ExpectedStatement): StatementProblem[] {
  const amount = expected.totals && settlementAmount(totals, expected.totals.currency);
  return [
    differ('line_count', lineCount, expected.lineCount),
    differ('contribution_count', totals.contributionCount, expected.totals?.contributionCount),
    differ('adjustment_count', totals.adjustmentCount, expected.totals?.adjustmentCount),
    differ('gross_points', totals.grossPoints, expected.totals?.grossPoints),
    differ('adjustment_points', totals.adjustmentPoints, expected.totals?.adjustmentPoints),
    differ('carried_in_points', totals.carriedPoints, expected.totals?.carriedPoints),
    differ('net_points', totals.netPoints, expected.totals?.netPoints),
    differ('amount', amount, expected.totals?.amount),
  ].filter((problem) => problem !== undefined);
}

function checkHash({ csvSha256 }: Found, expected: ExpectedStatement): StatementProblem[] {
  const isOther = expected.csvSha256 !== undefined && expected.csvSha256 !== csvSha256;
  const message = `The SHA-256 of the file is ${csvSha256}; the service made one with ${expected.csvSha256}.`;
  return isOther ? [at(null, null, 'other_sha256', message)] : [];
}

type Figure = string | number | bigint | null | undefined;

function differ(field: string, found: Figure, expected: Figure): LineProblem {
  if (expected === undefined || found === expected) return undefined;
  return at(null, field, 'other_total', `The lines give ${field} ${found}; the settlement has ${expected}.`);
}

function at(line: number | null, column: string | null, code: string, message: string): StatementProblem {
  return { line, column, code, message };
}
