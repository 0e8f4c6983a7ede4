export interface Pace {
  readonly perMs: number;
  /** So many wait at most, so that memory and waiting times stay bounded. */
  readonly waitingMax: number;
  /** Takes those that find as many before them; without it they are refused at once. */
  readonly beyond?: Refuse;
}

export type Refuse = (refuse: () => void) => void;

/** What the service cannot take now: an eighth of the processor at most goes to refusing it. */
export const SHED: Pace = { perMs: 2, waitingMax: 3_072 };
/** What its sender should not have sent: a rate that is spent, a key that is wrong. A refusal waits a second at most. */
export const REFUSED_SENDERS: Pace = { perMs: 0.5, waitingMax: 512 };
const TURN_MS = 5;

/**
 * Refusals take turns, so that they leave the time to the work: a sender that waits for its refusal sends nothing meanwhile. A few are made
 * at once.
 */
export function paced({ perMs, waitingMax, beyond = atOnce }: Pace): Refuse {
  const waiting: (() => void)[] = [];
  let turnEndsAtMs = 0;
  let leftInTurn = 0;
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
    const due = waiting.splice(0, Math.ceil(sinceMs * perMs));
    turnedAtMs += sinceMs;
    for (const refuse of due) refuse();
    timer = waiting.length > 0 ? setTimeout(takeTurn, TURN_MS) : undefined;
  };
  return (refuse) => {
    const nowMs = performance.now();
    if (!timer && mayRefuseAtOnce(nowMs)) return refuse();
    if (waiting.length >= waitingMax) return beyond(refuse);
    waiting.push(refuse);
    if (timer) return;
    turnedAtMs = nowMs;
    timer = setTimeout(takeTurn, TURN_MS);
  };
}

function atOnce(refuse: () => void): void {
  refuse();
}
