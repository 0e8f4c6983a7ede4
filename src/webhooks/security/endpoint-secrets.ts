import type { Queryable } from '../../store/database.ts';
import { listSecretsByKey, type WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import { type SecretBox, SecretUnreadableError } from './secret-box.ts';
import type { EndpointSecrets } from './signature.ts';

export function openSecrets(secretBox: SecretBox, endpoint: WebhookEndpoint): EndpointSecrets {
  const { endpointId, secretSealed, nextSecretSealed } = endOverlap(endpoint);
  const next = nextSecretSealed === null ? undefined : secretBox.open(endpointId, nextSecretSealed);
  return { current: secretBox.open(endpointId, secretSealed), next };
}

/** After the overlap the next secret is the only one, whether or not that is recorded. */
export function endOverlap(endpoint: WebhookEndpoint): WebhookEndpoint {
  const { nextSecretSealed, isNextSecretDue } = endpoint;
  if (nextSecretSealed === null || !isNextSecretDue) return endpoint;
  return { ...endpoint, secretSealed: nextSecretSealed, nextSecretSealed: null, nextSecretFrom: null };
}

/** Secrets that do not open, of all endpoints that use one key. */
export interface UnreadableSecrets {
  /** Of one endpoint. */
  readonly error: SecretUnreadableError;
  readonly endpointCount: number;
}

/**
 * Opens one secret of each key that the endpoints use.
 *
 * @param openBox Called only where there are endpoints.
 */
export async function listUnreadableSecrets(db: Queryable, openBox: () => SecretBox): Promise<UnreadableSecrets[]> {
  const found = await listSecretsByKey(db);
  if (found.length === 0) return [];
  const box = openBox();
  return found.flatMap(({ endpointCount, endpointId, sealed }) => {
    try {
      box.open(endpointId, sealed);
      return [];
    } catch (error) {
      if (error instanceof SecretUnreadableError) return [{ error, endpointCount }];
      throw error;
    }
  });
}
