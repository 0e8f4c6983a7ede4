import { isJsonObject, type JsonObject } from '../decode.ts';
import {
  BrokenAnswerError,
  ConfigurationError,
  ConnectionError,
  type ErrorDetail,
  NoAnswerError,
  type ServiceError,
  ServiceUnavailableError,
} from '../errors.ts';
import { type ExactJson, parseExactJson } from '../exact-json.ts';
import { serviceError } from '../service-error.ts';
import { VERSION } from '../version.ts';
import { readRetryAfter } from './patience.ts';
import { withTimeout } from './time-out.ts';

export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

export interface Call {
  readonly method?: 'GET' | 'POST';
  /** From `/v1` on, query included. */
  readonly path: string;
  readonly idempotencyKey?: string;
  /** A stream is made anew for each attempt. */
  readonly body?: string | (() => ReadableStream<Uint8Array>);
  /** `application/json` unless given. */
  readonly contentType?: string;
  /** Of this attempt; that of the client unless given. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** What became of one request. Only `success` and `error` are answers of the service; after `none` nobody knows. */
export type Reply =
  | { readonly kind: 'success'; readonly status: number; readonly body: JsonObject }
  | { readonly kind: 'error'; readonly error: ServiceError; readonly retryAfterMs: number }
  | { readonly kind: 'none'; readonly error: NoAnswerError | ServiceError; readonly retryAfterMs: number };

export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
}

/** More than the largest page of a list. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** Sends one request and judges what came back. It holds the API key, and no error of it contains the key. */
export class Transport {
  readonly timeoutMs: number;
  readonly #baseUrl: string;
  readonly #apiKey: string;
  readonly #fetch: Fetch;

  constructor({ baseUrl, apiKey, fetch, timeoutMs }: TransportOptions) {
    this.#apiKey = checkApiKey(apiKey);
    this.#baseUrl = checkBaseUrl(baseUrl, apiKey);
    this.#fetch = fetch;
    this.timeoutMs = timeoutMs;
  }

