/**
 * The contract's HTTP interface, `/v1`. A route declares its input and its answers and calls an operation; it knows neither rules nor
 * SQL.
 */
import type { RequestListener, Server, ServerOptions } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Environment } from '../domain/access/api-key.ts';
import { isAllowedAddress } from '../domain/access/client-address.ts';
import type { Limit } from '../domain/limit-names.ts';
import { ServiceError } from '../domain/service-error.ts';
import type { DatabaseOf } from '../operations/connections-per-partner.ts';
import type { Operations } from '../operations/create-operations.ts';
import type { StorageUsage } from '../operations/quotas/storage-usage.ts';
import type { Readiness } from '../operations/sandbox/readiness.ts';
import type { SandboxOperations } from '../operations/sandbox/sandbox-operations.ts';
import type { NodeWatch } from '../store/node-watch.ts';
import type { EndpointTools } from '../webhooks/endpoints/endpoint-context.ts';
import type { Authenticate } from './access/authenticate.ts';
import { checkAgain, needsNewCheck, requirePermission } from './access/require-permission.ts';
import { LIST_CONSTRAINT } from './contributions/list-contributions.ts';
import { serveDocs } from './docs/serve-docs.ts';
import { sendError } from './errors.ts';
import { oneAtATime } from './http/connection-queue.ts';
import { correlationIdOf } from './http/correlation-id.ts';
import { limitIdle } from './http/idle-connections.ts';
import { type AskedRoute, type KnownRoutes, learnRoutes, REFERENCE_HERE, REFERENCE_OF_SANDBOX } from './http/known-routes.ts';
import { type AnswerClientError, nodeAnswers } from './http/node-answers.ts';
import { answerHalfClosed, createServer } from './http/node-http.ts';
import { acceptJsonOnly, BODY_MAX_BYTES } from './http/read-body.ts';
import { refuseIllFormed } from './http/refuse-ill-formed.ts';
import { withPlainTarget } from './http/request-target.ts';
import { LONGEST_REQUEST_MS, limitRequestTime } from './http/request-time.ts';
import { serializeLater } from './http/serialize-later.ts';
import type { StoppableUploads } from './http/stoppable-uploads.ts';
import { type SuspectConnections, suspectConnections } from './http/suspect-connections.ts';
import { endpointChangeLimit } from './limits/endpoint-change-limit.ts';
import { limitChunks } from './limits/limit-chunks.ts';
import { type LoadShedding, loadShedding, type Traffic } from './limits/load-shedding.ts';
import { refuseOfLostNode } from './limits/lost-node.ts';
import { rateLimits } from './limits/partner-rate.ts';
import { paceRefusals, REFUSED_SENDERS, type Refuse, SHED } from './limits/refusal-pace.ts';
import { sandboxChangeLimit } from './limits/sandbox-change-limit.ts';
import { callerOf, type EndedKey } from './request-context.ts';
import type { RoutePolicy } from './route-policy.ts';
import { ROUTES } from './routes.ts';
import { SANDBOX_ROUTES } from './sandbox/sandbox-routes.ts';
import { validateByContract } from './validation/validate-by-contract.ts';

export interface PartnerApiOptions {
  readonly environment: Environment;
  readonly operations: Operations;
  readonly authenticate: Authenticate;
  /** On a distributed database: the nodes that do not answer. */
  readonly nodes?: Pick<NodeWatch, 'suspect' | 'refusalOf'> | undefined;
  /** Only in a sandbox: the operations that partners may request there. */
  readonly sandbox?: SandboxOperations;
  /** Only in a sandbox: collects the evidence of readiness. */
  readonly readiness?: Readiness;
  /** For what partners change themselves, endpoints and a sandbox. */
  readonly databaseOf: DatabaseOf;
  /** The dependencies of changing and testing endpoints besides. */
  readonly endpointTools: Omit<EndpointTools, 'database'>;
  /** Counts what partners store. */
  readonly usage: StorageUsage;
  /** Whether `/docs` is served. */
  readonly servesReference: boolean;
  /** Ended by whoever stops the service. */
  readonly uploads: StoppableUploads;
  /** Addresses and blocks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** How many processes share the port; each counts its share of a partner's rate. */
  readonly processes: number;
  readonly onAnswer: (answer: Answer) => void;
  /** Called when a limit took effect that no answer reports. */
  readonly onLimit: (limit: Limit) => void;
  readonly onUnexpectedError: (error: unknown, correlationId: string) => void;
  /** Called before the routes are added. */
  readonly watchRoutes?: (app: FastifyInstance) => Promise<void>;
  /** Called when a request in production asked for something of the sandbox. */
  readonly onSandboxRequest?: (asked: 'scenario' | 'path') => void;
}

