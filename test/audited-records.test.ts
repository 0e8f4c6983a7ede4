/** Nothing permits or authorises without a sealed entry: keys, partners and endpoints are held against the audit when they are used (settlements, section 5). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newApiKey } from '../src/domain/api-key.ts';
import { newNamedKey } from '../src/domain/named-key.ts';
import { adoptRecords } from '../src/operations/adopt-records.ts';
import { attestRecord } from '../src/operations/attest-record.ts';
import { revokeApiKey } from '../src/operations/manage-api-key.ts';
import { resumePartner, setPartnerRates, suspendPartner } from '../src/operations/manage-partner.ts';
import { verifyAudit } from '../src/operations/verify-audit.ts';
import { authenticator } from '../src/partner-api/authenticate.ts';
import { failureLimit } from '../src/partner-api/failure-limit.ts';
import { openDatabase } from '../src/store/database.ts';
import { enableEndpoint } from '../src/webhooks/manage-endpoint.ts';
import { testEndpoint } from '../src/webhooks/test-endpoint.ts';
import { OWNER } from './support/actor.ts';
import { countByStatus, newConfirmation, uniqueId } from './support/client.ts';
import { testDatabase } from './support/database.ts';
import { testService } from './support/service.ts';
import { closeRegularly, getOpen } from './support/settlements.ts';
import { asSuperuser } from './support/superuser.ts';
import { WebhookReceiver } from './support/webhook-receiver.ts';
import { endpointTools, newEndpoint, untilDeliveries, WEBHOOK_ENV } from './support/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const tools = endpointTools(database);
const waiting = { timeout: 60_000 };

async function tamper(text: string, values: unknown[]): Promise<void> {
  await asSuperuser(database.pool, async (client) => assert.ok(((await client.query(text, values)).rowCount ?? 0) > 0, text));
}

/** An instance of its own that remembers nothing. */
function instance() {
  const doubts: string[] = [];
  const onDoubt = ({ message }: Error) => void doubts.push(message);
  const authenticate = authenticator({ database, environment: 'sandbox', failures: failureLimit(), onUse: () => {}, onDoubt });
  return { doubts, of: (apiKey: string) => authenticate({ apiKey, address: '127.0.0.1' }) };
}

describe('an API key', () => {
  const edits: [what: string, set: string][] = [
    ['a permission that was raised', "permission = 'read_write'"],
    ['an address list that was emptied', "allowed_addresses = '{}'"],
    ['an end that was put off', 'expires_at = null'],
    ['another partner', 'partner_id = (select min(partner_id) from partner)'],
    ['a name', "name = 'x'"],
    ['a time of its making', "created_at = created_at - interval '1 day'"],
  ];
  for (const [what, set] of edits)
    test(`${what}: it authorises nothing, and the key is named`, async () => {
      const terms = {
        permission: 'read_only',
        allowedAddresses: ['127.0.0.0/8'],
        expiresAt: new Date(Date.now() + 3_600_000),
      } as const;
      const { key } = await service.newPartner({ key: terms });
      const { keyId } = key.key;
      assert.equal((await instance().of(key.apiKey)).unproven, null);
      await tamper(`update api_key set ${set} where key_id = $1`, [keyId]);
      const { of, doubts } = instance();
      await assert.rejects(of(key.apiKey), { code: 'internal_service_unavailable' });
      assert.match(doubts.join(), new RegExp(`The api key ${keyId} is not as the audit has it`));
    });

  test('one that was revoked, put back as it was', async () => {
    const { key } = await service.newPartner();
    await revokeApiKey(database, OWNER, key.key.keyId);
    await tamper('update api_key set revoked_at = null where key_id = $1', [key.key.keyId]);
    await assert.rejects(instance().of(key.apiKey), { code: 'internal_service_unavailable' });
  });

  test("the attacker's own secret in a key that there is, and a key that was inserted", async () => {
    const { key, partner } = await service.newPartner();
    const theirs = newApiKey('sandbox');
    await tamper('insert into api_key (key_id, partner_id, secret_sha256, name, permission) values ($1, $2, $3, $4, $5)', [
      ...[theirs.keyId, partner.partnerId, theirs.secretSha256, 'theirs', 'read_write'],
    ]);
    await assert.rejects(instance().of(theirs.apiKey), { code: 'unauthorized' });
    const other = newApiKey('sandbox');
    await tamper('update api_key set key_id = $2, secret_sha256 = $3 where key_id = $1', [
      ...[key.key.keyId, other.keyId, other.secretSha256],
    ]);
    await assert.rejects(instance().of(other.apiKey), { code: 'unauthorized' });
  });

  test('a change of one that was edited writes no entry that would make the edit true', async () => {
    const { key } = await service.newPartner({ key: { permission: 'read_only' } });
    await tamper("update api_key set permission = 'read_write' where key_id = $1", [key.key.keyId]);
    await assert.rejects(revokeApiKey(database, OWNER, key.key.keyId), { name: 'UnsoundRecordError' });
    await attestRecord(database, OWNER, { kind: 'api_key', id: key.key.keyId, reason: 'as the backup has it' });
    assert.equal((await instance().of(key.apiKey)).permission, 'read_write');
    await revokeApiKey(database, OWNER, key.key.keyId);
  });
});

