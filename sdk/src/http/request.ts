import { isJsonObject, type JsonObject } from '../decode.ts';
import type { NoAnswerError, ServiceError } from '../errors.ts';
import { AbortedError, BrokenAnswerError } from '../errors.ts';
import { Patience } from './patience.ts';
import type { Call, Reply, Transport } from './transport.ts';

export interface CallOptions {
  /** Ends the call: it throws AbortedError. */
  readonly signal?: AbortSignal | undefined;
  /**
   * No attempt begins later than this after the call, in milliseconds; 60 000 unless given. To `confirm`, a look-up and the request that
   * follows it are one attempt, as are a refused request and its look-up: each of them takes `timeoutMs` at most.
   */
  readonly deadlineMs?: number;
}

export const DEADLINE_MS = 60_000;

type Success = Extract<Reply, { kind: 'success' }>;

/**
 * Sends an identical request until it has an answer that no repetition would change.
 *
 * @throws ServiceError of the service, or NoAnswerError: of the last attempt.
 */
export async function request(transport: Transport, call: Call, options?: CallOptions): Promise<JsonObject> {
  return (await succeed(transport, call, options)).body;
}

/**
 * As `request`, and gives the object that the answer has as a member.
 *
 * @throws BrokenAnswerError where it has none: what answered is not the service. ServiceError, NoAnswerError.
 */
export async function requestMember(transport: Transport, call: Call, name: string, options?: CallOptions): Promise<JsonObject> {
  const { status, body } = await succeed(transport, call, options);
  const value = body[name];
  if (isJsonObject(value)) return value;
  throw new BrokenAnswerError(status, `HTTP ${status} with JSON that has no ${name}.`);
}

async function succeed(transport: Transport, call: Call, options: CallOptions = {}): Promise<Success> {
  const { signal, deadlineMs = DEADLINE_MS } = options;
  const patience = new Patience(deadlineMs, signal);
  for (;;) {
    const reply = await transport.send({ ...call, signal });
    if (reply.kind === 'success') return reply;
    if (!isWorthRetrying(reply) || !(await patience.pause(reply.retryAfterMs))) throw reply.error;
  }
}

/** "Not found" is retryable by a confirmation alone: to a read it is an answer. */
export function isWorthRetrying({ kind, error }: { kind: 'error' | 'none'; error: ServiceError | NoAnswerError }): boolean {
  if (kind === 'none') return !(error instanceof AbortedError);
  return (
    'retryable' in error && error.retryable && error.code !== 'contribution_not_found' && error.code !== 'contribution_pending'
  );
}
