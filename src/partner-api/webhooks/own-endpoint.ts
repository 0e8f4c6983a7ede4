import type { Actor } from '../../domain/access/role.ts';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import type { EndpointHealth } from '../../domain/webhooks/endpoint-health.ts';
import type { Credential } from '../../store/access/api-key.ts';
import type { Queryable } from '../../store/database.ts';
import { findWebhookEndpoint, type WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import { endpointNotFound } from '../../webhooks/endpoints/endpoint-context.ts';
import { REPORT } from '../route-policy.ts';

/** Every route of this folder: the key must be one that may manage. */
export const READS = { ...REPORT, isManaging: true } as const;
export const WRITES = { ...READS, isWrite: true } as const;

/** A partner's key that changes the partner's own endpoints, as the audit names it. */
export function managerOf({ keyId }: Credential, correlationId: string): Actor {
  return { operatorId: keyId, role: 'operator', isPartner: true, correlationId };
}

/** Another partner's endpoint is not found, just as none and as one that was removed. */
export async function getOwnEndpoint(
  db: Queryable,
  partnerId: string,
  endpointId: string,
): Promise<WebhookEndpoint & EndpointHealth> {
  const endpoint = isLongIdentifier(endpointId) ? await findWebhookEndpoint(db, partnerId, endpointId) : undefined;
  if (!endpoint || endpoint.status === 'removed') throw endpointNotFound();
  return endpoint;
}
