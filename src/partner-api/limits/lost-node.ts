import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NodeWatch } from '../../store/node-watch.ts';
import { callerOf } from '../request-context.ts';

/** Nearly every answer takes less: whoever waits longer may wait for a node that does not answer. */
const SUSPECT_AFTER_MS = 1_000;

/**
 * Requests that wait for a lost node would take the places of the other partners.
 *
 * @throws ServiceError `internal_service_unavailable` while the node with the partner's rows does not answer.
 */
export function refuseOfLostNode(
  request: FastifyRequest,
  reply: FastifyReply,
  nodes: Pick<NodeWatch, 'suspect' | 'refusalOf'>,
): void {
  const { partnerId } = callerOf(request);
  const refusal = nodes.refusalOf(partnerId);
  if (refusal) throw refusal;
  const timer = setTimeout(() => nodes.suspect(partnerId), SUSPECT_AFTER_MS);
  reply.raw.on('close', () => clearTimeout(timer));
}
