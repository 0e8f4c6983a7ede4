import type { DueEndpoint } from '../../store/webhooks/due-endpoint.ts';

/** A claimed delivery that waits for a place. */
export interface Ready {
  /** `performance.now()` just before it was claimed: its lease began no earlier. */
  readonly claimedAtMs: number;
}

/** What came of an attempt for the deliveries behind it. */
export interface Sent {
  readonly isDelivered: boolean;
  /** Nothing more goes to the endpoint for now: what waits for a place is given back. */
  readonly isPaused: boolean;
  /** Where that is known. */
  readonly pausedUntil: Date | undefined;
}

export interface LanesOptions<Task extends Ready, Recipient> {
  /** Sends one, and never throws. */
  send(task: Task, recipient: Recipient): Promise<Sent>;
  /** Whether one more may begin now; where it may not, {@link Lanes.resume} follows. */
  mayBegin?(): boolean;
  /** Told when a lane has room for its next claim. */
  onRoom(): void;
  /** Takes back deliveries of one endpoint that were not sent, which are due then, or at once. */
  onUnsent(tasks: readonly Task[], dueAt?: Date): void;
}

type EndpointId = Pick<DueEndpoint, 'partnerId' | 'endpointId'>;

/** All endpoints together: how many are under way, and how many are claimed. */
const PLACES = 1_024;
const CLAIMED_MAX = 8_192;
/** Of one endpoint: a slow receiver holds so many connections, and no more. */
const PLACES_OF_ONE = 64;
const CLAIMED_OF_ONE = 512;
/** One that fails has to show first that it is back. */
const PLACES_WHILE_FAILING = 4;
const FAILURES_TO_SLOW_DOWN = 5;
/** An endpoint holds no more than this share of what is free beside it: however many are slow, there is always some for the next. */
const SHARE_OF_FREE = 1 / 8;
/** Those that fail leave so much to those that do not. */
const KEPT_FOR_SOUND = 1 / 2;
/** Once half of all is held, an endpoint that has not delivered anything yet holds no more than this share of all. */
const SHARE_WHILE_UNPROVEN = 1 / 512;
/** Of what an endpoint may claim: less is not worth the statement. */
const WORTH_CLAIMING = 1 / 4;
/** Claimed longer ago than this, it is given back: its lease might end before its attempt does. */
const USABLE_MS = 40_000;

interface Lane<Task, Recipient> {
  readonly id: EndpointId;
  readonly waiting: Task[];
  recipient: Recipient;
  isSound: boolean;
  /** Its last attempt was a success. */
  isProven: boolean;
  underWay: number;
  failuresInRow: number;
  /** Its last claim was given all that it asked for: there is probably more. */
  isAsking: boolean;
}

/**
 * What is claimed waits here for a place, endpoint by endpoint: one that hangs takes none from another, and while some deliveries are
 * under way the next ones are claimed already.
 */
export class Lanes<Task extends Ready, Recipient> {
  readonly #options: LanesOptions<Task, Recipient>;
  readonly #lanes = new Map<string, Lane<Task, Recipient>>();
  /** Lanes that others leave no place. Whoever has waited longest comes first. */
  readonly #crowded = new Set<Lane<Task, Recipient>>();
  readonly #idle = new Set<() => void>();
  #underWay = 0;
  #claimed = 0;
  /** No delivery may begin until {@link resume}. */
  #isHeldBack = false;

  constructor(options: LanesOptions<Task, Recipient>) {
    this.#options = options;
  }

