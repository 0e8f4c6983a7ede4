/** Every change by an operator: the role that it takes, and its entry in the audit (settlements, section 5). */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type Actor, mayAct, ROLES, type Role } from '../../src/domain/access/role.ts';
import type { EnvironmentalStatus } from '../../src/domain/impact/environmental-status.ts';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import { issueApiKey, revokeApiKey, rotateApiKey } from '../../src/operations/access/manage-api-key.ts';
import { createPartner, resumePartner, setPartnerRates, suspendPartner } from '../../src/operations/access/manage-partner.ts';
import {
  type AdjustmentId,
  approveAdjustment,
  draftAdjustment,
  postAdjustment,
  rejectAdjustment,
} from '../../src/operations/adjustments/manage-adjustment.ts';
import { AUDITED_KINDS } from '../../src/operations/audit/audited-kinds.ts';
import { verifyAudit } from '../../src/operations/audit/verify-audit.ts';
import { verifyKind } from '../../src/operations/audit/verify-kind.ts';
import {
  confirmPendingContribution,
  failPendingContribution,
} from '../../src/operations/contributions/resolve-pending-contribution.ts';
import { type BatchChange, changeImpactBatch } from '../../src/operations/impact/change-impact-batch.ts';
import { createProject } from '../../src/operations/impact/manage-project.ts';
import { createImpactBatch, poolSettlements } from '../../src/operations/impact/pool-contributions.ts';
import { setPartnerQuota } from '../../src/operations/quotas/manage-partner-quota.ts';
import { closeSettlement } from '../../src/operations/settlements/close-settlement.ts';
import { replyToDispute } from '../../src/operations/settlements/reply-to-dispute.ts';
import { attestContribution } from '../../src/operations/verification/attest.ts';
import { listPartners } from '../../src/store/access/partner.ts';
import { openDatabase } from '../../src/store/database.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { recoverExhausted, replayMissing, resend } from '../../src/webhooks/endpoints/manage-delivery.ts';
import {
  disableEndpoint,
  enableEndpoint,
  removeEndpoint,
  updateEventTypes,
} from '../../src/webhooks/endpoints/manage-endpoint.ts';
import { activateSecret, rotateSecret } from '../../src/webhooks/endpoints/rotate-secret.ts';
import { enrol, OWNER, signedIn } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { commandLine } from '../support/command-line.ts';
import { ADA, advanceTo, BEA, evidence, newBatch, newProject, withClosed } from '../support/environment.ts';
import { testService } from '../support/service.ts';
import { newSettledPartner, priced, tools as settlementTools } from '../support/settlements.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools, newEndpoint, untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const rulesOf = () => ({ ...DEFAULT_RULES, reviewThreshold: 1_000n });
const service = await testService({ rulesOf, env: WEBHOOK_ENV });
const { database } = service;
await enrol(database, ADA, BEA);
const tools = endpointTools(database);
const { partner, key } = await service.newPartner();
const { partnerId } = partner;
const PROJECT = { nameEn: 'Acacias', nameAr: 'أكاسيا', country: 'SA' };
const TERMS = { name: 'server', permission: 'read_write', allowedAddresses: ['203.0.113.7'], expiresAt: null } as const;

/** Whatever nobody but its owner may ever see. */
const secrets: string[] = [key.apiKey];
const keep = (secret: string) => secrets.push(secret);

/** What each of them needs is made by the owner, so that a refusal is of the change itself. */
const newKey = async () => (await issueApiKey(database, OWNER, { environment: 'sandbox', partnerId, ...TERMS })).key.keyId;
const newWebhook = async () => {
  const made = await newEndpoint(service, tools);
  keep(made.secret);
  return { partnerId: made.partner.partnerId, endpointId: made.endpointId, client: made.client };
};
const newPending = async () => {
  const { client, partner: own } = await service.newPartner();
  const answer = await client.confirm({ points: 5_000 });
  assert.equal(answer.status, 202);
  return { partnerId: own.partnerId, transactionId: answer.body.contribution.transaction_id as string };
};
const newDelivery = async (status: 'delivered' | 'exhausted') => {
  const webhook = await newWebhook();
  await webhook.client.confirm();
  const [delivery] = await untilDeliveries(database, webhook.partnerId, ([first]) => first?.status === 'delivered');
  if (status === 'exhausted')
    await database.pool.query("update delivery set status = 'exhausted' where partner_id = $1", [webhook.partnerId]);
  return { ...webhook, deliveryId: delivery?.deliveryId as string, since: new Date(0) };
};