/** The data of a request after its connection ended, for the log and the metrics. */
export interface Answer {
  readonly correlationId: string;
  readonly partnerId: string | undefined;
  /** Who called with a key that is revoked or has expired. */
  readonly endedKey?: EndedKey | undefined;
  readonly operation: string | undefined;
  /** 0 when the client left before the answer. */
  readonly status: number;
  readonly errorCode: string | undefined;
  /** The limit that refused it. */
  readonly limit: Limit | undefined;
  /** What was thrown, when the answer says that the outcome is unknown. */
  readonly failure?: unknown;
  readonly durationMs: number;
}

export interface PartnerApi {
  readonly app: FastifyInstance;
  /** From now on every answer asks its client to close the connection; resolves when no requests arrive any more. */
  drain(): Promise<void>;
  /** Requests with a known key that arrived completely and are not answered yet. */
  countInFlight(): number;
}

const HEADERS_MAX_BYTES = 16_384;

const SERVER: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: LONGEST_REQUEST_MS,
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: HEADERS_MAX_BYTES,
  requireHostHeader: false,
  /** A look-up takes less processor time. Parsers need `endEmptyBody`. */
  optimizeEmptyRequests: true,
};

/** Builds the interface without listening. */
export async function buildPartnerApi(options: PartnerApiOptions): Promise<PartnerApi> {
  const traffic: Traffic = { isDraining: false, lastArrivalAtMs: 0 };
  const { partnerOf } = options.authenticate;
  const refuseInTurn = paceRefusals(SHED);
  const gate = loadShedding({ traffic, partnerOf, refuseInTurn, onAnswer: options.onAnswer });
  // Set after the application is created, which needs the answers first.
  let routes: KnownRoutes | undefined;
  const recoverableOf = (asked: AskedRoute) => routes?.recoverableOf(asked);
  const { answerClientError, answerWhatNodeWould } = nodeAnswers(recoverableOf, options.onLimit);
  const suspects = suspectConnections(options.authenticate, options.onLimit);
  const app: FastifyInstance = Fastify({
    serverFactory: (handle) => suspects.defer(openServer(limited(gate.guard(handle), answerClientError, options), options)),
    logger: false,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    bodyLimit: BODY_MAX_BYTES,
    return503OnClosing: false,
    routerOptions: { maxParamLength: HEADERS_MAX_BYTES, constraints: { contributionList: LIST_CONSTRAINT } },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      // What the router itself refuses: no hook has run, and no route is found yet.
      begin(request, reply);
      sendError(error, request, reply, recoverableOf(request));
    },
  });
  routes = learnRoutes(app, (url) => nextStepOf(url, options));
  const { refuseUnknown } = routes;
  app.decorateRequest('context');
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    reply.raw.on('close', () => {
      gate.leave(request);
      options.onAnswer(describeAnswer(request, reply));
    });
    traffic.lastArrivalAtMs = request.context.arrivedAtMs;
    if (traffic.isDraining) reply.header('connection', 'close');
    refuseIllFormed(request);
    if (request.is404 && isOfSandbox(request.url, options)) options.onSandboxRequest?.('path');
    refuseUnknown(request);
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    const { policy } = request.routeOptions.config;
    sendError(error, request, reply, policy ? policy.recoverable : recoverableOf(request));
    // A client that leaves in the middle of its list is no defect of the service.
    const isSenderError = error === request.raw.errored;
    if (!(error instanceof ServiceError) && !isSenderError && reply.statusCode >= 500)
      options.onUnexpectedError(error, request.context.correlationId);
  });
  gate.learnRoutes(app);
  acceptJsonOnly(app);
  answerWhatNodeWould(app);
  app.setSerializerCompiler(serializeLater);
  await options.watchRoutes?.(app);
  await app.register(async (v1) => registerContract(v1, options, { gate, suspects, refuseInTurn }));
  if (options.servesReference) serveDocs(app, options.environment);
  await app.ready();
  const drain = () => {
    traffic.isDraining = true;
    return untilQuiet(traffic);
  };
  return { app, drain, countInFlight: () => gate.countInFlight() };
}

function isOfSandbox(url: string, { environment }: Pick<PartnerApiOptions, 'environment'>): boolean {
  return environment !== 'sandbox' && /^\/v1\/sandbox(?:[/?]|$)/.test(url);
}

function nextStepOf(url: string, options: Pick<PartnerApiOptions, 'environment' | 'servesReference'>): string {
  if (isOfSandbox(url, options)) return 'The paths under /v1/sandbox exist in the sandbox alone.';
  return options.servesReference ? REFERENCE_HERE : REFERENCE_OF_SANDBOX;
}

/** Limits requests before a listener, which gets their targets in the form of the routes. */
function limited(
  handle: RequestListener,
  answer: AnswerClientError,
  { onLimit }: Pick<PartnerApiOptions, 'onLimit'>,
): RequestListener {
  const inTurn = oneAtATime(limitRequestTime(handle, answer), { onCut: onLimit });
  return withPlainTarget(limitChunks(inTurn, { answer, onLimit }));
}

