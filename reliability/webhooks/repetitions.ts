/** What the receivers can tell of events that came more than once, and of how long things took. */
import type { ArrivalLog, Delivered } from './arrival-log.ts';

export interface Repetitions {
  /** Events that an endpoint answered 2xx and got again. */
  readonly count: number;
  /** Of these before anything was killed: nobody had a reason. */
  readonly withoutReason: number;
  readonly shortestGapMs: number;
  readonly longestGapMs: number;
  /** From its commit, of an event since the first kill: one whose sender died comes after its lease. */
  readonly longestFirstMs: number;
  /** Of both, those whose sender died, and then the next one too. */
  readonly behindTwoKills: number;
  /** Of both, those that no kills explain. */
  readonly unexplained: readonly string[];
}

interface Wait {
  readonly eventId: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** At endpoints that are healthy all the time. @param kills When they were, in their order, in milliseconds since 1970. */
export function findRepetitions(arrivalLog: ArrivalLog, endpoints: readonly number[], kills: readonly number[]): Repetitions {
  const delivered = deliveredTo(arrivalLog, endpoints);
  const firstKill = kills[0] ?? Number.POSITIVE_INFINITY;
  const again = delivered.flatMap(({ eventId, arrivals }) =>
    arrivals.slice(1).map(({ atMs }, index): Wait => ({ eventId, fromMs: arrivals[index]?.atMs ?? atMs, untilMs: atMs })),
  );
  const firsts = delivered.flatMap(({ eventId, occurredAtMs, arrivals: [first] }): Wait[] =>
    first && first.atMs >= firstKill ? [{ eventId, fromMs: occurredAtMs, untilMs: first.atMs }] : [],
  );
  const gaps = again.map(lengthOf);
  const all = [...again, ...firsts].map((wait) => ({ ...wait, needed: countKillsNeeded(wait, kills) }));
  return {
    count: again.length,
    withoutReason: again.filter(({ untilMs }) => untilMs < firstKill).length,
    shortestGapMs: gaps.reduce((least, gap) => Math.min(least, gap), gaps[0] ?? 0),
    longestGapMs: longest(gaps),
    longestFirstMs: longest(firsts.map(lengthOf)),
    behindTwoKills: all.filter(({ needed }) => needed !== undefined && needed > 0).length,
    unexplained: all.filter(({ needed }) => needed === undefined).map((wait) => `${wait.eventId} after ${lengthOf(wait)} ms`),
  };
}

/** A process that died gives back what it was to send after 60 s; the rest is a restart, and a busy machine. */
const GIVEN_BACK_WITHIN_MS = 75_000;
/** Whoever takes a delivery has sent and recorded it, or given up, after so long at most. */
const UNDER_WAY_MS_MAX = 20_000;

/**
 * A wait that is longer than a lease means that the next sender was killed as well.
 *
 * @returns How many more kills that takes; `undefined` when there was none at the right time.
 */
function countKillsNeeded({ fromMs, untilMs }: Wait, kills: readonly number[]): number | undefined {
  let [since, needed] = [fromMs, 0];
  while (untilMs - since > GIVEN_BACK_WITHIN_MS) {
    const next = kills.findLast((atMs) => atMs > since && atMs <= since + GIVEN_BACK_WITHIN_MS + UNDER_WAY_MS_MAX);
    if (next === undefined) return undefined;
    [since, needed] = [next, needed + 1];
  }
  return needed;
}

export interface Pauses {
  /** Attempts after an answer that asked for a sensible pause. */
  readonly asked: number;
  /** Of these, before the pause was over, although whoever got the answer lived to write it down. */
  readonly early: number;
  /** Of these, before it was over, and whoever got the answer was killed: the next one cannot know of it. */
  readonly earlyByKills: number;
}

/** A head is some milliseconds under way. */
const SLACK_MS = 50;
/** An answer that is to be written down is written down after so long. */
const WRITTEN_WITHIN_MS = 2_000;

/** @param kills When they were, in milliseconds since 1970. */
export function findPauses(arrivalLog: ArrivalLog, endpoints: readonly number[], kills: readonly number[]): Pauses {
  const pauses = deliveredTo(arrivalLog, endpoints).flatMap(({ arrivals }) =>
    arrivals.flatMap(({ atMs, retryAfterMs }, index) => {
      const next = arrivals[index + 1];
      return next && retryAfterMs !== undefined ? { atMs, askedMs: retryAfterMs, keptMs: next.atMs - atMs } : [];
    }),
  );
  const early = pauses.filter(({ askedMs, keptMs }) => keptMs < askedMs - SLACK_MS);
  const byKills = early.filter(({ atMs }) => kills.some((killed) => killed >= atMs && killed <= atMs + WRITTEN_WITHIN_MS)).length;
  return { asked: pauses.length, early: early.length - byKills, earlyByKills: byKills };
}

function deliveredTo(arrivalLog: ArrivalLog, endpoints: readonly number[]): Delivered[] {
  return endpoints.flatMap((endpoint) => [...arrivalLog.deliveredTo(endpoint).values()]);
}

function lengthOf({ fromMs, untilMs }: Wait): number {
  return untilMs - fromMs;
}

function longest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
