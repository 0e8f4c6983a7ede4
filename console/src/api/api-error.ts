/** A request that the service refused, or that got no answer. */

export interface Problem {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** What the service says of a refused request: a sentence for people, and the correlation id by which the log finds it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly correlationId: string | undefined;
  readonly problems: readonly Problem[];

  constructor(status: number, { code, message, correlation_id, details = [] }: ErrorMembers) {
    super(message);
    this.status = status;
    this.code = code;
    this.correlationId = correlation_id;
    this.problems = details;
  }
}

interface ErrorMembers {
  readonly code: string;
  readonly message: string;
  readonly correlation_id?: string;
  readonly details?: readonly Problem[];
}

/** The session has ended, or is one of another person: the sign-in says so, or the page goes. This request changed nothing. */
export class SessionEndedError extends ApiError {}

/** Whether the change may have been made nevertheless: nobody answered. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';

  /** Whether it was waited for to the end, and not refused at once. */
  get isTimeout(): boolean {
    return this.cause instanceof DOMException && this.cause.name === 'TimeoutError';
  }
}

/**
 * The error of an answer that is no success. A 5xx without the service's own words is of a proxy, which does not know whether the change was
 * made: it counts as no answer.
 */
export function toError(status: number, body: unknown): ApiError | NoAnswerError {
  const error = (body as { error?: ErrorMembers } | undefined)?.error;
  if (!error && status >= 500) return new NoAnswerError(`answered ${status} by something else`);
  return new ApiError(
    status,
    error ?? { code: 'unreadable_answer', message: `The service answered ${status} without a reason.` },
  );
}

/**
 * The service says what it did with an object. A success without one is of something between, such as the sign-in of a proxy, which does not
 * know whether the change was made.
 *
 * @throws NoAnswerError When the body of a success is no object.
 */
export function toAnswer<Value>(body: unknown): Value {
  if (typeof body !== 'object' || body === null) throw new NoAnswerError('a success of something else');
  return body as Value;
}

/** Whether a change may have been made although it ended with this error. */
export function mayBeMade(error: unknown): boolean {
  return error instanceof NoAnswerError || (error instanceof ApiError && error.status >= 500);
}

/** Somebody else was faster: what the person wanted is so already. Nothing was sent. */
export class DoneBeforeError extends Error {
  override readonly name = 'DoneBeforeError';
}

/** Whether somebody else was faster could not be read: why is the cause. Nothing was sent. */
export class NotReadError extends Error {
  override readonly name = 'NotReadError';
}

/** The service refused it for the token of an earlier session, and that of now could not be read: why is the cause. Nothing was done. */
export class SessionNotReadError extends NotReadError {}

/** The person closed the dialog instead of giving the password again. This request was not carried out. */
export class StepUpCancelled extends Error {
  override readonly name = 'StepUpCancelled';
}
