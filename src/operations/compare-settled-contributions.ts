import { counted } from '../domain/counted.ts';
import { compareWithLine, showValue, type ValueDifference } from '../domain/settled-contribution.ts';
import type { SettlementLine } from '../domain/settlement-line.ts';
import type { Queryable } from '../store/database.ts';
import { listSettledContributions } from '../store/settled-contribution.ts';

/** A line whose contribution is no longer what was settled. */
export interface ContributionProblem {
  readonly lineNo: number;
  readonly code: 'contribution_changed' | 'contribution_removed';
  readonly message: string;
}

export interface SettledComparison {
  /** A line that is as it was written; the others of its settlement follow. */
  add(line: SettlementLine): Promise<void>;
  /** @returns The first line whose contribution differs, and how many more of those added do. */
  end(): Promise<ContributionProblem | undefined>;
}

const LINES_AT_ONCE = 1_000;

/**
 * Compares the lines of a settlement, as they come, with the records of their contributions: a thousand at a time, so that a million
 * need no more memory than a thousand.
 */
export function compareSettledContributions(db: Queryable, partnerId: string): SettledComparison {
  let lines: SettlementLine[] = [];
  let first: ContributionProblem | undefined;
  let count = 0;
  const compare = async () => {
    const ids = lines.map(({ transactionId }) => transactionId as string);
    const found = await listSettledContributions(db, partnerId, ids);
    const recorded = new Map(found.map((each) => [each.transactionId, each]));
    for (const line of lines) {
      const contribution = recorded.get(line.transactionId as string);
      const differences = contribution && compareWithLine(contribution, line);
      if (differences?.length === 0) continue;
      count++;
      first ??= describe(line, differences);
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
      const others = counted(count - 1, 'more contribution');
      return { ...first, message: `${first.message} So it is with ${others} of this settlement.` };
    },
  };
}

/** @param differences `undefined` where there is no record any more. */
function describe({ lineNo, transactionId }: SettlementLine, differences: ValueDifference[] | undefined): ContributionProblem {
  if (!differences) {
    const message = `The contribution ${transactionId} of line ${lineNo} is not there any more.`;
    return { lineNo, code: 'contribution_removed', message };
  }
  const told = differences.map(
    ({ field, now, written }) => `${field} is ${showValue(now)}, and the line has ${showValue(written)}`,
  );
  const message = `The contribution ${transactionId} is not what line ${lineNo} settled: ${told.join('; ')}.`;
  return { lineNo, code: 'contribution_changed', message };
}