function openServer(
  handle: RequestListener,
  { trustedProxies, onLimit }: Pick<PartnerApiOptions, 'trustedProxies' | 'onLimit'>,
): Server {
  const server = answerHalfClosed(createServer(SERVER, handle));
  const isExempt = (address: string) => trustedProxies.length > 0 && isAllowedAddress(address, trustedProxies);
  limitIdle(server, { isExempt, onCut: onLimit });
  return server;
}

/**
 * The number of looks without a request between them, after which no connection has a request under way that a close would cut. Looks are
 * counted, not milliseconds: in a process without processor time, requests wait behind the next look.
 */
const QUIET_LOOKS = 20;
const LOOK_EVERY_MS = 50;
const DRAIN_MAX_MS = 4_000;

async function untilQuiet(traffic: { readonly lastArrivalAtMs: number }): Promise<void> {
  const since = performance.now();
  let [quietLooks, arrivedAtMs] = [0, traffic.lastArrivalAtMs];
  while (quietLooks < QUIET_LOOKS && performance.now() - since < DRAIN_MAX_MS) {
    await sleep(LOOK_EVERY_MS);
    quietLooks = traffic.lastArrivalAtMs === arrivedAtMs ? quietLooks + 1 : 0;
    arrivedAtMs = traffic.lastArrivalAtMs;
  }
}

interface Limits {
  readonly gate: LoadShedding;
  readonly suspects: SuspectConnections;
  readonly refuseInTurn: Refuse;
}

/** The operations under `/v1`, behind authentication, permission, rate limit and validation, in this order. */
function registerContract(v1: FastifyInstance, options: PartnerApiOptions, { gate, suspects, refuseInTurn }: Limits): void {
  const limitRate = rateLimits(options.processes);
  const limitEndpointChanges = endpointChangeLimit();
  const limitSandboxChanges = sandboxChangeLimit();
  const refuseSenderInTurn = paceRefusals({ ...REFUSED_SENDERS, beyond: refuseInTurn });
  v1.addHook('onRequest', async (request, reply) => {
    const policy = policyOf(request);
    try {
      await requirePermission(request, options.authenticate);
      request.context.keyCheckMs = performance.now() - request.context.arrivedAtMs;
      suspects.trust(request.raw.socket);
      request.context.rate = limitRate(callerOf(request), policy.trafficClass, reply);
      if (policy.isManaging && policy.isWrite) limitEndpointChanges(callerOf(request).partnerId);
      if (policy.isSandboxChange) limitSandboxChanges(callerOf(request).partnerId);
    } catch (error) {
      // When a key cannot be looked up, the sender is not at fault.
      await new Promise<void>(isOurs(error) ? refuseInTurn : refuseSenderInTurn);
      throw error;
    }
    try {
      gate.admit(request);
      if (options.nodes) refuseOfLostNode(request, reply, options.nodes);
    } catch (error) {
      await new Promise<void>(refuseInTurn);
      throw error;
    }
  });
  v1.addHook('preValidation', (request, _reply, done) => {
    gate.arrive(request);
    done();
  });
  v1.addHook('preHandler', (request, _reply, done) => {
    if (!needsNewCheck(request)) return done();
    checkAgain(request, options.authenticate).then(() => done(), done);
  });
  validateByContract(v1);
  for (const route of ROUTES) {
    v1.register(async (scope) => route(scope, options));
  }
  const { sandbox, readiness } = options;
  if (options.environment !== 'sandbox' || !sandbox || !readiness) return;
  for (const route of SANDBOX_ROUTES) v1.register(async (scope) => route(scope, { ...options, sandbox, readiness }));
}

function isOurs(error: unknown): boolean {
  return !(error instanceof ServiceError) || error.code === 'internal_service_unavailable';
}

function begin(request: FastifyRequest, reply: FastifyReply): void {
  const correlationId = correlationIdOf(request);
  request.context = { correlationId, arrivedAtMs: performance.now(), caller: undefined, errorCode: undefined };
  reply.header('x-correlation-id', correlationId);
  reply.header('cache-control', 'no-store');
}

function policyOf({ routeOptions }: FastifyRequest): RoutePolicy {
  const { policy } = routeOptions.config;
  if (!policy) throw new Error(`The route ${routeOptions.url} has no policy.`);
  return policy;
}

function describeAnswer(request: FastifyRequest, reply: FastifyReply): Answer {
  const { correlationId, caller, endedKey, arrivedAtMs, errorCode, limit, failure } = request.context;
  return {
    correlationId,
    partnerId: caller?.partnerId,
    endedKey,
    operation: request.routeOptions.config.operation,
    status: reply.raw.writableFinished ? reply.statusCode : 0,
    errorCode,
    limit,
    failure,
    durationMs: performance.now() - arrivedAtMs,
  };
}
