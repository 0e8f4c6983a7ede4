import type { Actor } from '../../domain/access/role.ts';
import { headWithoutSequence, TEST_TYPE } from '../../domain/events/event.ts';
import { newId } from '../../domain/identifiers.ts';
import { DELIVERY_LEASE_MS } from '../../domain/webhooks/delivery-lease.ts';
import { audit } from '../../operations/audit/audit.ts';
import { withRole } from '../../operations/with-role.ts';
import { readClock } from '../../store/clock.ts';
import type { Database } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import type { Attempt } from '../../store/webhooks/attempt.ts';
import { insertClaimedDelivery } from '../../store/webhooks/delivery.ts';
import { deliveryIdOf } from '../../store/webhooks/delivery-id.ts';
import { type EndpointId, findWebhookEndpoint, type WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import { eventToText } from '../../wire/event-to-text.ts';
import { post, toAttempt } from '../delivery/attempt.ts';
import { settleAttempts } from '../delivery/settle-attempts.ts';
import { readVerified } from '../delivery/verified-endpoints.ts';
import { openSecrets } from '../security/endpoint-secrets.ts';
import { type EndpointTools, unknownEndpoint } from './endpoint-context.ts';

/**
 * Sends a signed test event to an endpoint, once and at once, whatever its status. It is in the log of deliveries like any other, and in
 * the audit.
 *
 * @returns Its result.
 * @throws ServiceError `forbidden`; `invalid_request` when there is no such endpoint.
 * @throws UnverifiedRecordError When it differs from the audit; nothing is sent then.
 * @throws SecretUnreadableError When its secret cannot be decrypted; nothing is stored then.
 */
export const testEndpoint = withRole(
  'operator',
  async (tools: EndpointTools, actor: Actor, { partnerId, endpointId }: EndpointId): Promise<Attempt> => {
    const { database, environment, secretBox } = tools;
    const endpoint = await getVerified(database, actor, { partnerId, endpointId });
    // Before anything is stored: a delivery that cannot be signed would have no result.
    const secrets = openSecrets(secretBox, endpoint);
    const eventId = newId('evt');
    const occurredAt = await readClock(database.pool);
    const { correlationId } = actor;
    const head = headWithoutSequence({ partnerId, eventId, eventType: TEST_TYPE, occurredAt, correlationId });
    const body = eventToText(head, environment, { endpoint_id: endpointId });
    const deliveryId = deliveryIdOf(eventId, endpointId);
    const delivery = { partnerId, deliveryId, endpointId, eventId, eventType: TEST_TYPE, trigger: 'test', body } as const;
    const claimedAtMs = performance.now();
    const claimed = await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const inserted = await insertClaimedDelivery(db, delivery, DELIVERY_LEASE_MS);
      const after = { endpoint_id: endpointId, event_id: eventId };
      await audit(db, actor, { action: 'delivery.test', partnerId, subjectId: deliveryId, before: null, after });
      return inserted;
    });
    const answer = await post(tools, claimed, { url: endpoint.url, secrets, correlationId, body: Buffer.from(body) });
    const attempt = toAttempt(claimed, answer, performance.now() - claimedAtMs);
    await settleAttempts(database, partnerId, [attempt]);
    return attempt;
  },
);

async function getVerified(database: Database, actor: Actor, id: EndpointId): Promise<WebhookEndpoint> {
  const verified = await readVerified(database, async () => {
    const endpoint = await findWebhookEndpoint(database.pool, id.partnerId, id.endpointId);
    if (!endpoint) throw unknownEndpoint(id, actor);
    return [endpoint];
  });
  return verified[0] as WebhookEndpoint;
}
