/** Refusals per millisecond: an eighth of the processor at most goes to refusing. */
const REFUSALS_PER_MS = 2;
const TURN_MS = 5;
/** More than these wait for nobody: their senders are refused at once, and memory stays bounded. */
const WAITING_MAX = 3_072;

/**
 * Refusals take turns, so that they leave the time to the work: a sender that waits for its refusal sends nothing meanwhile. A few are made
 * at once, and so is one that finds too many before it.
 */
export function paced(): (refuse: () => void) => void {
  const waiting: (() => void)[] = [];
  let turnEndsAtMs = 0;
  let leftInTurn = 0;
  let turnedAtMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const mayRefuseAtOnce = (nowMs: number): boolean => {
    if (nowMs >= turnEndsAtMs) {
      turnEndsAtMs = nowMs + TURN_MS;
      leftInTurn = TURN_MS * REFUSALS_PER_MS;
    }
    return leftInTurn-- > 0;
  };
  const takeTurn = () => {
    const sinceMs = performance.now() - turnedAtMs;
    const due = waiting.splice(0, Math.ceil(sinceMs * REFUSALS_PER_MS));
    turnedAtMs += sinceMs;
    for (const refuse of due) refuse();
    timer = waiting.length > 0 ? setTimeout(takeTurn, TURN_MS) : undefined;
  };
  return (refuse) => {
    const nowMs = performance.now();
    if (waiting.length >= WAITING_MAX || (!timer && mayRefuseAtOnce(nowMs))) return refuse();
    waiting.push(refuse);
    if (timer) return;
    turnedAtMs = nowMs;
    timer = setTimeout(takeTurn, TURN_MS);
  };
}
