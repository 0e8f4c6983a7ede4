import type { Association } from './association.ts';
import type { NoAnswerError, ServiceError } from './errors.ts';
import type { Contribution } from './generated/types.ts';
import type { RestorationPermit } from './restoration-permit.ts';

/** Recorded and final. The points stay deducted. */
export interface Confirmed {
  readonly transactionId: string;
  readonly points: bigint;
}

/** Recorded, not decided; at most 72 hours unless agreed otherwise. The points stay deducted. */
export interface Pending {
  readonly transactionId: string;
  readonly points: bigint;
  /** When to confirm the same intent again. The event of the decision may come first. */
  readonly retryAt: Date;
}

/**
 * The service refused this contribution, and none is recorded for its event; or it is recorded with other values. No retry succeeds before a
 * person has corrected what `code` names, or operators have recorded the event as failed. The points stay deducted, and the intent keeps its
 * key.
 */
export interface Refused {
  /** A code of docs/errors.md, or `recorded_with_other_values`: the event is recorded with another order or other points. */
  readonly code: string;
  /** For the person. */
  readonly message: string;
  /** For the operator; `undefined` for `recorded_with_other_values`. */
  readonly correlationId: string | undefined;
  /** The contribution that holds the order, or that has the event; `undefined` where there is none. */
  readonly transactionId: string | undefined;
  /** The service's answer; `undefined` for `recorded_with_other_values`. */
  readonly error: ServiceError | undefined;
  /** When to confirm the same intent again: it costs little, and finds what a person has settled meanwhile. */
  readonly retryAt: Date;
}

/**
 * Nobody knows yet whether it is recorded. The points stay deducted. A wrong key, a wrong address or a missing permission is of this kind
 * too: such an answer says nothing about the contribution.
 */
export interface Unknown {
  /** A code of docs/errors.md, or `no_answer`. */
  readonly code: string;
  /** When to confirm the same intent again. */
  readonly retryAt: Date;
  readonly error: ServiceError | NoAnswerError;
}

/** What is recorded beside the points: the texts to show to the customer, and whether the estimate was linked. */
export interface ContributionRecord {
  readonly contribution: Contribution;
  readonly association: Association;
}

/** What to do with each outcome. All five are needed. */
export interface OutcomeCases<C, P, F, R, U> {
  /** Done. Store the `transactionId`. Never restore points. */
  readonly confirmed: (confirmed: Confirmed, record: ContributionRecord) => C;
  /** Keep the intent and confirm it again at `retryAt`. */
  readonly pending: (pending: Pending, record: ContributionRecord) => P;
  /** Restore the points, once for the permit's `eventId`. */
  readonly failed: (permit: RestorationPermit, record: ContributionRecord) => F;
  /** Keep the intent, tell a person, and confirm it again at `retryAt`. */
  readonly refused: (refused: Refused) => R;
  /** Keep the intent and confirm it again at `retryAt`. */
  readonly unknown: (unknown: Unknown) => U;
}

type Match = <C, P, F, R, U>(cases: OutcomeCases<C, P, F, R, U>) => C | P | F | R | U;

const CASES = ['confirmed', 'pending', 'failed', 'refused', 'unknown'] as const;

const HOW_TO_READ = 'Outcome { read it with match({ confirmed, pending, failed, refused, unknown }) }';

let make: (match: Match) => Outcome;

/**
 * What became of a confirmation. It has no status to read: `match` is the only way in, and it takes all five cases.
 */
export class Outcome {
  readonly #match: Match;

  private constructor(match: Match) {
    this.#match = match;
  }

  /**
   * Calls the function of the case, and gives what it gives.
   *
   * @throws TypeError when one of the five is missing; then none is called.
   */
  match<C, P, F, R, U>(cases: OutcomeCases<C, P, F, R, U>): C | P | F | R | U {
    const missing = CASES.filter((name) => typeof cases[name] !== 'function');
    if (missing.length > 0) throw new TypeError(`match needs a function for each outcome; missing: ${missing.join(', ')}.`);
    return this.#match(cases);
  }

  /** What a log shows of it: how to read it, and not what it is. */
  toString(): string {
    return HOW_TO_READ;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HOW_TO_READ;
  }

  static {
    make = (match) => new Outcome(match);
  }
}

/** Inside the package only. */
export const outcomes = {
  confirmed: (confirmed: Confirmed, record: ContributionRecord) => make((cases) => cases.confirmed(confirmed, record)),
  pending: (pending: Pending, record: ContributionRecord) => make((cases) => cases.pending(pending, record)),
  failed: (permit: RestorationPermit, record: ContributionRecord) => make((cases) => cases.failed(permit, record)),
  refused: (refused: Refused) => make((cases) => cases.refused(refused)),
  unknown: (unknown: Unknown) => make((cases) => cases.unknown(unknown)),
};
