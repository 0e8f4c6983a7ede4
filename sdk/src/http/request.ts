import type { JsonObject } from '../decode.ts';
import type { NoAnswerError, ServiceError } from '../errors.ts';
import { AbortedError } from '../errors.ts';
import { Patience } from './patience.ts';
import type { Call, Transport } from './transport.ts';

export interface CallOptions {
  /** Ends the call: it throws AbortedError. */
  readonly signal?: AbortSignal | undefined;
  /**
   * No attempt begins later than this after the call, in milliseconds; 60 000 unless given. To `confirm`, a look-up and the request that
   * follows it are one attempt: each of the two takes `timeoutMs` at most.
   */
  readonly deadlineMs?: number;
}

export const DEADLINE_MS = 60_000;

/**
 * Sends an identical request until it has an answer that no repetition would change.
 *
 * @throws ServiceError of the service, or NoAnswerError: of the last attempt.
 */
export async function request(transport: Transport, call: Call, options: CallOptions = {}): Promise<JsonObject> {
  const { signal, deadlineMs = DEADLINE_MS } = options;
  const patience = new Patience(deadlineMs, signal);
  for (;;) {
    const reply = await transport.send({ ...call, signal });
    if (reply.kind === 'success') return reply.body;
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
