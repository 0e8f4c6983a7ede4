/** Nothing permits or authorises without a sealed entry: keys, partners and endpoints are compared with the audit when they are used (settlements, section 5). */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { newApiKey } from '../../src/domain/access/api-key.ts';
import { newCredential } from '../../src/domain/access/operator-credential.ts';
import { type NamedKey, newNamedKey } from '../../src/domain/audit/named-key.ts';
import { revokeApiKey } from '../../src/operations/access/manage-api-key.ts';
import { changeOperatorRole, createOperator, disableOperator, resetSignIn } from '../../src/operations/access/manage-operator.ts';
import { createPartner, resumePartner, setPartnerRates, suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { authenticateOperator, signIn, signOut } from '../../src/operations/access/sign-in.ts';
import { verifyAudit } from '../../src/operations/audit/verify-audit.ts';
import { adoptRecords } from '../../src/operations/verification/adopt-records.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { authenticator } from '../../src/partner-api/access/authenticate.ts';
import { failureLimit } from '../../src/partner-api/limits/failure-limit.ts';
import { openDatabase } from '../../src/store/database.ts';
import { enableEndpoint } from '../../src/webhooks/endpoints/manage-endpoint.ts';
import { testEndpoint } from '../../src/webhooks/endpoints/test-endpoint.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { countByStatus, newConfirmation, uniqueId } from '../support/client.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { OPEN_RATES, testService } from '../support/service.ts';
import { closeRegularly, getOpen } from '../support/settlements.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools, newEndpoint, untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const tools = endpointTools(database);
async function tamper(text: string, values: unknown[]): Promise<void> {
  await asSuperuser(database.pool, async (client) => assert.ok(((await client.query(text, values)).rowCount ?? 0) > 0, text));
}

/** An instance of its own that remembers nothing. */
function instance() {
  const reported: string[] = [];
  const onUnverified = ({ message }: Error) => void reported.push(message);
  const authenticate = authenticator({
    database,
    environment: 'sandbox',
    failures: failureLimit(),
    onUse: () => {},
    onUnverified,
  });
  return { reported, of: (apiKey: string) => authenticate({ apiKey, address: '127.0.0.1' }) };
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
      assert.equal((await instance().of(key.apiKey)).unverified, null);
      await tamper(`update api_key set ${set} where key_id = $1`, [keyId]);
      const { of, reported } = instance();
      await assert.rejects(of(key.apiKey), { code: 'internal_service_unavailable' });
      assert.match(reported.join(), new RegExp(`The api key ${keyId} differs from the audit`));
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
    await assert.rejects(revokeApiKey(database, OWNER, key.key.keyId), { name: 'UnverifiedRecordError' });
    await attestRecord(database, OWNER, { kind: 'api_key', id: key.key.keyId, reason: 'as the backup has it' });
    assert.equal((await instance().of(key.apiKey)).permission, 'read_write');
    await revokeApiKey(database, OWNER, key.key.keyId);
  });
});

describe('a partner', () => {
  test(
    'whose suspension was lifted by SQL: nothing new is recorded, and what is stored is found and replays',
    HANG_LIMIT,
    async () => {
      const { partner, key, client } = await service.newPartner();
      const { partnerId } = partner;
      const fields = newConfirmation();
      const headers = { 'idempotency-key': uniqueId('key') };
      assert.equal((await client.confirm(fields, headers)).status, 201);
      await suspendPartner(database, OWNER, partnerId);
      await tamper('update partner set suspended_at = null where partner_id = $1', [partnerId]);
      const { of, reported } = instance();
      const { isSuspended, unverified } = await of(key.apiKey);
      assert.deepEqual([isSuspended, unverified], [true, 'partner']);
      assert.match(reported.join(), new RegExp(`The partner ${partnerId} differs from the audit: suspended_at differs`));
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
      new RegExp(`The partner ${partnerId} differs from the audit: currency`),
    );
    assert.deepEqual(await getOpen(database, partnerId), open);
    await assert.rejects(setPartnerRates(database, OWNER, partnerId, { writesPerSecond: 7 }), { name: 'UnverifiedRecordError' });
    await assert.rejects(resumePartner(database, OWNER, partnerId), { name: 'UnverifiedRecordError' });
    await attestRecord(database, OWNER, { kind: 'partner', id: partnerId, reason: 'as agreed with the partner' });
    assert.equal((await closeRegularly(database, partnerId)).closed.totals?.contributionCount, 1n);
  });
});

describe('an endpoint', () => {
  test('whose address was edited is sent nothing, and its events are held until it is put back', HANG_LIMIT, async () => {
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
    await assert.rejects(testEndpoint(tools, OWNER, { partnerId, endpointId }), { name: 'UnverifiedRecordError' });
    await assert.rejects(enableEndpoint(database, OWNER, { partnerId, endpointId }), { name: 'UnverifiedRecordError' });
    await tamper('update webhook_endpoint set url = $2 where endpoint_id = $1', [endpointId, receiver.url]);
    await untilDeliveries(database, partnerId, ([delivery]) => delivery?.status === 'delivered');
    assert.equal(theirs.arrived.length, 0);
  });
});

