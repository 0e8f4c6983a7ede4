/** Which endpoints still use a key: the statement of docs/operating.md, word for word, and what `doctor` reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertWebhookEndpoint, listSecretsByKey } from '../../src/store/webhooks/webhook-endpoint.ts';
import { listBlocks } from '../support/document-blocks.ts';
import { testService } from '../support/service.ts';

const { database, newPartner } = await testService({ roles: ['api'] });
const { partnerId } = (await newPartner()).partner;
const documented = listBlocks().find(({ tag, text }) => tag === 'sql' && text.includes('secret_sealed'))?.text ?? '';

async function insert(endpointId: string, rotation: string): Promise<void> {
  const endpoint = { partnerId, endpointId, url: `https://example.com/${endpointId}`, eventTypes: [], secretSealed: 'v1.old.x' };
  await insertWebhookEndpoint(database.pool, endpoint);
  await database.pool.query(`update webhook_endpoint set ${rotation} where endpoint_id = $1`, [endpointId]);
}

test('an endpoint uses the keys of both secrets while they overlap, afterwards that of the new one, and none when it is removed', async () => {
  await insert('wep_keys-never-rotated', "status = 'active'");
  await insert('wep_keys-overlapping', "next_secret_sealed = 'v1.new.x', next_secret_from = now() + interval '1 hour'");
  await insert('wep_keys-rotated', "next_secret_sealed = 'v1.new.x', next_secret_from = now() - interval '1 hour'");
  await insert('wep_keys-removed', "status = 'removed'");
  const { rows } = await database.pool.query(documented);
  assert.deepEqual(rows.map(({ partner_id, endpoint_id, key }) => `${partner_id} ${endpoint_id} ${key}`).sort(), [
    `${partnerId} wep_keys-never-rotated old`,
    `${partnerId} wep_keys-overlapping new`,
    `${partnerId} wep_keys-overlapping old`,
    `${partnerId} wep_keys-rotated new`,
  ]);
  const counts = (await listSecretsByKey(database.pool)).map(({ ownerCount, sealed }) => `${ownerCount} ${sealed}`);
  assert.deepEqual(counts.sort(), ['2 v1.new.x', '2 v1.old.x']);
});
