import { createHash } from 'node:crypto';
import { readAmount } from '../../numbers/money.ts';
import type { LineType } from '../settlement-line.ts';
import { countTotals, type SettlementTotals, settlementAmount, type TotalsCounter } from '../settlement-totals.ts';
import { LINE_BYTES_MAX, readTextLines, type TextLine } from './read-text-lines.ts';
import { unguard } from './spreadsheet-guard.ts';
import { REQUIRED_COLUMNS, STATEMENT_COLUMNS, STATEMENT_HEADER } from './statement-columns.ts';
import { guardCells, type StatementForm } from './write-statement.ts';

/** The stored data of a statement; unknown fields are not compared. */
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
  /** The billed amount, rounded to the currency's minor units. */
  readonly amount: string | null;
  readonly currency: string | null;
}

/** A problem of a statement. */
export interface StatementProblem {
  /** In the file, from 1, the header row; `null` for the file as a whole. */
  readonly line: number | null;
  readonly column: string | null;
  readonly code: string;
  readonly message: string;
}

export interface StatementVerdict {
  /** No problem was found. */
  readonly isIntact: boolean;
  /** The first wrong line, if any, then the problems of the file as a whole. */
  readonly problems: readonly StatementProblem[];
  /** SHA-256 of the bytes that were read. */
  readonly csvSha256: string;
  readonly form: StatementForm;
  /** SHA-256 of the bytes without the apostrophes for spreadsheets. The service stores this one. */
  readonly plainSha256: string;
  /** Up to the first wrong line, as are the totals. */
  readonly lineCount: number;
  readonly totals: SettlementTotals;
}

/** The position of each column. */
const POSITIONS: ReadonlyMap<string, number> = new Map(STATEMENT_HEADER.map((name, n) => [name, n]));

/**
 * Verifies that a file is the statement that the service wrote: the form and number of every line, the totals, the SHA-256. The SHA-256
 * alone decides; the rest locates the problem. A file with well-formed lines and right sums may still be another one, with a changed
 * reference for instance: {@link compareStatement} finds where. A file in the form for spreadsheets is intact when its lines are, without
 * their apostrophes. Memory does not grow with the number of lines.
 *
 * @param chunks The file's bytes, cut anywhere.
 * @see docs/spec/settlements.md#2-settlement, Statement: the command line verifies a statement file and its chain.
 */
