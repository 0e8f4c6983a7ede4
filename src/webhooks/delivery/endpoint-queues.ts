import { USABLE_MS } from '../../domain/webhooks/delivery-lease.ts';
import type { DueEndpoint } from '../../store/webhooks/due-endpoint.ts';
import type { EndpointId } from '../../store/webhooks/webhook-endpoint.ts';

/** A claimed delivery that waits to be sent. */
export interface Ready {
  /** `performance.now()` just before it was claimed: its lease began no earlier. */
  readonly claimedAtMs: number;
}

/** The result of an attempt, for the deliveries that wait behind it. */
export interface Sent {
  readonly isDelivered: boolean;
  /** Nothing more is sent to the endpoint for now: waiting deliveries are released. */
  readonly isPaused: boolean;
  /** When that is known. */
  readonly pausedUntil: Date | undefined;
}

export interface EndpointQueuesOptions<Task extends Ready, Recipient> {
  /** Sends one delivery. Never throws. */
  send(task: Task, recipient: Recipient): Promise<Sent>;
  /** Whether one more attempt may begin now. After `false` the caller calls {@link EndpointQueues.resume}. */
  mayBegin?(): boolean;
  /** Called when a queue has room for its next claim. */
  onRoom(): void;
  /** Releases deliveries of one endpoint that were not sent. They are due at `dueAt`, or at once. */
  onUnsent(tasks: readonly Task[], dueAt?: Date): void;
}

/** Limits for all endpoints together: how many deliveries are in flight, and how many are claimed. */
const IN_FLIGHT_MAX = 1_024;
const CLAIMED_MAX = 8_192;
/** Limits for one endpoint: a slow receiver holds no more connections than this. */
const IN_FLIGHT_PER_ENDPOINT = 64;
const CLAIMED_PER_ENDPOINT = 512;
/** The limit for an endpoint that fails, until a delivery succeeds. */
const IN_FLIGHT_WHILE_FAILING = 4;
const FAILURES_TO_SLOW_DOWN = 5;
/** An endpoint holds at most this share of the free capacity. However many endpoints are slow, the next one always gets some. */
const SHARE_OF_FREE = 1 / 8;
/** The share that failing endpoints leave to healthy ones. */
const KEPT_FOR_HEALTHY = 1 / 2;
/** When half of the capacity is used, an endpoint without a delivery yet holds at most this share of all. */
const SHARE_BEFORE_DELIVERY = 1 / 512;
/** The least share of what an endpoint may claim that is worth a query. */
const WORTH_CLAIMING = 1 / 4;

interface EndpointQueue<Task, Recipient> {
  readonly id: EndpointId;
  readonly waiting: Task[];
  recipient: Recipient;
  isHealthy: boolean;
  /** Whether its last attempt was a success. */
  hasDelivered: boolean;
  underWay: number;
  failuresInRow: number;
  /** Whether its last claim returned as many as it asked for, so that there are probably more. */
  isAsking: boolean;
}

/**
 * Claimed deliveries wait here, one queue per endpoint. An endpoint that hangs takes no capacity from another, and the next deliveries
 * are claimed while some are in flight.
 */
export class EndpointQueues<Task extends Ready, Recipient> {
  readonly #options: EndpointQueuesOptions<Task, Recipient>;
  readonly #queues = new Map<string, EndpointQueue<Task, Recipient>>();
  /** Queues without free capacity, the longest waiting first. */
  readonly #crowded = new Set<EndpointQueue<Task, Recipient>>();
  readonly #idle = new Set<() => void>();
  #underWay = 0;
  #claimed = 0;
  /** No delivery may begin until {@link resume}. */
  #isHeldBack = false;

  constructor(options: EndpointQueuesOptions<Task, Recipient>) {
    this.#options = options;
  }

