import { useSyncExternalStore } from 'react';

/** The clock of the service: that of the browser may be hours off, and does not say what is over or may still be done. */
let aheadMs = 0;

/** Of each answer, whose `Date` is in whole seconds. */
export function keepServiceTime({ headers }: Response): void {
  const at = Date.parse(headers.get('date') ?? '');
  if (!Number.isNaN(at)) aheadMs = Date.now() - at;
}

/** Milliseconds since 1970 by the clock of the service, behind it by what the latest answer took and a second at most. */
export function serviceNow(): number {
  return toServiceTime(Date.now());
}

/** @param at Milliseconds since 1970 by the clock of the browser. */
export function toServiceTime(at: number): number {
  return at - aheadMs;
}

/** What shows how long ago something was is drawn again so often. */
const TICK_MS = 15_000;
const shown = new Set<() => void>();
let ticks = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** `serviceNow`, again and again while it is shown. One timer is shared by all that show it. */
export function useServiceNow(): number {
  useSyncExternalStore(subscribe, () => ticks);
  return serviceNow();
}

function subscribe(draw: () => void): () => void {
  shown.add(draw);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    shown.delete(draw);
    if (shown.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  ticks += 1;
  for (const draw of shown) draw();
}
