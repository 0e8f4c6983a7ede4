import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { READINESS_CHECKS } from '../../src/domain/sandbox/readiness.ts';
import { serviceSignature } from '../../src/webhooks/security/signature.ts';
import { waitFor } from './assertions/wait-for.ts';
import { type Client, newConfirmation, uniqueId } from './client.ts';
import type { WebhookReceiver } from './webhooks/webhook-receiver.ts';

export const newKey = () => ({ 'idempotency-key': uniqueId('key') });

/** Each check as a partner plays it. @returns The correlation id that it is shown by, where the test knows it. */
export const PLAYS: Record<keyof typeof READINESS_CHECKS, (client: Client) => Promise<string | null>> = {
  async replayed_key(client) {
    const [key, confirmation] = [newKey(), newConfirmation()];
    await client.confirm(confirmation, key);
    return (await client.confirm(confirmation, key)).headers.get('x-correlation-id');
  },
  async recovered_lost_answer(client) {
    const confirmation = newConfirmation();
    await assert.rejects(client.confirm(confirmation, { ...newKey(), 'x-sandbox-scenario': 'timeout_after_commit' }));
    return (await client.findByEvent(confirmation.partner_event_id)).headers.get('x-correlation-id');
  },
  async waited_out_rate_limit(client) {
    const [key, confirmation] = [newKey(), newConfirmation()];
    const headers = { ...key, 'x-sandbox-scenario': 'rate_limited;times=1' };
    assert.equal((await client.confirm(confirmation, headers)).status, 429);
    await sleep(1_100);
    return (await client.confirm(confirmation, headers)).headers.get('x-correlation-id');
  },
  async verified_signature(client) {
    await client.post('/v1/sandbox/events', { event_type: 'settlement.closed' });
    await client.post('/v1/sandbox/events', { event_type: 'settlement.closed', fault: 'bad_signature' });
    return null;
  },
  async acknowledged_repeated_event(client) {
    const answer = await client.post('/v1/sandbox/events', { event_type: 'settlement.closed', fault: 'duplicate' });
    return answer.headers.get('x-correlation-id');
  },
  async caught_up(client) {
    await client.confirm();
    await client.confirm();
    await waitFor('second event', async () => (await client.listEvents('?limit=500')).body.events.length >= 2);
    return (await client.listEvents('?after_sequence=1&limit=500')).headers.get('x-correlation-id');
  },
  async reconciled_settlement(client) {
    // What was confirmed before is on a settlement of its own: this list has what is confirmed from here on.
    await client.post('/v1/sandbox/settlements/close', undefined);
    const confirmed = newConfirmation();
    await client.confirm(confirmed);
    await compareWithNewSettlement(client, [confirmed]);
    return null;
  },
  async exact_points(client) {
    const confirmation = { ...newConfirmation(), points: 9007199254740993n };
    await client.confirm(confirmation);
    return (await client.findByEvent(confirmation.partner_event_id)).headers.get('x-correlation-id');
  },
};

/** Closes the settlement that is open, and compares a list with it. @returns The ids of both, when all lines are compared. */
export async function compareWithNewSettlement(
  client: Client,
  confirmations: readonly ReturnType<typeof newConfirmation>[],
): Promise<{ readonly settlementId: string; readonly reconciliationId: string }> {
  const { settlement } = (await client.post('/v1/sandbox/settlements/close', undefined)).body;
  const settlementId: string = settlement.settlement_id;
  const list = confirmations.map(({ partner_event_id, partner_order_ref, points }) => ({
    partner_event_id,
    partner_order_ref,
    points,
  }));
  const path = `/v1/settlements/${settlementId}/reconciliations`;
  const { status, body } = await client.post(path, list);
  assert.equal(status, 202);
  const reconciliationId: string = body.reconciliation.reconciliation_id;
  await waitFor('list that is compared', async () => {
    const { reconciliation } = (await client.call(`${path}/${reconciliationId}`)).body;
    assert.notEqual(reconciliation.status, 'failed');
    return reconciliation.status === 'done';
  });
  return { settlementId, reconciliationId };
}

/** The receiver takes what is signed with its secret now, and refuses the rest. */
export function verifyBy(receiver: WebhookReceiver, secret: string): void {
  receiver.answer = (response, { headers, body }) => {
    const timestamp = headers['x-service-timestamp'] as string;
    const isRecent = Math.abs(Number(timestamp) - Date.now() / 1_000) < 300;
    const isRight = isRecent && headers['x-service-signature'] === serviceSignature(secret, timestamp, body);
    response.writeHead(isRight ? 200 : 401).end();
  };
}
