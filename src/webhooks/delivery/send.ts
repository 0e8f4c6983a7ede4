import type { Dispatcher as HttpClient } from 'undici';
import { EndlessAnswerError } from '../security/limit-answers.ts';

export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The stored bytes, untouched. */
  readonly body: Buffer;
}

/** What came of one POST. */
export interface Answer {
  readonly milliseconds: number;
  /** `null` when there was no answer in time; then the class says why. */
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
  tls: 'there was no trusted TLS connection',
  address_refused: 'its address is not allowed',
  protocol: 'its answer is not HTTP',
  endless: 'its answer did not end',
} as const;

export type ErrorClass = keyof typeof ERROR_CLASSES;

const ANSWER_WITHIN_MS = 15_000;
/** Such as `103 Early Hints`: few servers send one. */
const ANNOUNCEMENTS_MAX = 10;
const READ_MAX_BYTES = 16_384;
const KEEP_MAX_BYTES = 2_048;

/** Sends one attempt and reads as much of the answer as is kept. Redirects are answers like any other. Never throws. */
export async function send(client: HttpClient, { url, headers, body }: Message): Promise<Answer> {
  const since = performance.now();
  const took = () => Math.round(performance.now() - since);
  const endless = new AbortController();
  const signal = AbortSignal.any([AbortSignal.timeout(ANSWER_WITHIN_MS), endless.signal]);
  let announcements = 0;
  const onInfo = () => {
    if (++announcements > ANNOUNCEMENTS_MAX) endless.abort(new EndlessAnswerError('Too many informational answers.'));
  };
  try {
    const { origin, pathname, search } = new URL(url);
    const path = pathname + search;
    const response = await client.request({ origin, path, method: 'POST', headers, body, signal, onInfo });
    const excerpt = await readExcerpt(response.body);
    const retryAfter = response.headers['retry-after'];
    return {
      milliseconds: took(),
      status: response.statusCode,
      errorClass: null,
      excerpt,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    };
  } catch (error) {
    const errorClass = classify(error);
    return { milliseconds: took(), status: null, errorClass, excerpt: null, retryAfter: undefined };
  }
}

/** The status is the answer. Of the body as much is read as comes, and whatever is beyond the limit is not waited for. */
async function readExcerpt(stream: AsyncIterable<Buffer>): Promise<string> {
  const kept: Buffer[] = [];
  let read = 0;
  try {
    for await (const chunk of stream) {
      if (read < KEEP_MAX_BYTES) kept.push(chunk.subarray(0, KEEP_MAX_BYTES - read));
      read += chunk.length;
      if (read >= READ_MAX_BYTES) break;
    }
  } catch {
    // Cut off, or too slow: what came is kept.
  }
  // PostgreSQL keeps no NUL in a text.
  return Buffer.concat(kept).toString('utf8').replaceAll('\0', '');
}

const CLASSES: Readonly<Record<string, ErrorClass>> = {
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ECONNREFUSED: 'connect',
  EHOSTUNREACH: 'connect',
  ENETUNREACH: 'connect',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  ENOTFOUND: 'name',
  EAI_AGAIN: 'name',
};

function classify(error: unknown): ErrorClass {
  const { name, code = '' } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || name === 'AbortError') return 'timeout';
  if (name === 'AddressRefusedError') return 'address_refused';
  if (name === 'EndlessAnswerError') return 'endless';
  if (/^(?:ERR_TLS|ERR_SSL|CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code) || code === 'EPROTO') return 'tls';
  return CLASSES[code] ?? 'protocol';
}
