import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LRUCache } from 'lru-cache';
import { readJson } from '../../domain/parse-json.ts';
import { explainSignature, type SignatureVerdict } from './explain-signature.ts';

const BODY_BYTES_MAX = 1_048_576;
const REQUEST_TIMEOUT_MS = 30_000;

/** Enough for a day of tests; older ids count as new. */
const REMEMBERED_EVENTS_MAX = 10_000;

const CHALLENGE_TYPE = 'webhook.endpoint.verification';

export interface ReceiverOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** The whole string `whsec_…`; without it nothing is verified. */
  readonly secret?: string | undefined;
  /** The HTTP status that answers every event; a challenge is answered 200. */
  readonly status: number;
  /** The time of a receipt; the machine's clock, except in tests. */
  readonly now?: () => Date;
  /** Called before the answer is sent. */
  onEvent(event: ReceivedEvent): void;
  /** One sentence about a request that was no delivery. */
  onRefusal(sentence: string): void;
}

export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

export type ReceivedVerdict = SignatureVerdict | { readonly status: 'not_checked' };

/** The content of one POST. Type and id are the body's, or the unsigned headers' when it has none. */
export interface ReceivedEvent {
  readonly receivedAt: Date;
  readonly verdict: ReceivedVerdict;
  readonly eventType: string | undefined;
  readonly eventId: string | undefined;
  /** `undefined` without one: challenges, tests and samples have `null`. */
  readonly sequence: bigint | undefined;
  /** The value of `X-Service-Attempt`. */
  readonly attempt: string | undefined;
  /** An event with this id was received before, with a valid signature or none to check. */
  readonly isRepeated: boolean;
  /** The headers whose names begin with `x-service-` or `webhook-`, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as they arrived. */
  readonly body: Buffer;
}

/**
 * A receiver of events on this machine, for development: it verifies and prints every delivery. Unlike a real receiver it answers all of
 * them alike, so that a problem is read here and not guessed from what the service does next.
 *
 * @see docs/spec/interface.md#events, consumer rules 1 to 4.
 */
export async function openReceiver(options: ReceiverOptions): Promise<Receiver> {
  const known = new LRUCache<string, true>({ max: REMEMBERED_EVENTS_MAX });
  const server = createServer((request, response) =>
    receive(request, response, { ...options, known }).catch((failure: NodeJS.ErrnoException) => {
      response.destroy();
      options.onRefusal(
        failure.code === 'ECONNRESET'
          ? 'A sender closed the connection before its body was complete.'
          : `A delivery could not be shown: ${failure.message}`,
      );
    }),
  );
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: options.port, exclusive: true }, () => resolve());
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Receiving extends ReceiverOptions {
  readonly known: LRUCache<string, true>;
}

async function receive(request: IncomingMessage, response: ServerResponse, receiving: Receiving): Promise<void> {
  if (request.method !== 'POST') {
    receiving.onRefusal(`${request.method} was answered 405: events are sent by POST.`);
    return void response.writeHead(405, { allow: 'POST' }).end();
  }
  const body = await readBody(request);
  if (body === undefined) {
    receiving.onRefusal(`A body of more than ${BODY_BYTES_MAX} bytes was answered 413.`);
    return void response.writeHead(413).end();
  }
  const envelope = readEnvelope(body);
  receiving.onEvent(toReceivedEvent(request, body, envelope, receiving));
  const challenge = findChallenge(envelope);
  if (challenge === undefined) response.writeHead(receiving.status).end();
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ challenge }));
}

/** `undefined` beyond the limit. The rest is read and dropped, so that the sender gets its answer. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= BODY_BYTES_MAX) chunks.push(chunk);
    else chunks.length = 0;
  }
  return length <= BODY_BYTES_MAX ? Buffer.concat(chunks) : undefined;
}

type Envelope = Readonly<Record<string, unknown>>;

/** Without members when the body is not the JSON that the service sends. */
function readEnvelope(body: Buffer): Envelope {
  try {
    const value = readJson(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Envelope) : {};
  } catch (failure) {
    if (failure instanceof SyntaxError) return {};
    throw failure;
  }
}

function toReceivedEvent(
  request: IncomingMessage,
  body: Buffer,
  envelope: Envelope,
  { secret, now, known }: Receiving,
): ReceivedEvent {
  const receivedAt = now?.() ?? new Date();
  const headers = ownHeaders(request);
  const nowSeconds = Math.floor(receivedAt.getTime() / 1000);
  const verdict =
    secret === undefined ? ({ status: 'not_checked' } as const) : explainSignature({ secret, headers, body, nowSeconds });
  const eventId = textOf(envelope['event_id']) ?? headers['x-service-event-id'];
  const isRepeated = eventId !== undefined && known.has(eventId);
  // An id in a forged request must not make the service's own delivery look like a duplicate.
  if (eventId !== undefined && (verdict.status === 'valid' || verdict.status === 'not_checked')) known.set(eventId, true);
  return {
    receivedAt,
    verdict,
    eventType: textOf(envelope['event_type']) ?? headers['x-service-event-type'],
    eventId,
    sequence: typeof envelope['sequence'] === 'bigint' ? envelope['sequence'] : undefined,
    attempt: headers['x-service-attempt'],
    isRepeated,
    headers,
    body,
  };
}

function ownHeaders(request: IncomingMessage): Record<string, string> {
  const own = Object.entries(request.headers).filter(([name]) => /^(?:x-service|webhook)-/.test(name));
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}

/** The text that the service expects in the answer to a challenge; `undefined` for every other event. */
function findChallenge(envelope: Envelope): string | undefined {
  if (envelope['event_type'] !== CHALLENGE_TYPE) return undefined;
  return textOf((envelope['data'] as Envelope | null | undefined)?.['challenge']);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
