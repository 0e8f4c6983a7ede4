import type { DueEndpoint } from '../store/delivery.ts';

/** A claimed delivery that waits for a place. */
export interface Ready {
  /** `performance.now()` just before it was claimed: its lease began no earlier. */
  readonly claimedAtMs: number;
}

export interface LanesOptions<Task extends Ready> {
  /** Sends one, and never throws. @returns Whether it was delivered. */
  send(task: Task): Promise<boolean>;
  /** Told when a lane has room for its next claim. */
  onRoom(): void;
}

/** All endpoints together: how many are under way, and how many are claimed. */
const PLACES = 1_024;
const CLAIMED_MAX = 8_192;
/** Of one endpoint: a slow receiver holds so many connections, and no more. */
const PLACES_OF_ONE = 64;
const CLAIMED_OF_ONE = 512;
/** One that fails has to show first that it is back. */
const PLACES_WHILE_FAILING = 4;
const FAILURES_TO_SLOW_DOWN = 5;
/** Of what may still be claimed an endpoint takes no more than this share, so that there is always some for the next. */
const SHARE_OF_FREE = 1 / 8;
/** A claim is worth its statement. */
const WORTH_CLAIMING = CLAIMED_OF_ONE / 4;
/** Claimed longer ago than this, it is left to whoever claims it next: its lease might end before its attempt does. */
const USABLE_MS = 40_000;

interface Lane<Task> {
  readonly waiting: Task[];
  underWay: number;
  failuresInRow: number;
  /** Its last claim was given all that it asked for: there is probably more. */
  isAsking: boolean;
}

/**
 * What is claimed waits here for a place, endpoint by endpoint: one that hangs takes none from another, and while some deliveries are
 * under way the next ones are claimed already.
 */
export class Lanes<Task extends Ready> {
  readonly #options: LanesOptions<Task>;
  readonly #lanes = new Map<string, Lane<Task>>();
  readonly #idle = new Set<() => void>();
  #underWay = 0;
  #claimed = 0;

  constructor(options: LanesOptions<Task>) {
    this.#options = options;
  }

  /** How many deliveries of an endpoint may be claimed now; 0 when that is not worth a statement. */
  roomFor(endpoint: DueEndpoint): number {
    const lane = this.#lanes.get(nameOf(endpoint));
    const claimed = lane ? lane.waiting.length + lane.underWay : 0;
    if (endpoint.health === 'probed') return claimed === 0 ? 1 : 0;
    if (endpoint.health === 'failing') return Math.max(PLACES_WHILE_FAILING - claimed, 0);
    const room = Math.min(CLAIMED_OF_ONE - claimed, Math.ceil((CLAIMED_MAX - this.#claimed) * SHARE_OF_FREE));
    return room <= 0 || (claimed > 0 && room < WORTH_CLAIMING) ? 0 : room;
  }

  /** @param isAsking Whether as many were claimed as were asked for. */
  add(endpoint: DueEndpoint, tasks: readonly Task[], isAsking: boolean): void {
    const name = nameOf(endpoint);
    const lane = this.#lanes.get(name) ?? { waiting: [], underWay: 0, failuresInRow: 0, isAsking };
    this.#lanes.set(name, lane);
    lane.isAsking = isAsking;
    lane.waiting.push(...tasks);
    this.#claimed += tasks.length;
    this.#start(name, lane);
  }

  /** Sends nothing more of what waits; resolves when what is under way is over. */
  async close(): Promise<void> {
    for (const lane of this.#lanes.values()) this.#claimed -= lane.waiting.splice(0).length;
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#idle.add(resolve));
  }

  #start(name: string, lane: Lane<Task>): void {
    const places = lane.failuresInRow >= FAILURES_TO_SLOW_DOWN ? PLACES_WHILE_FAILING : PLACES_OF_ONE;
    while (lane.waiting.length > 0 && lane.underWay < places && this.#underWay < PLACES) {
      const task = lane.waiting.shift() as Task;
      if (performance.now() - task.claimedAtMs > USABLE_MS) this.#claimed--;
      else void this.#run(name, lane, task);
    }
    if (lane.waiting.length === 0 && lane.underWay === 0) this.#lanes.delete(name);
  }

  async #run(name: string, lane: Lane<Task>, task: Task): Promise<void> {
    lane.underWay++;
    this.#underWay++;
    const isDelivered = await this.#options.send(task);
    lane.failuresInRow = isDelivered ? 0 : lane.failuresInRow + 1;
    lane.underWay--;
    this.#underWay--;
    this.#claimed--;
    this.#start(name, lane);
    if (this.#underWay === PLACES - 1) this.#startOthers(lane);
    if (lane.isAsking && lane.waiting.length + lane.underWay <= CLAIMED_OF_ONE - WORTH_CLAIMING) {
      lane.isAsking = false;
      this.#options.onRoom();
    }
    if (this.#underWay === 0) for (const resolve of this.#idle) resolve();
  }

  /** A place came free after all were taken: whoever has waited longest for one is next. */
  #startOthers(lane: Lane<Task>): void {
    for (const [name, other] of this.#lanes) if (other !== lane) this.#start(name, other);
  }
}

function nameOf({ partnerId, endpointId }: DueEndpoint): string {
  return `${partnerId} ${endpointId}`;
}
