/**
 * This folder delivers committed events to the partner's server: how a delivery is signed, which addresses are allowed, how it is sent
 * and attempted again. It does not decide which events exist, or what they contain.
 */

import { repeat } from '../concurrency/repeat.ts';
import type { Environment } from '../domain/access/api-key.ts';
import { pluralise } from '../domain/pluralise.ts';
import { RecentContributions } from '../operations/events/recent-contributions.ts';
import { forEachPartner } from '../operations/for-each-partner.ts';
import { type StorageUsage, UNCOUNTED } from '../operations/quotas/storage-usage.ts';
import { eachPartner } from '../store/access/partner.ts';
import type { Database, Queryable } from '../store/database.ts';
import { insertEventCounter, listEventCounters } from '../store/events/event.ts';
import { askLong, NodeReader } from '../store/node-reader.ts';
import { allowLongStatements } from '../store/query.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../store/transaction.ts';
import type { Attempt } from '../store/webhooks/attempt.ts';
import { reopenDueDeliveries } from '../store/webhooks/endpoint-health.ts';
import { watchWaitingEndpoints } from '../store/webhooks/endpoint-watch.ts';
import { openDispatcher } from './delivery/dispatch.ts';
import { endFarWaits } from './delivery/end-far-waits.ts';
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

const HEAL_EVERY_MS = 60_000;
/** It reads rows that a snapshot has kept for hours. */
const REOPEN_WITHIN_MS = 60_000;

/** Assigns sequences to events and sends them, until it is closed. */
export function openWebhooks(options: WebhooksOptions): Webhooks {
  const { database, environment, allowInsecure, allowThisMachine = false, secretBox, onError } = options;
  const { recent = new RecentContributions(), pace = new Pace(), usage = UNCOUNTED } = options;
  const dispatcher = openDispatcher({
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
  const nodes = new NodeReader(database, onError);
  const endHealing = repeat({
    pauseMs: HEAL_EVERY_MS,
    onError,
    work: async () => {
      // What one of them cannot do holds up no other.
      await endFarWaits(database, nodes).catch(onError);
      await reopenDue(database, nodes).catch(onError);
      await makeMissingCounters(database, nodes);
    },
  });
  return {
    async close() {
      const relayEnded = closeRelay();
      await Promise.all([relayEnded, endHealing(), dispatcher.close(relayEnded)]);
    },
  };
}

/** Makes the counters of partners that were created while an older version of the service ran beside this one. */
export async function makeMissingCounters(database: Database, nodes = new NodeReader(database)): Promise<void> {
  const { pool } = database;
  const present = new Set(await listEventCounters(nodes));
  const failed = (count: number) => `The event counters of ${pluralise(count, 'partner')} could not be made.`;
  await forEachPartner(nodes, eachPartner(pool), { failed }, async ({ partnerId }) => {
    if (!present.has(partnerId)) await insertEventCounter(pool, partnerId);
  });
}

/**
 * Lets the dispatchers find what they would not look for: deliveries that were committed too late for them to expect, or by an older version
 * that does not watch endpoints. It watches every endpoint with a waiting delivery, also where somebody holds the row of one that is to be
 * reopened. Each of the two takes a minute at most.
 */
export async function reopenDue(database: Database, nodes = new NodeReader(database)): Promise<void> {
  const time = { timeoutMs: REOPEN_WITHIN_MS };
  const watch = async (db: Queryable) => {
    await allowLongStatements(db, time);
    await watchWaitingEndpoints(db, database, time);
  };
  try {
    await reopenDueDeliveries(nodes, database, askLong(database, time));
  } finally {
    if (!database.isDistributed) await inTransaction(database, USUAL_LOCK_TIMEOUT, watch);
  }
}
