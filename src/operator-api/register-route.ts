import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { Actor, Role } from '../domain/access/role.ts';
import { fingerprint, type JsonValue } from '../domain/fingerprint.ts';
import { LIST_LIMITS } from '../domain/reconciliations/list-limits.ts';
import { ServiceError } from '../domain/service-error.ts';
import type { OperatorSession } from '../operations/access/operator-session.ts';
import { answerOnce, answersAsGiven, type Work } from '../operations/answer-once.ts';
import { forgetOverview } from '../operations/overview/read-overview.ts';
import { within } from '../partner-api/http/deadline.ts';
import { boundStream, TRANSFER_BOUNDS } from '../partner-api/http/transfers/stream-bounds.ts';
import { watchTransfer } from '../partner-api/http/transfers/watched-transfer.ts';
import { takeListsAsStreams } from '../partner-api/reconciliations/list-body.ts';
import { refuseMembers } from '../partner-api/validation/refuse-members.ts';
import { sealedAnswers } from '../partner-api/webhooks/sealed-answers.ts';
import { markReplayed, WriteHeaders } from '../partner-api/write-headers.ts';
import { requireSession, requireStillSignedIn } from './access/require-session.ts';
import type { OperatorApiTools } from './app.ts';
import { allowLongArrival } from './http/arrival.ts';
import { compress } from './http/compress.ts';
import type { HashedUpload } from './http/hash-upload.ts';
import { operatorJson } from './http/operator-json.ts';
import { refuseModified } from './http/refuse-modified.ts';
import { readSessionCookie } from './http/session-cookie.ts';
import type { FinalCall, OperatorRoute } from './route.ts';

const DEADLINE_MS = 10_000;

/** Registers a route with all that is checked before its work: session, token, role, recent sign-in, shape, key. */
export function registerRoute(app: FastifyInstance, route: OperatorRoute, tools: OperatorApiTools): void {
  if (!route.takesList) register(app, route, tools);
  else
    app.register(async (part) => {
      takeListsAsStreams(part);
      register(part, route, tools);
    });
}

function register(app: FastifyInstance, route: OperatorRoute, tools: OperatorApiTools): void {
  const { method, path: url, params, query, body, isFinal, takesList = false, takesFile = false } = route;
  const schema: FastifySchema = {
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && !takesList && { body }),
    ...((isFinal || takesList) && { headers: WriteHeaders }),
  };
  app.route({
    method,
    url,
    schema,
    exposeHeadRoute: false,
    ...(takesList && { bodyLimit: LIST_LIMITS.bytes }),
    config: { operation: route.operation, takesFile },
    // Before the body is read: whoever is nobody sends none.
    onRequest: async (request, reply) => {
      const readSession = () => requireSession(request, route, tools);
      if (route.leastRole !== 'nobody')
        request.operatorSession = await (method === 'GET' ? read(readSession, { request, reply, tools }) : readSession());
      if (takesList || takesFile) allowLongArrival(request);
    },
    preValidation: async ({ body: sent }) => {
      if (takesList || takesFile) return;
      if (hasNul(sent)) throw nulRefused();
      if (method !== 'GET' && !body) refuseMembers(sent);
    },
    handler: async (request, reply) => {
      const sent = takesFile ? { file: await tools.shared.files.hash(request, tools.uploads) } : { body: request.body };
      // Whoever sends the body slowly may have been signed out, or got a lower role, meanwhile. A list is judged while it is read.
      if (method !== 'GET' && route.leastRole !== 'nobody' && !takesList)
        request.operatorSession = await requireSession(request, route, tools);
      const call = { tools, request, reply, params: request.params, query: request.query, ...sent, ...whoOf(request) };
      const work = isFinal ? answerKeyed(route, call) : handle(route, call);
      // However it ends: what failed may have changed a part.
      if (method !== 'GET') work.catch(() => {}).finally(() => forgetOverview(tools.database));
      return send(route, call, await within(route.deadlineMs ?? DEADLINE_MS, work));
    },
  });
}

