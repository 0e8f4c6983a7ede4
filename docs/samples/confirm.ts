import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL = 'http://127.0.0.1:8080', API_KEY = '' } = process.env;

/** Node 22 and later have both; the types of the compiler may not. */
const { rawJSON, parse } = JSON as unknown as {
  rawJSON(text: string): unknown;
  parse(text: string, reviver: (name: string, value: unknown, context: { source: string }) => unknown): unknown;
};

/** A row that was stored in the transaction that deducted the points, before the first request. */
export interface Intent {
  partnerEventId: string;
  idempotencyKey: string;
  partnerOrderRef: string;
  points: bigint;
  /** Of the estimate that the contribution is linked to; a bad one never prevents the contribution. */
  calculationId?: string;
}

/**
 * After `failed`, and after nothing else, restore the points, once for this `partnerEventId`. With every other status they stay deducted:
 * `pending` and `unknown` are settled again later, `refused` seldom, until a person has settled what `code` names; each with the same intent.
 * Where the stored row has the other final status, as after a restore of the service, change nothing, and tell a person.
 */
export type Outcome =
  | { status: 'confirmed' | 'pending' | 'failed'; transactionId: string }
  | { status: 'refused' | 'unknown'; code: string };

interface Answer {
  contribution?: { transaction_id: string; partner_event_id: string; partner_order_ref: string; status: string; points: bigint };
  error: { code: string; retryable: boolean };
  httpStatus: number;
  retryAfterSeconds: number;
}

/** Only these refuse the contribution. A wrong key, permission or address (401, 403, 404 …) says nothing about it. */
const REFUSALS = [400, 409, 422];

/**
 * @param wasSent Whether an earlier run may have sent it: then it is looked up first.
 * @param withinMs No attempt begins later. A look-up and the request that follows it are one, as are a refused request and its look-up.
 */
export async function confirmContribution(intent: Intent, { wasSent = false, withinMs = 60_000 } = {}): Promise<Outcome> {
  if (typeof intent.points !== 'bigint') throw new TypeError('points must be a bigint: BigInt(row.points)');
  // An error of `fetch` would show the key.
  if (!/^[!-~]*$/.test(API_KEY)) throw new TypeError('API_KEY is not a key: it has a line end, or a character that no key has');
  const endsAt = performance.now() + withinMs;
  let refusal: Outcome | undefined;
  for (let [next, pauses] = [wasSent ? lookUp : send, 0]; ; ) {
    const answer = await next(intent);
    const { code, retryable } = answer.error;
    if (answer.contribution) return recorded(answer.contribution, intent);
    if (next === lookUp && code === 'contribution_not_found') {
      if (refusal) return refusal;
      next = send;
      continue;
    }
    if (retryable) {
      const pauseMs = 1000 * Math.max(answer.retryAfterSeconds, Math.min(60, 2 ** pauses++)) * (1 + Math.random() / 4);
      if (performance.now() + pauseMs > endsAt) return { status: 'unknown', code };
      await sleep(pauseMs);
    } else {
      refusal = { status: REFUSALS.includes(answer.httpStatus) ? 'refused' : 'unknown', code };
      if (next === lookUp) return refusal;
    }
    next = lookUp;
  }
}

/** A record with other values is not this contribution: a person has to look. */
function recorded(found: NonNullable<Answer['contribution']>, intent: Intent): Outcome {
  const isSame = found.partner_event_id === intent.partnerEventId && found.partner_order_ref === intent.partnerOrderRef;
  if (!isSame || found.points !== intent.points) return { status: 'refused', code: 'recorded_with_other_values' };
  const status = (['confirmed', 'pending', 'failed'] as const).find((known) => known === found.status);
  return status ? { status, transactionId: found.transaction_id } : { status: 'unknown', code: 'unknown_status' };
}

function send({ partnerEventId, idempotencyKey, partnerOrderRef, points, calculationId }: Intent): Promise<Answer> {
  const names = { partner_event_id: partnerEventId, partner_order_ref: partnerOrderRef, calculation_id: calculationId };
  const fields = { ...names, points: rawJSON(String(points)) };
  const headers = { 'Idempotency-Key': idempotencyKey, 'Content-Type': 'application/json' };
  return call('/v1/impact-transactions', { method: 'POST', headers, body: JSON.stringify(fields) });
}

function lookUp({ partnerEventId }: Intent): Promise<Answer> {
  return call(`/v1/impact-transactions?partner_event_id=${encodeURIComponent(partnerEventId)}`, {});
}

/** What is no answer of the service is `no_answer`: the request may have been recorded. */
async function call(path: string, init: RequestInit): Promise<Answer> {
  const noAnswer = { error: { code: 'no_answer', retryable: true }, httpStatus: 0, retryAfterSeconds: 0 };
  const request = new Request(BASE_URL + path, { ...init, redirect: 'manual', signal: AbortSignal.timeout(10_000) });
  request.headers.set('X-API-Key', API_KEY);
  try {
    const response = await fetch(request);
    const exact = (name: string, value: unknown, { source }: { source: string }) => (name === 'points' ? BigInt(source) : value);
    const { contribution, error } = parse(await response.text(), exact) as Partial<Answer>;
    if (response.ok && contribution) return { ...noAnswer, contribution };
    const isError = !response.ok && typeof error?.code === 'string' && typeof error.retryable === 'boolean';
    const retryAfterSeconds = Number(response.headers.get('Retry-After')) || 0;
    return isError ? { error, httpStatus: response.status, retryAfterSeconds } : noAnswer;
  } catch {
    return noAnswer;
  }
}
