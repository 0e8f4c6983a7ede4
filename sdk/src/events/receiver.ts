import { setImmediate } from 'node:timers/promises';
import { isJsonObject } from '../decode.ts';
import { ConfigurationError } from '../errors.ts';
import { parseExactJson } from '../exact-json.ts';
import { sleep } from '../http/patience.ts';
import type { CallOptions } from '../http/request.ts';
import type { Transport } from '../http/transport.ts';
import { EVENT_TYPES, type EventType, type PartnerEvent, readEnvelope, toEvent } from './event.ts';
import { Feed } from './feed.ts';
import type { Inbox, InboxEvent } from './inbox.ts';
import { ADVICE, checkSecrets, findSignatureProblem, type SignatureProblem } from './signature.ts';

/** What to do with each type of event; the types without a function are ignored. A function that rejects is called again later. */
export type EventHandlers<Tx = undefined> = {
  readonly [Type in EventType]?: (event: Extract<PartnerEvent, { eventType: Type }>, tx: Tx) => Promise<void> | void;
};

export interface ReceiverOptions {
  /**
   * Told of what fails after the answer was sent: a handler, also one that has run for 60 s, the inbox, the feed. Of sequences that the feed does not have, because the
   * service removed the events or left the numbers out, it is told with EventsRemovedError. Printed as a warning of the process unless given.
   * This function, `onUnsequenced` or `onRefused` that throws or rejects is a warning of the process, and changes no answer.
   */
  readonly onError?: (error: unknown) => void;
  /** Told of a verified event that is none: the test of an endpoint, or a sample. It is never handled. */
  readonly onUnsequenced?: (event: { readonly eventId: string; readonly eventType: string }) => void;
  /**
   * Told of a request that is refused because its signature does not verify: a wrong secret, or somebody else. The first of each kind is
   * printed as a warning of the process unless given.
   */
  readonly onRefused?: (refused: { readonly problem: SignatureProblem; readonly webhookId: string | null }) => void;
  /** Milliseconds since 1970, in place of the system's clock. */
  readonly clock?: () => number;
}

/** Answers a request of the service. It is a function, so that it fits where a handler of `fetch` does. */
export interface Receiver {
  (request: Request): Promise<Response>;
  /**
   * Fetches and handles all events after the inbox's position. Call it when the process starts, and again a minute after each call has
   * ended: what a call that failed did not fetch is not fetched again by itself.
   *
   * @returns How many were handled.
   * @throws ServiceError or NoAnswerError of the feed, and what a handler throws; that handler is called again later.
   */
  catchUp(options?: CallOptions): Promise<number>;
  /** Waits until everything that was received has been handled, or has failed. */
  settled(): Promise<void>;
}

const BODY_BYTES_MAX = 1024 * 1024;
const CHALLENGE_BYTES_MAX = 4096;
const CHALLENGE = /^[A-Za-z0-9_-]{16,256}$/;
const BUSY_PAUSE_MS = 250;
const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 60_000;
const HANDLER_LONG_MS = 60_000;

export function createReceiver<Tx>(
  transport: Transport,
  secrets: string | readonly string[],
  inbox: Inbox<Tx>,
  handlers: EventHandlers<Tx>,
  options: ReceiverOptions = {},
): Receiver {
  const receiver = new EventReceiver(transport, checkSecrets(secrets), inbox, handlers, options);
  return Object.assign((received: Request) => receiver.receive(received), {
    catchUp: (call?: CallOptions) => receiver.catchUp(call),
    settled: () => receiver.settled(),
  });
}

class EventReceiver<Tx> {
  readonly #transport: Transport;
  readonly #secrets: readonly string[];
  readonly #inbox: Inbox<Tx>;
  readonly #feed: Feed;
  readonly #handlers: EventHandlers<Tx>;
  readonly #options: ReceiverOptions;
  /** One at a time; what arrives meanwhile is seen to by the same run. */
  #handling: Promise<void> | undefined;
  #isWanted = false;
  #retryMs = RETRY_FIRST_MS;
  #timer: NodeJS.Timeout | undefined;
  readonly #warned = new Set<SignatureProblem>();

