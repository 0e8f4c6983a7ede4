import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { describeErrorCode } from '../../domain/error-codes.ts';
import { type ServiceError, unavailable } from '../../domain/service-error.ts';
import type { Answer } from '../answer.ts';
import { errorEnvelope } from '../errors.ts';
import { correlationIdOf } from '../http/correlation-id.ts';
import type { plainTarget } from '../http/request-target.ts';
import { hasBody } from '../http/request-time.ts';
import { routePattern } from '../http/route-pattern.ts';
import { type Caller, callerOf } from '../request-context.ts';
import type { RoutePolicy } from '../route-policy.ts';
import { InFlight } from './in-flight.ts';
import type { Refuse } from './refusal-pace.ts';

/** What load shedding and the rest of the interface know of all requests. */
export interface Traffic {
  isDraining: boolean;
  lastArrivalAtMs: number;
}

interface GuardedRoute {
  readonly method: string;
  readonly path: RegExp;
  readonly operation: string | undefined;
  readonly inFlightMax: number;
  /** The answer's body before and after the correlation id. */
  readonly body: readonly [string, string];
}

export interface LoadSheddingOptions {
  readonly traffic: Traffic;
  /** Whose key was valid a moment ago. */
  readonly knownCaller: (apiKey: string) => Caller | undefined;
  /** Calls back when there is time for a refusal. */
  readonly refuseInTurn: Refuse;
  readonly onAnswer: (answer: Answer) => void;
}

/**
 * Refuses requests under overload before the framework sees them: a refusal must cost a fraction of the refused work, or refusing would
 * take all the time. Each route has its own maximum of requests in flight; a request with an unknown key is counted once the key is
 * known. The order is that of `shedding-order.ts`.
 */
export class LoadShedding {
  readonly #options: LoadSheddingOptions;
  readonly #routes: GuardedRoute[] = [];
  #lowestMax = Number.POSITIVE_INFINITY;
  readonly #inFlight = new InFlight();

  constructor(options: LoadSheddingOptions) {
    this.#options = options;
  }

  /** Learns every route with a policy that is registered from now on. */
  learnRoutes(app: FastifyInstance): void {
    app.addHook('onRoute', ({ url, method, config }) => {
      const policy = config?.policy;
      if (!policy) return;
      this.#lowestMax = Math.min(this.#lowestMax, policy.inFlightMax);
      for (const each of [method].flat()) this.#routes.push(guardedRoute(each, url, policy, config.operation));
    });
  }

  /** Sheds load before a listener. Both get the target of each request in the form of {@link plainTarget}. */
  guard(handle: RequestListener): RequestListener {
    const { traffic, refuseInTurn, onAnswer } = this.#options;
    return (request, response) => {
      const busy = this.#findBusy(request);
      if (!busy) return handle(request, response);
      traffic.lastArrivalAtMs = performance.now();
      refuseInTurn(() => refuse(request, response, { ...busy, isLast: traffic.isDraining, onAnswer }));
    };
  }

  /**
   * Counts a request whose key is known.
   *
   * @throws ServiceError `internal_service_unavailable` when too many are in flight.
   */
  admit(request: FastifyRequest): void {
    const { partnerId } = callerOf(request);
    const { policy } = request.routeOptions.config;
    if (policy && this.#inFlight.isFull(partnerId, policy.inFlightMax)) throw overloaded();
    // A client that left while the key was looked up does not leave a second time.
    if (!request.raw.socket.destroyed) request.context.counted = this.#inFlight.begin(partnerId, !hasBody(request.raw));
  }

  /** The body has arrived. */
  arrive({ context: { counted } }: FastifyRequest): void {
    if (counted) this.#inFlight.arrive(counted);
  }

  /** The answer is sent, or the connection is gone. */
  leave({ context }: FastifyRequest): void {
    if (context.counted) this.#inFlight.end(context.counted);
    context.counted = undefined;
  }

  /** Requests with a known key that arrived completely and are not answered yet. */
  countInFlight(): number {
    return this.#inFlight.whole;
  }

  #findBusy({ method, url = '', headers }: IncomingMessage): Busy | undefined {
    const apiKey = headers['x-api-key'];
    const caller = typeof apiKey === 'string' ? this.#options.knownCaller(apiKey) : undefined;
    if (!this.#inFlight.isFull(caller?.partnerId, this.#lowestMax)) return undefined;
    const path = url.split('?', 1)[0] as string;
    const route = this.#routes.find((each) => each.method === method && each.path.test(path));
    return route && this.#inFlight.isFull(caller?.partnerId, route.inFlightMax) ? { route, caller } : undefined;
  }
}

function overloaded(): ServiceError {
  const message = 'The service is overloaded. Look up or retry after the time in Retry-After.';
  return unavailable(message, { limit: 'in_flight' });
}

const MARK = '{correlation_id}';

function guardedRoute(method: string, url: string, policy: RoutePolicy, operation: string | undefined): GuardedRoute {
  const body = JSON.stringify(errorEnvelope(overloaded(), MARK, policy.recoverable)).split(MARK) as [string, string];
  return { method, path: routePattern(url), operation, inFlightMax: policy.inFlightMax, body };
}

/** Why a request is refused. */
interface Busy {
  readonly route: GuardedRoute;
  /** Whose key it has; `undefined` when this process does not know the key. */
  readonly caller: Caller | undefined;
}

interface Refusal extends Busy {
  readonly isLast: boolean;
  readonly onAnswer: (answer: Answer) => void;
}

function refuse(request: IncomingMessage, response: ServerResponse, { route, caller, isLast, onAnswer }: Refusal): void {
  const errorCode = 'internal_service_unavailable';
  const { status, retryAfterSeconds = 1 } = describeErrorCode(errorCode);
  const correlationId = correlationIdOf(request);
  const body = route.body[0] + correlationId + route.body[1];
  response.writeHead(status, [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(body.length),
    'x-correlation-id',
    correlationId,
    'cache-control',
    'no-store',
    'retry-after',
    String(retryAfterSeconds),
    ...(isLast ? ['connection', 'close'] : []),
  ]);
  // The whole text is ASCII: head and body are sent in one write.
  response.end(body, 'latin1');
  const limit = 'in_flight_early';
  const { partnerId, keyId } = caller ?? {};
  onAnswer({ correlationId, partnerId, keyId, operation: route.operation, status, errorCode, limit, durationMs: 0 });
}
