import assert from 'node:assert/strict';
import { ERROR_CODES, type ErrorCode } from '../../../src/domain/error-codes.ts';
import type { Answer } from '../client.ts';

/** What this reads of an answer. */
type ErrorAnswer = Pick<Answer, 'status' | 'body' | 'text'> & Partial<Pick<Answer, 'request'>>;

/**
 * Asserts that an answer is an error of the contract: status, code and `retryable`. `docs.test.ts` and `error-codes.test.ts` hold the table of
 * codes to the documents and to the service.
 *
 * @param status Where HTTP has a more specific one than the code's own, such as 404 for an unknown path.
 */
export function assertError(answer: ErrorAnswer | undefined, code: ErrorCode, status: number = ERROR_CODES[code].status): void {
  const error = answer?.body?.error;
  const given = answer === undefined ? 'no answer' : `${answer.request ?? 'the answer'}: ${answer.status} ${answer.text}`;
  assert.deepEqual(
    { status: answer?.status, code: error?.code, retryable: error?.retryable },
    { status, code, retryable: ERROR_CODES[code].isRetryable },
    `not ${status} ${code}, but ${given}`,
  );
}
