/** The table of SECURITY.md, "Who can do what alone", tried line by line: a line without a try fails, and so does one that is not so. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { newApiKey } from '../../src/domain/access/api-key.ts';
import { CONTROL_DAYS } from '../../src/domain/access/operator.ts';
import type { Actor, Role } from '../../src/domain/access/role.ts';
import { newNamedKey, writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { breakGlass } from '../../src/operations/access/break-glass.ts';
import { requireSecondOperator } from '../../src/operations/access/four-eyes.ts';
import { issueApiKey, revokeApiKey } from '../../src/operations/access/manage-api-key.ts';
import { changeOperatorRole, createOperator, resetSignIn } from '../../src/operations/access/manage-operator.ts';
import { createPartner, getPartner, suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { removeShownSecrets } from '../../src/operations/access/remove-shown-secrets.ts';
import { authenticateOperator, signIn } from '../../src/operations/access/sign-in.ts';
import { approveAdjustment, draftAdjustment, postAdjustment } from '../../src/operations/adjustments/manage-adjustment.ts';
import { verifyAudit } from '../../src/operations/audit/verify-audit.ts';
import { approveFailure, draftFailure } from '../../src/operations/contributions/record-failure.ts';
import {
  confirmPendingContribution,
  failPendingContribution,
} from '../../src/operations/contributions/resolve-pending-contribution.ts';
import { changeImpactBatch } from '../../src/operations/impact/change-impact-batch.ts';
import { createRule } from '../../src/operations/rules/manage-rule.ts';
import { readVerifiedRules } from '../../src/operations/rules/verified-rules.ts';
import { verifySettlements } from '../../src/operations/settlements/verify-settlements.ts';
import { attestContribution } from '../../src/operations/verification/attest.ts';
import { openDatabase } from '../../src/store/database.ts';
import { explainSignature } from '../../src/webhooks/receiver/explain-signature.ts';
import { openSecretBox } from '../../src/webhooks/security/secret-box.ts';
import { newSecret, signAttempt } from '../../src/webhooks/security/signature.ts';
import { enrolled, OWNER, signedIn } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { Client, uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { advanceTo, evidence, newBatch, withClosed } from '../support/environment.ts';
import { codeOf, signedInOperator } from '../support/operator-client.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { insertPendingAged, untilSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { closeNow, closeRegularly, openFirst, priced, sealKeys } from '../support/settlements.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';

const AUDIT_KEY = newNamedKey('table');
const SECRETS_KEY = newNamedKey('secrets');
const service = await testService({
  env: { AUDIT_KEY: writeNamedKey(AUDIT_KEY), SECRETS_KEY: writeNamedKey(SECRETS_KEY), WEBHOOK_ALLOW_INSECURE: 'true' },
});
const { database } = service;
const { pool } = database;
const [viewer, operator, approver, admin] = await enrolled(database, 'viewer', 'operator', 'approver', 'admin');
const TERMS = { name: 'server', permission: 'read_write', allowedAddresses: [], expiresAt: null } as const;
const tools = { pricesOf: priced() };

/** Whether it was done; a refusal for what it should be refused for says no, and anything else is a defect. */
async function isDone(work: Promise<unknown>, refusal: RegExp): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    assert.match((error as Error).message, refusal);
    return false;
  }
}

const edit = (text: string, values: unknown[] = []) =>
  asSuperuser(pool, async (client) => void (await client.query(text, values)));

async function newContribution(fields: object = {}) {
  const made = await service.newPartner();
  await openFirst(database, made.partner);
  const answer = await made.client.confirm(fields);
  assert.equal(answer.status, 201, answer.text);
  return { ...made, partnerId: made.partner.partnerId, transactionId: answer.body.contribution.transaction_id as string };
}

const newNever = async () => ({
  partnerId: (await service.newPartner()).partner.partnerId,
  partnerEventId: uniqueId('event'),
  partnerOrderRef: uniqueId('order'),
  points: 999_999n,
  reason: 'a test',
});

