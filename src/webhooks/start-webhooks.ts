/**
 * This folder delivers committed events to the partner's server: how a delivery is signed, which addresses are allowed, how it is sent
 * and attempted again. It does not decide which events exist, or what they contain.
 */

import type { Environment } from '../domain/access/api-key.ts';
import { RecentContributions } from '../operations/events/recent-contributions.ts';
import { type StorageUsage, UNCOUNTED } from '../operations/quotas/storage-usage.ts';
import type { Database } from '../store/database.ts';
import type { Attempt } from '../store/webhooks/attempt.ts';
import { Dispatcher } from './delivery/dispatcher.ts';
import { keepHealing } from './delivery/healing.ts';
import { Pace } from './delivery/pace.ts';
import type { Disabling } from './delivery/settle-attempts.ts';
import { openRelay } from './relay/relay.ts';
import { openSecrets } from './security/endpoint-secrets.ts';
import { openGuardedAgent } from './security/guarded-agent.ts';
import type { SecretBox } from './security/secret-box.ts';

export interface WebhooksOptions {
  readonly database: Database;
  readonly environment: Environment;
  readonly secretBox: SecretBox;
  /** Contributions that this process has confirmed, if it does. */
  readonly recent?: RecentContributions;
  /** The pace of deliveries, if this process answers partners too. */
  readonly pace?: Pace;
  /** Counts what partners store by this process. */
  readonly usage?: StorageUsage;
  /** Plain http and private addresses, for development only. */
  readonly allowInsecure: boolean;
  /** 127.0.0.1 and ::1, for a sandbox on the developer's own machine. */
  readonly allowThisMachine?: boolean;
  /** Milliseconds since 1970, for signatures only. */
  readonly clock: () => number;
  readonly onAttempt: (attempt: Attempt) => void;
  readonly onDisabled: (disabling: Disabling) => void;
  readonly onError: (error: unknown) => void;
}

export interface Webhooks {
  /** Assigns no sequence and sends nothing more; resolves when results are recorded, or given up after a few seconds. */
  close(): Promise<void>;
}

/** How many connections to the database this takes. */
export const WEBHOOKS_POOL_SIZE = 7;

/** Assigns sequences to events and sends them, until it is closed. */
export function openWebhooks(options: WebhooksOptions): Webhooks {
  const { database, environment, allowInsecure, allowThisMachine = false, secretBox, onError } = options;
  const { recent = new RecentContributions(), pace = new Pace(), usage = UNCOUNTED } = options;
  const dispatcher = new Dispatcher({
    ...options,
    pace,
    usage,
    client: openGuardedAgent({ allowInsecure, allowThisMachine }),
    openSecrets: (endpoint) => openSecrets(secretBox, endpoint),
  });
  const closeRelay = openRelay({
    database,
    environment,
    recent,
    onError,
    onDeliveries: dispatcher.wake,
    intake: dispatcher.intake,
  });
  const endHealing = keepHealing(database, onError);
  return {
    async close() {
      const relayEnded = closeRelay();
      await Promise.all([relayEnded, endHealing(), dispatcher.close(relayEnded)]);
    },
  };
}
