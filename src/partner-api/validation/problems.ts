import type { ErrorCode } from '../../domain/error-codes.ts';
import { type ErrorDetail, ServiceError } from '../../domain/service-error.ts';

/** A part of a request, by its name for people. */
export type RequestPart = 'headers' | 'query' | 'body';

/** One problem with a field, and the error code that it alone would give. Its words are written when it is answered. */
export interface Problem {
  readonly errorCode: ErrorCode;
  describe(): ErrorDetail;
}

/** The most problems in an answer; further ones are only counted. */
export const SHOWN_MAX = 50;

/**
 * @throws ServiceError With all problems, fifty at most and then their number. Its code is `invalid_request` when any problem is
 * structural, else that of the first field in the contract's order.
 */
export function refuseProblems(problems: readonly Problem[]): void {
  const [first] = problems;
  if (!first) return;
  const code = problems.some(({ errorCode }) => errorCode === 'invalid_request') ? 'invalid_request' : first.errorCode;
  const details = problems.slice(0, SHOWN_MAX).map((problem) => problem.describe());
  if (problems.length > SHOWN_MAX) details.push(omittedProblems(problems.length));
  const sentences = details.map(({ message }) => message).join(' ');
  throw new ServiceError(code, problems.length === 1 ? sentences : `${problems.length} problems: ${sentences}`, { details });
}

function omittedProblems(count: number): ErrorDetail {
  const message = `The request has ${count} problems; the first ${SHOWN_MAX} are listed.`;
  return { field: 'request', code: 'more_problems', message };
}
