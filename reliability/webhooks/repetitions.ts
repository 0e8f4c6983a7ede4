/** What the receivers can tell of events that came more than once, and of how long things took. */
import type { Delivered, Ledger } from './ledger.ts';

export interface Repetitions {
  /** Events that an endpoint answered 2xx and got again. */
  readonly count: number;
  /** Of these before anything was killed: nobody had a reason. */
  readonly withoutReason: number;
  readonly shortestGapMs: number;
  readonly longestGapMs: number;
  /** From its commit, of an event since the first kill: one whose sender died comes after its lease. */
  readonly longestFirstMs: number;
}

/** At endpoints that are healthy all the time. */
export function findRepetitions(ledger: Ledger, endpoints: readonly number[], killingSinceMs: number): Repetitions {
  const delivered = deliveredTo(ledger, endpoints);
  const repeated = delivered.flatMap(({ arrivals }) =>
    arrivals.slice(1).map(({ atMs }, index) => ({ atMs, gapMs: atMs - (arrivals[index]?.atMs ?? atMs) })),
  );
  const firsts = delivered.flatMap(({ occurredAtMs, arrivals: [first] }) =>
    first && occurredAtMs >= killingSinceMs ? first.atMs - occurredAtMs : [],
  );
  const gaps = repeated.map(({ gapMs }) => gapMs);
  return {
    count: repeated.length,
    withoutReason: repeated.filter(({ atMs }) => atMs < killingSinceMs).length,
    shortestGapMs: repeated.length === 0 ? 0 : most(gaps, (a, b) => a < b),
    longestGapMs: most(gaps, (a, b) => a > b),
    longestFirstMs: most(firsts, (a, b) => a > b),
  };
}

export interface Pauses {
  /** Attempts after an answer that asked for a sensible pause. */
  readonly asked: number;
  /** Of these, before the pause was over. */
  readonly early: number;
}

/** A head is some milliseconds under way. */
const SLACK_MS = 50;

export function findPauses(ledger: Ledger, endpoints: readonly number[]): Pauses {
  const pauses = deliveredTo(ledger, endpoints).flatMap(({ arrivals }) =>
    arrivals.flatMap(({ atMs, retryAfterMs }, index) => {
      const next = arrivals[index + 1];
      return next && retryAfterMs !== undefined ? { askedMs: retryAfterMs, keptMs: next.atMs - atMs } : [];
    }),
  );
  return { asked: pauses.length, early: pauses.filter(({ askedMs, keptMs }) => keptMs < askedMs - SLACK_MS).length };
}

function deliveredTo(ledger: Ledger, endpoints: readonly number[]): Delivered[] {
  return endpoints.flatMap((endpoint) => [...ledger.deliveredTo(endpoint).values()]);
}

function most(values: readonly number[], isMore: (a: number, b: number) => boolean): number {
  return values.reduce((found, value) => (isMore(value, found) ? value : found), values[0] ?? 0);
}
