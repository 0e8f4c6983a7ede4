import { decode, isJsonObject, type JsonObject } from './decode.ts';
import { AbortedError, BrokenAnswerError, type NoAnswerError, type ServiceError } from './errors.ts';
import { stringifyExactJson } from './exact-json.ts';
import { Patience } from './http/patience.ts';
import { type CallOptions, DEADLINE_MS } from './http/request.ts';
import type { Reply, Transport } from './http/transport.ts';
import { type Intent, readIntent, takeUnsent } from './intent.ts';
import { type ContributionRecord, type Outcome, outcomes } from './outcome.ts';
import { issueRestorationPermit } from './restoration-permit.ts';

const MINUTE_MS = 60_000;
/** A review takes people; an event tells of its end sooner. */
const PENDING_RETRY_MS = 5 * MINUTE_MS;
const UNKNOWN_RETRY_MS = MINUTE_MS;
/** A person has to act first: the operator, or whoever has the key. */
const PERSON_RETRY_MS = 60 * MINUTE_MS;
const KEY_RETRY_MS = 15 * MINUTE_MS;
/**
 * The statuses of a refusal of this contribution. Every other one is about the key, the address or the way, and says nothing about the
 * contribution.
 */
const REFUSAL_STATUSES: readonly number[] = [400, 409, 422];

type Step = 'send' | 'look_up';
/** What a step of a confirmation says: it is over, or how it goes on. */
type Verdict =
  | { readonly outcome: Outcome }
  | {
      readonly next: Step;
      readonly refusal?: ServiceError;
      readonly unknown?: ServiceError | NoAnswerError;
      readonly retryAfterMs?: number;
    };

/**
 * Sends an intent until its outcome is known or the time is up. An intent that this process did not make just now, or that was given to
 * it before, may have been sent: it is looked up first, as is everything before it is sent again. The key never changes.
 *
 * @see Interface, "Recovery rules".
 */
export async function confirmIntent(transport: Transport, stored: Intent, options: CallOptions = {}): Promise<Outcome> {
  const intent = readIntent(stored);
  const { signal, deadlineMs = DEADLINE_MS } = options;
  const patience = new Patience(deadlineMs, signal);
  let refusal: ServiceError | undefined;
  for (let step: Step = takeUnsent(stored) ? 'send' : 'look_up'; ; ) {
    const reply = await transport.send(step === 'send' ? confirmation(intent, signal) : lookUp(intent, signal));
    const verdict = judge(intent, step, reply, refusal);
    if ('outcome' in verdict) return verdict.outcome;
    refusal ??= verdict.refusal;
    const { unknown, retryAfterMs = 0 } = verdict;
    if (unknown && (unknown instanceof AbortedError || !(await patience.pause(retryAfterMs))))
      return stillUnknown(unknown, retryAfterMs);
    step = verdict.next;
  }
}

function confirmation(intent: Intent, signal: AbortSignal | undefined) {
  const body = stringifyExactJson({
    partner_event_id: intent.eventId,
    partner_order_ref: intent.orderRef,
    points: BigInt(intent.points),
    calculation_id: intent.calculationId,
    opaque_customer_ref: intent.customerRef,
  });
  return { method: 'POST', path: '/v1/impact-transactions', idempotencyKey: intent.idempotencyKey, body, signal } as const;
}

function lookUp({ eventId }: Intent, signal: AbortSignal | undefined) {
  return { path: `/v1/impact-transactions?partner_event_id=${encodeURIComponent(eventId)}`, signal } as const;
}

function judge(intent: Intent, step: Step, reply: Reply, refusal: ServiceError | undefined): Verdict {
  if (reply.kind === 'success') return judgeRecord(intent, step, reply.status, reply.body);
  const { error, retryAfterMs } = reply;
  if (reply.kind === 'none') return { next: 'look_up', unknown: error, retryAfterMs };
  const isNotFound = reply.error.code === 'contribution_not_found' && reply.error.status === 404;
  if (step === 'look_up' && isNotFound) return refusal ? { outcome: refused(refusal) } : { next: 'send' };
  if (reply.error.retryable) return { next: 'look_up', unknown: error, retryAfterMs };
  // A refusal speaks of this request and never of an earlier one: only a look-up says that there is no record.
  return step === 'look_up' ? { outcome: refused(reply.error) } : { next: 'look_up', refusal: reply.error };
}

function judgeRecord(intent: Intent, step: Step, httpStatus: number, body: JsonObject): Verdict {
  const { contribution } = body;
  if (!isJsonObject(contribution) || contribution['partner_event_id'] !== intent.eventId)
    return broken(httpStatus, 'The answer has no contribution, or one of another event.');
  const {
    transaction_id: transactionId,
    partner_order_ref: orderRef,
    points,
    status,
    non_refundable: isNonRefundable,
  } = contribution;
  if (typeof transactionId !== 'string' || typeof points !== 'bigint')
    return broken(httpStatus, 'The contribution is not whole.');
  if (orderRef !== intent.orderRef || points !== BigInt(intent.points)) return { outcome: otherValues(transactionId) };
  const record = decode<ContributionRecord>({ contribution, association: body['association'] ?? { status: 'not_requested' } });
  switch (status) {
    case 'confirmed':
      return { outcome: outcomes.confirmed({ transactionId, points }, record) };
    case 'pending':
      return { outcome: outcomes.pending({ transactionId, points, retryAt: after(PENDING_RETRY_MS) }, record) };
    case 'failed':
      // A confirmation that failed is answered 422: only what a look-up says gives a permit.
      if (step === 'send') return { next: 'look_up' };
      if (isNonRefundable === true) return broken(httpStatus, 'A failed contribution that says it is not refundable.');
      return { outcome: outcomes.failed(issueRestorationPermit({ eventId: intent.eventId, transactionId, points }), record) };
    default:
      return broken(httpStatus, 'The contribution has a status that the interface does not know.');
  }
}

function broken(status: number, message: string): Verdict {
  return { next: 'look_up', unknown: new BrokenAnswerError(status, message) };
}

function refused(error: ServiceError): Outcome {
  const { code, message, status, correlationId, details } = error;
  // A failure has a record: this request need not change.
  if (code === 'contribution_final_failure') return stillUnknown(error, 0);
  if (code === 'partner_suspended') return outcomes.unknown({ code, retryAt: after(PERSON_RETRY_MS), error });
  if (!REFUSAL_STATUSES.includes(status)) return outcomes.unknown({ code, retryAt: after(KEY_RETRY_MS), error });
  const transactionId = details.find(({ field }) => field === 'transaction_id')?.code;
  // The message of an error begins with its code.
  const text = message.slice(`${code}: `.length);
  return outcomes.refused({ code, message: text, correlationId, transactionId, error, retryAt: after(PERSON_RETRY_MS) });
}

function otherValues(transactionId: string): Outcome {
  const message = `The event is recorded as ${transactionId} with another order or other points. Do not restore points; compare the two.`;
  return outcomes.refused({
    code: 'recorded_with_other_values',
    message,
    correlationId: undefined,
    transactionId,
    error: undefined,
    retryAt: after(PERSON_RETRY_MS),
  });
}

function stillUnknown(error: ServiceError | NoAnswerError, retryAfterMs: number): Outcome {
  const code = 'code' in error ? error.code : 'no_answer';
  return outcomes.unknown({ code, retryAt: after(Math.max(retryAfterMs, UNKNOWN_RETRY_MS)), error });
}

function after(ms: number): Date {
  return new Date(Date.now() + ms);
}
