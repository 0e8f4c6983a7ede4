/** The client of the operator API, typed by `openapi/operator.json`. */
import createClient, { type Middleware } from 'openapi-fetch';
import { NoAnswerError, toApiError } from './api-error.ts';
import type { paths } from './operator-types.ts';

/** After so long without input of the person, what the page asks for keeps no session alive. */
const IDLE_MS = 60_000;

let csrfToken = '';
let lastActivityAt = performance.now();
for (const kind of ['pointerdown', 'keydown', 'wheel']) {
  addEventListener(kind, () => (lastActivityAt = performance.now()), { capture: true, passive: true });
}

/** Every change is sent with the token of the session; every new session brings another. */
export function keepCsrfToken(token: string): void {
  csrfToken = token;
}

/** For what is not sent by the client below. */
export function csrfHeader(): Readonly<Record<string, string>> {
  return { 'x-csrf-token': csrfToken };
}

const sessionHeaders: Middleware = {
  onRequest({ request }) {
    if (request.method !== 'GET') request.headers.set('x-csrf-token', csrfToken);
    else if (performance.now() - lastActivityAt > IDLE_MS) request.headers.set('x-refresh', 'true');
    return request;
  },
};

/** A dialog stays open while its change is under way: it ends, whatever the network does. The service gives up earlier. */
export const ANSWER_WITHIN_MS = 60_000;

const fetchInTime = (request: Request): Promise<Response> =>
  fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]) });

export const client = createClient<paths>({ baseUrl: location.origin, credentials: 'same-origin', fetch: fetchInTime });
client.use(sessionHeaders);

interface Answer<Value> {
  readonly data?: Value;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * What the service answered.
 *
 * @throws ApiError When it refused.
 * @throws NoAnswerError When nothing came back.
 */
export async function answerOf<Value>(call: Promise<Answer<Value>>): Promise<Value> {
  const answer = await call.catch((cause: unknown) => {
    throw new NoAnswerError('no answer', { cause });
  });
  if (!answer.response.ok) throw toApiError(answer.response.status, answer.error);
  return answer.data as Value;
}
