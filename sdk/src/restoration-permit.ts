/** Held by this module alone: without it nobody makes a permit, whatever the compiler was told. */
const ISSUER = Symbol('issuer of restoration permits');

let issue: (transactionId: string, points: bigint) => RestorationPermit;

/**
 * The permission to give a customer's points back, **once** for its `transactionId`. Only the outcome `failed` and the event of a failed
 * contribution have one. Type your own restoration as `(permit: RestorationPermit) => …`: then nothing else can reach it.
 *
 * A permit cannot be constructed, copied, or read back from JSON. Make `transactionId` unique in the table of your restorations.
 */
export class RestorationPermit {
  readonly #transactionId: string;
  readonly #points: bigint;

  private constructor(issuer: symbol, transactionId: string, points: bigint) {
    if (issuer !== ISSUER) throw new TypeError('Only a failed contribution gives a restoration permit.');
    this.#transactionId = transactionId;
    this.#points = points;
    Object.freeze(this);
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
    issue = (transactionId, points) => new RestorationPermit(ISSUER, transactionId, points);
  }
}

/** Inside the package only: the two places that know of a failure call it. */
export function issueRestorationPermit(transactionId: string, points: bigint): RestorationPermit {
  return issue(transactionId, points);
}