describe('a partner', () => {
  test(
    'whose suspension was lifted by SQL: nothing new is recorded, and what is stored is found and replays',
    waiting,
    async () => {
      const { partner, key, client } = await service.newPartner();
      const { partnerId } = partner;
      const fields = newConfirmation();
      const headers = { 'idempotency-key': uniqueId('key') };
      assert.equal((await client.confirm(fields, headers)).status, 201);
      await suspendPartner(database, OWNER, partnerId);
      await tamper('update partner set suspended_at = null where partner_id = $1', [partnerId]);
      const { of, doubts } = instance();
      const { isSuspended, unproven } = await of(key.apiKey);
      assert.deepEqual([isSuspended, unproven], [true, 'partner']);
      assert.match(doubts.join(), new RegExp(`The partner ${partnerId} is not as the audit has it: suspended_at differs`));
      // A second service has nothing remembered.
      const other = await testService({ env: { ...WEBHOOK_ENV, DATABASE_URL: service.databaseUrl } });
      const again = (await other.newPartner({ of: partner })).client;
      const answers = await Promise.all(Array.from({ length: 5 }, () => again.confirm()));
      assert.deepEqual(countByStatus(answers), { 503: 5 });
      assert.equal((await again.estimate()).status, 503);
      const replayed = await again.confirm(fields, headers);
      assert.deepEqual([replayed.status, replayed.headers.get('idempotent-replayed')], [201, 'true']);
      const { rows } = await database.pool.query('select count(*) from contribution where partner_id = $1', [partnerId]);
      assert.equal(rows[0].count, 1n);
    },
  );

  test('whose currency was edited: nothing is closed, and the partner is named; nor is it changed', async () => {
    const { partner, client } = await service.newPartner();
    const { partnerId } = partner;
    await client.confirm();
    await tamper("update partner set currency = 'SAR' where partner_id = $1", [partnerId]);
    const open = await getOpen(database, partnerId);
    await assert.rejects(
      closeRegularly(database, partnerId),
      new RegExp(`The partner ${partnerId} is not as the audit has it: currency`),
    );
    assert.deepEqual(await getOpen(database, partnerId), open);
    await assert.rejects(setPartnerRates(database, OWNER, partnerId, { writesPerSecond: 7 }), { name: 'UnsoundRecordError' });
    await assert.rejects(resumePartner(database, OWNER, partnerId), { name: 'UnsoundRecordError' });
    await attestRecord(database, OWNER, { kind: 'partner', id: partnerId, reason: 'as agreed with the partner' });
    assert.equal((await closeRegularly(database, partnerId)).closed.totals?.contributionCount, 1n);
  });
});