export async function verifyStatement(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  expected: ExpectedStatement = {},
): Promise<StatementVerdict> {
  const hash = createHash('sha256');
  const reader = checkLines();
  const hashed = async function* () {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  for await (const line of readTextLines(hashed())) reader.add(line);
  const { problem, ...read } = reader.end();
  const found = { csvSha256: hash.digest('hex'), ...read };
  const fileProblems = [...(problem ? [] : checkTotals(found, expected)), ...checkHash(found, expected)];
  const problems = [...(problem ? [problem] : []), ...fileProblems];
  return { isIntact: problems.length === 0, problems, ...found };
}

type LineProblem = StatementProblem | undefined;

/**
 * Checks lines up to the first wrong one. No CSV package is needed: no cell of a statement contains a comma, a quotation mark or a line
 * end.
 */
function checkLines() {
  const counter = countTotals();
  const plainHash = createHash('sha256');
  const guards = watchGuards();
  let [line, rightLines] = [0, 0];
  let problem: LineProblem;
  return {
    add({ text, hasEnd }: TextLine): void {
      line++;
      const plain = line === 1 ? text : guards.remove(text, line);
      plainHash.update(hasEnd ? `${plain}\n` : plain, 'latin1');
      if (problem) return;
      if (!hasEnd && text.length <= LINE_BYTES_MAX) problem = noLineEnd(line);
      else if (line === 1) problem = checkHeader(text);
      else problem = checkLine(plain, line, counter);
      if (!problem && line > 1) rightLines++;
    },
    end() {
      if (line === 0) problem = checkHeader('');
      const { form, problem: guardProblem } = guards.end();
      if (!problem || (guardProblem && (guardProblem.line ?? 0) < (problem.line ?? 0))) problem = guardProblem ?? problem;
      return { problem, form, plainSha256: plainHash.digest('hex'), lineCount: rightLines, totals: counter.totals() };
    },
  };
}

/** Whether the cells of a file have the apostrophes for spreadsheets: all required ones, or none. */
function watchGuards() {
  const [guarded, unguarded] = [watchLines(), watchLines()];
  return {
    /** The line without them. */
    remove(text: string, line: number): string {
      const cells = text.split(',');
      const plain = cells.map(unguard);
      const hasGuard = text.includes("'") && plain.some((cell, n) => cell !== cells[n]);
      const wrong = guardCells(plain).findIndex((cell, n) => cell !== cells[n]);
      if (hasGuard) guarded.add(line, STATEMENT_HEADER[plain.findIndex((cell, n) => cell !== cells[n])]);
      if (wrong >= 0) unguarded.add(line, STATEMENT_HEADER[wrong]);
      return hasGuard ? plain.join(',') : text;
    },
    end(): { form: StatementForm; problem: LineProblem } {
      const form = guarded.count() > unguarded.count() ? 'excel_safe' : 'plain';
      const [wrong, what] =
        form === 'plain'
          ? [guarded.first(), 'begins with an apostrophe, which the service does not write']
          : [unguarded.first(), 'lacks the apostrophe that the excel_safe form needs, or has one too many'];
      if (!wrong) return { form, problem: undefined };
      return { form, problem: at(wrong.line, wrong.column, 'wrong_form', `The cell of ${wrong.column} ${what}.`) };
    },
  };
}

function watchLines() {
  let count = 0;
  let first: { readonly line: number; readonly column: string } | undefined;
  return {
    add(line: number, column: string | undefined): void {
      count++;
      first ??= { line, column: column ?? '' };
    },
    count: () => count,
    first: () => first,
  };
}

function checkHeader(text: string): LineProblem {
  const cells = text.split(',');
  const wrong = STATEMENT_HEADER.findIndex((name, n) => cells[n] !== name);
  if (wrong < 0 && cells.length === STATEMENT_HEADER.length) return undefined;
  const name = STATEMENT_HEADER[wrong];
  if (cells.at(-1)?.endsWith('\r')) return at(1, null, 'other_line_end', 'Lines end with CR LF; the service writes only LF.');
  return name === undefined
    ? at(1, null, 'wrong_header', `The header row has ${cells.length} columns; a statement has ${STATEMENT_HEADER.length}.`)
    : at(1, name, 'wrong_header', `Column ${wrong + 1} of the header row must be ${name}.`);
}

function noLineEnd(line: number): StatementProblem {
  return at(line, null, 'no_line_end', 'The last line has no line feed at its end; the file may be truncated.');
}

/** Counts a correct line. */
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
    return at(line, wrong.name, 'wrong_form', `The cell of ${wrong.name} does not have the form that the service writes.`);
  const cell = (name: string) => cells[POSITIONS.get(name) ?? -1] ?? '';
  if (cell('line_no') !== String(line - 1))
    return at(line, 'line_no', 'line_gap', `Line ${cell('line_no')} of the settlement is in the place of line ${line - 1}.`);
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

type Found = Pick<StatementVerdict, 'csvSha256' | 'plainSha256' | 'form' | 'lineCount' | 'totals'>;

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

function checkHash({ csvSha256, plainSha256, form }: Found, expected: ExpectedStatement): StatementProblem[] {
  const sha256 = form === 'excel_safe' ? plainSha256 : csvSha256;
  const isOther = expected.csvSha256 !== undefined && expected.csvSha256 !== sha256;
  const message = `The SHA-256 of the file is ${csvSha256}; that of the service's statement is ${expected.csvSha256}.`;
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
