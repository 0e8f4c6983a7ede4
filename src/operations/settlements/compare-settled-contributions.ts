import { pluralise } from '../../domain/pluralise.ts';
import {
  compareWithLine,
  formatValue,
  type SettledContribution,
  type ValueDifference,
} from '../../domain/settlements/compare-with-line.ts';
import type { SettlementLine } from '../../domain/settlements/settlement-line.ts';
import { listSealedContributions, type StoredContribution } from '../../store/contributions/contribution-seal.ts';
import type { Queryable } from '../../store/database.ts';
import { checkContributionSeal, type SealCheck } from '../audit/check-contributions.ts';

/** A line whose contribution is not what was settled, or does not match its seal. */
export interface SettledLineProblem {
  readonly lineNo: number;
  readonly code: string;
  readonly message: string;
}

export interface SettledComparison {
  /** Adds an unmodified line; the next lines of its settlement follow. */
  add(line: SettlementLine): Promise<void>;
  /**
   * @returns The first line whose contribution differs, and how many more of the added ones do.
   */
  end(): Promise<SettledLineProblem | undefined>;
}

const LINES_AT_ONCE = 1_000;

/**
 * Compares the lines of a settlement, as they are read, with their contributions, and these with their seals: a thousand at a time, so
 * that a million need no more memory.
 */
export function compareSettledContributions(db: Queryable, partnerId: string, check: SealCheck): SettledComparison {
  let lines: SettlementLine[] = [];
  let first: SettledLineProblem | undefined;
  let count = 0;
  const compare = async () => {
    const ids = lines.map(({ transactionId }) => transactionId as string);
    const found = await listSealedContributions(db, partnerId, ids);
    const recorded = new Map(found.map((each) => [each.contribution.transactionId, each]));
    for (const line of lines) {
      const problem = findProblem(line, recorded.get(line.transactionId as string), check);
      if (!problem) continue;
      count++;
      first ??= problem;
    }
    lines = [];
  };
  return {
    async add(line) {
      if (line.lineType === 'contribution' && lines.push(line) === LINES_AT_ONCE) await compare();
    },
    async end() {
      if (lines.length > 0) await compare();
      if (!first || count === 1) return first;
      const others = pluralise(count - 1, 'more contribution');
      return { ...first, message: `${first.message} ${others} of this settlement differ${count === 2 ? 's' : ''}.` };
    },
  };
}

/**
 * @param stored `undefined` when the record is missing.
 */
function findProblem(
  line: SettlementLine,
  stored: StoredContribution | undefined,
  check: SealCheck,
): SettledLineProblem | undefined {
  const { lineNo, transactionId } = line;
  if (!stored) {
    const message = `The contribution ${transactionId} of line ${lineNo} was removed.`;
    return { lineNo, code: 'contribution_removed', message };
  }
  const differences = compareWithLine(toSettled(stored), line);
  if (differences.length > 0) return { lineNo, code: 'contribution_changed', message: describe(line, differences) };
  // The seal also covers the fields that a line does not repeat.
  const unverified = checkContributionSeal(stored, check);
  return unverified && { lineNo, code: unverified.code, message: unverified.message };
}

function toSettled({ contribution, linkedCalculationId, associationOutcome }: StoredContribution): SettledContribution {
  return { ...contribution, calculationId: linkedCalculationId, associationOutcome };
}

function describe({ lineNo, transactionId }: SettlementLine, differences: readonly ValueDifference[]): string {
  const reported = differences.map(
    ({ field, now, written }) => `${field} is ${formatValue(now)}, but the line has ${formatValue(written)}`,
  );
  return `The contribution ${transactionId} differs from line ${lineNo}: ${reported.join('; ')}.`;
}
