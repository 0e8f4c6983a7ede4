import type { WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import type { SecretBox } from './secret-box.ts';
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
