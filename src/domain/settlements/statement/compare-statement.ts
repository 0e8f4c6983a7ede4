import { createHash } from 'node:crypto';
import { formatValue } from '../compare-with-line.ts';
import type { SettlementLine } from '../settlement-line.ts';
import { csvRecord } from './csv-record.ts';
import { findMoved, type Run, type RunCollector, runCollector } from './moved-lines.ts';
import { readTextLines, type TextLine } from './read-text-lines.ts';
import { unguard } from './spreadsheet-guard.ts';
import { STATEMENT_HEADER } from './statement-columns.ts';
import type { StatementProblem } from './verify-statement.ts';
import { type StatementForm, statementCells } from './write-statement.ts';

/** The differences between a file and the statement of the service's lines. */
export interface StatementComparison {
  /** The first problems, by line. `more` counts the rest. */
  readonly problems: readonly StatementProblem[];
  /** How many more there are. */
  readonly more: number;
  /** Lines of the file that belong to the settlement, modified or not. */
  readonly foundLines: number;
  /** A contribution in the file, if there is one, to find the settlement that it is on. */
  readonly firstTransactionId: string | undefined;
  /** SHA-256 of the statement that the service's lines give now. */
  readonly serviceSha256: string;
}

const PROBLEMS_MAX = 20;
/** The most lines without counterpart. A file with more is another statement. */
const WAITING_MAX = 50_000;

interface Row {
  /** From 1, without the header row. */
  readonly no: number;
  readonly cells: readonly string[];
}

/**
 * Compares a file with the lines of its settlement, each with the line of the same record. So a modified, missing, added or moved line is
 * reported as such, and the following lines are not affected. Memory grows only with the lines without counterpart.
 *
 * @param chunks The file's bytes; its header row is that of a statement.
 * @param lines Of the settlement, in order.
 */
export async function compareStatement(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  lines: AsyncIterable<SettlementLine> | Iterable<SettlementLine>,
  form: StatementForm,
): Promise<StatementComparison> {
  const hash = createHash('sha256').update(csvRecord(STATEMENT_HEADER));
  const matcher = new RowMatcher();
  const texts = readTextLines(chunks);
  const written = (async function* () {
    yield* lines;
  })();
  await texts.next();
  for (let no = 1; ; no++) {
    const [theirs, ours] = [await texts.next(), await written.next()];
    if (theirs.done && ours.done) break;
    if (!ours.done) hash.update(csvRecord(statementCells(ours.value, 'plain')));
    matcher.add(
      theirs.done ? undefined : readRow(no, theirs.value, matcher),
      ours.done ? undefined : { no, cells: statementCells(ours.value, form) },
    );
  }
  return { ...matcher.end(), serviceSha256: hash.digest('hex') };
}

function readRow(no: number, { text, hasEnd }: TextLine, { problems }: RowMatcher): Row {
  if (!hasEnd) problems.add(no + 1, null, 'no_line_end', 'The last line has no line feed at its end; the file may be truncated.');
  return { no, cells: text.split(',') };
}

/** Matches the two rows of one record, in any order. */
class RowMatcher {
  readonly problems: Problems = collectProblems();
  readonly #runs: RunCollector = runCollector();
  /** The rows without counterpart, by the names of their records. */
  readonly #theirs = new Map<string, Row>();
  readonly #ours = new Map<string, Row>();
  #foundLines = 0;
  #isGivenUp = false;
  #firstTransactionId: string | undefined;

