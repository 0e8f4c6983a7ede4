import { after } from 'node:test';
import { readConfig } from '../../../src/config.ts';
import { openConfiguredSecretBox } from '../../../src/service/keys/configured-keys.ts';
import type { Database } from '../../../src/store/database.ts';
import { isDeadlock } from '../../../src/store/database-errors.ts';
import { type LoggedDelivery, listDeliveries } from '../../../src/store/webhooks/delivery-log.ts';
import { addEndpoint } from '../../../src/webhooks/endpoints/add-endpoint.ts';
import type { EndpointTools } from '../../../src/webhooks/endpoints/endpoint-context.ts';
import { openGuardedAgent } from '../../../src/webhooks/security/guarded-agent.ts';
import { OWNER } from '../actor.ts';
import { waitFor } from '../assertions/wait-for.ts';
import { untilSequenced } from '../records.ts';
import type { TestPartner, TestService } from '../service.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

/** For a service whose receivers are on this machine. */
export const WEBHOOK_ENV = {
  WEBHOOK_ALLOW_INSECURE: 'true',
  SECRETS_KEY: `test:${Buffer.alloc(32, 7).toString('base64')}`,
};

export function endpointTools(database: Database, clock: () => number = Date.now): EndpointTools {
  const client = openGuardedAgent({ allowInsecure: true });
  after(() => client.close());
  const secretBox = openConfiguredSecretBox(readConfig(WEBHOOK_ENV));
  return { database, environment: 'sandbox', client, secretBox, allowInsecure: true, clock };
}

export interface TestEndpoint extends TestPartner {
  readonly receiver: WebhookReceiver;
  readonly endpointId: string;
  readonly secret: string;
}

/** A new partner with one endpoint, which gets what comes after the partner's first event: `settlement.created`, with sequence 1. */
export async function newEndpoint(
  service: Pick<TestService, 'newPartner' | 'database'>,
  tools: EndpointTools,
  eventTypes: readonly string[] = [],
): Promise<TestEndpoint> {
  const made = await service.newPartner();
  await untilSequenced(service.database, made.partner.partnerId, 1);
  const receiver = await WebhookReceiver.open();
  const endpoint = await addEndpoint(tools, OWNER, { partnerId: made.partner.partnerId, url: receiver.url, eventTypes });
  return { ...made, receiver, ...endpoint };
}

/** Waits until the newest deliveries of a partner are as wanted. */
export async function untilDeliveries(
  { pool }: Database,
  partnerId: string,
  areAsWanted: (deliveries: readonly LoggedDelivery[]) => boolean,
): Promise<LoggedDelivery[]> {
  const newest = () => listDeliveries(pool, partnerId, { limit: 1_000 });
  const wanted = async () => {
    const deliveries = await newest();
    return areAsWanted(deliveries) && deliveries;
  };
  return waitFor('deliveries as the test wants them', wanted, newest);
}

/** Time enters as data: whatever waits for its next attempt, or for the end of a lease, is due now. */
export async function makeDue({ pool }: Database, partnerId: string): Promise<void> {
  const update =
    "update delivery set status = 'waiting', next_attempt_at = now() where partner_id = $1 and status in ('waiting', 'handed_over') and ended_at is null";
  // The service locks the same rows in an order of its own.
  for (let isDone = false; !isDone; )
    isDone = await pool.query(update, [partnerId]).then(
      () => true,
      (error: unknown) => {
        if (isDeadlock(error)) return false;
        throw error;
      },
    );
  await pool.query(
    'update endpoint_health set breaker_open_until = now() where partner_id = $1 and breaker_open_until is not null',
    [partnerId],
  );
}
