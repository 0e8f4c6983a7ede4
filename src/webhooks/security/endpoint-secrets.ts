import type { SecretsOfKey, WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
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

/** Secrets that do not open, of all owners that use one key. */
export interface UnreadableSecrets {
  /** Of one owner. */
  readonly error: SecretUnreadableError;
  readonly ownerCount: number;
}

/**
 * Opens one secret of each key.
 *
 * @param openBox Called only where there are secrets.
 */
export function listUnreadableSecrets(found: readonly SecretsOfKey[], openBox: () => SecretBox): UnreadableSecrets[] {
  if (found.length === 0) return [];
  const box = openBox();
  return found.flatMap(({ ownerCount, ownerId, sealed }) => {
    try {
      box.open(ownerId, sealed);
      return [];
    } catch (error) {
      if (error instanceof SecretUnreadableError) return [{ error, ownerCount }];
      throw error;
    }
  });
}
