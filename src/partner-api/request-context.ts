import type { FastifyRequest } from 'fastify';
import type { Limit } from '../domain/limit-names.ts';
import type { Credential } from '../store/access/api-key.ts';
import type { Counted } from './limits/in-flight.ts';
import type { TokenBucket } from './limits/token-bucket.ts';
import type { RoutePolicy } from './route-policy.ts';

/** Who called, and with which key. */
export type Caller = Pick<Credential, 'keyId' | 'partnerId'>;

/** What the service knows of a request besides Fastify. */
export interface RequestContext {
  readonly correlationId: string;
  /** `performance.now()` */
  readonly arrivedAtMs: number;
  /** How long the checks of its key took: they count as time of the request. */
  keyCheckMs?: number;
  caller: Credential | undefined;
  /** The key that was refused because it is revoked or has expired: its secret is right. */
  endedKey?: Caller;
  /** Set while the request counts as in flight. */
  counted?: Counted | undefined;
  /** The token bucket of the partner's requests of this class. */
  rate?: TokenBucket;
  /** The error code of the answer; `undefined` for a success. */
  errorCode: string | undefined;
  /** The limit that refused it. */
  limit?: Limit | undefined;
  /** What was thrown, when the answer says that the outcome is unknown. */
  failure?: unknown;
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
