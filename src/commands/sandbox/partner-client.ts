import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRetryAfter } from '../../domain/webhooks/retry-schedule.ts';
import { UsageError } from '../terminal/options.ts';

/** The service, as a partner calls it. `member` is one that the answer has by the contract. */
export interface PartnerClient {
  get<Answer extends object>(path: string, member: keyof Answer & string): Promise<Answer>;
  /** A lost or broken answer is asked for again with the same idempotency key. */
  post<Answer extends object>(path: string, body: object, member: keyof Answer & string): Promise<Answer>;
}

interface ErrorAnswer {
  readonly error?: { readonly code: string; readonly message: string };
}

/** Longer than the service takes to send a sample to a receiver that hangs. */
const TIMEOUT_MS = 60_000;
const BUSY_MAX = 60;
const PAUSE_LEAST_MS = 1_000;
/** A longer `Retry-After` is a mistake of a proxy. */
const PAUSE_MOST_MS = 60_000;

/** Calls whose answer was lost, before the client gives up. */
const LOST_MAX = 5;

interface Call {
  readonly path: string;
  readonly member: string;
  readonly init: RequestInit;
}

/**
 * @param baseUrl Without a slash at its end.
 *
 * @throws From its calls, `UsageError` when the service refuses, such as for a wrong key, and when another program answers; `Error` when
 * it does not answer. No message contains the key.
 */
export function partnerClient(baseUrl: string, apiKey: string): PartnerClient {
  const call = async <Answer>(asked: Call): Promise<Answer> => {
    for (let busy = 0; ; busy++) {
      const response = await ask(baseUrl, asked);
      const retryAfter = response.headers.get('retry-after') ?? undefined;
      if ((response.status !== 429 && response.status !== 503) || busy === BUSY_MAX) return readAnswer(response, asked);
      const askedMs = readRetryAfter({ status: response.status, retryAfter }, new Date()) ?? 0;
      await sleep(Math.min(Math.max(PAUSE_LEAST_MS, askedMs), PAUSE_MOST_MS));
    }
  };
  const headers = { 'x-api-key': apiKey };
  return {
    get: (path, member) => call({ path, member, init: { headers } }),
    post(path, body, member) {
      const own = { ...headers, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
      return call({ path, member, init: { method: 'POST', headers: own, body: JSON.stringify(body) } });
    },
  };
}

interface Asked {
  readonly status: number;
  readonly headers: Headers;
  /** `undefined` where it is not JSON. */
  readonly body: unknown;
}

/** A POST may have been carried out although its answer is lost: it is sent again, as it was. */
async function ask(baseUrl: string, { path, member, init }: Call): Promise<Asked> {
  for (let lost = 0; ; lost++) {
    const isLast = init.method !== 'POST' || lost === LOST_MAX;
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(baseUrl + path, { ...init, redirect: 'manual', signal });
      const body = readJson(await response.text());
      if (isLast || !response.ok || hasMember(body, member)) return { status: response.status, headers: response.headers, body };
    } catch (cause) {
      if (isLast) throw new Error(`${baseUrl} does not answer. Check the address, and that the service runs.`, { cause });
    }
    await sleep(PAUSE_LEAST_MS);
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hasMember(body: unknown, member: string): body is object {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, member);
}

function readAnswer<Answer>({ status, body }: Asked, { path, member }: Call): Answer {
  const isOk = status >= 200 && status < 300;
  if (isOk && hasMember(body, member)) return body as Answer;
  const error = !isOk && hasMember(body, 'error') ? (body as ErrorAnswer).error : undefined;
  const said = error ? `${error.code}: ${error.message}` : 'The answer does not come from the service; check BASE_URL.';
  const message = `${path} was answered ${status}. ${said}`;
  throw status < 500 ? new UsageError(message) : new Error(message);
}
