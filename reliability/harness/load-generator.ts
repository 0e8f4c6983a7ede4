/**
 * A thread that makes load and measures it: closed loop (so many requests at once, each followed by the next), or open loop
 * (so many requests a second, whatever becomes of the earlier ones; a request that could not go out in time is late, and its
 * latency counts from the moment at which it was due).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { LoadClient, type Result } from './load-client.ts';
import { type RequestMaker, requestMaker } from './load-requests.ts';

export interface Load {
  readonly port: number;
  readonly apiKey: string;
  /** Makes the events of two loads differ. */
  readonly run: string;
  readonly durationMs: number;
  /** Not measured: for so long at the start. */
  readonly warmUpMs: number;
  /** Of the partner's servers together. */
  readonly connections: number;
  /** Open loop where it is there, else closed. */
  readonly rates?: Rates;
  /** Whose first confirmation is looked up; without it that of {@link FIRST_RUN}. */
  readonly lookedUpRun?: string;
  /** Whole requests, sent in turn at the rate of reports. */
  readonly reports?: readonly string[];
}

export interface Rates {
  readonly requestsPerSecond: number;
  readonly lookupsPerSecond: number;
  readonly reportsPerSecond?: number;
}

export interface LoadFigures {
  readonly measuredMs: number;
  /** Requests that were due in the measured time, and those of them that went out. */
  readonly due: number;
  readonly confirmations: Tally;
  readonly lookups: Tally;
  readonly reports: Tally;
  readonly connectionsMax: number;
  /** How late a request went out, at the 99th percentile: what the generator itself could not keep up with. */
  readonly latenessMs: number;
  /** What became of each confirmation, by its number in the names of the run, the warm-up included; nothing of one still open. */
  readonly outcomes: readonly (Result['status'] | undefined)[];
  /** Without an answer in all: stored or not. */
  readonly unanswered: number;
}

export interface Tally {
  readonly byStatus: Record<string, number>;
  /** Of the accepted ones (2xx), in milliseconds. */
  readonly acceptedMs: number[];
  readonly refusedMs: number[];
  refusalsWithoutRetryAfter: number;
}

/** Opened in steps of this, so that a burst stays a burst of a few requests. */
const TICK_MS = 1;
const LOOKUP_CONNECTIONS = 16;
const DRAIN_MS = 12_000;

class Measurement {
  readonly confirmations = newTally();
  readonly lookups = newTally();
  readonly reports = newTally();
  readonly lateness: number[] = [];
  /** Confirmations go out in the order of their numbers. */
  readonly outcomes: (Result['status'] | undefined)[] = [];
  due = 0;
  connectionsMax = 0;
  unanswered = 0;
  underWay = 0;
  readonly #client: LoadClient;
  /** Recovery has connections of its own, so that what is measured is the service and not the partner's queue. */
  readonly #lookupClient: LoadClient;
  readonly #measuredFrom: number;
  readonly #measuredUntil: number;

  constructor({ port, connections, warmUpMs, durationMs }: Load) {
    this.#client = new LoadClient(port, connections);
    this.#lookupClient = new LoadClient(port, LOOKUP_CONNECTIONS);
    this.#measuredFrom = performance.now() + warmUpMs;
    this.#measuredUntil = this.#measuredFrom + durationMs;
  }

  get isOver(): boolean {
    return performance.now() >= this.#measuredUntil;
  }