  /** How many deliveries of an endpoint may be claimed now; 0 when that is not worth a statement. */
  roomFor(endpoint: DueEndpoint): number {
    const lane = this.#lanes.get(nameOf(endpoint));
    const claimed = lane ? lane.waiting.length + lane.underWay : 0;
    const standing = { isSound: endpoint.health === 'sound', isProven: lane?.isProven ?? false };
    const allowed = Math.min(this.#claimableBy(standing), MOST_CLAIMED[endpoint.health]);
    const room = allowed - claimed;
    return room <= 0 || (claimed > 0 && room < allowed * WORTH_CLAIMING) ? 0 : room;
  }

  /** How many new deliveries of an endpoint may be claimed while they are made; 0 while older ones wait to be claimed. */
  roomForNew(endpoint: DueEndpoint): number {
    const lane = this.#lanes.get(nameOf(endpoint));
    if (lane?.isAsking) return 0;
    const standing = { isSound: endpoint.health === 'sound', isProven: lane?.isProven ?? false };
    const allowed = Math.min(this.#claimableBy(standing), MOST_CLAIMED[endpoint.health]);
    return Math.max(allowed - (lane ? lane.waiting.length + lane.underWay : 0), 0);
  }

  /** @param isAsking Whether as many were claimed as were asked for. */
  add(endpoint: DueEndpoint, recipient: Recipient, { tasks, isAsking }: { tasks: readonly Task[]; isAsking: boolean }): void {
    const name = nameOf(endpoint);
    const lane = this.#lanes.get(name) ?? newLane<Task, Recipient>(endpoint, recipient);
    this.#lanes.set(name, lane);
    Object.assign(lane, { recipient, isAsking, isSound: endpoint.health === 'sound' });
    lane.waiting.push(...tasks);
    this.#claimed += tasks.length;
    this.#start(lane);
  }

  /** Endpoints of which something waits for a place. */
  listWaiting(): EndpointId[] {
    return [...this.#lanes.values()].filter(({ waiting }) => waiting.length > 0).map(({ id }) => id);
  }

  /** What waits for a place is sent as the endpoint is now. */
  update(id: EndpointId, recipient: Recipient): void {
    const lane = this.#lanes.get(nameOf(id));
    if (lane) lane.recipient = recipient;
  }

  /** Gives back what waits for a place. */
  withdraw(id: EndpointId, dueAt?: Date): void {
    const lane = this.#lanes.get(nameOf(id));
    if (lane) this.#giveBack(lane, lane.waiting.length, dueAt);
  }

  /** Deliveries may begin again. */
  resume(): void {
    this.#isHeldBack = false;
    this.#startCrowded();
  }

  /** Sends nothing more of what waits; resolves when what is under way is over. */
  async close(): Promise<void> {
    for (const lane of this.#lanes.values()) this.#giveBack(lane, lane.waiting.length);
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#idle.add(resolve));
  }

  #claimableBy(standing: Standing): number {
    return Math.ceil(shareOf(CLAIMED_MAX, this.#claimed, standing));
  }

  /** There may be places for lanes that had none. */
  #startCrowded(): void {
    if (this.#isHeldBack) return;
    for (const crowded of [...this.#crowded]) {
      this.#crowded.delete(crowded);
      this.#start(crowded);
      if (this.#isHeldBack) return;
    }
  }

  #mayBegin(): boolean {
    this.#isHeldBack ||= this.#options.mayBegin?.() === false;
    return !this.#isHeldBack;
  }

  #start(lane: Lane<Task, Recipient>): void {
    this.#giveBack(lane, countStale(lane.waiting));
    const places = lane.failuresInRow >= FAILURES_TO_SLOW_DOWN ? PLACES_WHILE_FAILING : PLACES_OF_ONE;
    while (lane.waiting.length > 0 && lane.underWay < places) {
      const isCrowded = lane.underWay >= shareOf(PLACES, this.#underWay, lane);
      if (isCrowded || !this.#mayBegin()) return void this.#crowded.add(lane);
      void this.#run(lane, lane.waiting.shift() as Task);
    }
    if (lane.waiting.length === 0 && lane.underWay === 0) this.#lanes.delete(nameOf(lane.id));
  }

  async #run(lane: Lane<Task, Recipient>, task: Task): Promise<void> {
    lane.underWay++;
    this.#underWay++;
    const { isDelivered, isPaused, pausedUntil } = await this.#options.send(task, lane.recipient);
    lane.isProven = isDelivered;
    lane.failuresInRow = isDelivered ? 0 : lane.failuresInRow + 1;
    lane.underWay--;
    this.#underWay--;
    this.#claimed--;
    if (isPaused) this.#giveBack(lane, lane.waiting.length, pausedUntil);
    this.#startCrowded();
    this.#start(lane);
    this.#askOn(lane);
    if (this.#underWay === 0) for (const resolve of this.#idle) resolve();
  }

  #askOn(lane: Lane<Task, Recipient>): void {
    const allowed = Math.min(this.#claimableBy(lane), CLAIMED_OF_ONE);
    if (!lane.isAsking || lane.waiting.length + lane.underWay > allowed * (1 - WORTH_CLAIMING)) return;
    lane.isAsking = false;
    this.#options.onRoom();
  }

  /** The first ones of what waits. */
  #giveBack(lane: Lane<Task, Recipient>, count: number, dueAt?: Date): void {
    if (count === 0) return;
    this.#claimed -= count;
    this.#options.onUnsent(lane.waiting.splice(0, count), dueAt);
  }
}

/** While an endpoint is tried out, one delivery goes there. */
const MOST_CLAIMED = { sound: CLAIMED_OF_ONE, failing: PLACES_WHILE_FAILING, probed: 1 } as const;

function newLane<Task, Recipient>({ partnerId, endpointId }: EndpointId, recipient: Recipient): Lane<Task, Recipient> {
  const id = { partnerId, endpointId };
  return { id, waiting: [], recipient, isSound: true, isProven: false, underWay: 0, failuresInRow: 0, isAsking: false };
}

function nameOf({ partnerId, endpointId }: EndpointId): string {
  return `${partnerId} ${endpointId}`;
}

type Standing = Pick<Lane<unknown, unknown>, 'isSound' | 'isProven'>;

/** How much one endpoint may hold of so many that all have, where so many are held. */
function shareOf(all: number, held: number, { isSound, isProven }: Standing): number {
  const ofFree = Math.max(all - held - (isSound ? 0 : all * KEPT_FOR_SOUND), 0) * SHARE_OF_FREE;
  return isProven || held < all / 2 ? ofFree : Math.min(ofFree, all * SHARE_WHILE_UNPROVEN);
}

/** The oldest come first. */
function countStale(waiting: readonly Ready[]): number {
  const nowMs = performance.now();
  const fresh = waiting.findIndex(({ claimedAtMs }) => nowMs - claimedAtMs <= USABLE_MS);
  return fresh < 0 ? waiting.length : fresh;
}
