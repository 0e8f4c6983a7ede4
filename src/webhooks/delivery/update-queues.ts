import type { NodeReader } from '../../store/node-reader.ts';
import { listEndpointsOf, type WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import type { EndpointQueues } from './endpoint-queues.ts';
import type { Recipient } from './recipient.ts';
import type { Task } from './task.ts';
import type { VerifiedEndpoints } from './verified-endpoints.ts';

interface QueueTools {
  readonly nodes: NodeReader;
  readonly endpointNodes: NodeReader;
  readonly verifiedEndpoints: VerifiedEndpoints;
  recipientOf(endpoint: WebhookEndpoint): Recipient;
  readonly onError: (error: unknown) => void;
}

/**
 * Changes by operators, and by other processes, apply to claimed deliveries too. Those of a node that does not answer stay as they are.
 */
export async function updateQueues(
  { nodes, endpointNodes, verifiedEndpoints, recipientOf, onError }: QueueTools,
  queues: EndpointQueues<Task, Recipient>,
): Promise<void> {
  queues.releaseStale();
  const waiting = queues.listWaiting();
  if (waiting.length === 0) return;
  const isLost = (partnerId: string) => nodes.isLost(partnerId) || endpointNodes.isLost(partnerId);
  const partnerIds = [...new Set(waiting.map(({ partnerId }) => partnerId))].filter((partnerId) => !nodes.isLost(partnerId));
  const verified = await verifiedEndpoints.keepVerified(await listEndpointsOf(endpointNodes, partnerIds));
  const endpoints = new Map(verified.map((endpoint) => [endpoint.endpointId, endpoint]));
  for (const id of waiting) {
    if (isLost(id.partnerId)) continue;
    const endpoint = endpoints.get(id.endpointId);
    try {
      if (endpoint?.status !== 'active' || endpoint.isOpen) queues.withdraw(id, endpoint?.breakerOpenUntil ?? undefined);
      else queues.update(id, recipientOf(endpoint));
    } catch (error) {
      // A process with the key of its secret may send them.
      onError(error);
      queues.withdraw(id);
    }
  }
}