const newCorrection = async () => {
  const { client, partner: own } = await service.newPartner();
  const { transaction_id: transactionId } = (await client.confirm({ points: 9 })).body.contribution;
  const why = { reasonCode: 'other', reasonEn: 'A test.', reasonAr: 'اختبار.' };
  return { partnerId: own.partnerId, transactionId, ...why, pointsDelta: -1n, amountDelta: null, reversalOf: null };
};

interface Change {
  readonly action: string;
  readonly least: Role;
  /** Makes what it is about, and gives the change itself. */
  prepare(): Promise<(actor: Actor) => Promise<unknown>>;
}

const changes: Change[] = [
  { action: 'partner.create', least: 'operator', prepare: async () => (actor) => createPartner(database, actor, 'New') },
  {
    action: 'partner.create',
    least: 'admin',
    prepare: async () => (actor) => createPartner(database, actor, 'Quick', { writesPerSecond: 101 }),
  },
  { action: 'partner.suspend', least: 'operator', prepare: async () => (actor) => suspendPartner(database, actor, partnerId) },
  { action: 'partner.resume', least: 'operator', prepare: async () => (actor) => resumePartner(database, actor, partnerId) },
  {
    action: 'partner.set-rates',
    least: 'admin',
    prepare: async () => (actor) => setPartnerRates(database, actor, partnerId, { reportsPerSecond: 7 }),
  },
  {
    action: 'partner.set-quota',
    least: 'admin',
    prepare: async () => (actor) => setPartnerQuota(database, actor, partnerId, { listsPerDay: 7 }),
  },
  {
    action: 'key.issue',
    least: 'operator',
    prepare: async () => async (actor) =>
      keep((await issueApiKey(database, actor, { environment: 'sandbox', partnerId, ...TERMS })).apiKey),
  },
  {
    action: 'key.rotate',
    least: 'operator',
    async prepare() {
      const keyId = await newKey();
      return async (actor) => keep((await rotateApiKey(database, actor, { environment: 'sandbox', keyId })).issued.apiKey);
    },
  },
  {
    action: 'key.revoke',
    least: 'operator',
    async prepare() {
      const keyId = await newKey();
      return (actor) => revokeApiKey(database, actor, keyId);
    },
  },
  {
    action: 'endpoint.add',
    least: 'operator',
    async prepare() {
      const { url } = await WebhookReceiver.open();
      const wanted = { partnerId: (await service.newPartner()).partner.partnerId, url, eventTypes: [] };
      return async (actor) => keep((await addEndpoint(tools, actor, wanted)).secret);
    },
  },
  ...(
    [
      ['endpoint.update', (actor, id) => updateEventTypes(database, actor, id, ['settlement.closed'])],
      ['endpoint.disable', (actor, id) => disableEndpoint(database, actor, id, 'a test')],
      ['endpoint.enable', (actor, id) => enableEndpoint(database, actor, id)],
      ['endpoint.remove', (actor, id) => removeEndpoint(database, actor, id)],
      ['endpoint.rotate-secret', async (actor, id) => keep((await rotateSecret(tools, actor, id)).secret)],
    ] as [string, (actor: Actor, id: { partnerId: string; endpointId: string }) => Promise<unknown>][]
  ).map(
    ([action, run]): Change => ({
      action,
      least: 'operator',
      async prepare() {
        const id = await newWebhook();
        return (actor) => run(actor, id);
      },
    }),
  ),
  {
    action: 'endpoint.activate-secret',
    least: 'operator',
    async prepare() {
      const id = await newWebhook();
      keep((await rotateSecret(tools, OWNER, id)).secret);
      return (actor) => activateSecret(database, actor, id);
    },
  },
  {
    action: 'delivery.resend',
    least: 'operator',
    async prepare() {
      const id = await newDelivery('delivered');
      return (actor) => resend(database, actor, id);
    },
  },
  {
    action: 'delivery.recover',
    least: 'operator',
    async prepare() {
      const request = await newDelivery('exhausted');
      return async (actor) => assert.equal(await recoverExhausted(database, actor, request), 1);
    },
  },
  {
    action: 'delivery.replay-missing',
    least: 'operator',
    async prepare() {
      const { since, ...request } = await newDelivery('delivered');
      await database.pool.query('delete from delivery where partner_id = $1', [request.partnerId]);
      return async (actor) => assert.equal((await replayMissing(database, actor, { ...request, since })).count, 2);
    },
  },
  {
    action: 'contribution.attest',
    least: 'admin',
    async prepare() {
      const pending = await newPending();
      return (actor) => attestContribution(database, actor, pending, { reason: 'as the backup has it' });
    },
  },
  {
    action: 'review.confirm',
    least: 'operator',
    async prepare() {
      const pending = await newPending();
      return (actor) => confirmPendingContribution(database, actor, pending, 'recognised');
    },
  },
  {
    action: 'review.fail',
    least: 'operator',
    async prepare() {
      const pending = await newPending();
      return (actor) => failPendingContribution(database, actor, pending, 'not recognised');
    },
  },
  { action: 'project.create', least: 'operator', prepare: async () => (actor) => createProject(database, actor, PROJECT) },
  {
    action: 'impact-batch.create',
    least: 'operator',
    prepare: async () => (actor) => createImpactBatch(database, actor, { name: 'Trees', quantity: 1n }),
  },
  {
    action: 'impact-batch.add',
    least: 'operator',
    async prepare() {
      const { partnerId: owning, closed } = await withClosed(service, 1);
      const { impactBatchId } = await newBatch(database, []);
      const settlementIds = closed.map(({ settlementId }) => settlementId);
      return (actor) => poolSettlements(database, actor, { impactBatchId, partnerId: owning, settlementIds });
    },
  },
  ...(
    [
      ['impact-batch.advance', 'operator', 'in_progress', { changeType: 'advanced', to: 'delivered' }],
      ['impact-batch.advance', 'approver', 'delivered', { changeType: 'advanced', to: 'verified' }],
      ['impact-batch.delay', 'operator', 'funded', { changeType: 'delayed', expectedDeliveryPeriod: '2027' }],
      ['impact-batch.add-evidence', 'operator', 'funded', { changeType: 'evidence_added', evidence: evidence() }],
      ['impact-batch.correct', 'operator', 'funded', { changeType: 'corrected', quantity: 5n }],
      ['impact-batch.correct', 'approver', 'verified', { changeType: 'corrected', quantity: 5n }],
    ] as [string, Role, EnvironmentalStatus, object][]
  ).map(
    ([action, least, status, wanted]): Change => ({
      action,
      least,
      async prepare() {
        const batch = await newBatch(database, [await withClosed(service, 1)]);
        await advanceTo(database, batch, status);
        const proof = { changeType: 'evidence_added', evidence: evidence(), reason: null } as const;
        if (status === 'delivered') await changeImpactBatch(database, ADA, batch.impactBatchId, proof);
        return (actor) => changeImpactBatch(database, actor, batch.impactBatchId, { reason: null, ...wanted } as BatchChange);
      },
    }),
  ),
  ...(
    [
      ['adjustment.approve', 'approver', 'draft', (actor, id) => approveAdjustment(database, actor, id, { pricesOf: priced() })],
      ['adjustment.post', 'operator', 'approved', (actor, id) => postAdjustment(database, actor, id, { pricesOf: priced() })],
      ['adjustment.reject', 'operator', 'approved', (actor, id) => rejectAdjustment(database, actor, id, 'a test')],
    ] as [string, Role, string, (actor: Actor, id: AdjustmentId) => Promise<unknown>][]
  ).map(
    ([action, least, status, run]): Change => ({
      action,
      least,
      async prepare() {
        const drafted = await draftAdjustment(database, ADA, await newCorrection(), { pricesOf: priced() });
        if (status === 'approved') await approveAdjustment(database, BEA, drafted, { pricesOf: priced() });
        return (actor) => run(actor, drafted);
      },
    }),
  ),
  {
    action: 'adjustment.draft',
    least: 'operator',
    async prepare() {
      const wanted = await newCorrection();
      return (actor) => draftAdjustment(database, actor, wanted, { pricesOf: priced() });
    },
  },
  {
    action: 'settlement.close',
    least: 'approver',
    async prepare() {
      const { partnerId: closing } = await newSettledPartner(service);
      return (actor) => closeSettlement(database, actor, { partnerId: closing, isEarly: true }, settlementTools());
    },
  },
  {
    action: 'dispute.reply',
    least: 'operator',
    async prepare() {
      const { client, partnerId: disputing, closed } = await withClosed(service, 1);
      const settlementId = closed[0]?.settlementId as string;
      const { status } = await client.post(`/v1/settlements/${settlementId}/acknowledgement`, { status: 'disputed' });
      assert.equal(status, 201);
      return (actor) => replyToDispute(database, actor, { partnerId: disputing, settlementId, text: 'Order 1 is yours.' });
    },
  },
  {
    action: 'impact-batch.reallocate',
    least: 'operator',
    async prepare() {
      const batch = await newBatch(database, [await withClosed(service, 1)]);
      await advanceTo(database, batch, 'funded');
      const { projectId } = await newProject(database);
      const wanted = { changeType: 'reallocated', projectId, reason: null } as const;
      return (actor) => changeImpactBatch(database, actor, batch.impactBatchId, wanted);
    },
  },
];

