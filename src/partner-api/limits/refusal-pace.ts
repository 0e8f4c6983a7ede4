export interface RefusalPace {
  /** More than these are made when a refusal would wait longer than a second. */
  readonly perMs: number;
  /** The most that wait, so that memory and waiting times are bounded. */
  readonly waitingMax: number;
  /** Handles refusals with this many before them; without it they are sent at once. */
  readonly beyond?: Refuse;
}

export type Refuse = (refuse: () => void) => void;

/** For requests that the service cannot take now: refusing takes at most an eighth of the processor. */
export const SHED: RefusalPace = { perMs: 1, waitingMax: 3_072 };
/** For requests that their sender should not have sent: a used-up rate, a wrong key. */
export const REFUSED_SENDERS: RefusalPace = { perMs: 0.5, waitingMax: 512 };
const TURN_MS = 5;
const WAIT_MAX_MS = 1_000;

/**
 * Refusals take turns, so that work gets the time: a sender that waits for its refusal sends nothing meanwhile. A few are sent at once.
 */
export function paceRefusals({ perMs, waitingMax, beyond = atOnce }: RefusalPace): Refuse {
  const waiting: (() => void)[] = [];
  let turnEndsAtMs = 0;
  let leftInTurn = 0;
  /** Since none waited. */
  let mostWaiting = 0;
  let turnedAtMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const mayRefuseAtOnce = (nowMs: number): boolean => {
    if (nowMs >= turnEndsAtMs) {
      turnEndsAtMs = nowMs + TURN_MS;
      leftInTurn = Math.ceil(TURN_MS * perMs);
    }
    return leftInTurn-- > 0;
  };
  const takeTurn = () => {
    const sinceMs = performance.now() - turnedAtMs;
    const due = waiting.splice(0, Math.ceil(sinceMs * Math.max(perMs, mostWaiting / WAIT_MAX_MS)));
    turnedAtMs += sinceMs;
    for (const refuse of due) refuse();
    timer = waiting.length > 0 ? setTimeout(takeTurn, TURN_MS) : undefined;
    if (!timer) mostWaiting = 0;
  };
  return (refuse) => {
    const nowMs = performance.now();
    if (!timer && mayRefuseAtOnce(nowMs)) return refuse();
    if (waiting.length >= waitingMax) return beyond(refuse);
    waiting.push(refuse);
    mostWaiting = Math.max(mostWaiting, waiting.length);
    if (timer) return;
    turnedAtMs = nowMs;
    timer = setTimeout(takeTurn, TURN_MS);
  };
}

function atOnce(refuse: () => void): void {
  refuse();
}
