import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../domain/service-error.ts';
import { beforeDeadline } from '../http/deadline.ts';
import type { Authenticate } from './authenticate.ts';

/** For this time after its arrival a request is decided by the credential that was known then. */
const CHECKED_FOR_MS = 1_000;

/**
 * Requires that the caller may make the request, by a credential at most 4 s old, and stores the caller in the request's context: before
 * anything else of a request, and again before the work of one that waited.
 *
 * @throws ServiceError What {@link Authenticate} throws; `forbidden` for a write by a read-only key, and for a request that needs the
 * permission `manage`.
 */
export async function requirePermission(request: FastifyRequest, authenticate: Authenticate): Promise<void> {
  const apiKey = request.headers['x-api-key'];
  const caller = await authenticate({
    apiKey: typeof apiKey === 'string' ? apiKey : undefined,
    address: request.ip,
    onEnded({ keyId, partnerId }) {
      request.context.endedKey = { keyId, partnerId };
    },
  });
  request.context.caller = caller;
  const { policy } = request.routeOptions.config;
  if (policy?.isManaging && caller.permission !== 'manage') {
    throw new ServiceError('forbidden', 'This API key may not manage endpoints. Use a key with the permission manage.');
  }
  if (policy?.isWrite && caller.permission === 'read_only') {
    throw new ServiceError('forbidden', 'This API key is read-only. Use a key with the permission read_write.');
  }
}

/**
 * Whether the key of a request has to be checked again before its work, be it a read or a write: a revocation or a suspension takes effect
 * within 10 s for requests that began before it, too.
 *
 * @see docs/spec/decisions.md#5-api-keys.
 */
export function needsNewCheck({ context }: FastifyRequest): boolean {
  return performance.now() - context.arrivedAtMs > CHECKED_FOR_MS;
}

/** Requires the same again, within the time of the request. */
export async function checkAgain(request: FastifyRequest, authenticate: Authenticate): Promise<void> {
  const beganAtMs = performance.now();
  await beforeDeadline(request, requirePermission(request, authenticate));
  request.context.keyCheckMs = (request.context.keyCheckMs ?? 0) + performance.now() - beganAtMs;
}
