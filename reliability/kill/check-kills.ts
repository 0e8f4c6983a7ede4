import type { Kill, Target } from './killer-among-requests.ts';
import { CONFIRMED_WITHIN_MS } from './killer-among-requests.ts';

const READY_WITHIN_MS: Record<Target, number> = { service: 2_000, database: 5_000 };

export interface Asked {
  /** How many kills the run should have. */
  readonly asked: number;
  readonly target: Target;
  readonly report: (violation: string) => void;
}

/** As many kills as were asked for, one of them at least among requests, and after each the service is ready and confirms in time. */
export function checkKills(kills: readonly Kill[], { asked, target, report }: Asked): void {
  if (kills.length < asked) report(`only ${kills.length} of ${asked} kills took place`);
  if (countWithRequests(kills) === 0) report('void: no kill met a request under way');
  for (const [index, { readyAfterMs, confirmedAfterMs }] of kills.entries()) {
    if (readyAfterMs > READY_WITHIN_MS[target]) report(`kill ${index + 1}: ready after ${Math.round(readyAfterMs)} ms`);
    if (confirmedAfterMs > CONFIRMED_WITHIN_MS)
      report(`kill ${index + 1}: the next confirmation came after ${Math.round(confirmedAfterMs)} ms`);
  }
}

export function countWithRequests(kills: readonly Kill[]): number {
  return kills.filter(({ requestsCut }) => requestsCut > 0).length;
}
