import { LRUCache } from 'lru-cache';
import type { WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import type { EndpointSecrets } from '../security/signature.ts';

/** What an attempt needs of its endpoint. */
export interface Recipient {
  readonly url: string;
  readonly secrets: EndpointSecrets;
}

const RECIPIENTS_MAX = 10_000;
const REMEMBERED_MS = 60_000;

/** Decrypting a secret costs as much as a signature: it is repeated only when its endpoint has changed. */
export function rememberRecipients(
  openSecrets: (endpoint: WebhookEndpoint) => EndpointSecrets,
): (endpoint: WebhookEndpoint) => Recipient {
  const known = new LRUCache<string, { readonly of: string; readonly recipient: Recipient }>({
    max: RECIPIENTS_MAX,
    ttl: REMEMBERED_MS,
  });
  return (endpoint) => {
    const { endpointId, url, secretSealed, nextSecretSealed, isNextSecretDue } = endpoint;
    const of = `${url} ${secretSealed} ${nextSecretSealed} ${isNextSecretDue}`;
    const remembered = known.get(endpointId);
    if (remembered?.of === of) return remembered.recipient;
    const recipient = { url, secrets: openSecrets(endpoint) };
    known.set(endpointId, { of, recipient });
    return recipient;
  };
}
