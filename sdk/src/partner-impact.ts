import { Associations } from './associations.ts';
import { confirmIntent } from './confirm.ts';
import { Contributions } from './contributions.ts';
import { decode } from './decode.ts';
import { ConfigurationError } from './errors.ts';
import { Estimates } from './estimates.ts';
import type { Inbox } from './events/inbox.ts';
import { createReceiver, type EventHandlers, type Receiver, type ReceiverOptions } from './events/receiver.ts';
import type { EnvironmentalStatus } from './generated/types.ts';
import { pathSegment } from './http/path-segment.ts';
import { type CallOptions, requestMember } from './http/request.ts';
import { type Fetch, Transport } from './http/transport.ts';
import { type Intent, type IntentFields, makeIntent, readIntent } from './intent.ts';
import type { Outcome } from './outcome.ts';
import { Settlements } from './settlements.ts';

export interface PartnerImpactOptions {
  /** The address that the operator gave you for this environment. */
  readonly baseUrl: string;
  /** The key of the same environment. It belongs to a server and its secret store. */
  readonly apiKey: string;
  /** In place of the global `fetch`, for instance with a proxy. */
  readonly fetch?: Fetch;
  /** For one attempt, in milliseconds; 10 000 unless given. After 5 000 the service begins no commit any more. */
  readonly timeoutMs?: number;
}

/** A client for one partner in one environment. It holds no state that could be lost; make one and keep it. */
export class PartnerImpact {
  readonly contributions: Contributions;
  readonly estimates: Estimates;
  readonly associations: Associations;
  readonly settlements: Settlements;
  readonly events: Events;
  readonly #transport: Transport;

  /** @throws ConfigurationError when the options cannot work; the message never contains the key. */
  constructor(options: PartnerImpactOptions) {
    const { baseUrl, apiKey, timeoutMs = 10_000 } = options;
    if (typeof document !== 'undefined')
      throw new ConfigurationError('The API key belongs to a server: this package does not run in a browser.');
    if (!(timeoutMs >= 1 && timeoutMs <= 2 ** 31 - 1))
      throw new ConfigurationError('timeoutMs must be from 1 to 2147483647 milliseconds.');
    this.#transport = new Transport({
      baseUrl,
      apiKey,
      timeoutMs,
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    });
    this.contributions = new Contributions(this.#transport);
    this.estimates = new Estimates(this.#transport);
    this.associations = new Associations(this.#transport);
    this.settlements = new Settlements(this.#transport);
    this.events = new Events(this.#transport);
  }

  /**
   * A contribution that is to be confirmed, with a new event id and a new key. Nothing is sent. Store it, as JSON, in the transaction
   * that deducts the points.
   *
   * @throws InvalidValueError naming the field; the message never contains the value.
   */
  static intent(fields: IntentFields): Intent {
    return makeIntent(fields);
  }

  /**
   * An intent out of your store, after `JSON.parse`.
   *
   * @throws InvalidValueError naming the field.
   */
  static readIntent(stored: unknown): Intent {
    return readIntent(stored);
  }

  /**
   * Confirms a contribution, after its points were deducted and its intent was stored. Call it for the same intent as often as needed, at
   * the same time too: it is recorded once.
   *
   * It gives an outcome for every answer and for none. The last attempt begins within `deadlineMs`, and ends after it. An aborted signal
   * gives `unknown` at once.
   *
   * @throws InvalidValueError when the intent is none; nothing was sent.
   */
  confirm(intent: Intent, options: CallOptions = {}): Promise<Outcome> {
    return confirmIntent(this.#transport, intent, options);
  }

  /** How far the project of a contribution is. It never authorises a restoration of points. */
  async environmentalStatus(transactionId: string, options?: CallOptions): Promise<EnvironmentalStatus> {
    const path = `/v1/impact-transactions/${pathSegment('transactionId', transactionId)}/environmental-status`;
    return decode<EnvironmentalStatus>(await requestMember(this.#transport, { path }, 'environmental_status', options));
  }
}

/** What the service tells you without being asked. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * A receiver of webhooks: a function from a `Request` to a `Response`. It verifies the signature and the time, answers challenges,
   * stores the event in the inbox, answers, and then calls the handler of its type, once per event, in the order of `sequence`.
   *
   * @param secrets The whole secret of the endpoint, with its `whsec_`; both during a rotation.
   * @throws ConfigurationError for what cannot be a secret, or an inbox.
   */
  receiver<Tx>(
    secrets: string | readonly string[],
    inbox: Inbox<Tx>,
    handlers: EventHandlers<Tx>,
    options?: ReceiverOptions,
  ): Receiver {
    return createReceiver(this.#transport, secrets, inbox, handlers, options);
  }
}

declare const document: unknown;