async function entriesOf(actor: Actor) {
  const { rows } = await database.pool.query(
    'select action, role, subject_id, before_json, after_json from audit_entry where operator_id = $1 and correlation_id = $2 order by entry_no',
    [actor.operatorId, actor.correlationId],
  );
  return rows;
}

describe('each change takes its role, and leaves an entry; a refusal leaves none', HANG_LIMIT, () => {
  for (const { action, least, prepare } of changes) {
    test(`${action}: ${least}`, async () => {
      const change = await prepare();
      for (const actor of ROLES.map((role) => signedIn(role)).filter((each) => !mayAct(each, least))) {
        await assert.rejects(change(actor), { code: 'forbidden' }, actor.role);
        assert.deepEqual(await entriesOf(actor), []);
      }
      const actor = signedIn(least);
      await enrol(database, actor);
      await change(actor);
      const [entry] = await entriesOf(actor);
      assert.deepEqual([entry?.action, entry?.role], [action, least]);
      assert.notEqual(entry?.before_json ?? entry?.after_json, null);
    });
  }
});

test('an entry tells before and after', async () => {
  const { partner: own } = await service.newPartner({ rates: { writesPerSecond: 11 } });
  const admin = signedIn('admin');
  await setPartnerRates(database, admin, own.partnerId, { writesPerSecond: 12 });
  const [{ before_json, after_json, subject_id }] = await entriesOf(admin);
  const [before, after] = [JSON.parse(before_json), JSON.parse(after_json)];
  assert.deepEqual([before.writes_per_second, after.writes_per_second, subject_id], [11, 12, own.partnerId]);
  assert.equal(before.lookups_per_second, after.lookups_per_second);
});