  /** @param dueAt When it should have gone out. */
  send(bytes: Buffer, { tally, dueAt, onDone }: { tally: Tally; dueAt: number; onDone?: () => void }): void {
    const isMeasured = dueAt >= this.#measuredFrom && dueAt < this.#measuredUntil;
    if (isMeasured) {
      this.due++;
      this.lateness.push(performance.now() - dueAt);
    }
    this.underWay++;
    const isConfirmation = tally === this.confirmations;
    const number = isConfirmation ? this.outcomes.push(undefined) - 1 : -1;
    const client = isConfirmation ? this.#client : this.#lookupClient;
    client.send(bytes, (result) => {
      this.underWay--;
      if (isConfirmation) this.outcomes[number] = result.status;
      if (isConfirmation && result.status === 'none') this.unanswered++;
      if (isMeasured) addResult(tally, result, performance.now() - dueAt);
      onDone?.();
    });
    this.connectionsMax = Math.max(this.connectionsMax, this.#client.opened);
  }

  giveUpLate(): void {
    this.#client.giveUpLate();
    this.#lookupClient.giveUpLate();
  }

  close(): void {
    this.#client.close();
    this.#lookupClient.close();
  }
}

const load: Load = workerData;
const measurement = new Measurement(load);
const make = requestMaker(load.apiKey, load.run, load.lookedUpRun);

if (load.rates) await openLoop(load.rates, make);
else await closedLoop(load.connections, make);
for (const since = performance.now(); measurement.underWay > 0 && performance.now() - since < DRAIN_MS; await sleep(20))
  measurement.giveUpLate();
parentPort?.postMessage(figures());
measurement.close();

/** Each connection sends its next request when its last one is answered. */
async function closedLoop(connections: number, { confirmation }: RequestMaker): Promise<void> {
  const next = (): void => {
    if (measurement.isOver) return;
    measurement.send(confirmation(), { tally: measurement.confirmations, dueAt: performance.now(), onDone: next });
  };
  for (let index = 0; index < connections; index++) next();
  while (!measurement.isOver) await sleep(20);
}

/** Requests fall due at even distances, and go out when they are, answered or not. */
async function openLoop({ requestsPerSecond, lookupsPerSecond, reportsPerSecond = 0 }: Rates, make: RequestMaker): Promise<void> {
  const startedAt = performance.now();
  const reports = (load.reports ?? []).map((text) => Buffer.from(text, 'latin1'));
  let reported = 0;
  const report = () => reports[reported++ % reports.length] as Buffer;
  const streams = [
    { intervalMs: 1_000 / requestsPerSecond, sent: 0, bytes: make.confirmation, tally: measurement.confirmations },
    { intervalMs: 1_000 / lookupsPerSecond, sent: 0, bytes: make.lookup, tally: measurement.lookups },
    { intervalMs: 1_000 / reportsPerSecond, sent: 0, bytes: report, tally: measurement.reports },
  ].filter(({ intervalMs }) => Number.isFinite(intervalMs));
  for (; !measurement.isOver; await sleep(TICK_MS)) {
    measurement.giveUpLate();
    const now = performance.now();
    for (const stream of streams) {
      for (
        let dueAt = startedAt + stream.sent * stream.intervalMs;
        dueAt <= now;
        dueAt = startedAt + stream.sent * stream.intervalMs
      ) {
        stream.sent++;
        measurement.send(stream.bytes(), { tally: stream.tally, dueAt });
      }
    }
  }
}

function figures(): LoadFigures {
  const { confirmations, lookups, reports, due, connectionsMax, outcomes, unanswered, lateness } = measurement;
  const latenessMs = lateness.sort((a, b) => a - b)[Math.floor(lateness.length * 0.99)] ?? 0;
  const stillOpen = unanswered + measurement.underWay;
  return {
    measuredMs: load.durationMs,
    due,
    confirmations,
    lookups,
    reports,
    connectionsMax,
    latenessMs,
    outcomes,
    unanswered: stillOpen,
  };
}

function newTally(): Tally {
  return { byStatus: {}, acceptedMs: [], refusedMs: [], refusalsWithoutRetryAfter: 0 };
}

function addResult(tally: Tally, { status, hasRetryAfter }: Result, latencyMs: number): void {
  tally.byStatus[status] = (tally.byStatus[status] ?? 0) + 1;
  if (status === 'none' || status === 'unsent') return;
  if (status < 300) tally.acceptedMs.push(latencyMs);
  else tally.refusedMs.push(latencyMs);
  if ((status === 429 || status === 503) && !hasRetryAfter) tally.refusalsWithoutRetryAfter++;
}
