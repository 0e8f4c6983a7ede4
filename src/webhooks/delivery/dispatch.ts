import { setTimeout as sleep } from 'node:timers/promises';
import { Turns } from '../../concurrency/turns.ts';
import type { Environment } from '../../domain/access/api-key.ts';
import type { Database } from '../../store/database.ts';
import type { Attempt } from '../../store/webhooks/delivery.ts';
import { type DueEndpoint, listDueEndpoints } from '../../store/webhooks/due-endpoint.ts';
import { listEndpointsOf, type WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import { type EndpointProofs, openEndpointProofs } from '../endpoints/endpoint-proofs.ts';
import type { EndpointSecrets } from '../security/signature.ts';
import { type AttemptTools, judge, post } from './attempt.ts';
import { openRecorder } from './attempt-recorder.ts';
import { claimDue } from './claim-due.ts';
import { Lanes, type Sent } from './endpoint-queues.ts';
import { openHandOff, type Recipient, release, rememberRecipients, type Task } from './hand-off.ts';
import { loadContents } from './load-contents.ts';
import type { Pace } from './pace.ts';
import type { Disabling } from './record-attempts.ts';
import type { HandOff } from './relay-together.ts';

export interface DispatcherOptions extends AttemptTools {
  readonly database: Database;
  readonly environment: Environment;
  /** Answers to partners come first. */
  readonly pace: Pace;
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
  /** Takes deliveries that this process has just made. */
  readonly handOff: HandOff;
  /**
   * Claims nothing more, gives back what was not sent, and waits for what is under way, but not for long: what has no answer by then is
   * neither a success nor a failure, and due again when its lease ends. The client is destroyed.
   *
   * @param relayEnded Until then the relay may hand deliveries over, which are given back too.
   */
  close(relayEnded?: Promise<void>): Promise<void>;
}

/** What this process has made it need not look for. */
const LOOK_EVERY_MS = 500;
/** What waits for a place is sent as its endpoint was at most so long ago. */
const UPDATE_EVERY_MS = 1_000;
/** A stop takes ten seconds in all, and an attempt as many as fifteen. */
const END_WITHIN_MS = 3_000;
const RECORDS_BEHIND_MAX = 1_024;

/** Sends what is due, for all partners. Any number of processes share the work through their claims. */
export function openDispatcher(options: DispatcherOptions): Dispatcher {
  const { database, client, onError } = options;
  const stop = new AbortController();
  let isGivenUp = false;
  let awake = Promise.withResolvers<void>();
  const record = openRecorder({ ...options, signal: stop.signal });
  const proofs = openEndpointProofs(database, onError);
  const turns = new Turns<DueEndpoint>(({ endpointId }) => endpointId);
  /** What is being written to the database. */
  const writes = new Set<Promise<unknown>>();
  const noteWrite = (write: Promise<unknown>) => {
    writes.add(write);
    void write.then(() => writes.delete(write));
  };

  const lanes = new Lanes<Task, Recipient>({
    async send(task, recipient) {
      const answer = await post(options, outgoing(task, recipient));
      // It was cut off from here.
      if (isGivenUp && answer.status === null) return SENT;
      const attempt = judge(task.claimed, answer, performance.now() - task.claimedAtMs);
      options.onAttempt(attempt);
      const recorded = record(attempt);
      noteWrite(recorded);
      // After a success the place is free for the next at once, unless writing down falls behind; a failure may change what the endpoint gets.
      if (attempt.isSuccess && writes.size <= RECORDS_BEHIND_MAX) return SENT;
      return { ...SENT, ...(await recorded), isDelivered: attempt.isSuccess };
    },
    mayBegin: () => options.pace.take(),
    onRoom: () => awake.resolve(),
    onUnsent: (tasks, dueAt) => noteWrite(release(database, tasks, dueAt).catch(onError)),
  });

  options.pace.onRoom(() => lanes.resume());
  const recipientOf = rememberRecipients(options.openSecrets);
  const handOff = openHandOff(options, { lanes, proofs, recipientOf, signal: stop.signal, noteWrite });

  const claim = async (endpoint: DueEndpoint): Promise<boolean> => {
    const limit = lanes.roomFor(endpoint);
    if (limit === 0) return false;
    const recipient = recipientOf(endpoint);
    const claimedAtMs = performance.now();
    const deliveries = await claimDue(database, endpoint, limit);
    const contents = await loadContents(options, endpoint.partnerId, deliveries);
    const tasks = deliveries.flatMap((claimed) => {
      const content = contents.get(claimed.deliveryId);
      return content ? [{ claimed, content, claimedAtMs }] : [];
    });
    if (stop.signal.aborted) noteWrite(release(database, tasks).catch(onError));
    else lanes.add(endpoint, recipient, { tasks, isAsking: deliveries.length === limit });
    return true;
  };

  const run = async () => {
    let updatedAtMs = 0;
    while (!stop.signal.aborted) {
      awake = Promise.withResolvers();
      try {
        if (performance.now() - updatedAtMs >= UPDATE_EVERY_MS) {
          await updateLanes({ database, proofs, recipientOf }, lanes);
          updatedAtMs = performance.now();
        }
        await handOff.advance();
        const due = await proofs.keepSound(await listDueEndpoints(database));
        const tryClaim = (endpoint: DueEndpoint) =>
          claim(endpoint).catch((error: unknown) => {
            onError(error);
            return true;
          });
        if (!(await turns.give(due, tryClaim))) continue;
      } catch (error) {
        onError(error);
      }
      await Promise.race([awake.promise, sleep(LOOK_EVERY_MS, undefined, { signal: stop.signal, ref: false }).catch(() => {})]);
    }
  };
  const done = run();
  return {
    wake: () => awake.resolve(),
    handOff,
    async close(relayEnded) {
      stop.abort();
      await done;
      const ended = lanes.close();
      await Promise.race([ended, sleep(END_WITHIN_MS, undefined, { ref: false })]);
      isGivenUp = true;
      await client.destroy();
      await Promise.all([ended, relayEnded]);
      await Promise.all(writes);
    },
  };
}

const SENT: Sent = { isDelivered: true, isPaused: false, pausedUntil: undefined };

function outgoing({ claimed, content: { body, correlationId } }: Task, { url, secrets }: Recipient) {
  const { eventId, eventType, deliveryId, lease } = claimed;
  return { url, secrets, eventId, eventType, deliveryId, attemptNumber: Number(lease), correlationId, body: Buffer.from(body) };
}

interface LaneTools {
  readonly database: Database;
  readonly proofs: EndpointProofs;
  recipientOf(endpoint: WebhookEndpoint): Recipient;
}

/** What operators, and other processes, have changed holds for what is claimed already. */
async function updateLanes({ database: { pool }, proofs, recipientOf }: LaneTools, lanes: Lanes<Task, Recipient>): Promise<void> {
  const waiting = lanes.listWaiting();
  if (waiting.length === 0) return;
  const partnerIds = [...new Set(waiting.map(({ partnerId }) => partnerId))];
  const sound = await proofs.keepSound(await listEndpointsOf(pool, partnerIds));
  const endpoints = new Map(sound.map((endpoint) => [endpoint.endpointId, endpoint]));
  for (const id of waiting) {
    const endpoint = endpoints.get(id.endpointId);
    if (endpoint?.status !== 'active' || endpoint.isOpen) lanes.withdraw(id, endpoint?.breakerOpenUntil ?? undefined);
    else lanes.update(id, recipientOf(endpoint));
  }
}
