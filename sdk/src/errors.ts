/**
 * What the SDK throws: one class for each condition. `confirm` throws none of the errors of the service or of the network, because each
 * of its outcomes has to be handled; it gives them as `error` of `refused` and `unknown`. No message contains the API key.
 */

/** The class of every error of this package. */
export abstract class PartnerImpactError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The options of `new PartnerImpact`, or of a receiver, are wrong. Nothing was sent. */
export class ConfigurationError extends PartnerImpactError {}

/** A value that the interface cannot hold; `field` names it. Nothing was sent. */
export class InvalidValueError extends PartnerImpactError {
  readonly field: string;

  constructor(field: string, form: string) {
    super(`${field} must be ${form}. Nothing was sent.`);
    this.field = field;
  }
}

/** No whole answer of the service arrived, so the request may have been recorded. */
export abstract class NoAnswerError extends PartnerImpactError {}

/** No connection, or it broke: DNS, refused, reset. `cause` is the error of `fetch`. */
export class ConnectionError extends NoAnswerError {}

/** No whole answer within the time-out of an attempt. */
export class AnswerTimeoutError extends NoAnswerError {}

/** The caller's `AbortSignal` ended the wait. `cause` is its reason. */
export class AbortedError extends NoAnswerError {}

/** What arrived is no answer of the service: a page of a proxy, a redirect, JSON that ends too soon, another record. */
export class BrokenAnswerError extends NoAnswerError {
  /** The HTTP status; 408 and 5xx are here too where a proxy answered. */
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

export interface ErrorDetail {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

export interface ServiceErrorFields {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly retryable: boolean;
  readonly correlationId: string;
  readonly details: readonly ErrorDetail[];
}

/** The service answered with an error. A code that this version does not know is of this class itself: codes are an open list. */
export class ServiceError extends PartnerImpactError {
  /** Such as `partner_order_conflict`; docs/errors.md has a section for each. */
  readonly code: string;
  /** The HTTP status. */
  readonly status: number;
  /** Whether the identical request may succeed soon. */
  readonly retryable: boolean;
  /** Names this request in the service's log: give it to the operator. */
  readonly correlationId: string;
  /** All problems of fields, and the next step. */
  readonly details: readonly ErrorDetail[];

  constructor({ code, status, message, retryable, correlationId, details }: ServiceErrorFields) {
    super(`${code}: ${message}`);
    this.code = code;
    this.status = status;
    this.retryable = retryable;
    this.correlationId = correlationId;
    this.details = details;
  }

  /** Such as `fix_request`, `wait` or `contact_operator`; `undefined` where the service names none. */
  get nextAction(): string | undefined {
    return this.details.find(({ field }) => field === 'next_action')?.code;
  }
}

/** A malformed request, or an unknown record of a list. */
export class InvalidRequestError extends ServiceError {}
/** Points outside the bounds of the partner's rule. */
export class InvalidPointAmountError extends ServiceError {}
/** A vehicle that the service has no factor for. */
export class UnsupportedVehicleError extends ServiceError {}
/** A distance that is not a plain decimal above 0 and at most 200 with at most three decimals. */
export class InvalidDistanceError extends ServiceError {}
/** A key that is wrong, revoked, expired or of the other environment. */
export class UnauthorizedError extends ServiceError {}
/** A key without the permission, or from an address outside its list. */
export class ForbiddenError extends ServiceError {}
/** The partner is suspended: look-ups go on, new records wait. */
export class PartnerSuspendedError extends ServiceError {}
/** No contribution for this id. It authorises no restoration. */
export class ContributionNotFoundError extends ServiceError {}
/** No estimate for this id. */
export class EstimateNotFoundError extends ServiceError {}
/** The key was used for another payload. */
export class IdempotencyConflictError extends ServiceError {}
/** The event is recorded under another key. */
export class PartnerEventConflictError extends ServiceError {}
/** Another confirmed contribution holds the order. It authorises no restoration. */
export class PartnerOrderConflictError extends ServiceError {}
/** The contribution or the estimate has a link. */
export class AssociationConflictError extends ServiceError {}
/** The contribution, or another one of the order, is not decided. */
export class ContributionPendingError extends ServiceError {}
/** The estimate is older than 24 hours and not linked. */
export class EstimateExpiredError extends ServiceError {}
/** The estimate belongs to another order. */
export class CalculationMismatchError extends ServiceError {}
/** The contribution failed. Only the permit of `failed` authorises a restoration. */
export class ContributionFinalFailureError extends ServiceError {}
/** Above the partner's rate. The request recorded nothing. */
export class RateLimitedError extends ServiceError {}
/** The service could not answer: the request may have been recorded. */
export class ServiceUnavailableError extends ServiceError {}

/**
 * The feed has no events between two sequences: the service removed them, after 90 days, before the inbox had them, or it was restored from
 * a backup and left the numbers out, a million or more. Those of them that are not in the inbox are never handled.
 */
export class EventsRemovedError extends PartnerImpactError {
  /** The first sequence that the feed does not have. */
  readonly first: bigint;
  /** The last one. */
  readonly last: bigint;

  constructor(first: bigint, last: bigint) {
    super(
      `There are no events from ${first} to ${last}: the service removed them after its time, or was restored and left the numbers out. Those that were there and did not arrive before are never handled.`,
    );
    this.first = first;
    this.last = last;
  }
}

/** The statement that arrived does not have the SHA-256 of its settlement. */
export class StatementMismatchError extends PartnerImpactError {
  readonly settlementId: string;
  readonly expectedSha256: string;
  readonly actualSha256: string;

  constructor(settlementId: string, expectedSha256: string, actualSha256: string) {
    super(
      `The statement of ${settlementId} has the SHA-256 ${actualSha256}, and the settlement says ${expectedSha256}. Do not use it.`,
    );
    this.settlementId = settlementId;
    this.expectedSha256 = expectedSha256;
    this.actualSha256 = actualSha256;
  }
}

/** A settlement has a statement when it is closed, and this one is open. */
export class SettlementOpenError extends PartnerImpactError {
  readonly settlementId: string;

  constructor(settlementId: string) {
    super(`Settlement ${settlementId} is open: it has a statement when it is closed.`);
    this.settlementId = settlementId;
  }
}

/** The service could not compare a list; `problem` says why. Nothing of it was used. */
export class ReconciliationFailedError extends PartnerImpactError {
  readonly reconciliationId: string;
  readonly problem: string | null;

  constructor(reconciliationId: string, problem: string | null) {
    super(`Reconciliation ${reconciliationId} failed: ${problem ?? 'the service gives no reason'}.`);
    this.reconciliationId = reconciliationId;
    this.problem = problem;
  }
}
