import type { Dispatcher as HttpClient } from 'undici';
import { DELIVERY_LEASE_MS } from '../../domain/webhooks/delivery-lease.ts';
import { readRetryAfter, retryDelayMs } from '../../domain/webhooks/retry-schedule.ts';
import type { Attempt } from '../../store/webhooks/attempt.ts';
import type { ClaimedDelivery } from '../../store/webhooks/delivery.ts';
import { signAttempt } from '../security/signature.ts';
import type { Content } from './load-contents.ts';
import type { Recipient } from './recipient.ts';
import { type Answer, send } from './send.ts';

/** The dependencies of an attempt besides the delivery. */
export interface AttemptTools {
  /** Refuses forbidden addresses. */
  readonly client: HttpClient;
  /** Milliseconds since 1970, of this process: receivers compare it with their own clock. */
  readonly clock: () => number;
}

/** What is sent, and to whom. */
export interface Outgoing extends Recipient, Content {}

/** Some firewalls refuse requests without it. */
const USER_AGENT = 'partner-impact-webhooks/1';

/**
 * Signs now and sends: a receiver refuses a signature that is more than five minutes old.
 *
 * @throws As {@link send}.
 */
export async function post(
  { client, clock }: AttemptTools,
  { eventId, eventType, deliveryId, lease }: Pick<ClaimedDelivery, 'eventId' | 'eventType' | 'deliveryId' | 'lease'>,
  { url, secrets, correlationId, body }: Outgoing,
): Promise<Answer> {
  const attempt = { eventId, eventType, deliveryId, attemptNumber: Number(lease), correlationId, body };
  const headers = signAttempt(secrets, { ...attempt, sentAtSeconds: Math.floor(clock() / 1_000) });
  const ownHeaders = { 'user-agent': USER_AGENT, 'content-type': 'application/json; charset=utf-8' };
  return send(client, { url, headers: { ...headers, ...ownHeaders }, body });
}

export function isSuccess({ status }: Pick<Answer, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/**
 * The effect of an answer on the delivery.
 *
 * @param sinceClaimMs How long ago it was claimed: with the end of its lease this gives the database's time without a query.
 */
export function toAttempt(claimed: ClaimedDelivery, { retryAfter, ...answer }: Answer, sinceClaimMs: number): Attempt {
  const endedAtMs = claimed.leaseEndsAt.getTime() - DELIVERY_LEASE_MS + sinceClaimMs;
  const isDelivered = isSuccess(answer);
  const askedMs = readRetryAfter({ status: answer.status, retryAfter }, new Date(endedAtMs));
  const retryMs = isDelivered ? undefined : retryDelayMs(claimed.attemptsLeft - 1, askedMs, Math.random());
  return {
    claimed,
    ...answer,
    isSuccess: isDelivered,
    startedAt: new Date(endedAtMs - answer.milliseconds),
    endedAt: new Date(endedAtMs),
    nextAttemptAt: retryMs === undefined ? undefined : new Date(endedAtMs + retryMs),
  };
}