async function draftCorrection(actor: Actor) {
  const { partnerId, transactionId } = await newContribution();
  const why = { reasonCode: 'other', reasonEn: 'A test.', reasonAr: 'اختبار.' };
  const wanted = { partnerId, transactionId, ...why, pointsDelta: -1n, amountDelta: null, reversalOf: null };
  return draftAdjustment(database, actor, wanted, tools);
}

async function newPending() {
  const { partner } = await service.newPartner();
  const { partnerId } = partner;
  return {
    partnerId,
    transactionId: await insertPendingAged(database, { partnerId, partnerOrderRef: uniqueId('order'), age: '1 hour' }),
  };
}

async function makeBy(maker: Actor, role: Role): Promise<Actor> {
  const email = `${uniqueId('person').toLowerCase()}@example.org`;
  const made = await createOperator(database, maker, { name: 'Badr', email, role });
  return { ...signedIn(role), operatorId: made.operator.operatorId };
}

async function approveBy(drafter: Actor, second: Actor): Promise<boolean> {
  const never = await newNever();
  const { failureId } = await draftFailure(database, drafter, never);
  return isDone(approveFailure(database, second, { partnerId: never.partnerId, failureId }), /This needs four eyes/);
}

async function isTaken(apiKey: string): Promise<boolean> {
  const { status } = await new Client(service.baseUrl, apiKey).findByEvent(uniqueId('event'));
  assert.ok([401, 404, 503].includes(status), String(status));
  return status === 404;
}

/** An installation of production with its first admin, and the owner of its machine. */
async function newProduction() {
  const made = await testService({ env: { AUDIT_KEY: writeNamedKey(AUDIT_KEY) } });
  await createOperator(made.database, OWNER, { name: 'Amal', email: 'amal@example.org', role: 'admin' });
  await made.database.pool.query("update installation set environment = 'production'");
  const { run } = commandLine({
    DATABASE_URL: made.databaseUrl,
    SERVICE_ENVIRONMENT: 'production',
    XDG_CONFIG_HOME: '/nonexistent',
    AUDIT_KEY: writeNamedKey(AUDIT_KEY),
    SECRETS_KEY: writeNamedKey(SECRETS_KEY),
  });
  return { database: made.database, run };
}

const production = newProduction();

