import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../domain/access/role.ts';
import { audit } from '../../operations/audit/audit.ts';
import { ENDPOINT } from '../../operations/audit/audited-kinds.ts';
import { endpointRecord } from '../../operations/audit/authorising-records.ts';
import { requireAudited } from '../../operations/audit/require-audited.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import {
  type EndpointId,
  lockWebhookEndpoint,
  updateWebhookEndpoint,
  type WebhookEndpoint,
} from '../../store/webhooks/webhook-endpoint.ts';
import { aboutEndpoint, unknownEndpoint } from './endpoint-context.ts';

export type EndpointChange = (endpoint: WebhookEndpoint, db: Queryable) => Promise<WebhookEndpoint>;

type Named = EndpointId & { readonly action: string };

export function changeEndpoint(database: Database, actor: Actor, named: Named, make: EndpointChange): Promise<WebhookEndpoint> {
  return changeEndpointAnd(database, actor, named, { make, tell: (changed) => changed });
}

/**
 * Changes of an endpoint run one after another. A change by the partner that changes nothing is not recorded. What `tell` returns is the
 * result of the transaction: an answer under a key is made of it before the COMMIT.
 */
export async function changeEndpointAnd<Told>(
  database: Database,
  actor: Actor,
  { partnerId, endpointId, action }: Named,
  { make, tell }: { readonly make: EndpointChange; readonly tell: (changed: WebhookEndpoint) => Told },
): Promise<Told> {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const endpoint = await lockWebhookEndpoint(db, partnerId, endpointId);
    if (!endpoint) throw unknownEndpoint({ partnerId, endpointId }, actor);
    await requireAudited(db, ENDPOINT, endpoint);
    const changed = await make(endpoint, db);
    const [before, after] = [endpointRecord(endpoint), endpointRecord(changed)];
    // Failures are no part of the record.
    const resetsFailures = action === 'endpoint.enable' && endpoint.failingSince !== null;
    if (actor.isPartner && isDeepStrictEqual(before, after) && !resetsFailures) return tell(changed);
    await updateWebhookEndpoint(db, changed);
    await audit(db, actor, aboutEndpoint(endpoint, { action, before, after }));
    return tell(changed);
  });
}
