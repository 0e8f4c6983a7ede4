import type { FastifyRequest } from 'fastify';
import type { Limit } from '../domain/limit.ts';
import type { RecoverableOperation } from '../domain/recovery-verdict.ts';
import type { Credential } from '../store/access/api-key.ts';
import type { Counted } from './limits/in-flight.ts';
import type { TokenBucket } from './limits/token-bucket.ts';

/** What a request counts against, and in which order requests are shed under overload: reports first, look-ups last. */
export type TrafficClass = 'writes' | 'lookups' | 'reports';

/** What a route says of itself beside its schema. */
export interface RoutePolicy {
  readonly trafficClass: TrafficClass;
  /** How many requests may be in flight in all before this route's are shed. */
  readonly inFlightMax: number;
  readonly isWrite: boolean;
  /** Whether the key needs the permission `manage`. */
  readonly isManaging?: boolean;
  /** Set where an error could be misread as a verdict on a contribution: it then carries the recovery verdict. */
  readonly recoverable?: RecoverableOperation;
}

/** What the service knows of a request beside what Fastify does. */
export interface RequestContext {
  readonly correlationId: string;
  /** `performance.now()` */
  readonly arrivedAtMs: number;
  caller: Credential | undefined;
  /** Set while the request is counted among those in flight. */
  counted?: Counted | undefined;
  /** What the partner's requests of this class are taken from. */
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

/** Who calls. Routes with policy are reached by nobody else. */
export function callerOf(request: FastifyRequest): Credential {
  const { caller } = request.context;
  if (!caller) throw new Error('The route has no authentication.');
  return caller;
}
