import { LRUCache } from 'lru-cache';
import { ENDPOINT } from '../../operations/audit/audited-kinds.ts';
import { compareWithEntry } from '../../operations/audit/compare-with-audit.ts';
import { unverifiedRecord } from '../../operations/audit/require-audited.ts';
import { findLastAuditEntries } from '../../store/audit/audit.ts';
import type { Database } from '../../store/database.ts';
import type { WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';

/** The audit is asked so often of an endpoint whose row stays as it is; an edit of the row is seen at once. */
const REMEMBERED_MS = 4_000;
const ENDPOINTS_MAX = 10_000;

export interface VerifiedEndpoints {
  /** Those that are as the audit has them. Asks for all that are not remembered in one trip. */
  keepVerified<Endpoint extends WebhookEndpoint>(endpoints: readonly Endpoint[]): Promise<Endpoint[]>;
}

/** Nothing is sent to an address, or signed with a secret, of which the audit has no sealed entry: its events are held. */
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