  /** How many deliveries of an endpoint may be claimed now; 0 when that is not worth a query. */
  roomFor(endpoint: DueEndpoint): number {
    const { claimed, allowed } = this.#capacityOf(endpoint);
    const room = allowed - claimed;
    return room <= 0 || (claimed > 0 && room < allowed * WORTH_CLAIMING) ? 0 : room;
  }

  /** How many new deliveries of an endpoint may be claimed when they are created; 0 while older ones wait to be claimed. */
  roomForNew(endpoint: DueEndpoint): number {
    if (this.#queues.get(nameOf(endpoint))?.isAsking) return 0;
    const { claimed, allowed } = this.#capacityOf(endpoint);
    return Math.max(allowed - claimed, 0);
  }

  /**
   * @param isAsking Whether as many were claimed as requested.
   */
  add(endpoint: DueEndpoint, recipient: Recipient, { tasks, isAsking }: { tasks: readonly Task[]; isAsking: boolean }): void {
    const name = nameOf(endpoint);
    const queue = this.#queues.get(name) ?? newQueue<Task, Recipient>(endpoint, recipient);
    this.#queues.set(name, queue);
    Object.assign(queue, { recipient, isAsking, isHealthy: endpoint.health === 'healthy' });
    queue.waiting.push(...tasks);
    this.#claimed += tasks.length;
    this.#start(queue);
  }

  /** Releases deliveries that have waited for too long; those of a queue that begins are released then. */
  releaseStale(): void {
    for (const queue of this.#queues.values()) this.#release(queue, countStale(queue.waiting));
  }

  /** Endpoints with waiting deliveries. */
  listWaiting(): EndpointId[] {
    return [...this.#queues.values()].filter(({ waiting }) => waiting.length > 0).map(({ id }) => id);
  }

  /** Waiting deliveries are sent to the endpoint as it is now. */
  update(id: EndpointId, recipient: Recipient): void {
    const queue = this.#queues.get(nameOf(id));
    if (queue) queue.recipient = recipient;
  }

  /** Releases waiting deliveries. */
  withdraw(id: EndpointId, dueAt?: Date): void {
    const queue = this.#queues.get(nameOf(id));
    if (queue) this.#release(queue, queue.waiting.length, dueAt);
  }

  /** Deliveries may begin again. */
  resume(): void {
    this.#isHeldBack = false;
    this.#startCrowded();
  }

  /** Sends no waiting delivery; resolves when the attempts in flight have ended. */
  async close(): Promise<void> {
    for (const queue of this.#queues.values()) this.#release(queue, queue.waiting.length);
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#idle.add(resolve));
  }

  /** How many deliveries of an endpoint are claimed, and how many may be. */
  #capacityOf(endpoint: DueEndpoint): { readonly claimed: number; readonly allowed: number } {
    const queue = this.#queues.get(nameOf(endpoint));
    const basis = { isHealthy: endpoint.health === 'healthy', hasDelivered: queue?.hasDelivered ?? false };
    return {
      claimed: queue ? queue.waiting.length + queue.underWay : 0,
      allowed: Math.min(this.#claimableBy(basis), MOST_CLAIMED[endpoint.health]),
    };
  }

  #claimableBy(basis: ShareBasis): number {
    return Math.ceil(shareOf(CLAIMED_MAX, this.#claimed, basis));
  }

  /** Starts queues that had no free capacity, each once: those that find none are the last again. */
  #startCrowded(): void {
    let left = this.#crowded.size;
    for (const crowded of this.#crowded) {
      if (this.#isHeldBack || this.#underWay >= IN_FLIGHT_MAX || left-- === 0) return;
      this.#crowded.delete(crowded);
      this.#start(crowded);
    }
  }

  #mayBegin(): boolean {
    this.#isHeldBack ||= this.#options.mayBegin?.() === false;
    return !this.#isHeldBack;
  }

  #start(queue: EndpointQueue<Task, Recipient>): void {
    this.#release(queue, countStale(queue.waiting));
    const inFlightMax = queue.failuresInRow >= FAILURES_TO_SLOW_DOWN ? IN_FLIGHT_WHILE_FAILING : IN_FLIGHT_PER_ENDPOINT;
    while (queue.waiting.length > 0 && queue.underWay < inFlightMax) {
      const isCrowded = queue.underWay >= shareOf(IN_FLIGHT_MAX, this.#underWay, queue);
      if (isCrowded || !this.#mayBegin()) return void this.#crowded.add(queue);
      void this.#run(queue, queue.waiting.shift() as Task);
    }
    if (queue.waiting.length === 0 && queue.underWay === 0) this.#forget(queue);
  }

  /** An endpoint may get a new queue now, which the old one must not end. */
  #forget(queue: EndpointQueue<Task, Recipient>): void {
    this.#crowded.delete(queue);
    this.#queues.delete(nameOf(queue.id));
  }

  async #run(queue: EndpointQueue<Task, Recipient>, task: Task): Promise<void> {
    queue.underWay++;
    this.#underWay++;
    const { isDelivered, isPaused, pausedUntil } = await this.#options.send(task, queue.recipient);
    queue.hasDelivered = isDelivered;
    queue.failuresInRow = isDelivered ? 0 : queue.failuresInRow + 1;
    queue.underWay--;
    this.#underWay--;
    this.#claimed--;
    if (isPaused) this.#release(queue, queue.waiting.length, pausedUntil);
    this.#startCrowded();
    this.#start(queue);
    this.#askOn(queue);
    if (this.#underWay === 0) for (const resolve of this.#idle) resolve();
  }

  #askOn(queue: EndpointQueue<Task, Recipient>): void {
    const allowed = Math.min(this.#claimableBy(queue), CLAIMED_PER_ENDPOINT);
    if (!queue.isAsking || queue.waiting.length + queue.underWay > allowed * (1 - WORTH_CLAIMING)) return;
    queue.isAsking = false;
    this.#options.onRoom();
  }

  /** Releases the first ones of the queue. */
  #release(queue: EndpointQueue<Task, Recipient>, count: number, dueAt?: Date): void {
    if (count === 0) return;
    this.#claimed -= count;
    this.#options.onUnsent(queue.waiting.splice(0, count), dueAt);
  }
}

/** A half-open endpoint gets one delivery. */
const MOST_CLAIMED = { healthy: CLAIMED_PER_ENDPOINT, failing: IN_FLIGHT_WHILE_FAILING, half_open: 1 } as const;

function newQueue<Task, Recipient>({ partnerId, endpointId }: EndpointId, recipient: Recipient): EndpointQueue<Task, Recipient> {
  const id = { partnerId, endpointId };
  return { id, waiting: [], recipient, isHealthy: true, hasDelivered: false, underWay: 0, failuresInRow: 0, isAsking: false };
}

function nameOf({ partnerId, endpointId }: EndpointId): string {
  return `${partnerId} ${endpointId}`;
}

/** On what the share of an endpoint depends. */
type ShareBasis = Pick<EndpointQueue<unknown, unknown>, 'isHealthy' | 'hasDelivered'>;

/** How much one endpoint may hold of `all`, when `held` are used. */
function shareOf(all: number, held: number, { isHealthy, hasDelivered }: ShareBasis): number {
  const ofFree = Math.max(all - held - (isHealthy ? 0 : all * KEPT_FOR_HEALTHY), 0) * SHARE_OF_FREE;
  return hasDelivered || held < all / 2 ? ofFree : Math.min(ofFree, all * SHARE_BEFORE_DELIVERY);
}

/** The oldest are first in the queue. */
function countStale(waiting: readonly Ready[]): number {
  const nowMs = performance.now();
  const fresh = waiting.findIndex(({ claimedAtMs }) => nowMs - claimedAtMs <= USABLE_MS);
  return fresh < 0 ? waiting.length : fresh;
}
