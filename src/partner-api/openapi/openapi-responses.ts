import { describeErrorCode, type ErrorCode } from '../../domain/error-codes.ts';
import { LONG_IDENTIFIER } from '../../domain/identifiers.ts';
import type { RecoverableOperation } from '../../domain/recovery-verdict.ts';
import type { ServiceError } from '../../domain/service-error.ts';
import { errorEnvelope } from '../errors.ts';
import { EVENT_RESPONSE_EXAMPLES } from '../events/event-examples.ts';
import { ENVIRONMENTAL_RESPONSE_EXAMPLES } from '../impact/environmental-examples.ts';
import { SANDBOX_RESPONSE_EXAMPLES } from '../sandbox/sandbox-examples.ts';
import { SETTLEMENT_RESPONSE_EXAMPLES } from '../settlements/settlement-examples.ts';
import { SELF_SERVICE_RESPONSE_EXAMPLES } from '../webhooks/endpoint-examples.ts';
import { ERROR_EXAMPLES, RESPONSE_EXAMPLES } from './openapi-examples.ts';
import { OPERATIONS, type OperationId, type OperationText } from './openapi-operations.ts';
import type { Json } from './openapi-schemas.ts';

const text = { type: 'string' };

const OF_PROCESS = 'Of several processes of the service, this is the share of the one that answered.';

/** Every header that the service sends besides those of HTTP itself. */
const HEADERS: Readonly<Record<string, { description: string; schema: Json }>> = {
  'X-Correlation-ID': {
    description: 'The correlation identifier of the request: as sent, or made by the service.',
    schema: { ...text, ...LONG_IDENTIFIER },
  },
  'Cache-Control': { description: 'Nobody may store an answer.', schema: { ...text, const: 'no-store' } },
  'Idempotent-Replayed': {
    description: '`true` when the answer repeats an earlier result; absent otherwise.',
    schema: { ...text, const: 'true' },
  },
  'Retry-After': { description: 'The whole seconds to wait before the next request.', schema: { type: 'integer', minimum: 1 } },
  Location: { description: 'The path of the record.', schema: text },
  'RateLimit-Policy': {
    description: `The rate of this class of requests, for information, such as \`"writes";q=200;w=2\`: 200 requests in two seconds, which may come all at once. ${OF_PROCESS}`,
    schema: text,
  },
  RateLimit: {
    description: `What is left of the rate, for information, such as \`"writes";r=99;t=1\`: 99 requests at once, and more after a second. ${OF_PROCESS}`,
    schema: text,
  },
  'WWW-Authenticate': { description: 'The scheme of authentication.', schema: text },
  'X-Sandbox-Scenario': { description: 'The scenario that the sandbox played. Production does not send it.', schema: text },
  Allow: { description: 'The methods of the path, with 405.', schema: text },
  ETag: { description: 'The entity tag of these bytes.', schema: text },
  'Repr-Digest': { description: 'SHA-256 of these bytes (RFC 9530); absent with `excel_safe`.', schema: text },
  'Content-Disposition': { description: 'A name for the file that holds the statement.', schema: text },
};

const ALWAYS = ['X-Correlation-ID', 'Cache-Control'];
const RATE = ['RateLimit-Policy', 'RateLimit'];

const headers = (...names: string[]) => Object.fromEntries([...ALWAYS, ...names].map((name) => [name, HEADERS[name]]));

const REHEARSED: readonly OperationId[] = ['confirmContribution', 'createDeliveryEmissionsEstimate'];

const SUCCESS_TEXTS: Record<string, string> = {
  '200': 'The record or the list.',
  '201': 'The service has recorded it; for a replay the original result.',
  '202': 'The contribution is pending: an operator reviews it. Do not restore points.',
};