  /** The environment that the key belongs to; `undefined` where its prefix does not say. */
  get environment(): 'sandbox' | 'production' | undefined {
    if (this.#apiKey.startsWith('pi_sandbox_')) return 'sandbox';
    return this.#apiKey.startsWith('pi_live_') ? 'production' : undefined;
  }

  /** One request; it never throws. */
  async send(call: Call): Promise<Reply> {
    let response: Response | undefined;
    try {
      return await withTimeout({ timeoutMs: call.timeoutMs ?? this.timeoutMs, signal: call.signal }, async (signal) => {
        response = await this.#request(call, signal);
        return this.#judge(response, await readText(response));
      });
    } catch (failure) {
      return { kind: 'none', error: this.noAnswer(failure), retryAfterMs: retryAfterOf(response) };
    }
  }

  /**
   * The answer of a GET as a stream, within the time-out to its first byte; the stream itself takes as long as it takes.
   *
   * @returns The response where the status is 200, else what `send` would have given.
   */
  async open(call: Call): Promise<Response | Exclude<Reply, { kind: 'success' }>> {
    let response: Response | undefined;
    try {
      return await withTimeout({ timeoutMs: call.timeoutMs ?? this.timeoutMs, signal: call.signal }, async (signal) => {
        response = await this.#request(call, signal);
        if (response.status === 200) return response;
        const reply = this.#judge(response, await readText(response));
        if (reply.kind !== 'success') return reply;
        throw new BrokenAnswerError(response.status, `The service answered ${response.status} in place of 200.`);
      });
    } catch (failure) {
      return { kind: 'none', error: this.noAnswer(failure), retryAfterMs: retryAfterOf(response) };
    }
  }

  /** What `fetch` or a stream of it threw, without the API key. */
  noAnswer(failure: unknown): NoAnswerError {
    if (failure instanceof NoAnswerError) return failure;
    const cause = this.#holdsKey(failure) ? undefined : failure;
    return new ConnectionError('The connection to the service failed.', cause === undefined ? {} : { cause });
  }

  #request(
    { method = 'GET', path, idempotencyKey, body, contentType = 'application/json' }: Call,
    signal: AbortSignal | undefined,
  ) {
    return this.#fetch(this.#baseUrl + path, {
      method,
      headers: {
        'X-API-Key': this.#apiKey,
        Accept: 'application/json, text/csv',
        'User-Agent': `partner-impact-sdk/${VERSION} node/${process.versions.node}`,
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        ...(body !== undefined && { 'Content-Type': contentType }),
      },
      ...(typeof body === 'string' && { body }),
      ...(typeof body === 'function' && { body: body(), duplex: 'half' }),
      // A redirect would carry the key elsewhere.
      redirect: 'manual',
      ...(signal && { signal }),
    });
  }

  #judge(response: Response, text: string): Reply {
    const { status } = response;
    const body = parseObject(status, text);
    if (status >= 200 && status < 300) return { kind: 'success', status, body };
    const error = status >= 400 ? this.#readError(status, body) : undefined;
    const retryAfterMs = retryAfterOf(response);
    if (!error) throw new BrokenAnswerError(status, `HTTP ${status} without an answer of the service.`);
    // 408 and 5xx mean unknown, whatever else they say.
    if (status === 408 || status >= 500) return { kind: 'none', error, retryAfterMs };
    return { kind: 'error', error, retryAfterMs };
  }

  #readError(status: number, { error }: JsonObject): ServiceError | undefined {
    if (!isJsonObject(error)) return undefined;
    const { code, message, retryable, correlation_id: correlationId, details } = error;
    if (typeof code !== 'string' || typeof message !== 'string' || typeof retryable !== 'boolean') return undefined;
    const fields = {
      code: this.#clean(code),
      status,
      message: this.#clean(message),
      retryable,
      correlationId: typeof correlationId === 'string' ? this.#clean(correlationId) : '',
      details: Array.isArray(details) ? details.flatMap((detail) => this.#readDetail(detail)) : [],
    };
    return status === 408 || status >= 500 ? new ServiceUnavailableError(fields) : serviceError(fields);
  }

  #readDetail(detail: ExactJson): ErrorDetail[] {
    if (!isJsonObject(detail)) return [];
    const { field, code, message } = detail;
    if (typeof field !== 'string' || typeof code !== 'string' || typeof message !== 'string') return [];
    return [{ field: this.#clean(field), code: this.#clean(code), message: this.#clean(message) }];
  }

  /** A proxy may echo what it was sent. */
  #clean(text: string): string {
    return text.replaceAll(this.#apiKey, '[API key]');
  }

  #holdsKey(failure: unknown): boolean {
    for (let each = failure, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth++)
      if (`${each.message}${each.stack}`.includes(this.#apiKey)) return true;
    return String(failure).includes(this.#apiKey);
  }
}

function retryAfterOf(response: Response | undefined): number {
  return readRetryAfter(response?.headers.get('Retry-After') ?? null);
}

function parseObject(status: number, text: string): JsonObject {
  try {
    const body = parseExactJson(text);
    if (isJsonObject(body)) return body;
  } catch (cause) {
    throw new BrokenAnswerError(status, `HTTP ${status} with a body that is not JSON, or that ends too soon.`, { cause });
  }
  throw new BrokenAnswerError(status, `HTTP ${status} with JSON that is not an object.`);
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of response.body ?? []) {
    byteCount += chunk.byteLength;
    if (byteCount > ANSWER_BYTES_MAX)
      throw new BrokenAnswerError(response.status, `An answer of more than ${ANSWER_BYTES_MAX} bytes.`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new BrokenAnswerError(response.status, `HTTP ${response.status} with a body that is not UTF-8.`, { cause });
  }
}

function checkApiKey(apiKey: unknown): string {
  // `fetch` would put a key that is no header value into the message of its error.
  if (typeof apiKey === 'string' && /^[\x21-\x7E]{1,512}$/.test(apiKey)) return apiKey;
  throw new ConfigurationError(
    'apiKey must be the key as the operator gave it, such as pi_sandbox_…, without spaces or line ends.',
  );
}

function checkBaseUrl(baseUrl: unknown, apiKey: string): string {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new ConfigurationError('baseUrl must be an http or https address without user name, query and fragment.');
  if (/\/(?:v1|docs)\/*$/.test(url.pathname))
    throw new ConfigurationError('baseUrl must be the address without /v1 or /docs at its end.');
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLoopback && apiKey.startsWith('pi_live_'))
    throw new ConfigurationError('baseUrl must be https: a production key never goes over a connection that is not encrypted.');
  return url.href.replace(/\/+$/, '');
}
