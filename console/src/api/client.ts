/** The client of the operator API, typed by `openapi/operator.json`. */
import createClient, { type Middleware } from 'openapi-fetch';
import { ApiError, NoAnswerError, NotReadError, SessionEndedError, SessionNotReadError, toAnswer, toError } from './api-error.ts';
import type { components, paths } from './operator-types.ts';
import { keepServiceTime } from './service-clock.ts';

type Session = Pick<components['schemas']['Session'], 'csrf_token' | 'operator'>;

/** After so long without input of the person, what the page asks for keeps no session alive. */
const IDLE_MS = 60_000;

let session: Session | undefined;
let lastActivityAt = performance.now();
for (const kind of ['pointerdown', 'keydown', 'wheel']) {
  addEventListener(kind, () => (lastActivityAt = performance.now()), { capture: true, passive: true });
}

/** Every change is sent with the token of the session; every new session brings another. */
export function keepSession(opened: Session): void {
  session = opened;
}

/** For what is not sent by the client below. */
export function csrfHeader(): Readonly<Record<string, string>> {
  return { 'x-csrf-token': session?.csrf_token ?? '' };
}

const sessionHeaders: Middleware = {
  onRequest({ request }) {
    if (request.method !== 'GET') setToken(request);
    else if (performance.now() - lastActivityAt > IDLE_MS) request.headers.set('x-refresh', 'true');
    return request;
  },
  onResponse({ response }) {
    keepServiceTime(response);
  },
};

/** A dialog stays open while its change is under way: it ends, whatever the network does. The service gives up after 60 s. */
export const ANSWER_WITHIN_MS = 70_000;

const fetchInTime = (request: Request): Promise<Response> =>
  fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]) });

/** Also after another tab has brought a new session, of which this one has not heard. */
async function fetchAsSession(request: Request): Promise<Response> {
  if (request.method === 'GET') return fetchInTime(request);
  const [sender, again] = [senderNow(), request.clone()];
  const answer = await fetchInTime(request);
  if (answer.status !== 403 || !isOfOldToken(toError(403, await readJson(answer.clone())))) return answer;
  // The page reads the session then, and shows the sign-in or what the other operator sees.
  if (!(await renewRefusedToken(sender))) return new Response(null, { status: 401 });
  setToken(again);
  return fetchInTime(again);
}

export const client = createClient<paths>({ baseUrl: location.origin, credentials: 'same-origin', fetch: fetchAsSession });
client.use(sessionHeaders);

function setToken(request: Request): void {
  for (const [name, value] of Object.entries(csrfHeader())) request.headers.set(name, value);
}

function readJson(answer: Response): Promise<unknown> {
  return answer.json().catch(() => undefined);
}

/** Whether a change was refused, before anything of it was done, for a token that is not of the session of its cookie. */
export function isOfOldToken(error: unknown): boolean {
  return error instanceof ApiError && error.problems.some(({ field }) => field === 'X-CSRF-Token');
}

/** Who sends a change: what one person decided is never sent for another, who signed in meanwhile. */
export function senderNow(): string | undefined {
  return session?.operator.operator_id;
}

/**
 * For a change that asks or sends something before: it goes on only for its sender.
 *
 * @throws SessionEndedError When another person has signed in meanwhile. Then nothing is sent.
 */
export function requireSender(sender: string | undefined): void {
  if (senderNow() === sender) return;
  throw new SessionEndedError(401, { code: 'unauthorized', message: 'Another person has signed in.' });
}

/**
 * Reads the token of the session as it is now.
 *
 * @returns Whether it is still a session of the sender.
 * @throws ApiError When the service could not say, such as without its database.
 * @throws NoAnswerError When nothing came back.
 */
export async function renewToken(sender: string | undefined): Promise<boolean> {
  const { data, error, response } = await client.GET('/operator/v1/session').catch(failUnanswered);
  if (response.status === 401) return false;
  if (!response.ok) throw toError(response.status, error);
  const opened = toAnswer<Session>(data);
  if (opened.operator.operator_id !== sender) return false;
  keepSession(opened);
  return true;
}

/**
 * {@link renewToken}, of a change that was refused for its token.
 *
 * @throws SessionNotReadError When the session cannot be read.
 */
export function renewRefusedToken(sender: string | undefined): Promise<boolean> {
  return renewToken(sender).catch((cause) => {
    throw new SessionNotReadError('not read', { cause });
  });
}

function failUnanswered(cause: unknown): never {
  // It is known that nothing was done.
  if (cause instanceof NotReadError) throw cause;
  throw new NoAnswerError('no answer', { cause });
}

interface Answer<Value> {
  readonly data?: Value;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * What the service answered.
 *
 * @throws ApiError When it refused.
 * @throws NoAnswerError When nothing came back, or a success of something else.
 * @throws SessionNotReadError When it was refused for its token, and the session of now cannot be read.
 */
export async function answerOf<Value>(call: Promise<Answer<Value>>): Promise<Value> {
  const answer = await call.catch(failUnanswered);
  if (!answer.response.ok) throw toError(answer.response.status, answer.error);
  return toAnswer(answer.data);
}
