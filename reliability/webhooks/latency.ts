import { percentile } from '../harness/report.ts';
import type { Experiment } from './members.ts';

/** How many times as long p99 may be with the faulty endpoints. */
export const P99_RATIO_MAX = 2;

/** A span of time whose events are counted, by the time of their commit. */
export interface Span {
  readonly kind: 'healthy' | 'faulty';
  readonly fromMs: number;
  readonly untilMs: number;
}

/** From the commit to the arrival of the first attempt, at endpoints that are healthy all the time, in milliseconds. */
export interface Latency {
  readonly samples: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface Latencies {
  readonly healthy: Latency;
  readonly faulty: Latency;
  /** Of each two spans side by side, how many times as long p99 is with the faulty endpoints; ascending. */
  readonly p99Ratios: readonly number[];
  /** In the middle of these: a burst of other work on the machine spoils one of them, or two. */
  readonly p99Ratio: number;
}

/** @param spans Side by side in twos, one of each kind. */
export function measureLatencies(
  { members, arrivalLog }: Pick<Experiment, 'members' | 'arrivalLog'>,
  spans: readonly Span[],
): Latencies {
  const healthy = members.flatMap(({ endpoints }) => endpoints.filter(({ faults }) => faults.length === 0));
  const firsts = healthy.flatMap(({ number }) =>
    [...arrivalLog.deliveredTo(number).values()].flatMap(({ occurredAtMs, arrivals: [first] }) =>
      first ? { occurredAtMs, tookMs: first.atMs - occurredAtMs } : [],
    ),
  );
  const within = (wanted: readonly Span[]) =>
    firsts.filter(({ occurredAtMs: at }) => wanted.some(({ fromMs, untilMs }) => at >= fromMs && at < untilMs));
  const latencyIn = (kind: Span['kind'], all: readonly Span[]) =>
    describe(within(all.filter((span) => span.kind === kind)).map(({ tookMs }) => tookMs));
  const pairs = Array.from({ length: spans.length / 2 }, (_, index) => spans.slice(index * 2, index * 2 + 2));
  const ratios = pairs.map((pair) => latencyIn('faulty', pair).p99Ms / latencyIn('healthy', pair).p99Ms);
  const p99Ratios = ratios.sort((a, b) => a - b);
  return { healthy: latencyIn('healthy', spans), faulty: latencyIn('faulty', spans), p99Ratios, p99Ratio: middleOf(p99Ratios) };
}

/** Without arrivals to compare nothing is shown, which is wrong too. */
export function checkLatencies({ p99Ratio }: Pick<Latencies, 'p99Ratio'>, report: (violation: string) => void): void {
  if (!(p99Ratio <= P99_RATIO_MAX))
    report(
      `p99 at healthy endpoints is ${p99Ratio.toFixed(1)} times as long with the faulty ones, and ${P99_RATIO_MAX} is the most`,
    );
}

function describe(values: readonly number[]): Latency {
  const of = (share: number) => percentile(values, share);
  return { samples: values.length, p50Ms: of(0.5), p90Ms: of(0.9), p99Ms: of(0.99), maxMs: of(1) };
}

function middleOf(sorted: readonly number[]): number {
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? Number.NaN) + (sorted[Math.floor(half)] ?? Number.NaN)) / 2;
}
