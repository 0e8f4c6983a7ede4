import type { DetailCode } from './detail-codes.ts';
import type { ErrorCode } from './error-codes.ts';
import type { Limit } from './limit-names.ts';

/** One problem or instruction of an error. @see docs/spec/interface.md#errors, error.details. */
export interface ErrorDetail {
  readonly field: string;
  readonly code: DetailCode;
  readonly message: string;
}

export interface ServiceErrorOptions extends ErrorOptions {
  readonly details?: readonly ErrorDetail[];
  /** When the answer's status is not the code's own (404, 405, 413, 415, 431 of `invalid_request`). */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The limit that caused it, for the metrics. */
  readonly limit?: Limit;
}

/** An error that the partner must act on: one of the contract's codes, and a sentence that says what to do. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly limit: Limit | undefined;

  constructor(code: ErrorCode, message: string, { details = [], status, headers = {}, limit, cause }: ServiceErrorOptions = {}) {
    super(message, { cause });
    this.code = code;
    this.details = details;
    this.status = status;
    this.headers = headers;
    this.limit = limit;
  }
}

/**
 * A missing record at a path that the interface does not name. Another partner's record is answered with the same words.
 *
 * @param field The field of the look-up.
 * @see docs/spec/decisions.md#1-http.
 */
export function recordNotFound(field: string, message: string): ServiceError {
  return new ServiceError('invalid_request', message, { status: 404, details: [{ field, code: 'not_found', message }] });
}

/** A header with a value that the interface does not take, where HTTP has a status of its own for it. */
export function unsupportedHeader(field: string, status: 415 | 417, message: string): ServiceError {
  return new ServiceError('invalid_request', message, { status, details: [{ field, code: 'unsupported_value', message }] });
}

/** A problem of a field, in a sentence of its own. */
export function problem(field: string, code: DetailCode, message: string): ErrorDetail {
  return { field, code, message };
}

/** A value that has not the form of its field. @param form After "must be". */
export function wrongForm(field: string, form: string): ErrorDetail {
  return { field, code: 'wrong_form', message: `${field} must be ${form}.` };
}

/** All problems of a request, in one message. */
export function invalidRequest(details: readonly ErrorDetail[]): ServiceError {
  return new ServiceError('invalid_request', details.map(({ message }) => message).join(' '), { details });
}

/**
 * @throws ServiceError {@link invalidRequest}, when there is a problem.
 */
export function refuseInvalid(details: readonly ErrorDetail[]): void {
  if (details.length > 0) throw invalidRequest(details);
}

/** The outcome is unknown: a whole record is stored, or none. Never says that nothing was stored. */
export function unavailable(message: string, options: ServiceErrorOptions = {}): ServiceError {
  return new ServiceError('internal_service_unavailable', message, options);
}