/** Each tells whether it could be done. */
const TRIES: Readonly<Record<string, () => Promise<boolean>>> = {
  async 'client without a key: read or record anything of a partner'() {
    const nobody = new Client(service.baseUrl, '');
    const { transactionId } = await newContribution();
    const statuses = [
      (await nobody.get(transactionId)).status,
      (await nobody.confirm()).status,
      (await nobody.listEvents()).status,
    ];
    return statuses.some((status) => status !== 401);
  },
  async 'key `read_only`: read everything of its partner'() {
    const { partner, transactionId } = await newContribution();
    const { client } = await service.newPartner({ of: partner, key: { permission: 'read_only' } });
    const paths = ['/v1/events', '/v1/settlements', `/v1/impact-transactions/${transactionId}`];
    return (await Promise.all(paths.map((path) => client.call(path)))).every(({ status }) => status === 200);
  },
  async 'key `read_only`: record a contribution, or acknowledge a settlement'() {
    const { partner } = await newContribution();
    const { closed } = await closeNow(database, partner.partnerId);
    const { client } = await service.newPartner({ of: partner, key: { permission: 'read_only' } });
    const answers = [
      await client.confirm(),
      await client.post(`/v1/settlements/${closed.settlementId}/acknowledgement`, { status: 'accepted' }),
    ];
    return answers.some(({ status }) => status !== 403);
  },
  async 'key `read_write`: record contributions, which its partner is billed'() {
    const { partnerId } = await newContribution({ points: 700 });
    return (await closeNow(database, partnerId)).closed.totals?.grossPoints === 700n;
  },
  async "key `read_write`: acknowledge its partner's settlement"() {
    const { partnerId, client, key } = await newContribution();
    const { closed } = await closeNow(database, partnerId);
    const { status } = await client.post(`/v1/settlements/${closed.settlementId}/acknowledgement`, { status: 'accepted' });
    const entry = await pool.query(
      "select operator_id from audit_entry where action = 'settlement.acknowledge' and partner_id = $1",
      [partnerId],
    );
    assert.equal(entry.rows[0]?.operator_id, key.key.keyId);
    return status === 201;
  },
  async 'key `read_write`: have points restored, by a contribution that is `failed`'() {
    const { client } = await service.newPartner();
    const answers = [await client.confirm({ status: 'failed' }), await client.confirm({ points: -5 })];
    answers.push(await client.confirm({}, { 'x-status': 'failed' }));
    return answers.some(
      ({ body }) => body.contribution?.status === 'failed' || body.error?.code === 'contribution_final_failure',
    );
  },
  async "key `read_write`: read or change its partner's endpoints"() {
    const { client } = await service.newPartner();
    const path = '/v1/webhook-endpoints';
    const answers = [await client.call(path), await client.post(path, { url: 'https://example.com/' })];
    return answers.some(({ status }) => status !== 403);
  },
  async "key `manage`: send its partner's events to another public server, and read their secrets"() {
    const { client, key } = await service.newPartner({ key: { permission: 'manage' } });
    const receiver = await WebhookReceiver.open();
    const { status, body } = await client.post('/v1/webhook-endpoints', { url: receiver.url });
    const { rows } = await pool.query('select operator_id from audit_entry where subject_id = $1', [
      body.webhook_endpoint?.endpoint_id,
    ]);
    assert.deepEqual(rows, [{ operator_id: key.key.keyId }]);
    return status === 201 && body.secret.startsWith('whsec_');
  },
  async 'key `manage`: read or change an endpoint of another partner'() {
    const [{ client }, { client: enemy }] = [
      await service.newPartner({ key: { permission: 'manage' } }),
      await service.newPartner({ key: { permission: 'manage' } }),
    ];
    const receiver = await WebhookReceiver.open();
    const { webhook_endpoint } = (await client.post('/v1/webhook-endpoints', { url: receiver.url })).body;
    const path = `/v1/webhook-endpoints/${webhook_endpoint.endpoint_id}`;
    const answers = [await enemy.call(path), await enemy.call(path, { method: 'DELETE' })];
    return answers.some(({ status }) => status !== 404);
  },
  async 'key `read_write`: read or acknowledge anything of another partner'() {
    const { transactionId, partnerId } = await newContribution();
    const { closed } = await closeNow(database, partnerId);
    const { client } = await service.newPartner();
    const of = `/v1/settlements/${closed.settlementId}`;
    const answers = [await client.get(transactionId), await client.call(of), await client.call(`${of}/statement.csv`)];
    answers.push(await client.post(`${of}/acknowledgement`, { status: 'accepted' }));
    return answers.some(({ status }) => status !== 404);
  },
  async "holder of an endpoint's secret: send that partner's receiver an event that it believes"() {
    const [secret, body] = [newSecret(), Buffer.from('{"event_type":"impact.transaction.adjusted"}')];
    const attempt = { eventId: 'evt_1', eventType: 'x', deliveryId: 'dlv_1', attemptNumber: 1, correlationId: 'corr_1', body };
    const nowSeconds = Math.floor(Date.now() / 1000);
    const headers = signAttempt({ current: secret }, { ...attempt, sentAtSeconds: nowSeconds });
    const received = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
    return explainSignature({ secret, headers: received, body, nowSeconds }).status === 'valid';
  },
  "holder of an endpoint's secret: read or record anything": () => isTaken(newSecret()),
  async '`viewer`: read everything of all partners but secrets'() {
    const { signInCode } = await createOperator(database, OWNER, { name: 'Amal', email: null, role: 'viewer' });
    assert.equal((await authenticateOperator(database, (await signIn(database, signInCode)).token)).actor.role, 'viewer');
    return (await getPartner(pool, (await newContribution()).partnerId)) !== undefined;
  },
  '`viewer`: change anything': async () =>
    isDone(createPartner(database, viewer, 'New'), /needs the role operator/).then(
      async (done) => done || isDone(suspendPartner(database, viewer, (await newNever()).partnerId), /needs the role operator/),
    ),
  async '`operator`: decide on a pending contribution, so that points are billed or restored'() {
    await confirmPendingContribution(database, operator, await newPending(), 'a test');
    await failPendingContribution(database, operator, await newPending(), 'a test');
    return true;
  },
  async '`operator`: issue a key of any partner, and act with it'() {
    const { partnerId } = (await service.newPartner()).partner;
    return isTaken((await issueApiKey(database, operator, { environment: 'sandbox', partnerId, ...TERMS })).apiKey);
  },
  async '`operator`: have points restored for an event that was never stored'() {
    const never = await newNever();
    const { failureId } = await draftFailure(database, operator, never);
    return isDone(approveFailure(database, operator, { partnerId: never.partnerId, failureId }), /needs the role approver/);
  },
  async '`operator`: change what is settled'() {
    const drafted = await draftCorrection(operator);
    const isApproved = await isDone(approveAdjustment(database, operator, drafted, tools), /needs the role approver/);
    return isApproved || isDone(postAdjustment(database, operator, drafted, tools), /cannot become posted/);
  },
  async '`approver`: close a settlement before its time'() {
    const { partnerId } = await newContribution();
    return (await closeNow(database, partnerId)).closed.status === 'closed';
  },
  async '`approver`: approve what the approver drafted, or verify an own delivery'() {
    const drafted = await draftCorrection(approver);
    const batch = await newBatch(database, [await withClosed(service, 1)]);
    await advanceTo(database, batch, 'in_progress');
    const advance = (to: 'delivered' | 'verified') =>
      changeImpactBatch(database, approver, batch.impactBatchId, { changeType: 'advanced', to, reason: null });
    await advance('delivered');
    const proof = { changeType: 'evidence_added', evidence: evidence(), reason: null } as const;
    await changeImpactBatch(database, approver, batch.impactBatchId, proof);
    const outcomes = [
      await approveBy(approver, approver),
      await isDone(approveAdjustment(database, approver, drafted, tools), /needs four eyes/),
      await isDone(advance('verified'), /needs four eyes/),
    ];
    return outcomes.some(Boolean);
  },
  async '`admin`: set what a point is worth from a minute later on'() {
    const partner = await createPartner(database, OWNER, 'Priced', { currency: 'SAR' });
    const value = { pointValue: '995', currency: 'SAR', version: uniqueId('rule') };
    const rule = await createRule(database, admin, { kind: 'point_conversion', partnerId: partner.partnerId, ...value });
    return rule.startsAt.getTime() > Date.now();
  },
  async '`admin`: make or raise operators, admins too'() {
    const { operatorId } = await makeBy(admin, 'admin');
    return (await changeOperatorRole(database, admin, operatorId, 'approver')).role === 'approver';
  },
  async '`admin`: approve with an account, or approve the draft of one, that was made or reset within seven days'() {
    const [first, second] = [await makeBy(admin, 'operator'), await makeBy(admin, 'approver')];
    const [colleague] = await enrolled(database, 'approver');
    await resetSignIn(database, admin, colleague.operatorId);
    const pairs = [
      [admin, second],
      [first, admin],
      [first, second],
      [colleague, admin],
      [admin, colleague],
    ] as const;
    const outcomes = [];
    for (const [drafter, approving] of pairs) outcomes.push(await approveBy(drafter, approving));
    return outcomes.some(Boolean);
  },
  async '`admin`: do so with an account that was made more than seven days before'() {
    const made = await testService();
    const [maker] = await enrolled(made.database, 'admin');
    const wanted = { name: 'Badr', email: 'badr@example.org', role: 'approver' } as const;
    const { operatorId } = (await createOperator(made.database, maker, wanted)).operator;
    const isTwo = () =>
      isDone(
        requireSecondOperator(
          made.database.pool,
          { ...signedIn('approver'), operatorId },
          { operatorId: maker.operatorId, step: 'approve_failure' },
        ),
        /within 7 days/,
      );
    assert.equal(await isTwo(), false);
    const age = `update audit_entry set recorded_at = recorded_at - interval '${CONTROL_DAYS} days'`;
    await asSuperuser(made.database.pool, async (client) => void (await client.query(age)));
    return isTwo();
  },
  async '`admin`: declare an edited contribution right as it stands'() {
    const { partnerId, transactionId } = await newContribution();
    await edit('update contribution set points = 9 where transaction_id = $1', [transactionId]);
    await attestContribution(database, admin, { partnerId, transactionId }, { reason: 'a test' });
    return (await closeNow(database, partnerId)).closed.totals?.grossPoints === 9n;
  },
  async 'owner of the machine: give a command without a sign-in'() {
    const { run, database: installed } = await production;
    const [{ code, stderr }, isChanged] = [
      await run(['partner', 'list']),
      await isDone(createPartner(installed, OWNER, 'New'), /may only create the first admin/),
    ];
    assert.match(stderr, /may only create the first admin/);
    return code === 0 || isChanged;
  },
  async 'owner of the machine: give any command that takes one person, by `--break-glass`'() {
    const { run } = await production;
    const { code } = await run(['partner', 'create', '--name', 'New', '--break-glass', 'a try of the table']);
    assert.match((await run(['doctor'])).stdout.replaceAll(/\s+/g, ' '), /a try of the table/);
    assert.match(
      (await run(['audit', 'list', '--subject', 'owner', '--json', '--break-glass', 'look'])).stdout,
      /a try of the table/,
    );
    return code === 0;
  },
  async 'owner of the machine: be one of two people'() {
    const owner = await breakGlass(database, { reason: 'a test', user: 'root', machine: 'here' });
    const [never, drafted] = [await newNever(), await draftCorrection(operator)];
    return (
      (await isDone(draftFailure(database, owner, never), /account is not a person/)) ||
      isDone(approveAdjustment(database, owner, drafted, tools), /account is not a person/)
    );
  },
  async 'superuser of the database: read everything but secrets of endpoints, tokens and keys'() {
    const { transactionId } = await newContribution();
    return (await pool.query('select 1 from contribution where transaction_id = $1', [transactionId])).rows.length === 1;
  },
  async 'superuser of the database: change a contribution and have it settled'() {
    const { partnerId, transactionId } = await newContribution();
    await edit('update contribution set points = 9 where transaction_id = $1', [transactionId]);
    return isDone(closeRegularly(database, partnerId), new RegExp(`${transactionId} .*does not match its seal`));
  },
  async 'superuser of the database: remove a contribution with its event and everything about it'() {
    const { partnerId, transactionId, client } = await newContribution();
    await client.confirm();
    await untilSequenced(database, partnerId, 3);
    const { rows } = await pool.query('select event_id from event where partner_id = $1 and subject_id = $2', [
      partnerId,
      transactionId,
    ]);
    await edit('delete from event where partner_id = $1 and event_id = $2', [partnerId, rows[0].event_id]);
    await edit('delete from contribution where partner_id = $1 and transaction_id = $2', [partnerId, transactionId]);
    const { closed } = await closeRegularly(database, partnerId);
    assert.deepEqual((await verifySettlements(database, partnerId, sealKeys)).problems, []);
    return closed.totals?.contributionCount === 1n;
  },
  async 'superuser of the database: put a price into force'() {
    const { partnerId } = await newContribution();
    await edit(
      `insert into rule_version (kind, version, partner_id, starts_at, point_value, currency, created_at)
        values ('point_conversion', $1, $2, now() - interval '1 hour', 995, 'SAR', now() - interval '2 hours')`,
      [uniqueId('rule'), partnerId],
    );
    return isDone(readVerifiedRules(pool, database.auditKeys, partnerId), /differs from the audit/);
  },
  async 'superuser of the database: raise the role of an operator'() {
    const { operator: raised, signInCode } = await createOperator(database, OWNER, { name: 'x', email: null, role: 'viewer' });
    const { token } = await signIn(database, signInCode);
    await edit("update operator set role = 'admin' where operator_id = $1", [raised.operatorId]);
    return isDone(authenticateOperator(database, token), /differs from the audit/);
  },
  async 'superuser of the database: revive a revoked key, or put one in'() {
    const { partnerId } = (await service.newPartner()).partner;
    const revoked = await issueApiKey(database, operator, { environment: 'sandbox', partnerId, ...TERMS });
    await revokeApiKey(database, operator, revoked.key.keyId);
    await edit('update api_key set revoked_at = null where key_id = $1', [revoked.key.keyId]);
    const copied = await issueApiKey(database, operator, { environment: 'sandbox', partnerId, ...TERMS });
    const { partnerId: other } = (await service.newPartner()).partner;
    await edit('update api_key set partner_id = $2 where key_id = $1', [copied.key.keyId, other]);
    const own = newApiKey('sandbox');
    await edit(
      `insert into api_key select (jsonb_populate_record(key, jsonb_build_object('key_id', $2::text, 'secret_sha256', $3::text))).*
        from api_key key where key_id = $1`,
      [copied.key.keyId, own.keyId, `\\x${own.secretSha256.toString('hex')}`],
    );
    const outcomes = await Promise.all([revoked, copied, own].map(({ apiKey }) => isTaken(apiKey)));
    return outcomes.some(Boolean);
  },
  async 'superuser of the database: edit an entry of the audit unseen'() {
    const made = await testService({ env: { AUDIT_KEY: writeNamedKey(AUDIT_KEY) } });
    await createPartner(made.database, OWNER, 'New');
    await asSuperuser(made.database.pool, async (client) => {
      await client.query(`update audit_entry set after_json = '{}' where action = 'partner.create'`);
    });
    return (await verifyAudit(made.database)).fault === null;
  },
  async 'superuser of the database: cut the last entries of the audit with what they changed'() {
    const made = await testService({ env: { AUDIT_KEY: writeNamedKey(AUDIT_KEY) } });
    const head = async () => (await made.database.pool.query('select last_no, last_mac from audit_head')).rows[0];
    const before = await head();
    const { partnerId } = await createPartner(made.database, OWNER, 'New');
    const kept = await head();
    await asSuperuser(made.database.pool, async (client) => {
      await client.query('delete from audit_entry where entry_no > $1', [before.last_no]);
      await client.query('update audit_head set last_no = $1, last_mac = $2', [before.last_no, before.last_mac]);
      for (const table of ['settlement', 'event_outbox', 'event_counter', 'partner'])
        await client.query(`delete from ${table} where partner_id = $1`, [partnerId]);
    });
    const expected = { lastNo: BigInt(kept.last_no), lastMac: kept.last_mac };
    assert.equal((await verifyAudit(made.database, { expected })).fault?.is, 'truncated');
    return (await verifyAudit(made.database)).fault === null;
  },
  'holder of `AUDIT_KEY` without the database: read or change anything': () => isTaken(writeNamedKey(AUDIT_KEY)),
  async 'superuser of the database with `AUDIT_KEY`: write an entry that verifies, and with it change anything'() {
    const made = await testService({ env: { AUDIT_KEY: writeNamedKey(AUDIT_KEY) } });
    const own = openDatabase({ databaseUrl: made.databaseUrl, poolSize: 1, auditKeys: () => [AUDIT_KEY] });
    after(() => own.close());
    await createPartner(own, { ...OWNER, operatorId: 'opr_somebody_else' }, 'Forged');
    return (await verifyAudit(made.database)).fault === null;
  },
  async 'superuser of the database with `SECRETS_KEY`: read the secrets of endpoints, the second factors of operators, and the API keys and one-time links that the console showed in the last day'() {
    const person = await signedInOperator(service, 'admin');
    const { url } = await WebhookReceiver.open();
    const { partnerId } = (await service.newPartner()).partner;
    const added = (await person.postOnce('/operator/v1/endpoints', { partner_id: partnerId, url })).body;
    const { endpoint_id: endpointId } = added.endpoint;
    const key = { name: 'web', permission: 'read_write' };
    const { api_key: apiKey } = (await person.postOnce(`/operator/v1/partners/${partnerId}/keys`, key)).body;
    const { sign_in_path: link } = (await person.postOnce('/operator/v1/operators', { name: 'x', role: 'viewer' })).body;
    const { secret, enrolment } = (await person.post('/operator/v1/session/second-factor')).body;
    const factor = { enrolment, totp: codeOf(secret) };
    assert.equal((await person.send('PUT', '/operator/v1/session/second-factor', { body: factor })).status, 200);
    const sealed = async () => {
      const { rows } = await pool.query(
        `select endpoint_id as context, secret_sealed as text from webhook_endpoint where endpoint_id = $1
          union all select operator_id, verifier from operator_credential where operator_id = $2 and kind = 'totp'
          union all select concat_ws(' ', 'keyed_answer', partner_id, operation, idempotency_key), answer from keyed_answer where partner_id = $2`,
        [endpointId, person.operatorId],
      );
      return rows as { readonly context: string; readonly text: string }[];
    };
    const before = await sealed();
    for (const { context, text } of before) assert.throws(() => openSecretBox([newNamedKey('other')]).open(context, text));
    const read = before.map(({ context, text }) => openSecretBox([SECRETS_KEY]).open(context, text)).join();
    await edit("update keyed_answer set claimed_at = claimed_at - interval '25 hours' where partner_id = $1", [
      person.operatorId,
    ]);
    await removeShownSecrets(database, new AbortController().signal);
    const later = (await sealed()).filter(({ text }) => text.startsWith('v1.'));
    assert.deepEqual(later.map(({ context }) => context).sort(), [endpointId, person.operatorId].sort());
    return [added.secret, secret, apiKey, link].every((each) => read.includes(each));
  },
};

interface Line {
  readonly claim: string;
  readonly alone: string;
}

const SECTION = '## Who can do what alone';

function readTable(): Line[] {
  const text = readFileSync(join(import.meta.dirname, '../../SECURITY.md'), 'utf8');
  const section = text.slice(text.indexOf(SECTION)).split(/\n## /)[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) => {
    const [, who = '', what = '', alone = ''] = row.split('|').map((cell) => cell.trim());
    return { claim: `${who}: ${what}`, alone };
  });
}

describe('who can do what alone', HANG_LIMIT, () => {
  const lines = readTable();

  test('each line has a try, and each try its line', () => {
    assert.ok(lines.length > 30);
    assert.deepEqual(lines.map(({ claim }) => claim).sort(), Object.keys(TRIES).sort());
    assert.deepEqual(
      lines.filter(({ alone }) => !['yes', 'no'].includes(alone)),
      [],
    );
  });

  for (const { claim, alone } of lines)
    test(`${claim}: ${alone}`, async () => {
      assert.equal((await TRIES[claim]?.()) ? 'yes' : 'no', alone);
    });
});
