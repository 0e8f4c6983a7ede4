import type { Arrival } from './messages.ts';

/** An event as it arrived first, wherever that was. */
export interface KnownEvent {
  readonly eventId: string;
  readonly eventType: string;
  readonly sequence: number;
  readonly body: string;
  /** Endpoints that got it. */
  readonly endpoints: Set<number>;
}

/** What one endpoint got of one event. */
export interface Delivered {
  readonly eventId: string;
  readonly sequence: number;
  readonly occurredAtMs: number;
  readonly arrivals: Pick<Arrival, 'atMs' | 'attempt' | 'is2xx' | 'retryAfterMs'>[];
}

export function isAcknowledged({ arrivals }: Delivered): boolean {
  return arrivals.some(({ is2xx }) => is2xx);
}

type Report = (violation: string, kind?: string) => void;

/** Everything that arrived, at all receivers. What is wrong with a delivery by itself, or with the bytes of an event, is told at once. */
export class ArrivalLog {
  readonly events = new Map<string, KnownEvent>();
  readonly #digests = new Map<string, string>();
  readonly #endpoints = new Map<number, Map<string, Delivered>>();
  readonly #report: Report;
  /** Deliveries that arrived, each attempt counted. */
  arrivals = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  readonly add = (arrival: Arrival): void => {
    this.arrivals++;
    const { endpoint, eventId, defect, digest } = arrival;
    if (defect !== undefined) {
      this.#report(`endpoint ${endpoint} got a delivery it has to refuse: ${defect}`, defect);
      return;
    }
    const known = this.#digests.get(eventId);
    if (known === undefined) this.#digests.set(eventId, digest);
    else if (known !== digest) this.#report(`${eventId} came with other bytes than before`, 'other bytes');
    this.#noteEvent(arrival);
    this.#noteDelivery(arrival);
  };

  /** What an endpoint got, by event id. */
  deliveredTo(endpoint: number): ReadonlyMap<string, Delivered> {
    return this.#endpoints.get(endpoint) ?? new Map();
  }

  /** How many events an endpoint has answered 2xx. */
  countAcknowledged(endpoint: number): number {
    return [...this.deliveredTo(endpoint).values()].filter(isAcknowledged).length;
  }

  #noteEvent({ endpoint, eventId, eventType, sequence, body }: Arrival): void {
    const event = this.events.get(eventId);
    // Every process hands an event over with its body first.
    if (event === undefined)
      this.events.set(eventId, { eventId, eventType, sequence, body: body ?? '', endpoints: new Set([endpoint]) });
    else event.endpoints.add(endpoint);
  }

  #noteDelivery({ endpoint, eventId, sequence, occurredAtMs, atMs, attempt, is2xx, retryAfterMs }: Arrival): void {
    const own = this.#endpoints.get(endpoint) ?? new Map<string, Delivered>();
    this.#endpoints.set(endpoint, own);
    const delivered = own.get(eventId) ?? { eventId, sequence, occurredAtMs, arrivals: [] };
    own.set(eventId, delivered);
    delivered.arrivals.push({ atMs, attempt, is2xx, retryAfterMs });
  }
}
