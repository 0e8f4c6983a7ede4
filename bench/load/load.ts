import type { ScenarioName } from '../scenarios.ts';

/** Rows that are there already, numbered from 1 under their token. */
export interface NumberedRows {
  readonly token: string;
  readonly count: number;
}

/** One load on one address. */
export interface LoadRequest {
  readonly scenario: ScenarioName;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Of several partners, in place of the one: the number of a request, or of the row that it asks for, says whose turn it is. */
  readonly apiKeys?: readonly string[] | undefined;
  readonly connections: number;
  readonly seconds: number;
  /** What the new identifiers of this load carry; never used before. */
  readonly token: string;
  /** What look-ups ask for. */
  readonly known: NumberedRows;
  /** What replays repeat. */
  readonly replayable: NumberedRows;
  /** As fast as the answers come when absent. */
  readonly ratePerSecond?: number | undefined;
}

export interface LoadOutcome {
  /** From the first request to the last answer that was waited for. */
  readonly seconds: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests that broke off or timed out, without those cut off by the end of the load. */
  readonly unanswered: number;
  /** Of a load with a fixed rate: requests that found no free connection in time. They count as slower than all others; `undefined` where nobody counts them. */
  readonly late: number | undefined;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export type Load = (request: LoadRequest, signal: AbortSignal) => Promise<LoadOutcome>;

export function answeredOk({ statuses }: Pick<LoadOutcome, 'statuses'>): number {
  return sum(Object.entries(statuses).flatMap(([status, count]) => (status.startsWith('2') ? count : [])));
}

/** Answers that are not 2xx, and requests without one. In a bench there is no good reason for any. */
export function failures({ statuses, unanswered }: Pick<LoadOutcome, 'statuses' | 'unanswered'>): number {
  return unanswered + sum(Object.entries(statuses).flatMap(([status, count]) => (status.startsWith('2') ? [] : count)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
