/** What every answer has to be, whatever was asked. Written from the interface and the decisions, not from the service's code. */
import { describeMisfit, findOperation, isRehearsal, type Operation } from './document.ts';
import { onlyHeader, type WireAnswer } from './wire-format.ts';

/** What is known of the request that an answer belongs to. */
export interface Asked {
  readonly method: string;
  readonly target: string;
  /** Every value that was sent for `X-Correlation-ID`. */
  readonly correlationIds: readonly string[];
  /** Whether Node's parser let it through, so that the service knows its headers. */
  readonly isHttp: boolean;
  readonly mustBeRefused: boolean;
  /** Nothing was spoiled: the request must not be called ill formed. */
  readonly isValid: boolean;
}

/** Status and `retryable` of each code. @see docs/spec/decisions.md#1-http. */
const CODES: Readonly<Record<string, { statuses: readonly number[]; retryable: boolean }>> = {
  invalid_request: { statuses: [400, 404, 405, 413, 415, 417, 431], retryable: false },
  invalid_point_amount: { statuses: [400], retryable: false },
  unsupported_vehicle: { statuses: [400], retryable: false },
  invalid_distance: { statuses: [400], retryable: false },
  unauthorized: { statuses: [401], retryable: false },
  forbidden: { statuses: [403], retryable: false },
  partner_suspended: { statuses: [403], retryable: false },
  contribution_not_found: { statuses: [404], retryable: true },
  estimate_not_found: { statuses: [404], retryable: false },
  idempotency_conflict: { statuses: [409], retryable: false },
  partner_event_conflict: { statuses: [409], retryable: false },
  partner_order_conflict: { statuses: [409], retryable: false },
  association_conflict: { statuses: [409], retryable: false },
  contribution_pending: { statuses: [409], retryable: true },
  estimate_expired: { statuses: [410], retryable: false },
  calculation_mismatch: { statuses: [422], retryable: false },
  contribution_final_failure: { statuses: [422], retryable: false },
  rate_limited: { statuses: [429], retryable: true },
  internal_service_unavailable: { statuses: [503, 408], retryable: true },
};

/** Their errors could be misread as a verdict on a contribution. */
const WITH_VERDICT = new Set([
  'confirmContribution',
  'getContributionByPartnerEventId',
  'getContributionById',
  'getEnvironmentalStatus',
  'associateEmissionsEstimate',
]);
/** Of the paths that the interface does not name: an unknown record is 404 `invalid_request`. */
const WITH_OWN_NOT_FOUND = new Set([
  'getEvent',
  'getEmissionFactors',
  'getSettlement',
  'listSettlementLines',
  'getSettlementStatement',
  'acknowledgeSettlement',
  'reconcileSettlement',
  'getReconciliation',
  'listReconciliationLines',
  'listImpactBatchTransactions',
]);
const IDENTIFIER = /^[A-Za-z0-9._:-]{8,128}$/;

// biome-ignore lint/suspicious/noExplicitAny: an answer is judged as the JSON that it is
type Json = any;

/** Each sentence names one thing that is wrong; none for a good answer. 503 is not judged here: it depends on the load. */
export function checkAnswer(answer: WireAnswer, asked: Asked): string[] {
  const { status } = answer;
  const operation = findOperation(asked.method, asked.target);
  const found: string[] = [];
  if (status >= 500 && status !== 503) found.push('a 5xx');
  // The reference may be kept, its refusals may not.
  const isReference = asked.target.startsWith('/docs') && status < 400;
  if (!isReference && onlyHeader(answer, 'cache-control') !== 'no-store') found.push('no Cache-Control: no-store');
  checkCorrelation(answer, asked, found);
  if (asked.mustBeRefused && status < 400) found.push('taken, and it must be refused');
  if (asked.method === 'HEAD' || asked.target.startsWith('/docs')) return found;
  checkBody(answer, { operation, asked }, found);
  return found;
}

