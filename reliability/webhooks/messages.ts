/** What the experiment and its receivers say to each other. */
import type { Fault } from './faults.ts';

/** What the receivers of one process are told. */
export type Order =
  | { readonly kind: 'open'; readonly endpoints: readonly number[]; readonly host: string; readonly tls: Tls | undefined }
  | { readonly kind: 'secret'; readonly endpoint: number; readonly secret: string }
  | { readonly kind: 'behave'; readonly endpoint: number; readonly fault: Fault | undefined }
  /** Everything that has arrived is to be handed over before this is answered. */
  | { readonly kind: 'hand_over' };

/** Key and certificate, as PEM. */
export interface Tls {
  readonly key: string;
  readonly cert: string;
}

/** One delivery that reached a receiver. */
export interface Arrival {
  readonly endpoint: number;
  /** When its head was there, in milliseconds since 1970. */
  readonly atMs: number;
  /** What is wrong with it; the members below then say nothing. */
  readonly defect: string | undefined;
  readonly eventId: string;
  readonly eventType: string;
  readonly sequence: number;
  readonly occurredAtMs: number;
  readonly attempt: number;
  /** SHA-256 of the body. */
  readonly digest: string;
  /** Only where this process had not seen the event before. */
  readonly body: string | undefined;
  /** The head of its answer says so. */
  readonly is2xx: boolean;
  /** How long the answer asks to be left alone. */
  readonly retryAfterMs: number | undefined;
}

/** How long a sender kept a connection to a receiver that gives no end of its answer. */
export interface Holding {
  readonly fault: Fault;
  readonly heldMs: number;
}

export type Report =
  | {
      readonly kind: 'seen';
      readonly arrivals: readonly Arrival[];
      readonly holdings: readonly Holding[];
      /** Connections, so far, to where nobody may be sent. */
      readonly reachedInward: number;
    }
  | { readonly kind: 'done'; readonly order: number; readonly ports?: Readonly<Record<number, number>> };
