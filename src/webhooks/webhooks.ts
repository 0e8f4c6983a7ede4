import type { Environment } from '../domain/api-key.ts';
import type { Database } from '../store/database.ts';
import type { Attempt } from '../store/delivery.ts';
import type { WebhookEndpoint } from '../store/webhook-endpoint.ts';
import { openDispatcher } from './dispatch.ts';
import { openGuardedAgent } from './guarded-agent.ts';
import { openRelay } from './relay.ts';
import type { SecretBox } from './secret-box.ts';
import type { EndpointSecrets } from './signature.ts';

export interface WebhooksOptions {
  readonly database: Database;
  readonly environment: Environment;
  readonly secretBox: SecretBox;
  /** Plain http and private addresses, for development only. */
  readonly allowInsecure: boolean;
  readonly onAttempt: (attempt: Attempt) => void;
  readonly onError: (error: unknown) => void;
}

export interface Webhooks {
  /** Numbers and sends nothing more; resolves when what is under way is recorded. */
  close(): Promise<void>;
}

/** Numbers events and sends them, until it is closed. */
export function openWebhooks(options: WebhooksOptions): Webhooks {
  const { database, allowInsecure, secretBox, onError } = options;
  const client = openGuardedAgent({ allowInsecure });
  const dispatcher = openDispatcher({
    ...options,
    client,
    openSecrets: (endpoint) => openSecrets(secretBox, endpoint, new Date()),
  });
  const relay = openRelay({ database, onDeliveries: dispatcher.wake, onError });
  return {
    async close() {
      await relay.close();
      await dispatcher.close();
      await client.close();
    },
  };
}

/** From the end of the overlap on the next secret is the only one, whether or not anybody has written that down. */
export function openSecrets(
  secretBox: SecretBox,
  { endpointId, secretSealed, nextSecretSealed, nextSecretFrom }: WebhookEndpoint,
  now: Date,
): EndpointSecrets {
  const next = nextSecretSealed === null ? undefined : secretBox.open(endpointId, nextSecretSealed);
  if (next !== undefined && nextSecretFrom !== null && nextSecretFrom <= now) return { current: next };
  return { current: secretBox.open(endpointId, secretSealed), next };
}
