import { LRUCache } from 'lru-cache';
import { ENDPOINT } from '../../operations/audit/audited-kinds.ts';
import { compareWithEntry } from '../../operations/audit/compare-with-audit.ts';
import { unverifiedRecord } from '../../operations/audit/require-audited.ts';
import { findLastAuditEntries } from '../../store/audit/audit.ts';
import type { Database } from '../../store/database.ts';
import type { WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';

/** How often the audit is read for an endpoint whose row does not change; an edit of the row is found at once. */
const REMEMBERED_MS = 4_000;
const ENDPOINTS_MAX = 10_000;

export interface VerifiedEndpoints {
  /** Returns the endpoints that match the audit. Reads the entries of all that are not remembered in one round trip. */
  keepVerified<Endpoint extends WebhookEndpoint>(endpoints: readonly Endpoint[]): Promise<Endpoint[]>;
}

/**
 * The service sends nothing to an address, and signs nothing with a secret, without a sealed audit entry: events of such an endpoint are
 * held.
 */
export function openVerifiedEndpoints(
  { pool, auditKeys }: Pick<Database, 'pool' | 'auditKeys'>,
  onError: (error: unknown) => void,
): VerifiedEndpoints {
  const verified = new LRUCache<string, string>({ max: ENDPOINTS_MAX, ttl: REMEMBERED_MS });
  const textOf = (endpoint: WebhookEndpoint) => JSON.stringify(ENDPOINT.recordOf(endpoint));
  const isRemembered = (endpoint: WebhookEndpoint) => verified.get(endpoint.endpointId) === textOf(endpoint);
  return {
    async keepVerified(endpoints) {
      const asked = endpoints.filter((endpoint) => !isRemembered(endpoint));
      const ids = asked.map(({ endpointId }) => endpointId);
      const entries = await findLastAuditEntries(pool, ENDPOINT.action, ids);
      const unverified = new Set<string>();
      for (const endpoint of asked) {
        const { endpointId } = endpoint;
        const about = { entry: entries.get(endpointId), keys: auditKeys() };
        const difference = compareWithEntry(endpointId, ENDPOINT.recordOf(endpoint), about);
        if (!difference) verified.set(endpointId, textOf(endpoint));
        else {
          unverified.add(endpointId);
          onError(unverifiedRecord(ENDPOINT, difference));
        }
      }
      return endpoints.filter(({ endpointId }) => !unverified.has(endpointId));
    },
  };
}
