/** A database that answers, and takes long for each answer. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { openAuditKeys } from '../../src/service/keys/configured-keys.ts';
import { openDatabase } from '../../src/store/database.ts';
import { detailCodes, uniqueId } from '../support/client.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { databaseProxy } from '../support/postgres/database-proxy.ts';
import { spawnService, withPartners } from '../support/service.ts';

const { databaseUrl } = await testDatabase();
const proxy = await databaseProxy(databaseUrl);
const { baseUrl } = await spawnService(proxy.databaseUrl, {}, ['--roles', 'api']);
const database = openDatabase({ databaseUrl, poolSize: 1, auditKeys: () => openAuditKeys(readConfig({})) });
after(() => database.close());
const { newPartner } = withPartners(baseUrl, database);

/** Longer than half of what a request has, and shorter than any one answer may take. */
const DELAY_MS = 2_800;

test('the check of a key counts as time of its request: internal_service_unavailable', async () => {
  const [known, { client }] = [await newPartner(), await newPartner()];
  // From now on there are connections, and what is read for each partner is remembered of this one alone.
  assert.equal((await known.client.findByEvent(uniqueId('event'))).status, 404);
  proxy.delay(DELAY_MS);
  const answer = await client.findByEvent(uniqueId('event'));
  proxy.delay(0);
  assert.equal(answer.status, 503, answer.text);
  assert.deepEqual(detailCodes(answer), { point_restoration: 'not_authorized', next_action: 'look_up' });
});
