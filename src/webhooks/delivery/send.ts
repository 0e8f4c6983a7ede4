import { isIPv4 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Dispatcher as HttpClient } from 'undici';
import { EndlessAnswerError } from '../security/limit-answers.ts';

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The stored bytes, unchanged. */
  readonly body: Buffer;
}

/** The result of one POST. */
export interface Answer {
  readonly milliseconds: number;
  /** `null` without an answer in time; the class says why. */
  readonly status: number | null;
  readonly errorClass: ErrorClass | null;
  /** The beginning of the answer's body. */
  readonly excerpt: string | null;
  readonly retryAfter: string | undefined;
}

/** Why there was no answer, for people. */
export const ERROR_CLASSES = {
  timeout: 'it did not answer in time',
  connect: 'the connection was refused',
  reset: 'the connection was reset',
  name: 'its name does not resolve to an address',
  name_server: 'no name server could say what address its name has',
  tls: 'there was no TLS connection',
  tls_expired: 'its certificate is not valid at this time: it has expired, or is not valid yet',
  tls_name: 'its certificate is for another name',
  tls_untrusted: 'its certificate is of no known authority: it signed itself, or its chain is not whole',
  address_refused: 'its address is not allowed, or its name has more than 64 addresses',
  protocol: 'its answer is not HTTP',
  endless: 'its answer did not end',
} as const;

export type ErrorClass = keyof typeof ERROR_CLASSES;

/** What the receiver did, for people: "it …". */
export function describeOutcome({ status, errorClass }: { status: number | null; errorClass: string | null }): string {
  if (errorClass !== null) return ERROR_CLASSES[errorClass as ErrorClass];
  const isRedirect = status !== null && status >= 300 && status < 400;
  return isRedirect ? `it answered ${status}, and redirects are not followed` : `it answered ${status}`;
}

const ANSWER_WITHIN_MS = 15_000;
/** Such as `103 Early Hints`: few servers send one. */
const ANNOUNCEMENTS_MAX = 10;
const READ_MAX_BYTES = 16_384;
const KEEP_MAX_BYTES = 2_048;

/** This machine has no file, buffer or memory left for a connection: nothing was sent, and it says nothing about the receiver. */
const OWN_SHORTAGES: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** Of a name with several addresses, each has an error of its own. */
function isOwnShortage(error: Error): boolean {
  return error instanceof AggregateError ? error.errors.some(isShortage) : isShortage(error);
}

/** Without a port left for an IPv4 address, the system has no local address for the connection; of IPv6 it may have none at all. */
function isShortage({ code, address }: Error & { readonly code?: string; readonly address?: string }): boolean {
  return OWN_SHORTAGES.has(code) || (code === 'EADDRNOTAVAIL' && address !== undefined && isIPv4(address));
}

/**
 * Sends one attempt and reads the part of the answer that is stored. Redirects are answers like any other.
 *
 * @throws The error of the system when this machine could open no connection; it is no failure of the receiver.
 */
export function send(client: HttpClient, { url, headers, body }: Message): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const exchange = new Exchange(resolve, reject);
    try {
      client.dispatch({ ...targetOf(url), method: 'POST', headers, body }, exchange);
    } catch (error) {
      exchange.onResponseError(null, error as Error);
    }
  });
}

const targets = new LRUCache<string, { readonly origin: string; readonly path: string }>({ max: 1_024 });

function targetOf(url: string): { readonly origin: string; readonly path: string } {
  const known = targets.get(url);
  if (known) return known;
  const { origin, pathname, search } = new URL(url);
  const target = { origin, path: pathname + search };
  targets.set(url, target);
  return target;
}

/** One request and its answer. The status decides; of the body only what arrives up to the limit is read. */
class Exchange implements HttpClient.DispatchHandler {
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (shortage: Error) => void;
  readonly #since = performance.now();
  readonly #timer: NodeJS.Timeout;
  #controller: HttpClient.DispatchController | undefined;
  #status: number | null = null;
  #retryAfter: string | undefined;
  #announcements = 0;
  #kept: Buffer[] = [];
  #read = 0;
  /** Why the request was aborted here. */
  #reason: Error | undefined;

