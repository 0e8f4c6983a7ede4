import type { Actor } from '../../domain/access/role.ts';
import { DELIVERY_LEASE_MS } from '../../domain/webhooks/delivery-lease.ts';
import type { EndpointHealth } from '../../domain/webhooks/endpoint-health.ts';
import { withRole } from '../../operations/with-role.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { lockEventCounter } from '../../store/events/event.ts';
import { makeDeliveriesDue } from '../../store/webhooks/delivery.ts';
import { clearEndpointHealth } from '../../store/webhooks/endpoint-health.ts';
import { watchEndpoints } from '../../store/webhooks/endpoint-watch.ts';
import { type EndpointId, findWebhookEndpoint, type WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import { refuseUnknownTypes } from './add-endpoint.ts';
import { changeEndpoint } from './change-endpoint.ts';
import { type FollowUp, followUp, unknownEndpoint } from './endpoint-context.ts';

const DELIVERIES_AT_ONCE = 1_000;

/** @throws ServiceError `invalid_request` when there is none. */
export async function getEndpoint(
  db: Queryable,
  partnerId: string,
  endpointId: string,
): Promise<WebhookEndpoint & EndpointHealth> {
  const endpoint = await findWebhookEndpoint(db, partnerId, endpointId);
  if (!endpoint) throw unknownEndpoint({ partnerId, endpointId });
  return endpoint;
}

/**
 * Held events are sent, and its failures are reset.
 *
 * @param told Of the deliveries that are due at once: how many so far, and when the others stay with their own times.
 */
export const enableEndpoint = withRole(
  'operator',
  async (database: Database, actor: Actor, id: EndpointId, told: FollowUp = {}): Promise<WebhookEndpoint> => {
    const enabled = await changeEndpoint(database, actor, { ...id, action: 'endpoint.enable' }, async (endpoint, db) => {
      await clearEndpointHealth(db, endpoint);
      await watchEndpoints(db, database, [endpoint]);
      return { ...endpoint, status: 'active', statusReason: null };
    });
    await followUp(() => makeAllDue(database, enabled, told), told);
    return enabled;
  },
);

async function makeAllDue({ pool }: Database, endpoint: EndpointId, { onProgress }: FollowUp): Promise<void> {
  const page = { longerThanMs: DELIVERY_LEASE_MS, dueInMs: 0, limit: DELIVERIES_AT_ONCE };
  for (let sum = 0; ; ) {
    const count = await makeDeliveriesDue(pool, endpoint, page);
    sum += count;
    if (count < DELIVERIES_AT_ONCE) return;
    onProgress?.(sum);
  }
}

/** Disables an endpoint: the service holds its events until it is enabled. */
export const disableEndpoint = withRole(
  'operator',
  async (database: Database, actor: Actor, id: EndpointId, reason: string): Promise<WebhookEndpoint> => {
    return changeEndpoint(database, actor, { ...id, action: 'endpoint.disable' }, async (endpoint) => ({
      ...endpoint,
      status: 'disabled',
      statusReason: reason,
    }));
  },
);

/** Final: its waiting deliveries are never sent. */
export const removeEndpoint = withRole(
  'operator',
  async (database: Database, actor: Actor, id: EndpointId): Promise<WebhookEndpoint> => {
    return changeEndpoint(database, actor, { ...id, action: 'endpoint.remove' }, async (endpoint) => ({
      ...endpoint,
      status: 'removed',
      statusReason: null,
      nextSecretSealed: null,
      nextSecretFrom: null,
    }));
  },
);

/** Of the events that get their sequences from then on, it gets those of these types. */
export const updateEventTypes = withRole(
  'operator',
  async (database: Database, actor: Actor, id: EndpointId, eventTypes: readonly string[]): Promise<WebhookEndpoint> => {
    refuseUnknownTypes(eventTypes);
    return changeEndpoint(database, actor, { ...id, action: 'endpoint.update' }, async (endpoint, db) => {
      await lockEventCounter(db, id.partnerId);
      return { ...endpoint, eventTypes };
    });
  },
);