/** A download takes turns of its own, page by page. */
function handle(route: OperatorRoute, call: Call): Promise<unknown> {
  if (route.method !== 'GET') return change(route, call);
  const work = () => route.handle(call);
  return route.answer !== 'csv' ? read(work, call) : work();
}

/**
 * Whoever is not signed in is told of no record. A record that was edited and met before the key of the request is looked at is no refusal:
 * an earlier request with the same key may have made the change.
 */
async function change(route: OperatorRoute, call: Call & Partial<FinalCall>): Promise<unknown> {
  const work = async () => route.handle(call);
  return route.leastRole === 'nobody' ? work() : work().catch(refuseModified);
}

function read<Answer>(
  work: () => Promise<Answer>,
  { request, reply, tools }: Pick<Call, 'request' | 'reply' | 'tools'>,
): Promise<Answer> {
  return tools.shared.readInTurn({
    asker: readSessionCookie(request, tools.environment) ?? '',
    isWanted: () => !reply.raw.destroyed,
    work,
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly takesFile?: boolean;
  }
  interface FastifyRequest {
    /** The session of the signed-in operator; `undefined` on a route that comes before a sign-in. */
    operatorSession?: OperatorSession;
  }
}

interface Call {
  readonly tools: OperatorApiTools;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly actor?: Actor;
  readonly body?: unknown;
  readonly file?: HashedUpload;
}

function whoOf({ operatorSession: session, context }: FastifyRequest): { actor?: Actor; session?: OperatorSession } {
  if (!session) return {};
  const { operatorId, role } = session.operator;
  const { credentialId } = session;
  return { session, actor: { operatorId, role, credentialId, correlationId: context.correlationId } };
}

/** The first answer of the same key, word for word. */
async function answerKeyed(route: OperatorRoute, call: Call): Promise<KeptText> {
  const { request, reply, tools, actor } = call;
  const { operation } = route;
  const idempotencyKey = String(request.headers['idempotency-key']);
  const ofFile = call.file && { ...(request.query as object), file_sha256: call.file.sha256 };
  const members = { ...((call.body ?? {}) as object), ...ofFile, ...(request.params as object) } as Record<string, JsonValue>;
  // The key is the operator's own: of two operators with the same key each has an answer.
  const keyed = {
    callerId: (actor as Actor).operatorId,
    idempotencyKey,
    operation,
    fingerprint: fingerprint(operation, members),
  };
  const { ifSecretIsLost: ifLost } = route;
  const seal = ifLost === undefined ? answersAsGiven : sealedAnswers(tools.endpointTools, ifLost);
  const work = async (claim: Work) => (await change(route, { ...call, work: claim })) as object;
  const { text, isReplay } = await answerOnce(tools.database, keyed, work, { ...seal, write: operatorJson });
  if (isReplay) markReplayed(reply);
  return new KeptText(text);
}

/** JSON that was written already. */
class KeptText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function send(
  { answer, tag, ifSecretIsLost, leastRole }: OperatorRoute,
  { request, reply, tools }: Pick<Call, 'request' | 'reply' | 'tools'>,
  value: unknown,
): FastifyReply {
  if (answer === 'csv') {
    const checkAllowed = () => requireStillSignedIn(request, leastRole as Role, tools);
    const chunks = watchTransfer(value as AsyncIterable<Uint8Array>, { partner: 'takes', checkAllowed });
    const file = boundStream(Readable.from(chunks, { objectMode: false }), TRANSFER_BOUNDS);
    return reply.type('text/csv; charset=utf-8').send(file);
  }
  const text = value instanceof KeptText ? value.text : operatorJson(value);
  reply.type('application/json; charset=utf-8').serializer((payload: unknown) => payload as string);
  // The length of what is compressed tells of it, so that a secret is not.
  const isSecret = ifSecretIsLost !== undefined || tag === 'Sign-in';
  return reply.send(isSecret ? text : compress(request, reply, text));
}

/** The database has no such character, so that nothing is ever found by it. */
function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return typeof value === 'object' && value !== null && Object.values(value).some(hasNul);
}

export function nulRefused(): ServiceError {
  return new ServiceError('invalid_request', 'The request has a character U+0000. Leave it out.');
}