  add(their: Row | undefined, our: Row | undefined): void {
    if (their?.cells[LINE_TYPE] === 'contribution') this.#firstTransactionId ??= unguard(their.cells[TRANSACTION_ID]);
    if (this.#isGivenUp) return;
    if (their && our && nameOf(their) === nameOf(our)) {
      this.#pair(their, our);
      return;
    }
    if (their) this.#pair(their, place(their, this.#theirs, this.#ours));
    if (our) this.#pair(place(our, this.#ours, this.#theirs), our);
    this.#isGivenUp = this.#theirs.size + this.#ours.size > WAITING_MAX;
  }

  end(): Omit<StatementComparison, 'serviceSha256'> {
    const { problems } = this;
    if (this.#isGivenUp) problems.add(null, null, 'too_different', `More than ${WAITING_MAX} lines differ from the settlement.`);
    else reportRest([...this.#theirs.values()], [...this.#ours.values()], problems);
    for (const run of this.#isGivenUp ? [] : findMoved(this.#runs.list()))
      problems.add(run.theirs + 1, null, 'line_moved', describeMoved(run));
    return { ...problems.list(), foundLines: this.#foundLines, firstTransactionId: this.#firstTransactionId };
  }

  #pair(their: Row | undefined, our: Row | undefined): void {
    if (!their || !our) return;
    this.#foundLines++;
    this.#runs.add(their.no, our.no);
    compareCells(their, our, this.problems);
  }
}

/** Removes and returns the counterpart of a row; without one the row is stored until its counterpart comes. */
function place(row: Row, own: Map<string, Row>, others: Map<string, Row>): Row | undefined {
  const name = nameOf(row);
  const found = others.get(name);
  if (found) others.delete(name);
  // The second of two lines of one record has no counterpart.
  else own.set(own.has(name) ? `${name} again in ${row.no}` : name, row);
  return found;
}

const LINE_NO = STATEMENT_HEADER.indexOf('line_no');
const LINE_TYPE = STATEMENT_HEADER.indexOf('line_type');
const TRANSACTION_ID = STATEMENT_HEADER.indexOf('transaction_id');
const ADJUSTMENT_ID = STATEMENT_HEADER.indexOf('adjustment_id');

/** The record of a line. */
function nameOf({ no, cells }: Row): string {
  if (cells.length !== STATEMENT_HEADER.length) return `line ${no}`;
  return `${cells[LINE_TYPE]} ${cells[ADJUSTMENT_ID] || cells[TRANSACTION_ID]}`;
}

type Problems = ReturnType<typeof collectProblems>;

function collectProblems() {
  const kept: StatementProblem[] = [];
  let count = 0;
  const placeOf = ({ line }: StatementProblem) => line ?? Number.POSITIVE_INFINITY;
  return {
    add(line: number | null, column: string | null, code: string, message: string): void {
      count++;
      kept.push({ line, column, code, message });
      kept.sort((one, other) => placeOf(one) - placeOf(other));
      kept.splice(PROBLEMS_MAX);
    },
    list: () => ({ problems: kept, more: count - kept.length }),
  };
}

function compareCells(their: Row, our: Row, problems: Problems): void {
  const line = their.no + 1;
  if (their.cells.length !== our.cells.length) {
    const message = `The line has ${their.cells.length} cells; a statement's have ${our.cells.length}.`;
    problems.add(line, null, 'wrong_cell_count', message);
    return;
  }
  for (const [n, name] of STATEMENT_HEADER.entries()) {
    const [found, written] = [their.cells[n] ?? '', our.cells[n] ?? ''];
    if (found === written || (n === LINE_NO && found === String(their.no))) continue;
    if (n === LINE_NO && /^[1-9]\d*$/.test(found)) {
      problems.add(line, name, 'line_gap', `Line ${found} of the settlement is in the place of line ${their.no}.`);
    } else {
      problems.add(line, name, 'other_value', `The file has ${formatCell(found)}, but the service wrote ${formatCell(written)}.`);
    }
  }
}

const SHOWN_CHARACTERS_MAX = 140;

function formatCell(cell: string): string {
  return cell.length > SHOWN_CHARACTERS_MAX ? `${cell.length} characters` : formatValue(cell);
}

/** Lines without counterpart: two in the same position are one line whose record was changed; the others were added or removed. */
function reportRest(theirs: readonly Row[], ours: readonly Row[], problems: Problems): void {
  const missing = new Map(ours.map((row) => [row.no, row]));
  const added = theirs.filter((their) => {
    const our = missing.get(Number(their.cells[LINE_NO])) ?? missing.get(their.no);
    if (our) {
      missing.delete(our.no);
      compareCells(their, our, problems);
    }
    return !our;
  });
  for (const [first, last] of rangesOf(added.map(({ no }) => no)))
    problems.add(
      first + 1,
      null,
      'line_added',
      `${nameRange([first + 1, last + 1])} of the file: the statement has no such line.`,
    );
  for (const [first, last] of rangesOf([...missing.keys()]))
    problems.add(first + 1, null, 'line_missing', `${nameRange([first, last])} of the statement: missing in the file.`);
}

type Range = [first: number, last: number];

function rangesOf(numbers: readonly number[]): Range[] {
  const ranges: Range[] = [];
  for (const number of [...numbers].sort((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === number) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

function nameRange([first, last]: Range): string {
  return first === last ? `Line ${first}` : `Lines ${first} to ${last}`;
}

function describeMoved({ ours, count }: Run): string {
  const what = nameRange([ours, ours + count - 1]);
  return `${what} of the statement ${count === 1 ? 'was' : 'were'} moved here.`;
}
