import type { Actor } from '../../domain/access/role.ts';
import type { EndpointHealth } from '../../domain/webhooks/endpoint-circuit.ts';
import { audit } from '../../operations/audit/audit.ts';
import { ENDPOINT } from '../../operations/audit/audited-kinds.ts';
import { endpointRecord } from '../../operations/audit/authorising-records.ts';
import { requireAudited } from '../../operations/audit/require-audited.ts';
import { withRole } from '../../operations/with-role.ts';
import { readClock } from '../../store/clock.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { makeDeliveriesDue } from '../../store/webhooks/delivery.ts';
import { clearEndpointHealth } from '../../store/webhooks/endpoint-health.ts';
import { watchEndpoints } from '../../store/webhooks/endpoint-watch.ts';
import {
  findWebhookEndpoint,
  lockWebhookEndpoint,
  updateWebhookEndpoint,
  type WebhookEndpoint,
} from '../../store/webhooks/webhook-endpoint.ts';
import { LEASE_MS } from '../delivery/attempt.ts';
import { endOverlap } from '../security/endpoint-secrets.ts';
import { newSecret } from '../security/signature.ts';
import { refuseUnknownTypes } from './add-endpoint.ts';
import { aboutEndpoint, type EndpointId, type EndpointTools, refusal, unknownEndpoint } from './endpoint-context.ts';

const ROTATION_OVERLAP_MS = 24 * 3_600_000;
const DELIVERIES_AT_ONCE = 1_000;

/** @throws ServiceError `invalid_request` when there is none. */
export async function getEndpoint(
  db: Queryable,
  partnerId: string,
  endpointId: string,
): Promise<WebhookEndpoint & EndpointHealth> {
  const endpoint = await findWebhookEndpoint(db, partnerId, endpointId);
  if (!endpoint) throw unknownEndpoint(partnerId, endpointId);
  return endpoint;
}

/** Held events are sent, and its failures are reset. */
export const enableEndpoint = withRole(
  'operator',
  async (database: Database, actor: Actor, id: EndpointId): Promise<WebhookEndpoint> => {
    const enabled = await change(database, actor, { ...id, action: 'endpoint.enable' }, async (endpoint, db) => {
      await clearEndpointHealth(db, endpoint);
      await watchEndpoints(db, database, [endpoint]);
      return { ...endpoint, status: 'active', statusReason: null };
    });
    const page = { longerThanMs: LEASE_MS, dueInMs: 0, limit: DELIVERIES_AT_ONCE };
    while ((await makeDeliveriesDue(database.pool, enabled, page)) === DELIVERIES_AT_ONCE);
    return enabled;
  },
);

/** Disables an endpoint: the service holds its events until it is enabled. */
export const disableEndpoint = withRole(
  'operator',
  async (database: Database, actor: Actor, id: EndpointId, reason: string): Promise<WebhookEndpoint> => {
    return change(database, actor, { ...id, action: 'endpoint.disable' }, async (endpoint) => ({
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
    return change(database, actor, { ...id, action: 'endpoint.remove' }, async (endpoint) => ({
      ...endpoint,
      status: 'removed',
      statusReason: null,
      nextSecretSealed: null,
      nextSecretFrom: null,
    }));
  },
);

/** The event types that it gets from then on. */
export const updateEventTypes = withRole(
  'operator',
  async (database: Database, actor: Actor, id: EndpointId, eventTypes: readonly string[]): Promise<WebhookEndpoint> => {
    refuseUnknownTypes(eventTypes);
    return change(database, actor, { ...id, action: 'endpoint.update' }, async (endpoint) => ({ ...endpoint, eventTypes }));
  },
);

/**
 * Creates a second secret. Until it is activated, or the overlap of 24 hours ends, the old one signs as before and the new one beside it.
 *
 * @param isReplacing Whether an existing second secret, which a receiver may already use, is replaced.
 * @returns The new secret, shown once.
 * @throws ServiceError `invalid_request` when there is a second secret and it is not to be replaced.
 */
export const rotateSecret = withRole(
  'operator',
  async (
    { database, secretBox }: Pick<EndpointTools, 'database' | 'secretBox'>,
    actor: Actor,
    id: EndpointId,
    isReplacing = false,
  ): Promise<{ secret: string; from: Date }> => {
    const secret = newSecret();
    const rotation = { ...id, action: 'endpoint.rotate-secret' };
    const make: Change = async (endpoint, db) => {
      const from = new Date((await readClock(db)).getTime() + ROTATION_OVERLAP_MS);
      // The secret that an earlier rotation ended must not sign again.
      const ended = endOverlap(endpoint);
      if (ended.nextSecretFrom !== null && !isReplacing)
        throw refusal(
          `There is already a new secret, which becomes the only one at ${ended.nextSecretFrom.toISOString()}. Activate it with \`endpoint rotate-secret --activate\`, or replace it with \`endpoint rotate-secret --replace\`.`,
        );
      return { ...ended, nextSecretSealed: secretBox.seal(id.endpointId, secret), nextSecretFrom: from, isNextSecretDue: false };
    };
    const tell = ({ nextSecretFrom }: WebhookEndpoint) => ({ secret, from: nextSecretFrom as Date });
    return changeAnd(database, actor, rotation, { make, tell });
  },
);

/** From now on the new secret is the only one. */
export const activateSecret = withRole(
  'operator',
  async (database: Database, actor: Actor, id: EndpointId): Promise<WebhookEndpoint> => {
    return change(database, actor, { ...id, action: 'endpoint.activate-secret' }, async (endpoint) => {
      if (endpoint.nextSecretSealed === null)
        throw refusal('There is no new secret to activate. Create one: `endpoint rotate-secret`.');
      return { ...endpoint, secretSealed: endpoint.nextSecretSealed, nextSecretSealed: null, nextSecretFrom: null };
    });
  },
);

type Change = (endpoint: WebhookEndpoint, db: Parameters<Parameters<typeof inTransaction>[2]>[0]) => Promise<WebhookEndpoint>;

type Named = EndpointId & { readonly action: string };

function change(database: Database, actor: Actor, named: Named, make: Change): Promise<WebhookEndpoint> {
  return changeAnd(database, actor, named, { make, tell: (changed) => changed });
}

/** Changes of an endpoint run one after another. */
async function changeAnd<Told>(
  database: Database,
  actor: Actor,
  { partnerId, endpointId, action }: Named,
  { make, tell }: { readonly make: Change; readonly tell: (changed: WebhookEndpoint) => Told },
): Promise<Told> {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const endpoint = await lockWebhookEndpoint(db, partnerId, endpointId);
    if (!endpoint) throw unknownEndpoint(partnerId, endpointId);
    await requireAudited(db, ENDPOINT, endpoint);
    const changed = await make(endpoint, db);
    await updateWebhookEndpoint(db, changed);
    const [before, after] = [endpointRecord(endpoint), endpointRecord(changed)];
    await audit(db, actor, aboutEndpoint(endpoint, { action, before, after }));
    return tell(changed);
  });
}
