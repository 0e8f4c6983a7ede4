import { lineProver, PROOF_BYTES, PROOFS_PER_ROW } from '../../domain/settlements/line-proof.ts';
import type { SettlementLine } from '../../domain/settlements/settlement-line.ts';
import type { Sign } from '../../domain/settlements/settlement-seal.ts';
import { countTotals, type SettlementTotals } from '../../domain/settlements/settlement-totals.ts';
import { digestStatement } from '../../domain/settlements/statement/write-statement.ts';
import type { Queryable } from '../../store/database.ts';
import { writeVersions } from '../../store/settlements/exact-totals.ts';
import type { Settlement } from '../../store/settlements/settlement.ts';
import { eachSettlementLine } from '../../store/settlements/settlement-line.ts';
import { findLineProofs } from '../../store/settlements/settlement-line-proof.ts';
import type { SealCheck } from '../audit/check-contributions.ts';
import { compareSettledContributions } from './compare-settled-contributions.ts';
import { problemAt, type SettlementProblem } from './settlement-problem.ts';

export interface LineOptions {
  /** Signs as the settlement's seal does; `undefined` without its key. */
  readonly sign: Sign | undefined;
  readonly check: SealCheck;
  /** Lines of the settlements before, for the progress. */
  readonly linesBefore: number;
  readonly onProgress?: (lines: number) => void;
  /** Awaited after each thousand lines. */
  readonly pause?: () => Promise<void>;
}

export interface CheckedLines {
  readonly count: number;
  readonly problems: readonly SettlementProblem[];
}

const REPORT_EVERY = 100_000;

/** Verifies the lines of a settlement, their contributions, the totals and the hash of the statement, in one pass. */
export async function verifySettlementLines(db: Queryable, settlement: Settlement, options: LineOptions): Promise<CheckedLines> {
  const checker = new LineChecker(db, settlement, options);
  const { csvSha256 } = await digestStatement(checker.readLines());
  return checker.end(csvSha256);
}

class LineChecker {
  readonly #db: Queryable;
  readonly #settlement: Settlement;
  readonly #options: LineOptions;
  /** Without its key only the statement and the totals show a modified line. */
  readonly #prove: ((line: SettlementLine) => Buffer) | undefined;
  readonly #contributions: ReturnType<typeof compareSettledContributions>;
  readonly #totals = countTotals();
  #proofs: Buffer | undefined;
  #count = 0;
  #problem: SettlementProblem | undefined;

  constructor(db: Queryable, settlement: Settlement, options: LineOptions) {
    this.#db = db;
    this.#settlement = settlement;
    this.#options = options;
    this.#prove = options.sign && lineProver(options.sign, settlement);
    this.#contributions = compareSettledContributions(db, settlement.partnerId, options.check);
  }

  /** Checks each line, and yields it for the statement. After a problem the lines are numbered by their position. */
  async *readLines(): AsyncGenerator<SettlementLine> {
    for await (const line of eachSettlementLine(this.#db, this.#settlement)) {
      await this.#add(line);
      this.#totals.add(line);
      yield this.#problem ? { ...line, lineNo: this.#count } : line;
    }
  }

  async end(csvSha256: string): Promise<CheckedLines> {
    const differing = await this.#contributions.end();
    const sums = { count: this.#count, csvSha256, totals: this.#totals.totals() };
    const problems = this.#problem ? [this.#problem] : checkSums(this.#settlement, sums);
    if (differing) problems.push(problemAt(this.#settlement, differing.lineNo, differing.code, differing.message));
    return { count: this.#count, problems };
  }

  async #add(line: SettlementLine): Promise<void> {
    const { linesBefore, onProgress } = this.#options;
    const place = this.#count % PROOFS_PER_ROW;
    if (place === 0) await this.#readProofs();
    this.#count++;
    if (this.#problem) return;
    this.#problem = this.#findProblem(line, place);
    // After a modified line the next contributions would be compared with other lines.
    if (!this.#problem) await this.#contributions.add(line);
    if ((linesBefore + this.#count) % REPORT_EVERY === 0) onProgress?.(linesBefore + this.#count);
  }

  async #readProofs(): Promise<void> {
    await this.#options.pause?.();
    this.#proofs = await findLineProofs(this.#db, { ...this.#settlement, firstLineNo: this.#count + 1 });
  }

  #findProblem(line: SettlementLine, place: number): SettlementProblem | undefined {
    const lineNo = this.#count;
    if (line.lineNo !== lineNo) {
      const message = `Line ${lineNo} is missing: line ${line.lineNo} is in its place.`;
      return problemAt(this.#settlement, lineNo, 'line_missing', message);
    }
    const proof = this.#proofs?.subarray(place * PROOF_BYTES, (place + 1) * PROOF_BYTES);
    if (!this.#prove || proof?.equals(this.#prove(line))) return undefined;
    return problemAt(this.#settlement, lineNo, 'line_changed', `Line ${lineNo} was changed.`);
  }
}

interface LineSums {
  readonly count: number;
  readonly csvSha256: string;
  readonly totals: SettlementTotals;
}

/** Compares the number of lines, their statement and their totals with the settlement. */
function checkSums(settlement: Settlement, { count, csvSha256, totals: sums }: LineSums): SettlementProblem[] {
  const { statement, totals } = settlement;
  if (!statement) return count === 0 ? [] : [problemAt(settlement, 1, 'line_of_open', 'An open settlement has lines.')];
  if (count !== statement.lineCount) {
    const message = `There are ${count} lines instead of ${statement.lineCount}.`;
    return [problemAt(settlement, count + 1, 'line_missing', message)];
  }
  const problems: SettlementProblem[] = [];
  if (csvSha256 !== statement.csvSha256) {
    const message = 'The lines give another statement: its SHA-256 differs from the stored one.';
    problems.push(problemAt(settlement, null, 'other_statement', message));
  }
  const isSum =
    sums.contributionCount === totals?.contributionCount &&
    sums.netPoints === totals.netPoints &&
    sums.totalPoints === totals.totalPoints &&
    sums.amount === totals.amount &&
    writeVersions(sums.byVersion) === writeVersions(totals.byVersion);
  if (!isSum) problems.push(problemAt(settlement, null, 'other_totals', 'The lines do not add up to the totals.'));
  return problems;
}
