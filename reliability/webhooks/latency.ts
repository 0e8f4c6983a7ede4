import { percentile } from '../support/report.ts';
import type { Cast } from './members.ts';

/** A span of time whose events are counted, by the time of their commit. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** From the commit to the arrival of the first attempt, at some endpoints, in milliseconds. */
export interface Latency {
  readonly samples: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Of the endpoints that are healthy all the time. */
export function measureLatencies<Name extends string>(
  { members, ledger }: Pick<Cast, 'members' | 'ledger'>,
  spans: Readonly<Record<Name, readonly Span[]>>,
): Record<Name, Latency> {
  const healthy = members.flatMap(({ endpoints }) => endpoints.filter(({ faults }) => faults.length === 0));
  const firsts = healthy.flatMap(({ number }) =>
    [...ledger.deliveredTo(number).values()].flatMap(({ occurredAtMs, arrivals: [first] }) =>
      first ? { occurredAtMs, tookMs: first.atMs - occurredAtMs } : [],
    ),
  );
  const within = ([name, all]: [string, readonly Span[]]) => {
    const own = firsts.filter(({ occurredAtMs: at }) => all.some(({ fromMs, untilMs }) => at >= fromMs && at < untilMs));
    return [name, describe(own.map(({ tookMs }) => tookMs))];
  };
  return Object.fromEntries(Object.entries<readonly Span[]>(spans).map(within));
}

function describe(values: readonly number[]): Latency {
  const of = (share: number) => percentile(values, share);
  return { samples: values.length, p50Ms: of(0.5), p90Ms: of(0.9), p99Ms: of(0.99), maxMs: of(1) };
}