describe('an operator', () => {
  async function signedInAs(role: 'operator' | 'approver') {
    const made = await createOperator(database, OWNER, {
      name: 'Ada',
      email: `${uniqueId('ada').toLowerCase()}@example.org`,
      role,
    });
    const { token } = await signIn(database, made.signInCode);
    return { token, operatorId: made.operator.operatorId };
  }
  const edits: [what: string, table: string, set: string][] = [
    ['a role that was raised', 'operator', "role = 'admin'"],
    ['an address', 'operator', "email = 'another@example.org'"],
    ['a name', 'operator', "name = 'x'"],
    ['a time of its making', 'operator', "created_at = created_at - interval '30 days'"],
    ['the end of a sign-in that was put off', 'operator_credential', "expires_at = expires_at + interval '1 year'"],
  ];
  for (const [what, table, set] of edits)
    test(`${what}: nobody acts with it, and the operator is named`, async () => {
      const { token, operatorId } = await signedInAs('operator');
      assert.equal((await authenticateOperator(database, token)).actor.role, 'operator');
      await tamper(`update ${table} set ${set} where operator_id = $1`, [operatorId]);
      await assert.rejects(
        authenticateOperator(database, token),
        new RegExp(`The operator ${operatorId} differs from the audit`),
      );
      await assert.rejects(changeOperatorRole(database, OWNER, operatorId, 'viewer'), { name: 'UnverifiedRecordError' });
    });

  test('a sign-in that ended, an operator who was disabled, and a token made by SQL', async () => {
    const over = await signedInAs('operator');
    await signOut(database, over.token);
    await tamper('update operator_credential set ended_at = null where operator_id = $1', [over.operatorId]);
    await assert.rejects(authenticateOperator(database, over.token), { name: 'UnverifiedRecordError' });
    const gone = await signedInAs('approver');
    await disableOperator(database, OWNER, gone.operatorId);
    await tamper('update operator set disabled_at = null where operator_id = $1', [gone.operatorId]);
    await tamper('update operator_credential set ended_at = null where operator_id = $1', [gone.operatorId]);
    await assert.rejects(authenticateOperator(database, gone.token), { name: 'UnverifiedRecordError' });
    const { operatorId, token } = await signedInAs('approver');
    const { id, text, secretSha256 } = newCredential('token');
    await tamper(
      "insert into operator_credential (credential_id, operator_id, kind, secret_sha256, created_at, expires_at) values ($1, $2, 'token', $3, now(), now() + interval '1 day')",
      [id, operatorId, secretSha256],
    );
    await assert.rejects(authenticateOperator(database, text), { name: 'UnverifiedRecordError' });
    assert.equal((await authenticateOperator(database, token)).actor.operatorId, operatorId);
  });

  test('twenty sign-ins and changes at once: the last entry says what the rows say', async () => {
    const { operatorId } = await signedInAs('operator');
    const roles = ['operator', 'viewer'] as const;
    await Promise.all(
      Array.from({ length: 10 }, async (_, each) => {
        await changeOperatorRole(database, OWNER, operatorId, roles[each % 2] ?? 'viewer');
        const { signInCode } = await resetSignIn(database, OWNER, operatorId);
        await signIn(database, signInCode).catch((error: { code?: string }) => assert.equal(error.code, 'unauthorized'));
      }),
    );
    const { signInCode } = await resetSignIn(database, OWNER, operatorId);
    await authenticateOperator(database, (await signIn(database, signInCode)).token);
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
      for (const id of ['ptn_b', 'ptn_d'])
        await assert.rejects(suspendPartner(old, OWNER, id), { name: 'UnverifiedRecordError' });
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

test('a record that is sealed with a new first key is used where that key stands behind the old one, and refused where it is not known', async () => {
  const [old, next] = [newNamedKey('2026'), newNamedKey('2027')];
  const { databaseUrl } = await testDatabase();
  const withKeys = (...keys: readonly NamedKey[]) => {
    const opened = openDatabase({ databaseUrl, poolSize: 1, auditKeys: () => keys });
    after(() => opened.close());
    return opened;
  };
  const [unaware, aware, changed] = [withKeys(old), withKeys(old, next), withKeys(next, old)];
  const { partnerId } = await createPartner(changed, OWNER, 'Shop', OPEN_RATES);
  await assert.rejects(suspendPartner(unaware, OWNER, partnerId), { name: 'UnverifiedRecordError' });
  await suspendPartner(aware, OWNER, partnerId);
  await resumePartner(changed, OWNER, partnerId);
});
