import { ConfigurationError } from '../errors.ts';
import type { Receiver } from './receiver.ts';

/** What is used of `IncomingMessage` of node:http, and of the request of Express. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableEnded: boolean;
  /** What ended the stream before its end. */
  readonly errored?: unknown;
  readonly body?: unknown;
}

/** What is used of `ServerResponse` of node:http, and of the response of Express. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/**
 * For `createServer` of node:http. It never rejects: what is not the sender's mistake is answered 500 unless the server has answered already,
 * and is a warning of the process.
 */
export function nodeHandler(receiver: Receiver): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    try {
      const answer = await receiver(toRequest(request.method, request.headers, () => bodyOf(request)));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    } catch (error) {
      if (!isAborted(request, error)) process.emitWarning(error instanceof Error ? error : new Error(String(error)));
      answerInternal(response);
    }
  };
}

/**
 * Whether the sender went away before the end of the body, which anybody can do at any time. A connection of the partner's own code breaks
 * with the same code and text, but is not the error of this request.
 */
function isAborted({ errored }: NodeRequest, error: unknown): boolean {
  return error instanceof Error && error === errored && 'code' in error && error.code === 'ECONNRESET';
}

function answerInternal(response: NodeResponse): void {
  try {
    response.writeHead(500, { 'Content-Type': 'application/json' });
    response.end('{"problem":"internal"}');
  } catch {
    // The server of the partner has answered, as after a time-out of its own.
  }
}

/** For `app.post(path, …)` of Express, before `express.json()` or after `express.raw({ type: 'application/json' })`. */
export function expressHandler(
  receiver: Receiver,
): (request: NodeRequest, response: NodeResponse, next: (error: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    try {
      const answer = await receiver(toRequest(request.method, request.headers, () => bodyOf(request)));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    } catch (error) {
      next(error);
    }
  };
}

/** What is used of an instance of Fastify. */
export interface FastifyLike {
  removeAllContentTypeParsers(): void;
  // biome-ignore lint/suspicious/noExplicitAny: the types of Fastify depend on its server; the plugin uses what every one has
  addContentTypeParser(type: string, options: { parseAs: 'buffer' }, parse: (...values: any[]) => void): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  post(path: string, handler: (request: any, reply: any) => Promise<unknown>): unknown;
}

/** For `app.register(fastifyPlugin(receiver, '/hook'))`: a scope of its own, in which bodies stay bytes. */
export function fastifyPlugin(receiver: Receiver, path: string): (instance: FastifyLike) => Promise<void> {
  return async (instance) => {
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    instance.post(path, async (request, reply) => {
      const answer = await receiver(toRequest(request.method, request.headers, () => request.body ?? new Uint8Array()));
      return reply
        .code(answer.status)
        .headers(Object.fromEntries(answer.headers))
        .send(await answer.text());
    });
  };
}

/** The signature covers the bytes as they arrived: a body that something parsed before is lost. */
function bodyOf(request: NodeRequest): Uint8Array | NodeRequest {
  if (request.body instanceof Uint8Array) return request.body;
  if (request.readableEnded || request.body !== undefined)
    throw new ConfigurationError(
      'The body was parsed before the receiver got it: mount the receiver before express.json() and the like.',
    );
  return request;
}

function toRequest(
  method: string | undefined,
  headers: NodeRequest['headers'],
  readBody: () => Uint8Array | NodeRequest,
): Request {
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || name.startsWith(':') ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  // The receiver refuses every method but POST, without a look at the body; a `Request` cannot have TRACE.
  const init =
    method === 'POST' ? { method, headers: pairs, body: readBody(), duplex: 'half' } : { method: 'GET', headers: pairs };
  // The address plays no part: the receiver stands on the path where it is mounted.
  return new Request('http://receiver/', init as RequestInit);
}
