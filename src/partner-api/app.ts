/**
 * The contract's HTTP interface, `/v1`. A route declares its input and its answers and calls an operation; it knows neither rules nor
 * SQL.
 */
import type { RequestListener, Server, ServerOptions } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { isAllowedAddress } from '../domain/access/client-address.ts';
import { ServiceError } from '../domain/service-error.ts';
import type { Answer } from './answer.ts';
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
import { suspectConnections } from './http/suspect-connections.ts';
import { limitChunks } from './limits/limit-chunks.ts';
import { LoadShedding, type Traffic } from './limits/load-shedding.ts';
import { paceRefusals, SHED } from './limits/refusal-pace.ts';
import type { PartnerApiOptions } from './partner-api-options.ts';
import { registerContract } from './register-contract.ts';

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
  const { knownCaller } = options.authenticate;
  const refuseInTurn = paceRefusals(SHED);
  const gate = new LoadShedding({ traffic, knownCaller, refuseInTurn, onAnswer: options.onAnswer });
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

function begin(request: FastifyRequest, reply: FastifyReply): void {
  const correlationId = correlationIdOf(request);
  request.context = { correlationId, arrivedAtMs: performance.now(), caller: undefined, errorCode: undefined };
  reply.header('x-correlation-id', correlationId);
  reply.header('cache-control', 'no-store');
}

function describeAnswer(request: FastifyRequest, reply: FastifyReply): Answer {
  const { correlationId, caller, endedKey, arrivedAtMs, errorCode, limit, failure } = request.context;
  return {
    correlationId,
    partnerId: caller?.partnerId,
    keyId: caller?.keyId,
    endedKey,
    operation: request.routeOptions.config.operation,
    status: reply.raw.writableFinished ? reply.statusCode : 0,
    errorCode,
    limit,
    failure,
    durationMs: performance.now() - arrivedAtMs,
  };
}
