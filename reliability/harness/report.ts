/** What a person sees of an experiment: progress on standard error, the closing summary on standard output. */

const startedAt = performance.now();

export function progress(sentence: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(7);
  process.stderr.write(`${seconds} s  ${sentence}\n`);
}

/** Named figures, a line for each. */
export function printFigures(title: string, figures: Readonly<Record<string, unknown>>): void {
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  process.stdout.write(`\n${title}\n`);
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`  ${name.padEnd(width)}  ${value}\n`);
}

const SHOWN_MAX = 20;
const SHOWN_CHARACTERS_MAX = 900;

/** What is wrong, gathered during an experiment by its kind; the first of each kind is shown at once. */
export class Violations {
  readonly #firstOfKind = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** @param kind What many violations have in common; without it each is one of its own. */
  readonly report = (violation: string, kind = violation): void => {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count > 1) return;
    this.#firstOfKind.set(kind, violation.slice(0, SHOWN_CHARACTERS_MAX));
    if (this.#counts.size <= SHOWN_MAX) progress(`VIOLATION ${this.#firstOfKind.get(kind)}`);
  };

  /**
   * Prints what was wrong, and the verdict as the last line of an experiment.
   *
   * @param figures What was tried and measured, in a few words.
   * @returns The exit code: 0 when nothing is wrong, else 1.
   */
  printVerdict(figures: string): number {
    const count = [...this.#counts.values()].reduce((sum, each) => sum + each, 0);
    process.stdout.write('\n');
    for (const [kind, violation] of [...this.#firstOfKind].slice(0, SHOWN_MAX))
      process.stdout.write(`  - ${this.#counts.get(kind)} times: ${violation}\n`);
    if (this.#counts.size > SHOWN_MAX) process.stdout.write(`  … and ${this.#counts.size - SHOWN_MAX} more kinds\n`);
    process.stdout.write(`${count === 0 ? 'PASSED' : `FAILED: ${count} violations of ${this.#counts.size} kinds`}: ${figures}\n`);
    return count === 0 ? 0 : 1;
  }
}

/** The value below which the given share of the values lies; 0 when there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** What zero failures in so many trials prove at 95 % confidence (the rule of three); three trials prove nothing. */
export function provenBelow(trials: number): string {
  return trials <= 3 ? 'nothing' : `below ${((3 / trials) * 100).toPrecision(2)} % at 95 % confidence`;
}
