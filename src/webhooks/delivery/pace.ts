import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/** The figures of a slice of time. */
export interface Slice {
  /** Partners' requests that were answered. */
  readonly answers: number;
  /** The median time of the answers in milliseconds; 0 without one. The median is not affected by a few slow clients. */
  readonly answerMs: number;
  /** The share of the time in which the event loop was busy. */
  readonly utilization: number;
  /** Deliveries that began. */
  readonly begun: number;
}

const SLICE_MS = 50;
/** A busier event loop delays answers. */
const BUSY = 0.9;
/** Slower answers wait for the event loop or for the database. */
const SLOW_MS = 50;
/** So many deliveries begin in a turn of the event loop, in about a millisecond, and one more for each answer of the turn before. */
const BEGIN_IN_A_TURN = 8;
/** The least number of deliveries in a slice, however slow answers are. */
const BUDGET_MIN = 16;
const LESS = 0.75;
const MORE = 1.25;
/** From this number on there is no limit. */
const BUDGET_MAX = 1_024;

/** Whether answers wait. Without requests, deliveries may use all of the time. */
export function isBehind({ answers, answerMs, utilization }: Slice): boolean {
  return answers > 0 && (utilization >= BUSY || answerMs >= SLOW_MS);
}

/**
 * How many deliveries may begin in the next slice. While answers wait it falls slice by slice, at the least to one delivery for each
 * answer, so that their events can be delivered; then it rises until there is no limit.
 */
export function nextBudget(budget: number, slice: Slice): number {
  if (isBehind(slice)) return Math.max(BUDGET_MIN, slice.answers, Math.floor(Math.min(budget, slice.begun) * LESS));
  const more = Math.ceil(budget * MORE);
  return more >= BUDGET_MAX ? Number.POSITIVE_INFINITY : more;
}

/** The lower median; 0 without values. */
export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1] ?? 0;
}

/** Lets deliveries begin, fewer while answers to partners wait. It measures only while there are deliveries. */
export class Pace {
  #budget = Number.POSITIVE_INFINITY;
  #left = Number.POSITIVE_INFINITY;
  #answersMs: number[] = [];
  #begun = 0;
  #wasRefused = false;
  #slowedMs = 0;
  #leftInTurn = BEGIN_IN_A_TURN;
  #answersInTurn = 0;
  #wasRefusedInTurn = false;
  #turn: NodeJS.Immediate | undefined;
  #since: EventLoopUtilization | undefined;
  #timer: NodeJS.Timeout | undefined;
  #onRoom = () => {};

  /** Called when refused deliveries may begin. */
  onRoom(listener: () => void): void {
    this.#onRoom = listener;
  }

  /** A partner's request was answered. */
  addAnswer(milliseconds: number): void {
    if (!this.#timer) return;
    this.#answersMs.push(milliseconds);
    this.#answersInTurn++;
  }

  /** Whether one more delivery may begin now; if so, it counts. */
  take(): boolean {
    this.#timer ??= this.#start();
    if (this.#left <= 0) {
      this.#wasRefused = true;
      return false;
    }
    if (this.#leftInTurn <= 0) {
      this.#wasRefusedInTurn = true;
      return false;
    }
    this.#turn ??= setImmediate(() => this.#endTurn());
    this.#leftInTurn--;
    this.#left--;
    this.#begun++;
    return true;
  }

  /** Deliveries a second; 0 without a limit, so that a metric can sum several processes. */
  get limitPerSecond(): number {
    return this.#budget === Number.POSITIVE_INFINITY ? 0 : (this.#budget * 1_000) / SLICE_MS;
  }

  /** How long deliveries have waited for answers in all. */
  get slowedSeconds(): number {
    return this.#slowedMs / 1_000;
  }

  #start(): NodeJS.Timeout {
    this.#since = performance.eventLoopUtilization();
    this.#answersMs = [];
    return setInterval(() => this.#endSlice(), SLICE_MS).unref();
  }

  #endTurn(): void {
    this.#turn = undefined;
    this.#leftInTurn = BEGIN_IN_A_TURN + this.#answersInTurn;
    this.#answersInTurn = 0;
    if (!this.#wasRefusedInTurn) return;
    this.#wasRefusedInTurn = false;
    this.#onRoom();
  }

  #endSlice(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#since);
    const [answersMs, begun, wasRefused] = [this.#answersMs, this.#begun, this.#wasRefused];
    const slice = { answers: answersMs.length, begun, utilization, answerMs: medianOf(answersMs) };
    if (wasRefused) this.#slowedMs += SLICE_MS;
    this.#budget = nextBudget(this.#budget, slice);
    this.#left = this.#budget;
    this.#since = now;
    [this.#answersMs, this.#begun, this.#wasRefused] = [[], 0, false];
    if (wasRefused) this.#onRoom();
    if (begun > 0 || wasRefused || this.#budget !== Number.POSITIVE_INFINITY) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
