/**
 * The interface of operators, `/operator/v1`, for their console. A route says what goes in, what comes out and which role may; what
 * happens is an operation's affair, the same that the command line calls.
 */
import type { RequestListener } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Environment } from '../domain/access/api-key.ts';
import type { ErrorCode } from '../domain/error-codes.ts';
import { ServiceError, unavailable } from '../domain/service-error.ts';
import type { SessionTools } from '../operations/access/operator-session.ts';
import { UnverifiedRecordError } from '../operations/audit/unverified-record.ts';
import { explainLostWorker } from '../operations/overview/lost-partners.ts';
import type { SettlementTools } from '../operations/settlements/settlement-tools.ts';
import { sendError } from '../partner-api/errors.ts';
import { correlationIdOf } from '../partner-api/http/correlation-id.ts';
import { acceptJsonOnly, BODY_MAX_BYTES } from '../partner-api/http/read-body.ts';
import { refuseIllFormed } from '../partner-api/http/refuse-ill-formed.ts';
import type { StoppableUploads } from '../partner-api/http/transfers/stoppable-uploads.ts';
import { validateByContract } from '../partner-api/validation/validate-by-contract.ts';
import { isPoolUsedUp } from '../store/database-errors.ts';
import type { EndpointTools } from '../webhooks/endpoints/endpoint-context.ts';
import { SecretUnreadableError } from '../webhooks/security/secret-box.ts';
import type { PartnerCall } from './access/test-confirmation.ts';
import { limitArrival } from './http/arrival.ts';
import { acceptFiles } from './http/hash-upload.ts';
import { NoTurn } from './http/operator-turns.ts';
import { requireOwnPage } from './http/own-pages.ts';
import { addSecurityHeaders } from './http/security-headers.ts';
import type { JobTools } from './overview/jobs.ts';
import { nulRefused, registerRoute } from './register-route.ts';
import { ROUTES } from './routes.ts';
import { createSharedState, type SharedState } from './shared-state.ts';

/** What the interface is built from. */
export interface OperatorApiOptions extends Omit<SessionTools, 'shared'> {
  readonly environment: Environment;
  readonly endpointTools: EndpointTools;
  readonly settlementTools: SettlementTools;
  readonly jobs: JobTools;
  /** Ended by whoever stops the service. */
  readonly uploads: StoppableUploads;
  /** For a test confirmation, in a sandbox. */
  readonly callPartnerApi: PartnerCall;
  /** After so many hours a pending contribution fails by itself. */
  readonly reviewExpiryHours: number;
  /** After so many days an event is removed, with its deliveries and attempts. */
  readonly eventDays: number;
  /** A request was answered with 503, because too many others are under way. */
  readonly onBusy: (error: unknown, waitedFor: WaitedFor) => void;
  /** A password, a link or a code of a second factor was refused. */
  readonly onSignInRefused: (code: ErrorCode) => void;
  readonly onUnexpectedError: (error: unknown, correlationId: string) => void;
}

/** What the routes work with. */
export interface OperatorApiTools extends OperatorApiOptions {
  readonly shared: SharedState;
}

/** What a request waited for in vain. */
export type WaitedFor = 'turn' | 'connection';

export interface OperatorApi {
  readonly handle: RequestListener;
  close(): Promise<void>;
}

const PATH_CHARACTERS_MAX = 16_384;

/** Builds the interface; the listener is somebody else's. */
export async function buildOperatorApi(options: OperatorApiOptions): Promise<OperatorApi> {
  const app: FastifyInstance = Fastify({
    logger: false,
    bodyLimit: BODY_MAX_BYTES,
    routerOptions: { maxParamLength: PATH_CHARACTERS_MAX },
    frameworkErrors: (error, request, reply) => {
      begin(request, reply);
      sendError(error, request, reply, undefined);
    },
  });
  app.decorateRequest('context');
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    limitArrival(request);
    refuseIllFormed(request);
    requireOwnPage(request);
    if (request.url.includes('%00')) throw nulRefused();
    done();
  });
  app.setErrorHandler(async (error, request, reply) => {
    const lost = await explainLostWorker(options.database, error);
    const told = lost === undefined ? tellBusy(error) : workerLost(lost, request, error);
    sendError(told, request, reply, undefined);
    const waitedFor = waitedInVainFor(error);
    if (waitedFor !== undefined) options.onBusy(error, waitedFor);
    else if (error !== request.raw.errored) {
      const logged = ofTheLog(error, reply.statusCode);
      if (logged !== undefined) options.onUnexpectedError(logged, request.context.correlationId);
    }
    return reply;
  });
  app.setNotFoundHandler((request, reply) => sendError(noSuchPath(), request, reply, undefined));
  acceptJsonOnly(app);
  acceptFiles(app);
  validateByContract(app);
  const tools: OperatorApiTools = { ...options, shared: createSharedState(options) };
  for (const route of ROUTES) registerRoute(app, route, tools);
  await app.ready();
  return { handle: (request, response) => app.routing(request, response), close: () => app.close() };
}

function begin(request: FastifyRequest, reply: FastifyReply): void {
  const correlationId = correlationIdOf(request);
  request.context = { correlationId, arrivedAtMs: performance.now(), caller: undefined, errorCode: undefined };
  reply.headers({ 'x-correlation-id': correlationId, 'cache-control': 'no-store' });
  addSecurityHeaders(reply);
}

/**
 * What a {@link ServiceError} says is for the operator; of a key that is missing, and of a record that was edited, whoever runs the service
 * must know.
 */
function ofTheLog(error: unknown, status: number): unknown {
  const isRefusal = error instanceof ServiceError;
  if (isRefusal && error.cause instanceof UnverifiedRecordError) return error.cause;
  const isForTheLog = !isRefusal || error.cause instanceof SecretUnreadableError;
  return isForTheLog && status >= 500 ? error : undefined;
}

function waitedInVainFor(error: unknown): WaitedFor | undefined {
  if (error instanceof NoTurn) return 'turn';
  return isPoolUsedUp(error) ? 'connection' : undefined;
}

/** What waited for a connection in vain may have made a change with another before. */
function tellBusy(error: unknown): unknown {
  if (!isPoolUsedUp(error)) return error;
  const message = 'Too many requests of operators are in progress. Check whether your change was made, then try again.';
  return unavailable(message, { cause: error });
}

/** A change may have been made nevertheless. */
function workerLost(message: string, { method }: FastifyRequest, cause: unknown): ServiceError {
  const details = [{ field: 'partner_id', code: 'worker_lost', message } as const];
  return unavailable(method === 'GET' ? message : 'The service could not complete the change; its outcome is unknown.', {
    details,
    cause,
  });
}

function noSuchPath(): ServiceError {
  const message = 'There is no such path. openapi/operator.json lists all paths.';
  return new ServiceError('invalid_request', message, { status: 404 });
}
