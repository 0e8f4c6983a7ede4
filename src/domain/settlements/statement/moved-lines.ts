/** Lines that are consecutive in both orders. */
export interface Run {
  /** The number of its first line in each of the two orders, from 1. */
  readonly theirs: number;
  readonly ours: number;
  readonly count: number;
}

export interface RunCollector {
  add(theirs: number, ours: number): void;
  list(): Run[];
}

/** The most runs that are reported one by one; a file with more is reported as one difference. */
const RUNS_MAX = 2_000;

/** Joins pairs of positions into runs, so that a million lines in order need no more memory than one. */
export function runCollector(): RunCollector {
  const runs: { theirs: number; ours: number; count: number }[] = [];
  return {
    add(theirs, ours) {
      const last = runs.at(-1);
      if (last && last.theirs + last.count === theirs && last.ours + last.count === ours) last.count++;
      else if (runs.length < RUNS_MAX) runs.push({ theirs, ours, count: 1 });
    },
    list: () => runs,
  };
}

/** The fewest lines to move so that both orders agree: those outside the longest increasing subsequence. */
export function findMoved(runs: readonly Run[]): Run[] {
  const sorted = [...runs].sort((one, other) => one.theirs - other.theirs);
  const best = sorted.map(({ count }) => ({ length: count, before: -1 }));
  for (const [at, run] of sorted.entries()) {
    for (let before = 0; before < at; before++) {
      const length = (best[before]?.length ?? 0) + run.count;
      if ((sorted[before]?.ours ?? 0) < run.ours && length >= (best[at]?.length ?? 0)) best[at] = { length, before };
    }
  }
  let at = best.reduce((longest, { length }, index) => (length > (best[longest]?.length ?? 0) ? index : longest), 0);
  const kept = new Set<Run>();
  for (let run = sorted[at]; run; run = sorted[at]) {
    kept.add(run);
    at = best[at]?.before ?? -1;
  }
  return sorted.filter((run) => !kept.has(run));
}
