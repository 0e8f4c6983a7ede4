import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRetryAfter } from '../../domain/webhooks/retry-schedule.ts';
import { UsageError } from '../terminal/options.ts';

/** The service, as a partner calls it. */
export interface PartnerClient {
  get<Answer>(path: string): Promise<Answer>;
  /** The key of the call, when it differs. */
  post<Answer>(path: string, body: object): Promise<Answer>;
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

/**
 * @param baseUrl Without a slash at its end.
 *
 * @throws From its calls, `UsageError` when the service refuses, such as for a wrong key; `Error` when it does not answer. No message
 * contains the key.
 */
export function partnerClient(baseUrl: string, apiKey: string): PartnerClient {
  const call = async <Answer>(path: string, init: RequestInit): Promise<Answer> => {
    for (let busy = 0; ; busy++) {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(baseUrl + path, { ...init, redirect: 'manual', signal }).catch((cause: unknown) => {
        throw new Error(`${baseUrl} does not answer. Check the address, and that the service runs.`, { cause });
      });
      const retryAfter = response.headers.get('retry-after') ?? undefined;
      if ((response.status !== 429 && response.status !== 503) || busy === BUSY_MAX) return readAnswer(response, path);
      await response.body?.cancel();
      const askedMs = readRetryAfter({ status: response.status, retryAfter }, new Date()) ?? 0;
      await sleep(Math.min(Math.max(PAUSE_LEAST_MS, askedMs), PAUSE_MOST_MS));
    }
  };
  const headers = { 'x-api-key': apiKey };
  return {
    get: (path) => call(path, { headers }),
    post(path, body) {
      const own = { ...headers, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
      return call(path, { method: 'POST', headers: own, body: JSON.stringify(body) });
    },
  };
}

async function readAnswer<Answer>(response: Response, path: string): Promise<Answer> {
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body as Answer;
  const { error } = body as ErrorAnswer;
  const said = error ? `${error.code}: ${error.message}` : 'The answer does not come from the service; check BASE_URL.';
  const message = `${path} was answered ${response.status}. ${said}`;
  throw response.status < 500 ? new UsageError(message) : new Error(message);
}
