import { LRUCache } from 'lru-cache';
import { ENDPOINT } from '../../operations/audit/audited-kinds.ts';
import { differencesOf } from '../../operations/audit/compare-with-audit.ts';
import { unverifiedRecord } from '../../operations/audit/require-audited.ts';
import type { Database } from '../../store/database.ts';
import { findListedEndpoints, type WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';

/** How often the audit is read for an endpoint whose row does not change; an edit of the row is found at once. */
const REMEMBERED_MS = 4_000;
const ENDPOINTS_MAX = 10_000;

export interface VerifiedEndpoints {
  /**
   * Returns the endpoints that match the audit, as they were given. Reads the entries of all that are not remembered in one round trip,
   * and those that differ once more.
   */
  keepVerified<Endpoint extends WebhookEndpoint>(endpoints: readonly Endpoint[]): Promise<Endpoint[]>;
}

/**
 * The service sends nothing to an address, and signs nothing with a secret, without a sealed audit entry: events of such an endpoint are
 * held.
 *
 * @param onError Gets each endpoint that differs from the audit. One that an operator changes meanwhile is left out alone: its row is old.
 */
export function openVerifiedEndpoints(
  database: Pick<Database, 'pool' | 'auditKeys' | 'isDistributed'>,
  onError: (error: unknown) => void,
): VerifiedEndpoints {
  const verified = new LRUCache<string, string>({ max: ENDPOINTS_MAX, ttl: REMEMBERED_MS });
  const textOf = (endpoint: WebhookEndpoint) => JSON.stringify(ENDPOINT.recordOf(endpoint));
  const isRemembered = (endpoint: WebhookEndpoint) => verified.get(endpoint.endpointId) === textOf(endpoint);
  return {
    async keepVerified(endpoints) {
      const asked = endpoints.filter((endpoint) => !isRemembered(endpoint));
      const differing = new Set((await differencesOf(database, ENDPOINT, asked)).map(({ subjectId }) => subjectId));
      const isDiffering = ({ endpointId }: WebhookEndpoint) => differing.has(endpointId);
      for (const endpoint of asked) if (!isDiffering(endpoint)) verified.set(endpoint.endpointId, textOf(endpoint));
      if (differing.size === 0) return [...endpoints];
      // Rows and entries are read one after the other, and a change may be committed between.
      const again = await findListedEndpoints(database, asked.filter(isDiffering));
      for (const difference of await differencesOf(database, ENDPOINT, again)) onError(unverifiedRecord(ENDPOINT, difference));
      return endpoints.filter((endpoint) => !isDiffering(endpoint));
    },
  };
}

/**
 * Reads endpoints that somebody waits for. Where an operator changes one meanwhile, all are read again.
 *
 * @throws UnverifiedRecordError With one that differs from the audit.
 */
export async function readVerified(
  database: Pick<Database, 'pool' | 'auditKeys' | 'isDistributed'>,
  read: () => Promise<WebhookEndpoint[]>,
): Promise<WebhookEndpoint[]> {
  const { keepVerified } = openVerifiedEndpoints(database, rethrow);
  for (;;) {
    const endpoints = await read();
    const verified = await keepVerified(endpoints);
    if (verified.length === endpoints.length) return verified;
  }
}

function rethrow(error: unknown): never {
  throw error;
}