function checkCorrelation(answer: WireAnswer, { correlationIds, isHttp }: Asked, found: string[]): void {
  const given = onlyHeader(answer, 'x-correlation-id');
  if (given === undefined) return void found.push('no X-Correlation-ID, or several');
  if (!IDENTIFIER.test(given)) found.push('an ill-formed X-Correlation-ID');
  const [sent] = correlationIds;
  const isValid = correlationIds.length === 1 && sent !== undefined && IDENTIFIER.test(sent);
  // Headers that are too large never reach the service, the correlation id among them.
  const isHeard = isHttp && answer.status !== 431;
  if (isValid && isHeard && given !== sent) found.push('the X-Correlation-ID is not the one that was sent');
  const isEchoed = (bad: string) => bad !== '' && answer.headers.some(([, value]) => value === bad);
  if (!isValid && correlationIds.some(isEchoed)) found.push('a bad X-Correlation-ID is echoed');
}

function checkBody(
  answer: WireAnswer,
  { operation, asked }: { operation: Operation | undefined; asked: Asked },
  found: string[],
): void {
  const { status } = answer;
  let body: Json;
  try {
    body = JSON.parse(answer.body);
  } catch {
    return void found.push('a body that is not JSON');
  }
  if (!/^application\/json(; charset=utf-8)?$/.test(onlyHeader(answer, 'content-type') ?? '')) found.push('not application/json');
  const misfit = describeMisfit(operation, status, body);
  if (misfit) found.push(`not as the document says: ${misfit}`);
  const echoed = body?.error?.correlation_id ?? body?.request?.correlation_id;
  if (echoed !== onlyHeader(answer, 'x-correlation-id')) found.push('the correlation_id of the body is not that of the header');
  if (status >= 400) checkError(answer, { error: body?.error, operation, asked }, found);
  else if (operation?.operationId === 'confirmContribution') checkLocation(answer, body, found);
}

function checkError(
  answer: WireAnswer,
  { error, operation, asked }: { error: Json; operation: Operation | undefined; asked: Asked },
  found: string[],
): void {
  const { status } = answer;
  const row = CODES[error?.code];
  if (!row) return void found.push(`the code ${error?.code} is none of the contract's`);
  if (!row.statuses.includes(status)) found.push(`${error.code} with status ${status}`);
  const isUnknownRecord = status === 404 && operation !== undefined && WITH_OWN_NOT_FOUND.has(operation.operationId);
  const isCalledIllFormed = status === 400 || error.code === 'invalid_request';
  // Refused by what the partner has: no open settlement, a contribution that is final.
  const isRehearsed = operation !== undefined && isRehearsal(operation);
  if (asked.isValid && isCalledIllFormed && !isUnknownRecord && !isRehearsed) found.push(`valid, and called ${error.code}`);
  if (row.retryable !== error.retryable) found.push(`${error.code} with retryable ${error.retryable}`);
  const needs: Record<number, string> = {
    401: 'www-authenticate',
    405: 'allow',
    429: 'retry-after',
    408: 'retry-after',
    503: 'retry-after',
  };
  const needed = needs[status];
  if (needed && !onlyHeader(answer, needed)) found.push(`${status} without ${needed}`);
  const retryAfter = onlyHeader(answer, 'retry-after');
  if (retryAfter !== undefined && !/^[1-9]\d*$/.test(retryAfter)) found.push(`Retry-After: ${retryAfter}`);
  if (operation && WITH_VERDICT.has(operation.operationId)) checkVerdict(error, found);
}

/** Only the answer that tells of a failed contribution may allow points to be restored. {@link ToldOutcomes} judges which may have failed. */
function checkVerdict({ code, details = [] }: Json, found: string[]): void {
  const verdict = details.find(({ field }: Json) => field === 'point_restoration');
  const expected = code === 'contribution_final_failure' ? 'authorized' : 'not_authorized';
  if (verdict?.code !== expected) found.push(`point_restoration is ${verdict?.code}`);
}

function checkLocation(answer: WireAnswer, { contribution }: Json, found: string[]): void {
  const expected = `/v1/impact-transactions/${contribution?.transaction_id}`;
  if (answer.status < 300 && answer.headers.some(([name]) => name === 'location') === false) found.push('no Location');
  if (onlyHeader(answer, 'location') !== expected) found.push('a Location that is not the contribution');
}