test('where no entry can be written nothing is changed', async () => {
  const unsealed = openDatabase({ databaseUrl: service.databaseUrl, poolSize: 2 });
  after(() => unsealed.close());
  const before = await listPartners(database.pool, { afterId: '', limit: 1_000 });
  await assert.rejects(createPartner(unsealed, OWNER, 'Nowhere'), /without the keys of the audit/);
  await assert.rejects(suspendPartner(unsealed, OWNER, partnerId), /without the keys of the audit/);
  assert.deepEqual(await listPartners(database.pool, { afterId: '', limit: 1_000 }), before);
});

test('the command line: who is signed in stands in the entry, and set-rates changes what it names', async () => {
  const { run, runJson } = commandLine({ ...WEBHOOK_ENV, DATABASE_URL: service.databaseUrl });
  const { partner_id } = await runJson('partner', 'create', '--name', 'By hand');
  const { api_key } = await runJson('key', 'issue', '--partner', partner_id);
  keep(api_key);
  const changed = await runJson('partner', 'set-rates', '--partner', partner_id, '--reports-per-second', '3');
  assert.deepEqual([changed.reports_per_second, changed.writes_per_second], [3, 100]);
  assert.equal((await run(['partner', 'set-rates', '--partner', partner_id])).code, 2);
  const entries = await runJson('audit', 'list', '--partner', partner_id);
  assert.deepEqual(
    entries.map(({ action, operator_id }: { action: string; operator_id: string }) => [action, operator_id]),
    [
      ['partner.set-rates', 'owner'],
      ['key.issue', 'owner'],
      ['partner.create', 'owner'],
    ],
  );
});

test('no key and no secret, nor its hash or its sealed form, is in any entry; and the chain verifies', async () => {
  assert.ok(secrets.length >= 16, `${secrets.length} secrets were made`);
  const { rows } = await database.pool.query('select e::text as text from audit_entry e');
  assert.ok(rows.length > 40);
  const hashes = await database.pool.query("select encode(secret_sha256, 'hex') as hash from api_key");
  const sealed = await database.pool.query(
    'select unnest(array[secret_sealed, next_secret_sealed]) as sealed from webhook_endpoint',
  );
  const forbidden = [
    ...secrets.map((secret) => secret.slice(-30)),
    ...hashes.rows.map(({ hash }) => hash),
    ...sealed.rows.flatMap(({ sealed: text }) => text ?? []),
  ];
  for (const { text } of rows) for (const each of forbidden) assert.ok(!text.includes(each), text);
  assert.equal((await verifyAudit(database)).fault, null);
});

test('after all of these changes, every record that permits or authorises is as its last entry says', async () => {
  const records: Record<string, number> = {};
  for (const kind of AUDITED_KINDS) {
    const verdict = await verifyKind(database, kind, async () => {});
    assert.deepEqual([kind.name, verdict.differences], [kind.name, []]);
    records[kind.name] = verdict.records;
  }
  for (const name of ['partner', 'api_key', 'operator', 'webhook_endpoint', 'adjustment'])
    assert.notEqual(records[name], 0, name);
});
