import type { FastifyRequest } from 'fastify';
import type { Limit } from '../domain/limit.ts';
import type { RecoverableOperation } from '../domain/recovery-verdict.ts';
import type { Credential } from '../store/access/api-key.ts';
import type { Counted } from './limits/in-flight.ts';
import type { TokenBucket } from './limits/token-bucket.ts';

/** The class of a request, for rates and for the order of load shedding: reports first, look-ups last. */
export type TrafficClass = 'writes' | 'lookups' | 'reports';

/** What a route declares besides its schema. */
export interface RoutePolicy {
  readonly trafficClass: TrafficClass;
  /** The route's requests are shed when this many are in flight. */
  readonly inFlightMax: number;
  readonly isWrite: boolean;
  /** Whether the key needs the permission `manage`. */
  readonly isManaging?: boolean;
  /** Set when an error could be misread as a verdict on a contribution: it then carries the recovery verdict. */
  readonly recoverable?: RecoverableOperation;
}

/** What the service knows of a request besides Fastify. */
export interface RequestContext {
  readonly correlationId: string;
  /** `performance.now()` */
  readonly arrivedAtMs: number;
  caller: Credential | undefined;
  /** Set while the request counts as in flight. */
  counted?: Counted | undefined;
  /** The token bucket of the partner's requests of this class. */
  rate?: TokenBucket;
  /** The error code of the answer; `undefined` for a success. */
  errorCode: string | undefined;
  /** The limit that refused it. */
  limit?: Limit | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext;
  }
  interface FastifyContextConfig {
    operation?: string;
    policy?: RoutePolicy;
  }
}

/** The caller. Routes with a policy have one. */
export function callerOf(request: FastifyRequest): Credential {
  const { caller } = request.context;
  if (!caller) throw new Error('The route has no authentication.');
  return caller;
}