  constructor(resolve: (answer: Answer) => void, reject: (shortage: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.#cut(new DOMException('No answer in time.', 'TimeoutError')), ANSWER_WITHIN_MS);
  }

  onRequestStart(controller: HttpClient.DispatchController): void {
    this.#controller = controller;
    if (this.#reason) controller.abort(this.#reason);
  }

  onResponseStart(
    _: HttpClient.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      if (++this.#announcements > ANNOUNCEMENTS_MAX) this.#cut(new EndlessAnswerError('Too many informational answers.'));
      return;
    }
    const retryAfter = headers['retry-after'];
    this.#status = status;
    this.#retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter;
  }

  onResponseData(_: HttpClient.DispatchController, chunk: Buffer): void {
    if (this.#read < KEEP_MAX_BYTES) this.#kept.push(chunk.subarray(0, KEEP_MAX_BYTES - this.#read));
    this.#read += chunk.length;
    if (this.#read >= READ_MAX_BYTES) this.#cut(new EndlessAnswerError('Enough of the answer was read.'));
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_: HttpClient.DispatchController | null, error: Error): void {
    this.#end(error);
  }

  #cut(reason: Error): void {
    this.#reason = reason;
    this.#end(reason);
    this.#controller?.abort(reason);
  }

  /** The first end counts. After an abort, or a slow body, what has arrived is kept. */
  #end(error: Error | null): void {
    clearTimeout(this.#timer);
    const isAnswered = this.#status !== null;
    if (error && !isAnswered && isOwnShortage(error)) return void this.#reject(error);
    this.#resolve({
      milliseconds: Math.round(performance.now() - this.#since),
      status: this.#status,
      errorClass: isAnswered ? null : classify(error),
      excerpt: isAnswered ? this.#readExcerpt() : null,
      retryAfter: this.#retryAfter,
    });
  }

  #readExcerpt(): string {
    const bytes = Buffer.concat(this.#kept);
    // Of a longer answer the last character may be there in part.
    const text = this.#read > bytes.length ? new TextDecoder().decode(bytes, { stream: true }) : bytes.toString('utf8');
    // PostgreSQL stores no NUL in a text.
    return text.replaceAll('\0', '');
  }
}

const UNTRUSTED = 'SELF_SIGNED|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)';
/** What is wrong with a certificate, by the codes of Node; the first that fits. */
const TLS_CLASSES: readonly (readonly [RegExp, ErrorClass])[] = [
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/, 'tls_expired'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'tls_name'],
  [new RegExp(`^(?:${UNTRUSTED})`), 'tls_untrusted'],
  [/^(?:ERR_TLS|ERR_SSL|CERT|UNABLE_TO|EPROTO$)/, 'tls'],
  // A certificate that may not be a server's or an authority's, or cannot be read; of what has no code of its own Node tells the last.
  [/^(?:INVALID_(?:CA|PURPOSE)|PATH_LENGTH_EXCEEDED|ERROR_IN_CERT_\w+|UNSPECIFIED)$/, 'tls'],
];

const CLASSES: Readonly<Record<string, ErrorClass>> = {
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ECONNREFUSED: 'connect',
  EADDRNOTAVAIL: 'connect',
  EHOSTUNREACH: 'connect',
  ENETUNREACH: 'connect',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  ENOTFOUND: 'name',
  EAI_AGAIN: 'name_server',
};

function classify(error: unknown): ErrorClass {
  const { name, code = '', syscall } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || name === 'AbortError') return 'timeout';
  if (name === 'AddressRefusedError') return 'address_refused';
  if (name === 'EndlessAnswerError') return 'endless';
  const [, ofTls] = TLS_CLASSES.find(([pattern]) => pattern.test(code)) ?? [];
  // Such as EACCES, where a rule of a firewall or a route forbids it.
  return ofTls ?? CLASSES[code] ?? (syscall === 'connect' ? 'connect' : 'protocol');
}