/** Gives a success its text, its headers and its examples. */
export function completeSuccess(operationId: OperationId, status: string, response: Json): void {
  const isWrite = status !== '200';
  const isConfirmation = operationId === 'confirmContribution';
  response['description'] =
    operationId === 'reconcileSettlement' ? 'The service has received the list, and compares it.' : SUCCESS_TEXTS[status];
  response['headers'] = headers(
    ...RATE,
    ...(isWrite ? ['Idempotent-Replayed'] : []),
    ...(REHEARSED.includes(operationId) ? ['X-Sandbox-Scenario'] : []),
    ...(isConfirmation || operationId === 'reconcileSettlement' ? ['Location'] : []),
    ...(operationId === 'getSettlementStatement' ? ['ETag', 'Repr-Digest', 'Content-Disposition'] : []),
  );
  const examples = {
    ...RESPONSE_EXAMPLES,
    ...EVENT_RESPONSE_EXAMPLES,
    ...SETTLEMENT_RESPONSE_EXAMPLES,
    ...ENVIRONMENTAL_RESPONSE_EXAMPLES,
    ...SANDBOX_RESPONSE_EXAMPLES,
    ...SELF_SERVICE_RESPONSE_EXAMPLES,
  }[operationId]?.[status];
  for (const media of Object.values(response['content'] as Record<string, Json>)) media['examples'] = examples;
}

/** The answer to `If-None-Match` with the tag of what is asked for: it has no body. */
export const NOT_MODIFIED: Json = {
  description: 'The bytes have the entity tag that `If-None-Match` names.',
  headers: headers(...RATE, 'ETag', 'Content-Disposition', 'Repr-Digest'),
};

const EXAMPLE_CORRELATION_ID = 'corr-2026-11-21-0001';

/** Every refusal of the operation by its status, with an example for each code. */
export function errorResponses(operationId: OperationId): Record<string, Json> {
  const { errors, recoverable, notFound }: OperationText = OPERATIONS[operationId];
  const byStatus = Map.groupBy(errors, (code) => String(describeErrorCode(code).status));
  const isRehearsed = REHEARSED.includes(operationId);
  const entries = [...byStatus].map(([status, codes]): [string, Json] => [
    status,
    errorResponse(codes, recoverable, isRehearsed),
  ]);
  const other = {
    ...errorResponse([], undefined),
    headers: headers(...RATE, 'Retry-After', 'Allow'),
    description:
      '`invalid_request` for another path, method, size or media type; 408 `internal_service_unavailable` for a request that did not arrive completely in time.',
  };
  return { ...Object.fromEntries(entries), ...(notFound && { '404': notFoundResponse(notFound) }), default: other };
}

function notFoundResponse(error: ServiceError): Json {
  const examples = { not_found: { summary: error.code, value: errorEnvelope(error, EXAMPLE_CORRELATION_ID) } };
  return { ...errorResponse([], undefined), description: `\`${error.code}\``, content: errorContent(examples) };
}

function errorResponse(codes: readonly ErrorCode[], recoverable: RecoverableOperation | undefined, isRehearsed = false): Json {
  const examples = Object.fromEntries(
    codes.map((code) => [
      code,
      { summary: code, value: errorEnvelope({ code, ...ERROR_EXAMPLES[code] }, EXAMPLE_CORRELATION_ID, recoverable) },
    ]),
  );
  const hasRetryAfter = codes.some((code) => describeErrorCode(code).retryAfterSeconds !== undefined);
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: headers(
      ...headersOf(codes, recoverable),
      ...(hasRetryAfter ? ['Retry-After'] : []),
      ...(isRehearsed && !codes.includes('unauthorized') ? ['X-Sandbox-Scenario'] : []),
    ),
    content: errorContent(examples),
  };
}

/** A request without a key has no rate. The final failure of a confirmation is a record, which is replayed. */
function headersOf(codes: readonly ErrorCode[], recoverable: RecoverableOperation | undefined): string[] {
  if (codes.includes('unauthorized')) return ['WWW-Authenticate'];
  const isReplayed = recoverable === 'confirm' && codes.includes('contribution_final_failure');
  return isReplayed ? [...RATE, 'Idempotent-Replayed'] : RATE;
}

function errorContent(examples: Json): Json {
  const schema = { $ref: '#/components/schemas/Error' };
  return { 'application/json': { schema, ...(Object.keys(examples).length > 0 && { examples }) } };
}
