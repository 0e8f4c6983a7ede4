import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeErrorCode, type ErrorCode } from '../domain/error-codes.ts';
import { type RecoverableOperation, recoveryVerdict } from '../domain/recovery-verdict.ts';
import { type ErrorDetail, ServiceError, unavailable } from '../domain/service-error.ts';
import { BODY_MAX_BYTES } from './http/read-body.ts';

export interface ErrorEnvelope {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly retryable: boolean;
    readonly correlation_id: string;
    readonly details?: readonly ErrorDetail[];
  };
}

/** The one envelope of every error. @see docs/spec/interface.md#errors. */
export function errorEnvelope(
  { code, message, details }: Pick<ServiceError, 'code' | 'message' | 'details'>,
  correlationId: string,
  operation?: RecoverableOperation,
): ErrorEnvelope {
  const all = operation ? withVerdict(code, details, operation) : details;
  const { isRetryable } = describeErrorCode(code);
  return {
    error: { code, message, retryable: isRetryable, correlation_id: correlationId, ...(all.length > 0 && { details: all }) },
  };
}

/** The problems of the fields first, then the verdict, whose third item names the existing record. */
function withVerdict(code: ErrorCode, details: readonly ErrorDetail[], operation: RecoverableOperation): ErrorDetail[] {
  const isRecord = ({ field, code: id }: ErrorDetail) => field === 'transaction_id' && id.startsWith('txn_');
  return [...details.filter((detail) => !isRecord(detail)), ...recoveryVerdict(code, operation), ...details.filter(isRecord)];
}

/** What a route says of the content that it was about to send. */
const HEADERS_OF_CONTENT = ['content-disposition', 'etag', 'repr-digest'];

/** The one place that turns a thrown value into a response. */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: RecoverableOperation | undefined,
): FastifyReply {
  const error = toServiceError(thrown);
  const { status, retryAfterSeconds } = describeErrorCode(error.code);
  request.context.errorCode = error.code;
  request.context.limit = error.limit;
  if ((error.status ?? status) >= 500) request.context.failure = thrown;
  for (const name of HEADERS_OF_CONTENT) reply.removeHeader(name);
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  reply
    .code(error.status ?? status)
    .headers(error.headers)
    .type('application/json; charset=utf-8');
  return reply.serializer(JSON.stringify).send(errorEnvelope(error, request.context.correlationId, operation));
}

/**
 * The framework's own refusals, in the contract's words. Every other unexpected error is a defect or an outage, and the outcome is
 * unknown.
 */
const FRAMEWORK_REFUSALS: Record<number, ErrorDetail> = {
  413: { field: 'body', code: 'too_many_bytes', message: `The body is larger than ${BODY_MAX_BYTES / 1_024} KiB.` },
  415: {
    field: 'Content-Type',
    code: 'unsupported_value',
    message: 'The body must be JSON: send Content-Type: application/json.',
  },
};

function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  const status = (thrown as { statusCode?: unknown } | undefined)?.statusCode;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const detail = FRAMEWORK_REFUSALS[status];
    const message = detail?.message ?? 'The request is not well formed.';
    return new ServiceError('invalid_request', message, { status, cause: thrown, ...(detail && { details: [detail] }) });
  }
  return unavailable('The service could not complete the request; its outcome is unknown.', { cause: thrown });
}
