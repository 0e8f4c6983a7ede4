import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TProperties, TSchema } from 'typebox';
import { refuseSuspended } from '../domain/access/partner-standing.ts';
import { fingerprint, type JsonValue } from '../domain/fingerprint.ts';
import { type AnswerSeal, answersAsGiven, type Work } from '../operations/answer-once.ts';
import type { Credential } from '../store/access/api-key.ts';
import { exactJson } from '../wire/exact-json.ts';
import { KeyedEcho, NoQuery } from './envelope-schemas.ts';
import { beforeDeadline } from './http/deadline.ts';
import { sendWritten, writtenAlready } from './http/written-answer.ts';
import { describeOperation, type OperationId } from './openapi/openapi-operations.ts';
import type { PartnerApiOptions } from './partner-api-options.ts';
import { callerOf } from './request-context.ts';
import { REPORT_WRITE } from './route-policy.ts';
import { closed } from './schema-parts.ts';
import { Type } from './schema-type.ts';
import { refuseMembers } from './validation/refuse-members.ts';
import { markReplayed, WriteHeaders } from './write-headers.ts';

/** A request, as the work gets it. */
export interface StoredAnswerCall<Body, Params> {
  readonly caller: Credential;
  readonly correlationId: string;
  readonly idempotencyKey: string;
  readonly work: Work;
  readonly body: Body;
  readonly params: Params;
}

export interface StoredAnswerPost<Body, Params> {
  readonly operation: OperationId;
  readonly path: string;
  /** A second path of the same operation, which the document does not list. */
  readonly alias?: string;
  readonly params?: TSchema;
  readonly body?: TSchema;
  /** Whether a request without a body equals one without members. */
  readonly isBodyOptional?: boolean;
  /** The members of the answer beside `request`. */
  readonly answer: TProperties;
  /** Whether the key needs the permission `manage`. */
  readonly isManaging?: boolean;
  /** Whether it is one of the changes of a sandbox that are limited together. */
  readonly isSandboxChange?: boolean;
  /** For work that waits for a partner's server. */
  readonly deadlineMs?: number;
  /** How an answer with a secret is stored. */
  readonly seal?: AnswerSeal;
  /** Does the work and returns the members of the answer. */
  work(call: StoredAnswerCall<Body, Params>): Promise<object>;
}

/**
 * A POST at a path that the interface does not name: it requires an `Idempotency-Key`, and the same key and payload give the first answer
 * again. Its records have no key, so the answer is stored.
 *
 * @see docs/spec/decisions.md#1-http.
 */
export function postWithStoredAnswer<Body = unknown, Params = unknown>(
  app: FastifyInstance,
  { operations }: Pick<PartnerApiOptions, 'operations'>,
  post: StoredAnswerPost<Body, Params>,
): void {
  const { operation, isManaging = false, isSandboxChange = false, deadlineMs, seal = answersAsGiven } = post;
  const schema = {
    ...describeOperation(operation),
    querystring: NoQuery,
    headers: WriteHeaders,
    ...(post.params && { params: post.params }),
    ...(post.body && { body: post.body }),
    response: { 201: Type.Object({ ...post.answer, request: KeyedEcho }, closed) },
  };
  for (const path of [post.path, post.alias]) {
    if (path === undefined) continue;
    app.post<{ Headers: { 'idempotency-key': string } }>(
      path,
      {
        config: { operation, policy: { ...REPORT_WRITE, isManaging, isSandboxChange } },
        schema: { ...schema, ...(path === post.alias && { hide: true }) },
        serializerCompiler: writtenAlready,
        onRequest: async (request) => {
          if (!post.body || post.isBodyOptional) await ignoreTypeOfNothing(request);
        },
        preValidation: (request, _reply, done) => {
          if (post.isBodyOptional) request.body ??= {};
          done();
        },
      },
      async (request, reply) => {
        const caller = callerOf(request);
        const { correlationId } = request.context;
        const idempotencyKey = request.headers['idempotency-key'];
        if (!post.body) refuseMembers(request.body);
        const [params, body] = [request.params as Params, (request.body ?? {}) as Body];
        const members = { ...(params as object), ...(post.body && (body as object)) } as Record<string, JsonValue>;
        const keyed = { callerId: caller.partnerId, idempotencyKey, operation, fingerprint: fingerprint(operation, members) };
        const doWork = async (work: Work) => {
          // Work that a process left is ended: a part or all of it was done before, and a refusal would free its key.
          const isSuspended = caller.isSuspended && !isManaging && !work.isTakenOver;
          refuseSuspended({ isSuspended, isUnverified: caller.unverified === 'partner' });
          return post.work({ caller, correlationId, idempotencyKey, work, body, params });
        };
        const { text, isReplay } = await beforeDeadline(
          request,
          operations.answerOnce(keyed, doWork, { ...seal, write: exactJson }),
          deadlineMs,
        );
        if (isReplay) markReplayed(reply);
        const echo = exactJson({ request: { correlation_id: correlationId, idempotency_key: idempotencyKey } });
        return sendWritten(reply.code(201), `${text.slice(0, -1)},${echo.slice(1)}`);
      },
    );
  }
}

/** Many clients name a media type for a body that they do not send, such as urllib and `fetch` wrappers. */
async function ignoreTypeOfNothing({ headers, raw }: FastifyRequest): Promise<void> {
  const isChunked = headers['transfer-encoding'] !== undefined;
  if (isChunked ? !(await isEmpty(raw)) : (headers['content-length'] ?? '0') !== '0') return;
  delete headers['transfer-encoding'];
  delete headers['content-type'];
}

/** Whether a stream ends without a byte. Its first bytes go back into it. */
async function isEmpty(body: IncomingMessage): Promise<boolean> {
  // Of one that has arrived as a whole, some releases of Node tell nothing more.
  if (!body.complete) await once(body, 'readable');
  const first = body.read();
  if (first === null) return true;
  body.unshift(first);
  return false;
}