describe('an endpoint', () => {
  test('whose address was edited is sent nothing, and its events are held until it is put back', waiting, async () => {
    const { partner, client, receiver, endpointId } = await newEndpoint(service, tools);
    const { partnerId } = partner;
    const [before, theirs] = [receiver.arrived.length, await WebhookReceiver.open()];
    await tamper('update webhook_endpoint set url = $2 where endpoint_id = $1', [endpointId, theirs.url]);
    await client.confirm();
    const neighbour = await newEndpoint(service, tools);
    await neighbour.client.confirm();
    await neighbour.receiver.until(1);
    const [held] = await untilDeliveries(database, partnerId, ({ length }) => length === 1);
    assert.deepEqual([held?.status, held?.attempts, theirs.arrived.length, receiver.arrived.length], ['waiting', 0, 0, before]);
    await assert.rejects(testEndpoint(tools, partnerId, endpointId), { name: 'UnsoundRecordError' });
    await assert.rejects(enableEndpoint(database, OWNER, { partnerId, endpointId }), { name: 'UnsoundRecordError' });
    await tamper('update webhook_endpoint set url = $2 where endpoint_id = $1', [endpointId, receiver.url]);
    await untilDeliveries(database, partnerId, ([delivery]) => delivery?.status === 'delivered');
    assert.equal(theirs.arrived.length, 0);
  });
});

describe('what a release before has written', () => {
  test('is adopted once, but for what contradicts its entry; from then on nothing is', async () => {
    const keys = [newNamedKey('test')];
    const { databaseUrl, pool } = await testDatabase();
    const old = openDatabase({ databaseUrl, poolSize: 3, auditKeys: () => keys });
    try {
      const insert = (id: string) =>
        pool.query(
          'insert into partner (partner_id, name, writes_per_second, lookups_per_second, reports_per_second) values ($1, $1, 1, 1, 1)',
          [id],
        );
      for (const id of ['ptn_a', 'ptn_b', 'ptn_c']) await insert(id);
      await attestRecord(old, OWNER, { kind: 'partner', id: 'ptn_b', reason: 'a test' });
      await pool.query("update partner set writes_per_second = 2 where partner_id = 'ptn_b'");
      await adoptRecords(old, OWNER);
      await insert('ptn_d');
      await adoptRecords(old, OWNER);
      const { rows } = await pool.query("select subject_id from audit_entry where action = 'partner.adopt' order by 1");
      assert.deepEqual(
        rows.map(({ subject_id }) => subject_id),
        ['ptn_a', 'ptn_c'],
      );
      assert.equal((await verifyAudit(old)).fault, null);
      await suspendPartner(old, OWNER, 'ptn_a');
      for (const id of ['ptn_b', 'ptn_d']) await assert.rejects(suspendPartner(old, OWNER, id), { name: 'UnsoundRecordError' });
    } finally {
      await old.close();
    }
  });

  test('is not adopted while an entry of the audit is missing', async () => {
    const keys = [newNamedKey('test')];
    const { databaseUrl, pool } = await testDatabase();
    const old = openDatabase({ databaseUrl, poolSize: 3, auditKeys: () => keys });
    try {
      const text =
        'insert into partner (partner_id, name, writes_per_second, lookups_per_second, reports_per_second) values ($1, $1, 1, 1, 1)';
      await pool.query(text, ['ptn_a']);
      await adoptRecords(old, OWNER);
      await asSuperuser(
        pool,
        async (client) => void (await client.query("delete from audit_entry where subject_id = 'record_seals'")),
      );
      await pool.query(text, ['ptn_e']);
      await adoptRecords(old, OWNER);
      const { rows } = await pool.query("select subject_id from audit_entry where action = 'partner.adopt'");
      assert.deepEqual(rows, [{ subject_id: 'ptn_a' }]);
    } finally {
      await old.close();
    }
  });
});
