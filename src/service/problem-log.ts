import type { Logger } from '../observability/log.ts';
import { type DatabaseProblem, nodeOf } from '../store/database-problem.ts';
import { sentenceOf } from './database-problem-words.ts';

export interface FoundProblem extends DatabaseProblem {
  readonly isReady: boolean;
  /** Of an embedded server: its message says what to do. */
  readonly isEmbedded?: true;
}

/** Several problems, and several workers of a cluster with one, may be found in turn. One that was not found for this time is new. */
const KNOWN_FOR_MS = 60_000;

/** Tells in the log of each problem of the database once, where it is, and of its end. */
export class ProblemLog {
  readonly #logger: Logger;
  /** As they were told last. */
  #problems: readonly FoundProblem[] = [];
  #beganAtMs = 0;
  /** While no request can be answered, and while what comes of that lasts. */
  #outage: { readonly problem: FoundProblem; readonly beganAtMs: number } | undefined;
  /** When each problem was last found where it is, since the last end of which the log tells. */
  readonly #foundAtMs = new Map<string, number>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** @param isLate Whether a commit has just taken long. */
  tell(found: readonly FoundProblem[], isLate: boolean): void {
    const before = this.#problems;
    this.#problems = found;
    if (before.length === 0 && found.length > 0) this.#beganAtMs = performance.now();
    for (const problem of found) if (this.#isNew(problem)) this.#tellOne(problem);
    const [outage] = found.filter(({ isReady }) => !isReady);
    if (outage) this.#outage ??= { problem: outage, beganAtMs: performance.now() };
    if (found.length > 0) this.#tellEndOfOutage(found, isLate);
    else if (before[0])
      this.#tellEnd({ problem: before[0], beganAtMs: this.#beganAtMs }, 'the database does all of its work again');
  }

  #tellEndOfOutage(found: readonly FoundProblem[], isLate: boolean): void {
    const outage = this.#outage;
    // A database that gives no answer in time and one that is slow may be found in turn.
    if (!outage || isLate) return;
    const identity = identityOf(outage.problem);
    if (found.every((each) => each.isReady && each.reason !== 'slow' && identityOf(each) !== identity))
      this.#tellEnd(outage, 'the database answers again, and other problems of it last');
  }

  #tellEnd({ problem, beganAtMs }: { problem: FoundProblem; beganAtMs: number }, words: string): void {
    this.#outage = undefined;
    const lasting = new Set(this.#problems.map(identityOf));
    for (const identity of this.#foundAtMs.keys()) if (!lasting.has(identity)) this.#foundAtMs.delete(identity);
    this.#logger.warn({ reason: problem.reason, seconds: Math.round((performance.now() - beganAtMs) / 1_000) }, words);
  }

  #tellOne(problem: FoundProblem): void {
    const { reason, message, isEmbedded } = problem;
    if (isEmbedded) this.#logger.error({ reason }, embeddedSentence(problem));
    else this.#logger.error({ reason, cause: message }, sentenceOf(problem));
  }

  #isNew(problem: FoundProblem): boolean {
    const identity = identityOf(problem);
    const nowMs = performance.now();
    const lastMs = this.#foundAtMs.get(identity) ?? Number.NEGATIVE_INFINITY;
    this.#foundAtMs.set(identity, nowMs);
    return nowMs - lastMs > KNOWN_FOR_MS;
  }
}

/** The same problem in the same place. */
export function identityOf(problem: DatabaseProblem & Pick<FoundProblem, 'isEmbedded'>): string {
  return [problem.reason, placeOf(problem), problem.isEmbedded].join(' ');
}

/** Where a problem is: a worker, or the workers that could lose commits. */
function placeOf(problem: DatabaseProblem): string {
  return nodeOf(problem) ?? (problem.reason === 'not_durable' ? problem.message : '');
}

/** The sentence of a problem, with the words of the database. */
export function describeFound(problem: FoundProblem): string {
  return problem.isEmbedded ? embeddedSentence(problem) : `${sentenceOf(problem)} (${problem.message})`;
}

function embeddedSentence({ message }: FoundProblem): string {
  return `the embedded database does not run; when the cause is gone, the service starts it again by itself. ${message}`;
}
