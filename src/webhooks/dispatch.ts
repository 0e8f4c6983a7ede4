import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../domain/api-key.ts';
import { batched } from '../operations/batching.ts';
import { type WrittenEvent, writeEventBodies } from '../operations/event-bodies.ts';
import type { Database, Queryable } from '../store/database.ts';
import {
  type Attempt,
  type ClaimedDelivery,
  claimDeliveries,
  type DueEndpoint,
  deleteDeliveries,
  listDueEndpoints,
} from '../store/delivery.ts';
import { type EventRecord, findEventsBySequence } from '../store/event.ts';
import type { WebhookEndpoint } from '../store/webhook-endpoint.ts';
import { type AttemptTools, judge, LEASE_MS, post } from './attempt.ts';
import { Lanes, type Ready } from './lanes.ts';
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
  /**
   * Claims nothing more, and waits for what is under way, but not for long: what has no answer by then is neither a success nor a
   * failure, and due again when its lease ends. The client is destroyed.
   */
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 250;
const CLAIMS_AT_ONCE = 4;
const RECORDS_AT_ONCE = 256;
/** A stop takes ten seconds in all, and an attempt as many as fifteen. */
const END_WITHIN_MS = 3_000;
const RECORDS_BEHIND_MAX = 1_024;
const RECORDS_WAITING_MAX = 4_096;
const RECORD_AGAIN_AFTER_MS = 1_000;

/** Sends what is due, for all partners. Any number of processes share the work through their claims. */
export function openDispatcher(options: DispatcherOptions): Dispatcher {
  const { database, client, clock, onAttempt, onDisabled, onError } = options;
  const stop = new AbortController();
  let isGivenUp = false;
  let awake = Promise.withResolvers<void>();

  const record = batched<Attempt, undefined>({
    lanes: 2,
    batchMax: RECORDS_AT_ONCE,
    waitingMax: RECORDS_WAITING_MAX,
    waitMaxMs: LEASE_MS,
    groupOf: ({ claimed }) => claimed.partnerId,
    run: async (attempts) => {
      const [first] = attempts as readonly [Attempt];
      for (const disabling of await settleAttempts(database, first.claimed.partnerId, attempts)) onDisabled(disabling);
      return attempts.map(() => undefined);
    },
  });

  /** What was sent is written down, however long the database is away; only a stop gives it up, and it is then sent again. */
  const persist = async (attempt: Attempt): Promise<void> => {
    for (;;) {
      try {
        return await record(attempt);
      } catch (error) {
        onError(error);
        if (stop.signal.aborted) return;
        await sleep(RECORD_AGAIN_AFTER_MS, undefined, { signal: stop.signal }).catch(() => {});
      }
    }
  };

  const records = new Set<Promise<void>>();
  const lanes = new Lanes<Task>({
    async send(task) {
      const answer = await post(options, outgoing(task));
      // It was cut off from here.
      if (isGivenUp && answer.status === null) return false;
      const attempt = judge(task.claimed, answer, clock(), performance.now() - task.claimedAtMs);
      onAttempt(attempt);
      const recorded = persist(attempt).then(() => void records.delete(recorded));
      records.add(recorded);
      // After a success the place is free for the next at once, unless writing down falls behind; a failure may change what the endpoint gets.
      if (!attempt.isSuccess || records.size > RECORDS_BEHIND_MAX) await recorded;
      return attempt.isSuccess;
    },
    onRoom: () => awake.resolve(),
  });

  const claim = async (endpoint: DueEndpoint): Promise<void> => {
    const limit = lanes.roomFor(endpoint);
    if (limit === 0) return;
    const secrets = options.openSecrets(endpoint);
    const claimedAtMs = performance.now();
    const claims = await claimDeliveries(database.pool, endpoint, { limit, leaseMs: LEASE_MS });
    const contents = await loadContents(options, endpoint.partnerId, claims);
    const tasks = claims.flatMap((claimed) => {
      const content = contents.get(claimed.deliveryId);
      return content ? [{ endpoint, secrets, claimed, content, claimedAtMs }] : [];
    });
    if (!stop.signal.aborted) lanes.add(endpoint, tasks, claims.length === limit);
  };

  const run = async () => {
    while (!stop.signal.aborted) {
      awake = Promise.withResolvers();
      try {
        await inTurns(startAnywhere(await listDueEndpoints(database)), (endpoint) => claim(endpoint).catch(onError));
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
      const ended = lanes.close();
      await Promise.race([ended, sleep(END_WITHIN_MS, undefined, { ref: false })]);
      isGivenUp = true;
      await client.destroy();
      await ended;
      await Promise.all(records);
    },
  };
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

interface Task extends Ready {
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
  { database: { pool }, environment, onError }: DispatcherOptions,
  partnerId: string,
  claims: readonly ClaimedDelivery[],
): Promise<Map<string, Content>> {
  const sequences = [...new Set(claims.flatMap(({ sequence }) => sequence ?? []))];
  const events = sequences.length === 0 ? [] : await findEventsBySequence(pool, partnerId, sequences);
  await deleteDeliveries(pool, partnerId, orphansOf(claims, events));
  const written = await writeEventBodies(pool, environment, events).catch(() =>
    writeOneByOne(pool, environment, events, onError),
  );
  const bySequence = new Map(written.map((event) => [event.sequence, event]));
  const contents = claims.flatMap(({ deliveryId, eventId, sequence, body }): [string, Content][] => {
    const event = sequence === null ? undefined : bySequence.get(sequence);
    const text = body ?? event?.body;
    // A test has no request that caused it, and an event of old may not know it any more.
    return text === undefined ? [] : [[deliveryId, { body: text, correlationId: event?.correlationId ?? eventId }]];
  });
  return new Map(contents);
}

/** Deliveries that were made again just when the retention of their event ended. */
function orphansOf(claims: readonly ClaimedDelivery[], events: readonly EventRecord[]): string[] {
  const present = new Set(events.map(({ sequence }) => sequence));
  return claims.flatMap(({ deliveryId, sequence }) => (sequence === null || present.has(sequence) ? [] : [deliveryId]));
}

/** One that cannot be written is told, and holds up no other. */
async function writeOneByOne(
  db: Queryable,
  environment: Environment,
  events: readonly EventRecord[],
  onError: (error: unknown) => void,
): Promise<WrittenEvent[]> {
  const written: WrittenEvent[] = [];
  for (const event of events) {
    try {
      written.push(...(await writeEventBodies(db, environment, [event])));
    } catch (error) {
      onError(error);
    }
  }
  return written;
}