  constructor(
    transport: Transport,
    secrets: readonly string[],
    inbox: Inbox<Tx>,
    handlers: EventHandlers<Tx>,
    options: ReceiverOptions,
  ) {
    if (typeof inbox?.handleNext !== 'function')
      throw new ConfigurationError('A receiver needs an inbox, such as new SqliteInbox(connection).');
    const strange = Object.keys(handlers).filter((name) => !EVENT_TYPES.includes(name));
    if (strange.length > 0)
      throw new ConfigurationError(`There is no event ${strange.join(', ')}; a handler is for one of ${EVENT_TYPES.join(', ')}.`);
    this.#transport = transport;
    this.#secrets = secrets;
    this.#inbox = inbox;
    this.#feed = new Feed(transport, inbox, (removed) => this.#report(removed));
    this.#handlers = handlers;
    this.#options = options;
  }

  async receive(received: Request): Promise<Response> {
    if (received.method !== 'POST') return answer(405, { problem: 'method_not_allowed' }, { Allow: 'POST' });
    if (!/^application\/json\s*(?:;|$)/i.test(received.headers.get('Content-Type') ?? ''))
      return answer(415, { problem: 'not_json' });
    const body = await readBody(received);
    if (!body) return answer(413, { problem: 'too_large' });
    const nowMs = this.#options.clock?.() ?? Date.now();
    const problem = findSignatureProblem(this.#secrets, (name) => received.headers.get(name), body, nowMs);
    if (problem) {
      const challenge = answerChallenge(body);
      if (!challenge) this.#tellRefused(problem, received.headers.get('webhook-id'));
      return challenge ?? answer(401, { problem });
    }
    return this.#take(body, received.headers.get('webhook-id'));
  }

  async catchUp(options?: CallOptions): Promise<number> {
    let count = 0;
    for (let hasMore = true; hasMore; ) {
      hasMore = await this.#feed.storePage(options).catch((error) => {
        // What is stored needs no feed, and no event may come soon that wakes its handler.
        if (!options?.signal?.aborted) this.#wake();
        throw error;
      });
      const handled = await this.#handleUntilQuiet(options?.signal);
      count += handled;
      // Another process handles what this one fetched: its position moves, and this one would fetch the same page.
      if (hasMore && handled === 0) await sleep(BUSY_PAUSE_MS, options?.signal);
    }
    return count;
  }

  async settled(): Promise<void> {
    while (this.#handling) await this.#handling;
  }

  async #take(body: Uint8Array, signedId: string | null): Promise<Response> {
    const text = decodeUtf8(body);
    const envelope = text === undefined ? undefined : readEnvelope(tryParse(text) ?? null);
    if (text === undefined || !envelope || (signedId !== null && signedId !== envelope.eventId))
      return answer(400, { problem: 'not_an_event' });
    const { eventId, eventType, sequence, environment } = envelope;
    if (this.#transport.environment !== undefined && environment !== this.#transport.environment)
      return answer(400, { problem: 'other_environment' });
    const challenge = answerChallenge(body);
    if (challenge) return challenge;
    if (sequence === null || envelope.data['sample'] === true) {
      tell(() => this.#options.onUnsequenced?.({ eventId, eventType }));
      return answer(200, { received: true });
    }
    try {
      await this.#inbox.add({ eventId, sequence, follows: sequence - 1n, body: text });
    } catch (error) {
      this.#report(error);
      return answer(503, { problem: 'not_stored' }, { 'Retry-After': '5' });
    }
    this.#wake();
    return answer(200, { received: true });
  }

  /** Handles what is there, in the background: the service waits for the answer, and never for a handler. */
  #wake(): void {
    this.#isWanted = true;
    this.#handling ??= this.#handleWanted();
  }

  async #handleWanted(): Promise<void> {
    try {
      while (this.#isWanted) await this.#handleOrReport();
    } finally {
      // With the last look at `#isWanted`, and not after it: an event that is stored between the two would wake nobody.
      this.#handling = undefined;
    }
  }

  async #handleOrReport(): Promise<void> {
    this.#isWanted = false;
    try {
      await this.#handleAll();
      this.#retryMs = RETRY_FIRST_MS;
    } catch (error) {
      this.#wakeLater();
      this.#report(error);
    }
  }

  /** @returns How many it handled. */
  async #handleUntilQuiet(signal: AbortSignal | undefined): Promise<number> {
    let handled = 0;
    do {
      await this.settled();
      handled += await this.#handleAll().catch((error) => {
        if (!signal?.aborted) this.#wakeLater();
        throw error;
      });
      // A webhook that arrived between two events has its own run, which may have stood in the way of this one.
    } while (this.#handling);
    return handled;
  }

  async #handleAll(): Promise<number> {
    for (let count = 0, wasFetched = false; ; ) {
      const result = await this.#inbox.handleNext((event, tx) => this.#handle(event, tx));
      if (result === 'handled') {
        count += 1;
        wasFetched = false;
        // Without it, handlers that never wait would keep the process from its requests until the last event.
        await setImmediate();
      } else if (result === 'gap' && !wasFetched) {
        // What is missing is on its way, or its delivery failed: the feed has it now.
        await this.#feed.storePage();
        wasFetched = true;
      } else {
        if (result === 'busy') this.#wakeLater();
        return count;
      }
    }
  }

  async #handle({ body }: InboxEvent, tx: Tx): Promise<void> {
    const envelope = readEnvelope(parseExactJson(body));
    const event = envelope && envelope.data['sample'] !== true ? toEvent(envelope) : undefined;
    const handler =
      event && (this.#handlers[event.eventType] as ((event: PartnerEvent, tx: Tx) => Promise<void> | void) | undefined);
    if (!handler) return;
    // One that never ends stops every later event, and nothing else would tell of it.
    const long = `The handler of ${event.eventType} has run for 60 s with ${event.eventId}, and every later event waits.`;
    const timer = setTimeout(() => this.#report(new Error(long)), HANDLER_LONG_MS).unref();
    try {
      await handler(event, tx);
    } finally {
      clearTimeout(timer);
    }
  }

  #wakeLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#wake(), this.#retryMs).unref();
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
  }

  #tellRefused(problem: SignatureProblem, webhookId: string | null): void {
    tell(() => this.#options.onRefused?.({ problem, webhookId }));
    if (this.#options.onRefused || this.#warned.has(problem)) return;
    this.#warned.add(problem);
    process.emitWarning(`A webhook was refused (${problem}). ${ADVICE[problem]}`);
  }

  #report(error: unknown): void {
    tell(() => (this.#options.onError ? this.#options.onError(error) : warn(error)));
  }
}

/** A function of the partner that throws or rejects stops nothing: nobody waits for it. */
function tell(call: () => unknown): void {
  try {
    Promise.resolve(call()).catch(warn);
  } catch (thrown) {
    warn(thrown);
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}

/** The first event of an endpoint comes before its secret: it is answered with its text, and nothing else is done with it. */
function answerChallenge(body: Uint8Array): Response | undefined {
  const text = body.byteLength > CHALLENGE_BYTES_MAX ? undefined : decodeUtf8(body);
  const parsed = text === undefined ? undefined : tryParse(text);
  if (!isJsonObject(parsed) || parsed['event_type'] !== 'webhook.endpoint.verification') return undefined;
  const { data } = parsed;
  const challenge = isJsonObject(data) ? data['challenge'] : undefined;
  return typeof challenge === 'string' && CHALLENGE.test(challenge) ? answer(200, { challenge }) : undefined;
}

function tryParse(text: string) {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

function decodeUtf8(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** @returns `undefined` for a body that is larger than any event. */
async function readBody({ body, headers }: Request): Promise<Uint8Array | undefined> {
  if (Number(headers.get('Content-Length')) > BODY_BYTES_MAX) return undefined;
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of body ?? []) {
    byteCount += chunk.byteLength;
    if (byteCount > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function answer(status: number, body: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  });
}
