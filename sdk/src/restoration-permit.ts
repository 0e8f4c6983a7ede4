/** Held by this module alone: without it nobody makes a permit, whatever the compiler was told. */
const ISSUER = Symbol('issuer of restoration permits');

/** The contribution that failed. */
interface Failure {
  readonly eventId: string;
  readonly transactionId: string;
  readonly points: bigint;
}

let issue: (failure: Failure) => RestorationPermit;

/**
 * The permission to give a customer's points back, **once** for its `eventId`. Only the outcome `failed` and the event of a failed
 * contribution have one. Type your own restoration as `(permit: RestorationPermit) => …`: then nothing else can reach it.
 *
 * A permit cannot be constructed, copied, or read back from JSON. Make `eventId` unique in the table of your restorations, and compare it
 * byte by byte (a binary or case-sensitive collation): after the service was restored from a backup, the same failure may have another
 * `transactionId`.
 */
export class RestorationPermit {
  readonly #eventId: string;
  readonly #transactionId: string;
  readonly #points: bigint;

  private constructor(issuer: symbol, { eventId, transactionId, points }: Failure) {
    if (issuer !== ISSUER) throw new TypeError('Only a failed contribution gives a restoration permit.');
    this.#eventId = eventId;
    this.#transactionId = transactionId;
    this.#points = points;
    Object.freeze(this);
  }

  /** Of the intent: `partner_event_id`. It has at most one contribution, and so at most one restoration. */
  get eventId(): string {
    return this.#eventId;
  }

  /** The contribution that failed. */
  get transactionId(): string {
    return this.#transactionId;
  }

  /**
   * The points that are recorded. `confirm` gives no permit where they are not those of the intent. An event knows of no intent: where
   * other points were deducted, give nothing back, and call `confirm`, which says `refused`.
   */
  get points(): bigint {
    return this.#points;
  }

  /** Whether a value is a permit that this package issued. */
  static isPermit(value: unknown): value is RestorationPermit {
    return typeof value === 'object' && value !== null && #transactionId in value;
  }

  static {
    issue = (failure) => new RestorationPermit(ISSUER, failure);
  }
}

/** Inside the package only: the two places that know of a failure call it. */
export function issueRestorationPermit(failure: Failure): RestorationPermit {
  return issue(failure);
}
