/** The engineer on call finds out which key was used, and whose it is; a wrong key names nobody. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newApiKey } from '../../src/domain/access/api-key.ts';
import { issueApiKey, revokeApiKey } from '../../src/operations/access/manage-api-key.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { Client } from '../support/client.ts';
import { spawnService, testService, withPartners } from '../support/service.ts';

const { databaseUrl, database } = await testService({ roles: [] });
const { baseUrl, output } = await spawnService(databaseUrl, { LOG_LEVEL: 'info' });
const { newPartner } = withPartners(baseUrl, database);

interface Line {
  readonly status?: number;
  readonly partner_id?: string;
  readonly key_id?: string;
}

function linesOf(wanted: number): Line[] {
  const lines = output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Line).filter(({ status }) => status === wanted);
}

test('the line of a request with an expired or a revoked key has the partner and the id of the key, that of a wrong one neither', async () => {
  const expired = await newPartner({ key: { expiresAt: new Date(Date.now() - 1_000) } });
  const revoked = await newPartner();
  await revokeApiKey(database, OWNER, revoked.key.key.keyId);
  const wrong = new Client(baseUrl, newApiKey('sandbox').apiKey);
  for (const client of [expired.client, revoked.client, wrong]) assert.equal((await client.confirm()).status, 401);
  await waitFor('the lines of three refusals', () => linesOf(401).length === 3);
  assert.deepEqual(
    linesOf(401).map(({ partner_id, key_id }) => [partner_id, key_id]),
    [
      [expired.partner.partnerId, expired.key.key.keyId],
      [revoked.partner.partnerId, revoked.key.key.keyId],
      [undefined, undefined],
    ],
  );
  for (const { key } of [expired, revoked]) assert.ok(!output().includes(key.apiKey));
});

test('the line of each request with a valid key has its id, so that what was done with a leaked one can be listed', async () => {
  const { client, partner, key } = await newPartner();
  assert.equal((await client.confirm()).status, 201);
  const second = await issueApiKey(database, OWNER, { ...key.key, name: 'second', environment: 'sandbox' });
  assert.equal((await new Client(baseUrl, second.apiKey).confirm()).status, 201);
  await waitFor('the lines of two confirmations', () => linesOf(201).length === 2);
  assert.deepEqual(
    linesOf(201).map(({ partner_id, key_id }) => [partner_id, key_id]),
    [
      [partner.partnerId, key.key.keyId],
      [partner.partnerId, second.key.keyId],
    ],
  );
  for (const { apiKey } of [key, second]) assert.ok(!output().includes(apiKey));
});
