import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher as HttpClient } from 'undici';
import type { Environment } from '../domain/api-key.ts';
import { readRetryAfter, retryDelayMs } from '../domain/delivery-schedule.ts';
import { batched } from '../operations/batching.ts';
import { writeEventBodies } from '../operations/event-bodies.ts';
import type { Database } from '../store/database.ts';
import { type Attempt, type ClaimedDelivery, claimDeliveries, type DueEndpoint, listDueEndpoints } from '../store/delivery.ts';
import { findEventsBySequence } from '../store/event.ts';
import { findWebhookEndpoint, type WebhookEndpoint } from '../store/webhook-endpoint.ts';
import { type Answer, send } from './send.ts';
import { settleAttempts } from './settle-attempts.ts';
import { type EndpointSecrets, signAttempt } from './signature.ts';

export interface DispatcherOptions {
  readonly database: Database;
  readonly environment: Environment;
  /** Refuses addresses that nobody may be sent to. */
  readonly client: HttpClient;
  readonly openSecrets: (endpoint: WebhookEndpoint) => EndpointSecrets;
  /** Told of every attempt. */
  readonly onAttempt: (attempt: Attempt) => void;
  readonly onError: (error: unknown) => void;
}

export interface Dispatcher {
  /** Something may be due: looks at once. */
  wake(): void;
  /** Claims nothing more; resolves when what is under way is recorded. */
  close(): Promise<void>;
}

/** Longer than an attempt takes; whoever dies in the middle gives its deliveries back after so long. */
const LEASE_MS = 60_000;
const LOOK_EVERY_MS = 250;
/** A slow receiver holds so many connections, and no more. */
const ENDPOINT_CONCURRENCY = 64;
const CONCURRENCY = 1_024;
/** Below this many free places an endpoint waits for its next claim, so that a claim is worth its statement. */
const WORTH_CLAIMING = ENDPOINT_CONCURRENCY / 4;
const RECORDS_AT_ONCE = 256;

/**
 * Sends what is due, for all partners. Any number of processes share the work through their claims. Every endpoint has its own
 * places, so that one that hangs takes none from another.
 */
export function openDispatcher(options: DispatcherOptions): Dispatcher {
  const { database, onError } = options;
  const inFlight = new Map<string, number>();
  let inFlightSum = 0;
  const stop = new AbortController();
  let awake = Promise.withResolvers<void>();
  const work = new Set<Promise<void>>();

  const record = batched<Attempt, undefined>({
    lanes: 2,
    batchMax: RECORDS_AT_ONCE,
    waitingMax: CONCURRENCY * 2,
    waitMaxMs: LEASE_MS,
    // One partner at a time, for the sake of a distributed database.
    groupOf: ({ claimed }) => claimed.partnerId,
    run: async (attempts) => {
      await settleAttempts(database, attempts);
      return attempts.map(() => undefined);
    },
  });

  const deliver = async (endpoint: WebhookEndpoint, claimed: ClaimedDelivery, content: Content): Promise<void> => {
    const attempt = await tryOnce(options, { endpoint, claimed, content });
    options.onAttempt(attempt);
    await record(attempt);
  };

  /** @returns Whether there may be more to claim for it. */
  const serve = async (due: DueEndpoint): Promise<void> => {
    const name = `${due.partnerId} ${due.endpointId}`;
    const busy = inFlight.get(name) ?? 0;
    const free = Math.min(due.isProbed ? 1 - busy : ENDPOINT_CONCURRENCY - busy, CONCURRENCY - inFlightSum);
    if (free <= 0 || (busy > 0 && free < WORTH_CLAIMING)) return;
    const claims = await claimDeliveries(database.pool, due, { limit: free, leaseMs: LEASE_MS });
    if (claims.length === 0) return;
    const endpoint = await findWebhookEndpoint(database.pool, due.partnerId, due.endpointId);
    if (endpoint?.status !== 'active') return;
    const contents = await loadContents(options, due.partnerId, claims);
    const settle = (change: number) => {
      inFlight.set(name, (inFlight.get(name) ?? 0) + change);
      inFlightSum += change;
      if (inFlight.get(name) === 0) inFlight.delete(name);
    };
    settle(claims.length);
    for (const claimed of claims) {
      const delivery = deliver(endpoint, claimed, contents.get(claimed.deliveryId) as Content)
        .catch(onError)
        .finally(() => {
          settle(-1);
          work.delete(delivery);
          if ((inFlight.get(name) ?? 0) <= ENDPOINT_CONCURRENCY - WORTH_CLAIMING && claims.length === free) awake.resolve();
        });
      work.add(delivery);
    }
  };

  const run = async () => {
    while (!stop.signal.aborted) {
      awake = Promise.withResolvers();
      try {
        await Promise.all((await listDueEndpoints(database.pool)).map(serve));
      } catch (error) {
        onError(error);
      }
      await Promise.race([awake.promise, sleep(LOOK_EVERY_MS, undefined, { signal: stop.signal, ref: false }).catch(() => {})]);
    }
  };
  const done = run();
  return {
    wake: () => awake.resolve(),
    async close() {
      stop.abort();
      await done;
      await Promise.all(work);
    },
  };
}

/** What is sent: the stored bytes, and the correlation id of the request that caused them. */
interface Content {
  readonly body: string;
  readonly correlationId: string;
}

interface Task {
  readonly endpoint: WebhookEndpoint;
  readonly claimed: ClaimedDelivery;
  readonly content: Content;
}

/** Signs anew and sends. */
async function tryOnce({ client, openSecrets }: DispatcherOptions, { endpoint, claimed, content }: Task): Promise<Attempt> {
  const body = Buffer.from(content.body);
  const headers = signAttempt(openSecrets(endpoint), {
    eventId: claimed.eventId,
    eventType: claimed.eventType,
    deliveryId: claimed.deliveryId,
    attemptNumber: claimed.attempts + 1,
    correlationId: content.correlationId,
    sentAtSeconds: Math.floor(Date.now() / 1_000),
    body,
  });
  const message = { url: endpoint.url, headers: { ...headers, 'content-type': 'application/json; charset=utf-8' }, body };
  return judge(claimed, await send(client, message));
}

function judge(claimed: ClaimedDelivery, { retryAfter, ...answer }: Answer): Attempt {
  const isSuccess = answer.status !== null && answer.status >= 200 && answer.status < 300;
  const mayAsk = answer.status === 429 || answer.status === 503;
  const askedMs = mayAsk ? readRetryAfter(retryAfter, new Date()) : undefined;
  const retryMs = isSuccess || claimed.attemptsLeft <= 1 ? undefined : retryDelayMs(claimed.attempts + 1, askedMs, Math.random());
  return { claimed, ...answer, isSuccess, retryMs };
}

/** By delivery id. */
async function loadContents(
  { database, environment }: DispatcherOptions,
  partnerId: string,
  claims: readonly ClaimedDelivery[],
): Promise<Map<string, Content>> {
  const sequences = [...new Set(claims.flatMap(({ sequence }) => sequence ?? []))];
  const events = sequences.length === 0 ? [] : await findEventsBySequence(database.pool, partnerId, sequences);
  const written = await writeEventBodies(database.pool, environment, events);
  const bySequence = new Map(written.map((event) => [event.sequence, event]));
  return new Map(
    claims.map(({ deliveryId, eventId, sequence, body }) => {
      const event = sequence === null ? undefined : bySequence.get(sequence);
      // A test has no request that caused it, and an event of old may not know it any more.
      return [deliveryId, { body: body ?? event?.body ?? '', correlationId: event?.correlationId ?? eventId }];
    }),
  );
}
