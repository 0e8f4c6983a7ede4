import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../domain/service-error.ts';
import { checkAgain, needsNewCheck, requirePermission } from './access/require-permission.ts';
import type { SuspectConnections } from './http/suspect-connections.ts';
import { endpointChangeLimit } from './limits/endpoint-change-limit.ts';
import type { LoadShedding } from './limits/load-shedding.ts';
import { refuseOfLostNode } from './limits/lost-node.ts';
import { rateLimits } from './limits/partner-rate.ts';
import { paceRefusals, REFUSED_SENDERS, type Refuse } from './limits/refusal-pace.ts';
import { sandboxChangeLimit } from './limits/sandbox-change-limit.ts';
import type { PartnerApiOptions } from './partner-api-options.ts';
import { callerOf } from './request-context.ts';
import type { RoutePolicy } from './route-policy.ts';
import { ROUTES } from './routes.ts';
import { SANDBOX_ROUTES } from './sandbox/sandbox-routes.ts';
import { validateByContract } from './validation/validate-by-contract.ts';

interface Limits {
  readonly gate: LoadShedding;
  readonly suspects: SuspectConnections;
  readonly refuseInTurn: Refuse;
}

/** The operations under `/v1`, behind authentication, permission, rate limit and validation, in this order. */
export function registerContract(
  v1: FastifyInstance,
  options: PartnerApiOptions,
  { gate, suspects, refuseInTurn }: Limits,
): void {
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

function policyOf({ routeOptions }: FastifyRequest): RoutePolicy {
  const { policy } = routeOptions.config;
  if (!policy) throw new Error(`The route ${routeOptions.url} has no policy.`);
  return policy;
}
