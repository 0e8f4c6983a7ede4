import { setTimeout as sleep } from 'node:timers/promises';
import { restAfter } from '../../concurrency/look-out.ts';
import { Turns } from '../../concurrency/turns.ts';
import type { Environment } from '../../domain/access/api-key.ts';
import type { StorageUsage } from '../../operations/quotas/storage-usage.ts';
import type { Database } from '../../store/database.ts';
import { NodeReader } from '../../store/node-reader.ts';
import type { Attempt } from '../../store/webhooks/attempt.ts';
import { DUE_ENDPOINTS_ON_NODES, type DueEndpoint, listDueEndpoints } from '../../store/webhooks/due-endpoint.ts';
import type { WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import type { EndpointSecrets } from '../security/signature.ts';
import { type AttemptTools, post, toAttempt } from './attempt.ts';
import { openAttemptBatches } from './attempt-batches.ts';
import { claimDue } from './claim-due.ts';
import { openHandOverEnding } from './end-hand-overs.ts';
import { EndpointQueues, type Sent } from './endpoint-queues.ts';
import { openHandOverIntake } from './hand-over-intake.ts';
import { loadContents } from './load-contents.ts';
import type { Pace } from './pace.ts';
import { type Recipient, rememberRecipients } from './recipient.ts';
import type { Answer } from './send.ts';
import type { Disabling, EndpointOutcome } from './settle-attempts.ts';
import { release, type Task } from './task.ts';
import { updateQueues } from './update-queues.ts';
import { openVerifiedEndpoints, type VerifiedEndpoints } from './verified-endpoints.ts';

export interface DispatcherOptions extends AttemptTools {
  readonly database: Database;
  readonly environment: Environment;
  /** Answers to partners come first. */
  readonly pace: Pace;
  /** Counts what receivers write, of which the beginning is kept. */
  readonly usage: Pick<StorageUsage, 'count' | 'isSpent'>;
  readonly openSecrets: (endpoint: WebhookEndpoint) => EndpointSecrets;
  /** Called for every attempt. */
  readonly onAttempt: (attempt: Attempt) => void;
  /** Called for every endpoint that is disabled for its failures. */
  readonly onDisabled: (disabling: Disabling) => void;
  readonly onError: (error: unknown) => void;
}

/** Deliveries that this process created are handed over, and not looked for. */
const ROUND_EVERY_MS = 500;
/** Between two looks, which take longer the more endpoints are watched. After a wake it does not wait. */
const LOOK_PAUSE = { leastMs: 0, mostMs: 2_000 };
/** A waiting delivery is sent to its endpoint as of at most this long ago. */
const UPDATE_EVERY_MS = 1_000;
/** A stop takes ten seconds in all, and an attempt up to fifteen. */
const END_WITHIN_MS = 3_000;
const RECORDS_BEHIND_MAX = 1_024;

/** Sends due deliveries, for all partners, until it is closed. Any number of processes share the work by their claims. */
export class Dispatcher {
  /** Takes deliveries that this process has just created. */
  readonly intake: ReturnType<typeof openHandOverIntake>;
  readonly #options: DispatcherOptions;
  readonly #stop = new AbortController();
  #isGivenUp = false;
  #awake = Promise.withResolvers<void>();
  readonly #nodes: NodeReader;
  /** Reads some partners alone: a node that it need not ask is not lost to it. */
  readonly #endpointNodes: NodeReader;
  readonly #listDue: () => Promise<DueEndpoint[]>;
  readonly #record: (attempt: Attempt) => Promise<EndpointOutcome | undefined>;
  readonly #verifiedEndpoints: VerifiedEndpoints;
  readonly #turns = new Turns<DueEndpoint>(({ endpointId }) => endpointId);
  readonly #recipientOf: (endpoint: WebhookEndpoint) => Recipient;
  readonly #queues: EndpointQueues<Task, Recipient>;
  /** Writes to the database under way. */
  readonly #writes = new Set<Promise<unknown>>();
  #isWoken = false;
  /** Unless it is woken, it does not look before. */
  #lookAtMs = 0;
  #updatedAtMs = 0;
  /** Due endpoints that the last round did not reach. A look at many takes longer than a round: the next rounds go on with these. */
  #left: readonly DueEndpoint[] = [];
  #leftUntilMs = 0;
  readonly #endHandOversOfAll: () => Promise<void> | undefined;
  readonly #done: Promise<void>;

  constructor(options: DispatcherOptions) {
    const { database, pace, onError } = options;
    const { signal } = this.#stop;
    const trackWrite = (write: Promise<unknown>) => this.#trackWrite(write);
    this.#options = options;
    const nodes = new NodeReader(database, onError);
    this.#nodes = nodes;
    this.#endpointNodes = new NodeReader(database, onError);
    this.#listDue = () =>
      database.isDistributed ? nodes.read<DueEndpoint>(DUE_ENDPOINTS_ON_NODES) : listDueEndpoints(database.pool);
    this.#record = openAttemptBatches({ ...options, nodes, signal });
    this.#verifiedEndpoints = openVerifiedEndpoints(database, onError);
    this.#recipientOf = rememberRecipients(options.openSecrets);
    this.#queues = new EndpointQueues<Task, Recipient>({
      send: (task, recipient) => this.#send(task, recipient),
      mayBegin: () => pace.take(),
      onRoom: () => this.wake(),
      onUnsent: (tasks, dueAt) => trackWrite(release(database, tasks, dueAt).catch(onError)),
    });
    pace.onRoom(() => this.#queues.resume());
    const tools = {
      queues: this.#queues,
      verifiedEndpoints: this.#verifiedEndpoints,
      recipientOf: this.#recipientOf,
      signal,
      trackWrite,
    };
    this.intake = openHandOverIntake(options, tools);
    this.#endHandOversOfAll = openHandOverEnding({ database, signal, onError });
    this.#done = this.#run();
  }

  /** Something may be due: looks at once. */
  readonly wake = (): void => {
    this.#isWoken = true;
    this.#awake.resolve();
  };

  /**
   * Claims nothing more, releases unsent deliveries, and waits for a short time for attempts in flight: one without an answer by then is
   * neither a success nor a failure, and due again when its lease ends. The client is destroyed.
   *
   * @param relayEnded Until then the relay may hand deliveries over, which are released too.
   */
  async close(relayEnded?: Promise<void>): Promise<void> {
    this.#stop.abort();
    await this.#done;
    const ended = this.#queues.close();
    await Promise.race([ended, sleep(END_WITHIN_MS, undefined, { ref: false })]);
    this.#isGivenUp = true;
    await this.#options.client.destroy();
    await Promise.all([ended, relayEnded]);
    await Promise.all(this.#writes);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const isWoken = this.#isWoken;
      this.#isWoken = false;
      this.#awake = Promise.withResolvers();
      const isThrough = await this.#claimDue(isWoken).catch((error: unknown) => {
        this.#options.onError(error);
        return true;
      });
      if (isThrough) await Promise.race([this.#awake.promise, this.#pause()]);
      else this.#isWoken = true;
    }
  }

  #pause(): Promise<void> {
    return sleep(ROUND_EVERY_MS, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
  }

  /**
   * @returns Whether every endpoint had its turn; otherwise there is more to claim at once.
   */
  async #claimDue(isWoken: boolean): Promise<boolean> {
    if (performance.now() - this.#updatedAtMs >= UPDATE_EVERY_MS) {
      const tools = {
        onError: this.#options.onError,
        nodes: this.#nodes,
        endpointNodes: this.#endpointNodes,
        verifiedEndpoints: this.#verifiedEndpoints,
        recipientOf: this.#recipientOf,
      };
      // What is claimed is sent to the endpoints as they were read last.
      await updateQueues(tools, this.#queues).catch(this.#options.onError);
      this.#updatedAtMs = performance.now();
    }
    this.#endHandOvers();
    await this.intake.advance();
    if (!isWoken && performance.now() < this.#lookAtMs) return true;
    const goesOn = this.#left.length > 0 && performance.now() < this.#leftUntilMs;
    const due = goesOn ? this.#left : await this.#look();
    this.#left = [];
    this.#left = await this.#turns.give(due, {
      choose: (next) => this.#verifiedEndpoints.keepVerified(next.filter((endpoint) => this.#mayClaim(endpoint))),
      work: (endpoint) => this.#tryClaim(endpoint),
    });
    // A wake during these rounds may be for an endpoint that is due again: a look finds it.
    return this.#left.length === 0 && !goesOn;
  }

  async #look(): Promise<DueEndpoint[]> {
    const beganMs = performance.now();
    try {
      return await this.#listDue();
    } finally {
      const endedMs = performance.now();
      const restMs = restAfter(endedMs - beganMs, LOOK_PAUSE);
      this.#lookAtMs = endedMs + restMs;
      this.#leftUntilMs = endedMs + Math.min(restMs, UPDATE_EVERY_MS);
    }
  }

  /** Beside the claims: after a crash there may be thousands. */
  #endHandOvers(): void {
    const ending = this.#endHandOversOfAll();
    if (ending) this.#trackWrite(ending.then(this.wake));
  }

  /** Whether its node answers, and deliveries of it have room: reading the audit for another would be in vain. */
  #mayClaim(endpoint: DueEndpoint): boolean {
    return !this.#nodes.isLost(endpoint.partnerId) && this.#queues.roomFor(endpoint) > 0;
  }

  /**
   * @returns Whether anything was requested.
   */
  async #tryClaim(endpoint: DueEndpoint): Promise<boolean> {
    const { onError } = this.#options;
    // The claims before it, or the one that is under way beside it, may have changed that.
    if (!this.#mayClaim(endpoint)) return false;
    try {
      await this.#claim(endpoint);
    } catch (error) {
      onError(error);
      await this.#nodes.look(endpoint.partnerId).catch(onError);
    }
    return true;
  }

  async #claim(endpoint: DueEndpoint): Promise<void> {
    const { database, onError } = this.#options;
    const limit = this.#queues.roomFor(endpoint);
    const recipient = this.#recipientOf(endpoint);
    const claimedAtMs = performance.now();
    const deliveries = await claimDue(database, endpoint, limit);
    const contents = await loadContents(this.#options, endpoint.partnerId, deliveries);
    const tasks = deliveries.flatMap((claimed) => {
      const content = contents.get(claimed.deliveryId);
      return content ? [{ claimed, content, claimedAtMs }] : [];
    });
    if (this.#stop.signal.aborted) this.#trackWrite(release(database, tasks).catch(onError));
    else this.#queues.add(endpoint, recipient, { tasks, isAsking: deliveries.length === limit });
  }

  async #send(task: Task, recipient: Recipient): Promise<Sent> {
    let answer: Answer;
    try {
      answer = await post(this.#options, task.claimed, { ...recipient, ...task.content });
    } catch (error) {
      // Nothing was sent, for want of something on this machine: no attempt, and what waits would fare no better.
      this.#options.onError(error);
      this.#releaseUnsettled(task);
      return { isDelivered: false, isPaused: true, pausedUntil: task.claimed.leaseEndsAt };
    }
    // The stop of this process aborted it.
    if (this.#isGivenUp && answer.status === null) {
      this.#releaseUnsettled(task);
      return SENT;
    }
    const attempt = countExcerpt(this.#options.usage, toAttempt(task.claimed, answer, performance.now() - task.claimedAtMs));
    this.#options.onAttempt(attempt);
    const recorded = this.#recordEnd(attempt, task);
    this.#trackWrite(recorded);
    // After a success the next delivery may begin at once, unless recording falls behind; a failure may change what the endpoint gets.
    if (attempt.isSuccess && this.#writes.size <= RECORDS_BEHIND_MAX) return SENT;
    return { ...SENT, ...(await recorded), isDelivered: attempt.isSuccess };
  }

  /** Due again when its lease would have ended. */
  #releaseUnsettled(task: Task): void {
    const { database, onError } = this.#options;
    this.#trackWrite(release(database, [task], task.claimed.leaseEndsAt).catch(onError));
  }

  async #recordEnd(attempt: Attempt, { onEnd }: Task): Promise<EndpointOutcome | undefined> {
    const outcome = await this.#record(attempt);
    if (outcome) onEnd?.();
    return outcome;
  }

  #trackWrite(write: Promise<unknown>): void {
    this.#writes.add(write);
    void write.then(() => this.#writes.delete(write));
  }
}

/** The partner's receiver chooses what it writes: it counts as stored by the partner, and is not kept while the quota of the day is spent. */
function countExcerpt(usage: DispatcherOptions['usage'], attempt: Attempt): Attempt {
  const { partnerId } = attempt.claimed;
  if (!attempt.excerpt) return attempt;
  if (usage.isSpent(partnerId)) return { ...attempt, excerpt: null };
  usage.count(partnerId, Buffer.byteLength(attempt.excerpt));
  return attempt;
}

const SENT: Sent = { isDelivered: true, isPaused: false, pausedUntil: undefined };
