import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../domain/api-key.ts';
import { batched } from '../operations/batching.ts';
import { writeEventBodies } from '../operations/event-bodies.ts';
import type { Database } from '../store/database.ts';
import { type Attempt, type ClaimedDelivery, claimDeliveries, type DueEndpoint, listDueEndpoints } from '../store/delivery.ts';
import { findEventsBySequence } from '../store/event.ts';
import type { WebhookEndpoint } from '../store/webhook-endpoint.ts';
import { type AttemptTools, judge, post } from './attempt.ts';
import { type Disabling, settleAttempts } from './settle-attempts.ts';
import type { EndpointSecrets } from './signature.ts';

export interface DispatcherOptions extends AttemptTools {
  readonly database: Database;
  readonly environment: Environment;
  readonly openSecrets: (endpoint: WebhookEndpoint) => EndpointSecrets;
  /** Told of every attempt. */
  readonly onAttempt: (attempt: Attempt) => void;
  /** Told of every endpoint that is disabled for its failures. */
  readonly onDisabled: (disabling: Disabling) => void;
  readonly onError: (error: unknown) => void;
}

export interface Dispatcher {
  /** Something may be due: looks at once. */
  wake(): void;
  /** Claims nothing more; resolves when what is under way is recorded. */
  close(): Promise<void>;
}

/** Longer than an attempt takes; whoever dies in the middle gives its deliveries back after so long. */
export const LEASE_MS = 60_000;
const LOOK_EVERY_MS = 250;
const CLAIMS_AT_ONCE = 4;
/** All endpoints together. */
const PLACES = 1_024;
/** Of one endpoint at most: a slow receiver holds so many connections. One that failed last has to show first that it is back. */
const PLACES_OF = { sound: 64, failing: 4, probed: 1 } as const;
/** Of the free places an endpoint takes no more than this share, so that there are always some for the next. */
const SHARE_OF_FREE = 1 / 8;
/** An endpoint waits for so many free places before its next claim, so that a claim is worth its statement. */
const WORTH_CLAIMING = PLACES_OF.sound / 4;
const RECORDS_AT_ONCE = 256;

/**
 * Sends what is due, for all partners. Any number of processes share the work through their claims. Every endpoint has its own
 * places, so that one that hangs takes none from another.
 */
export function openDispatcher(options: DispatcherOptions): Dispatcher {
  const { database, clock, onAttempt, onDisabled, onError } = options;
  const places = new Places();
  const stop = new AbortController();
  const underWay = new Set<Promise<void>>();
  let awake = Promise.withResolvers<void>();

  const record = batched<Attempt, undefined>({
    lanes: 2,
    batchMax: RECORDS_AT_ONCE,
    waitingMax: PLACES * 2,
    waitMaxMs: LEASE_MS,
    groupOf: ({ claimed }) => claimed.partnerId,
    run: async (attempts) => {
      const [first] = attempts as readonly [Attempt];
      for (const disabling of await settleAttempts(database, first.claimed.partnerId, attempts)) onDisabled(disabling);
      return attempts.map(() => undefined);
    },
  });

  const deliver = async (task: Task): Promise<void> => {
    const attempt = judge(task.claimed, await post(options, outgoing(task)), clock());
    onAttempt(attempt);
    await record(attempt);
  };

  const serve = async (endpoint: DueEndpoint): Promise<void> => {
    const free = places.freeFor(endpoint);
    if (free === 0) return;
    const secrets = options.openSecrets(endpoint);
    const claims = await claimDeliveries(database.pool, endpoint, { limit: free, leaseMs: LEASE_MS });
    const contents = await loadContents(options, endpoint.partnerId, claims);
    for (const claimed of claims) {
      const content = contents.get(claimed.deliveryId);
      // Past its retention: the delivery goes with its event.
      if (!content) continue;
      places.take(endpoint);
      const delivery = deliver({ endpoint, secrets, claimed, content })
        .catch(onError)
        .finally(() => {
          underWay.delete(delivery);
          places.giveBack(endpoint);
          if (claims.length === free && places.isWorthClaiming(endpoint)) awake.resolve();
        });
      underWay.add(delivery);
    }
  };

  const run = async () => {
    while (!stop.signal.aborted) {
      awake = Promise.withResolvers();
      try {
        await inTurns(startAnywhere(await listDueEndpoints(database.pool)), (endpoint) => serve(endpoint).catch(onError));
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
      await Promise.all(underWay);
    },
  };
}

/** How many deliveries are under way at once, in all and to each endpoint. */
class Places {
  readonly #taken = new Map<string, number>();
  #sum = 0;

  freeFor(endpoint: DueEndpoint): number {
    const taken = this.#takenBy(endpoint);
    const free = Math.min(PLACES_OF[endpoint.health] - taken, Math.ceil((PLACES - this.#sum) * SHARE_OF_FREE));
    return free <= 0 || (taken > 0 && free < WORTH_CLAIMING) ? 0 : free;
  }

  isWorthClaiming(endpoint: DueEndpoint): boolean {
    return this.#takenBy(endpoint) <= PLACES_OF.sound - WORTH_CLAIMING;
  }

  take(endpoint: DueEndpoint): void {
    this.#change(endpoint, 1);
  }

  giveBack(endpoint: DueEndpoint): void {
    this.#change(endpoint, -1);
  }

  #takenBy({ partnerId, endpointId }: DueEndpoint): number {
    return this.#taken.get(`${partnerId} ${endpointId}`) ?? 0;
  }

  #change(endpoint: DueEndpoint, by: number): void {
    const [name, taken] = [`${endpoint.partnerId} ${endpoint.endpointId}`, this.#takenBy(endpoint) + by];
    if (taken === 0) this.#taken.delete(name);
    else this.#taken.set(name, taken);
    this.#sum += by;
  }
}

/** Nobody is always the first. */
function startAnywhere<Item>(items: readonly Item[]): Item[] {
  const start = Math.floor(Math.random() * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

/** A few at a time, so that claims leave connections for others. */
async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const workOff = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: CLAIMS_AT_ONCE }, workOff));
}

/** What is sent: the stored bytes, and the correlation id of the request that caused them. */
interface Content {
  readonly body: string;
  readonly correlationId: string;
}

interface Task {
  readonly endpoint: WebhookEndpoint;
  readonly secrets: EndpointSecrets;
  readonly claimed: ClaimedDelivery;
  readonly content: Content;
}

function outgoing({ endpoint: { url }, secrets, claimed, content: { body, correlationId } }: Task) {
  const { eventId, eventType, deliveryId, lease } = claimed;
  return { url, secrets, eventId, eventType, deliveryId, attemptNumber: Number(lease), correlationId, body: Buffer.from(body) };
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
  const contents = claims.flatMap(({ deliveryId, eventId, sequence, body }): [string, Content][] => {
    const event = sequence === null ? undefined : bySequence.get(sequence);
    const text = body ?? event?.body;
    // A test has no request that caused it, and an event of old may not know it any more.
    return text === undefined ? [] : [[deliveryId, { body: text, correlationId: event?.correlationId ?? eventId }]];
  });
  return new Map(contents);
}
