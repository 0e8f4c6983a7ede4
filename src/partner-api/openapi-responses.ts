import { describeErrorCode, type ErrorCode } from '../domain/error-codes.ts';
import type { RecoverableOperation } from '../domain/recovery.ts';
import type { ServiceError } from '../domain/service-error.ts';
import { ENVIRONMENTAL_RESPONSE_EXAMPLES } from './environmental-examples.ts';
import { errorEnvelope } from './errors.ts';
import { EVENT_RESPONSE_EXAMPLES } from './event-examples.ts';
import { ERROR_EXAMPLES, RESPONSE_EXAMPLES } from './openapi-examples.ts';
import { OPERATIONS, type OperationId, type OperationText } from './openapi-operations.ts';
import type { Json } from './openapi-schemas.ts';
import { SETTLEMENT_RESPONSE_EXAMPLES } from './settlement-examples.ts';

const HEADER_TEXTS: Record<string, string> = {
  'X-Correlation-ID': 'As sent, or made by the service.',
  'Idempotent-Replayed': '`true` when the answer repeats an earlier result; absent otherwise.',
  'Retry-After': 'Whole seconds to wait.',
  Location: 'Path of the record.',
};

const headers = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { description: HEADER_TEXTS[name], schema: { type: 'string' } }]));

const SUCCESS_TEXTS: Record<string, string> = {
  '200': 'Found.',
  '201': 'Recorded, or the original result of a replay.',
  '202': 'Recorded and pending: an operator reviews it. Points must not be restored.',
};

/** Gives a success its text, its headers and its examples. */
export function completeSuccess(operationId: OperationId, status: string, response: Json): void {
  const isWrite = status !== '200';
  const isConfirmation = operationId === 'confirmContribution';
  response['description'] =
    operationId === 'reconcileSettlement' ? 'The list has come; the rest is compared.' : SUCCESS_TEXTS[status];
  response['headers'] = headers(
    'X-Correlation-ID',
    ...(isWrite ? ['Idempotent-Replayed'] : []),
    ...(isConfirmation || operationId === 'reconcileSettlement' ? ['Location'] : []),
  );
  const examples = {
    ...RESPONSE_EXAMPLES,
    ...EVENT_RESPONSE_EXAMPLES,
    ...SETTLEMENT_RESPONSE_EXAMPLES,
    ...ENVIRONMENTAL_RESPONSE_EXAMPLES,
  }[operationId]?.[status];
  for (const media of Object.values(response['content'] as Record<string, Json>)) media['examples'] = examples;
}

const EXAMPLE_CORRELATION_ID = 'corr-2026-11-21-0001';

/** Every refusal of the operation by its status, with an example for each code. */
export function errorResponses(operationId: OperationId): Record<string, Json> {
  const { errors, recoverable, notFound }: OperationText = OPERATIONS[operationId];
  const byStatus = Map.groupBy(errors, (code) => String(describeErrorCode(code).status));
  const entries = [...byStatus].map(([status, codes]): [string, Json] => [status, errorResponse(codes, recoverable)]);
  const other = {
    ...errorResponse([], undefined),
    description: '`invalid_request` for what is not this path, method, size or media type.',
  };
  return { ...Object.fromEntries(entries), ...(notFound && { '404': notFoundResponse(notFound) }), default: other };
}

function notFoundResponse(error: ServiceError): Json {
  const examples = { not_found: { summary: error.code, value: errorEnvelope(error, EXAMPLE_CORRELATION_ID) } };
  return { ...errorResponse([], undefined), description: `\`${error.code}\``, content: errorContent(examples) };
}

function errorResponse(codes: readonly ErrorCode[], recoverable: RecoverableOperation | undefined): Json {
  const examples = Object.fromEntries(
    codes.map((code) => [
      code,
      { summary: code, value: errorEnvelope({ code, ...ERROR_EXAMPLES[code] }, EXAMPLE_CORRELATION_ID, recoverable) },
    ]),
  );
  const hasRetryAfter = codes.some((code) => describeErrorCode(code).retryAfterSeconds !== undefined);
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: headers('X-Correlation-ID', ...(hasRetryAfter ? ['Retry-After'] : [])),
    content: errorContent(examples),
  };
}

function errorContent(examples: Json): Json {
  const schema = { $ref: '#/components/schemas/Error' };
  return { 'application/json': { schema, ...(Object.keys(examples).length > 0 && { examples }) } };
}
