import type { ListLimits } from './list-limits.ts';
import { describeListProblem } from './list-problem.ts';
import { type ListEntry, listTooLarge, refuseList } from './partner-list.ts';

export interface LineCounter {
  /** Returns the line. Throws `invalid_request` when the list has more lines, or more malformed lines, than allowed. */
  count(entry: ListEntry): ListEntry;
  /** Throws `invalid_request` when the list has more blank lines than allowed. */
  countBlank(): void;
}

/** Counts the lines of one list as they are read, so that a wrong file costs a bounded amount of work and storage. */
export function countLines({ lines, malformedLines, blankLines }: ListLimits): LineCounter {
  let [all, blank, malformed] = [0, 0, 0];
  let first: ListEntry | undefined;
  return {
    count(entry) {
      if (++all > lines) throw listTooLarge('too_many_lines', `${lines} lines`);
      if (entry.listed) return entry;
      first ??= entry;
      if (++malformed > malformedLines) throw tooManyMalformed(malformedLines, first);
      return entry;
    },
    countBlank() {
      if (++blank > blankLines)
        throw refuseList(
          'too_many_blank_lines',
          `The list has more than ${blankLines} blank lines. Remove them, then send it again.`,
        );
    },
  };
}

function tooManyMalformed(bound: number, { lineNo, problems, ...line }: ListEntry) {
  const lineType = 'readable' in line ? (line.readable.lineType ?? null) : null;
  const [problem] = (problems ?? []).map((each) => describeListProblem(each, lineType).message);
  const message = `The list has more than ${bound} malformed lines. The first is line ${lineNo}: ${problem} Correct the format of the list, then send it again.`;
  return refuseList('too_many_malformed_lines', message);
}
