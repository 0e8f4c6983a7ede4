/** Projects, impact batches and their status, and the paths of partners: settlements, section 4. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Actor } from '../../src/domain/access/role.ts';
import type { EnvironmentalStatus } from '../../src/domain/impact/environmental-status.ts';
import { type BatchChange, changeImpactBatch } from '../../src/operations/impact/change-impact-batch.ts';
import { createProject } from '../../src/operations/impact/manage-project.ts';
import { createImpactBatch, poolSettlements } from '../../src/operations/impact/pool-contributions.ts';
import { verifyImpactBatches } from '../../src/operations/impact/verify-impact-batches.ts';
import { findImpactBatch } from '../../src/store/impact/impact-batch.ts';
import { enrol, enrolled, OWNER } from '../support/actor.ts';
import { type Answer, type Client, uniqueId } from '../support/client.ts';
import { ADA, advanceTo, BEA, evidence, newBatch, newProject, withClosed } from '../support/environment.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { document, listMisfits } from '../support/published.ts';
import { insertPendingAged, untilAllSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { openFirst } from '../support/settlements.ts';

const service = await testService();
const { database } = service;
await enrol(database, ADA, BEA);
const { pool } = database;

const STATUS_PATH = '/v1/impact-transactions/{transaction_id}/environmental-status';
const LIST_PATH = '/v1/impact-batches/{impact_batch_id}/transactions';

function assertPublished(answer: Answer, path: string): void {
  assert.equal(answer.status, 200, answer.text);
  const { schema } = document.paths[path].get.responses[200].content['application/json'];
  assert.equal(listMisfits(schema, JSON.parse(answer.text)), '');
}

const confirmed = async (client: Client): Promise<string> => (await client.confirm()).body.contribution.transaction_id;
const statusOf = (client: Client, transactionId: string) =>
  client.call(`/v1/impact-transactions/${transactionId}/environmental-status`);
const advance = (impactBatchId: string, to: EnvironmentalStatus, actor: Actor = ADA, projectId?: string) =>
  changeImpactBatch(database, actor, impactBatchId, { changeType: 'advanced', to, projectId, reason: null });
const change = (impactBatchId: string, actor: Actor, wanted: object) =>
  changeImpactBatch(database, actor, impactBatchId, { reason: null, ...wanted } as BatchChange);

/** The partner's events of this kind, each of which has to fit its schema. */
async function newsOf(client: Client, partnerId: string) {
  await untilAllSequenced(database, partnerId);
  const { body, text } = await client.call('/v1/events?limit=500');
  const kind = 'environmental.status.updated';
  const { schema } = document.webhooks[kind].post.requestBody.content['application/json'];
  for (const event of JSON.parse(text).events) if (event.event_type === kind) assert.equal(listMisfits(schema, event), '');
  return body.events.filter(({ event_type }: { event_type: string }) => event_type === kind);
}

async function countEvents(partnerId: string): Promise<number> {
  const text = `select count(*)::int4 as count from (
      select event_id from event_outbox where partner_id = $1 union select event_id from event where partner_id = $1
    ) e`;
  return (await pool.query(text, [partnerId])).rows[0].count;
}

describe('the status of a contribution', () => {
  test('recorded before it is in a batch, none unless it is confirmed; as the document says', async () => {
    const { partner, client } = await service.newPartner();
    await openFirst(database, partner);
    const fresh = await statusOf(client, await confirmed(client));
    assertPublished(fresh, STATUS_PATH);
    const { status, impact_batch_id, settlement_id, summary_ar } = fresh.body.environmental_status;
    assert.deepEqual([status, impact_batch_id, settlement_id], ['recorded', null, null]);
    assert.equal(summary_ar, 'زراعة الأشجار: مُسجَّلة.');
    const held = { partnerId: partner.partnerId, partnerOrderRef: 'held', age: '1 hour' };
    const pending = await statusOf(client, await insertPendingAged(database, held, uniqueId('calc')));
    assertPublished(pending, STATUS_PATH);
    const shown = pending.body.environmental_status;
    assert.deepEqual([shown.contribution_status, shown.status, shown.summary_en], ['pending', null, null]);
  });

  test('recorded since its confirmation also in a batch that was created before, and allocated since that step', async () => {
    const batch = await newBatch(database, []);
    const { client, partnerId, closed } = await withClosed(service, 1);
    const [line] = (await client.call(`/v1/settlements/${closed[0]?.settlementId}/lines`)).body.lines;
    const before = (await statusOf(client, line.transaction_id)).body.environmental_status;
    const { impactBatchId } = batch;
    const settlementIds = closed.map(({ settlementId }) => settlementId);
    await poolSettlements(database, ADA, { impactBatchId, partnerId, settlementIds });
    const pooled = await statusOf(client, line.transaction_id);
    assertPublished(pooled, STATUS_PATH);
    const { status, status_at, impact_batch_id } = pooled.body.environmental_status;
    assert.deepEqual([status, impact_batch_id], ['recorded', impactBatchId]);
    assert.equal(status_at, before.status_at);
    assert.equal(status_at, line.confirmed_at_utc);
    await advanceTo(database, batch, 'allocated');
    const allocated = (await statusOf(client, line.transaction_id)).body.environmental_status;
    assert.equal(allocated.status_at, (await findImpactBatch(pool, impactBatchId))?.statusAt.toISOString());
  });

  test('the status of its batch, step by step; the contribution itself never changes', async () => {
    const partner = await withClosed(service, 2);
    const [line] = (await partner.client.call(`/v1/settlements/${partner.closed[0]?.settlementId}/lines`)).body.lines;
    const before = await partner.client.call(`/v1/impact-transactions/${line.transaction_id}`);
    const batch = await newBatch(database, [partner], 9_223_372_036_854_775_807n);
    await advanceTo(database, batch, 'delivered');
    const delivered = await statusOf(partner.client, line.transaction_id);
    assertPublished(delivered, STATUS_PATH);
    const { status, quantity, project, impact_batch_id } = delivered.body.environmental_status;
    assert.deepEqual([status, quantity.value, impact_batch_id], ['delivered', 9_223_372_036_854_775_807n, batch.impactBatchId]);
    assert.equal(project.name_ar, 'أشجار المانغروف في الجبيل');
    await advanceTo(database, { ...batch, status: 'delivered' }, 'verified');
    const verified = await statusOf(partner.client, line.transaction_id);
    assertPublished(verified, STATUS_PATH);
    assert.deepEqual(verified.body.environmental_status.evidence, [
      {
        type: 'photo',
        url: 'https://example.org/photo.jpg',
        sha256: evidence().sha256,
        captured_at: '2026-01-02T03:04:05.000Z',
      },
    ]);
    const after = await partner.client.call(`/v1/impact-transactions/${line.transaction_id}`);
    assert.deepEqual(after.body.contribution, before.body.contribution);
  });

  test("unknown, ill formed, and another partner's: one and the same contribution_not_found, with the verdict", async () => {
    const { client } = await withClosed(service, 1);
    const other = await withClosed(service, 1);
    const [line] = (await other.client.call(`/v1/settlements/${other.closed[0]?.settlementId}/lines`)).body.lines;
    const answers = await Promise.all([
      statusOf(client, line.transaction_id),
      statusOf(client, 'txn_nobody'),
      statusOf(client, 'a%20b'),
    ]);
    const told = answers.map(({ status, body }) => [status, body.error.code, body.error.message, body.error.details]);
    assert.deepEqual(told, [told[0], told[0], told[0]]);
    assert.deepEqual(told[0]?.slice(0, 2), [404, 'contribution_not_found']);
    assert.ok(
      answers[0]?.body.error.details.some(
        ({ field, code }: { field: string; code: string }) => field === 'point_restoration' && code === 'not_authorized',
      ),
    );
  });
});

describe('the contributions of a batch', () => {
  test('all of the partner, over its settlements, page by page; as the document says', async () => {
    const partner = await withClosed(service, 3, 2, 1);
    const other = await withClosed(service, 2);
    const { impactBatchId } = await newBatch(database, [partner, other]);
    const seen: string[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const cursor = after === '' ? '' : `&after_transaction=${after}`;
      const page: Answer = await partner.client.call(`/v1/impact-batches/${impactBatchId}/transactions?limit=2${cursor}`);
      assertPublished(page, LIST_PATH);
      assert.equal(page.body.impact_batch.transaction_count, 6n);
      seen.push(...page.body.transactions.map(({ transaction_id }: { transaction_id: string }) => transaction_id));
      after = page.body.next_after_transaction;
    }
    const { rows } = await pool.query('select transaction_id from contribution where partner_id = $1', [partner.partnerId]);
    assert.equal(seen.length, 6);
    assert.deepEqual(new Set(seen), new Set(rows.map(({ transaction_id }) => transaction_id)));
  });

  test('a batch without contributions of the partner is not found, like none; a foreign cursor is refused', async () => {
    const partner = await withClosed(service, 1);
    const other = await withClosed(service, 1);
    const { impactBatchId } = await newBatch(database, [partner]);
    const list = (id: string, query = '') => other.client.call(`/v1/impact-batches/${id}/transactions${query}`);
    const answers = await Promise.all([list(impactBatchId), list('batch_nobody'), list('a%20b')]);
    const told = answers.map(({ status, body }) => [status, body.error.code, body.error.details]);
    assert.deepEqual(told, [told[0], told[0], told[0]]);
    assert.deepEqual([told[0]?.[0], answers[0]?.body.error.details[0].code], [404, 'not_found']);
    const [own] = (await other.client.call(`/v1/settlements/${other.closed[0]?.settlementId}/lines`)).body.lines;
    const foreign = await partner.client.call(
      `/v1/impact-batches/${impactBatchId}/transactions?after_transaction=${own.transaction_id}`,
    );
    assert.deepEqual([foreign.status, foreign.body.error.details[0].field], [400, 'after_transaction']);
  });
});

describe('environmental.status.updated', () => {
  test('one per batch and partner with each change, with the count and no list', async () => {
    const [one, two] = [await withClosed(service, 3, 1), await withClosed(service, 2)];
    const batch = await newBatch(database, [one, two], 2n);
    const { impactBatchId } = batch;
    const [first, second] = [await newProject(database), await newProject(database, 'Acacias')];
    await advance(impactBatchId, 'allocated', ADA, first.projectId);
    await change(impactBatchId, ADA, { changeType: 'delayed', expectedDeliveryPeriod: '2027-Q2' });
    await advance(impactBatchId, 'funded');
    await change(impactBatchId, ADA, { changeType: 'reallocated', projectId: second.projectId });
    await change(impactBatchId, ADA, { changeType: 'corrected', quantity: 11n });
    await change(impactBatchId, ADA, { changeType: 'evidence_added', evidence: evidence() });
    for (const { client, partnerId, count } of [
      { ...one, count: 4n },
      { ...two, count: 2n },
    ]) {
      const events = await newsOf(client, partnerId);
      assert.deepEqual(
        events.map(({ data }: Answer['body']) => [
          data.change_type,
          data.previous_status,
          data.status,
          data.project?.name_en ?? null,
        ]),
        [
          ['advanced', null, 'recorded', null],
          ['advanced', 'recorded', 'allocated', 'Mangroves of Jubail'],
          ['delayed', 'allocated', 'allocated', 'Mangroves of Jubail'],
          ['advanced', 'allocated', 'funded', 'Mangroves of Jubail'],
          ['reallocated', 'funded', 'allocated', 'Acacias'],
          ['corrected', 'allocated', 'allocated', 'Acacias'],
          ['evidence_added', 'allocated', 'allocated', 'Acacias'],
        ],
      );
      assert.deepEqual(new Set(events.map(({ data }: Answer['body']) => data.affected_transaction_count)), new Set([count]));
      const { data, occurred_at, correlation_id } = events.at(-1);
      assert.deepEqual([data.occurred_at, correlation_id], [occurred_at, ADA.correlationId]);
      assert.deepEqual([data.quantity.value, data.summary_ar], [11n, 'زراعة 11 شجرة: مُخصَّصة.']);
      const listed = await client.call(data.transactions_path);
      assert.equal(BigInt(listed.body.transactions.length), count);
    }
  });

  test('more of a partner in the same batch corrects its count; a delay is shown until it is delivered', async () => {
    const { client, partnerId, closed } = await withClosed(service, 1, 2);
    const batch = await newBatch(database, [{ partnerId, closed: closed.slice(0, 1) }]);
    const { impactBatchId } = batch;
    const settlementIds = [closed[1]?.settlementId as string];
    const share = await poolSettlements(database, ADA, { impactBatchId, partnerId, settlementIds });
    assert.deepEqual([share.settlementCount, share.contributionCount], [2, 3n]);
    await advanceTo(database, batch, 'in_progress');
    await change(impactBatchId, ADA, { changeType: 'delayed', expectedDeliveryPeriod: '2028-01' });
    const list = async () => (await client.call(`/v1/impact-batches/${impactBatchId}/transactions`)).body.impact_batch;
    const delayed = await list();
    assert.deepEqual([delayed.status, delayed.expected_delivery_period], ['in_progress', '2028-01']);
    assert.ok(delayed.delayed_at >= delayed.status_at);
    await advanceTo(database, { impactBatchId, status: 'in_progress' }, 'delivered');
    const delivered = await list();
    assert.deepEqual([delivered.delayed_at, delivered.expected_delivery_period], [null, null]);
    const events = await newsOf(client, partnerId);
    assert.deepEqual(
      events
        .slice(0, 2)
        .map(({ data }: Answer['body']) => [data.change_type, data.previous_status, data.affected_transaction_count]),
      [
        ['advanced', null, 1n],
        ['corrected', 'recorded', 3n],
      ],
    );
  });
});

describe('what is refused changes nothing and tells nobody', () => {
  const refused = async (partnerId: string, impactBatchId: string, work: () => Promise<unknown>, expected: object) => {
    const state = async () => [await findImpactBatch(pool, impactBatchId), await countEvents(partnerId)];
    const before = await state();
    await assert.rejects(work(), expected);
    assert.deepEqual(await state(), before);
  };

  test('skipping, going back, an unknown project, an empty batch, and what is no evidence', async () => {
    const partner = await withClosed(service, 1);
    const { impactBatchId } = await newBatch(database, [partner]);
    const no = (work: () => Promise<unknown>, message: RegExp) =>
      refused(partner.partnerId, impactBatchId, work, { code: 'invalid_request', message });
    const { projectId } = await newProject(database);
    await no(() => advance(impactBatchId, 'funded'), /recorded; its next status cannot be funded/);
    await no(() => advance(impactBatchId, 'allocated'), /Give the project/);
    await no(() => advance(impactBatchId, 'allocated', ADA, 'project_nobody'), /There is no project/);
    await no(
      () => change(impactBatchId, ADA, { changeType: 'evidence_added', evidence: evidence() }),
      /^The change evidence_added is not possible: the batch is recorded/,
    );
    await advance(impactBatchId, 'allocated', ADA, projectId);
    await no(() => advance(impactBatchId, 'recorded'), /its next status cannot be/);
    await no(() => change(impactBatchId, ADA, { changeType: 'reallocated', projectId }), /already belongs/);
    await no(() => change(impactBatchId, ADA, { changeType: 'delayed', expectedDeliveryPeriod: 'soon' }), /expected period/);
    await no(() => change(impactBatchId, ADA, { changeType: 'corrected', quantity: -1n }), /whole number/);
    await no(() => change(impactBatchId, ADA, { changeType: 'corrected', quantity: 2n ** 63n }), /whole number/);
    await no(() => change(impactBatchId, ADA, { changeType: 'corrected', quantity: 3n }), /already/);
    const add = (over: object) => () => change(impactBatchId, ADA, { changeType: 'evidence_added', evidence: evidence(over) });
    await no(add({ url: 'http://example.org/' }), /https/);
    await no(add({ url: 'https://user:secret@example.org/' }), /https/);
    await no(add({ type: 'A photo' }), /type/);
    await no(add({ fileName: 'a\nb' }), /name of the file/);
    await no(add({ sha256: 'ABC' }), /sha256/);
    await no(add({ byteCount: 0n }), /empty/);
    await no(add({ capturedAt: new Date('2999-01-01') }), /future/);
    await add({})();
    await no(add({ url: 'https://example.org/again' }), /already/);
    const empty = await createImpactBatch(database, ADA, { name: 'Empty', quantity: 1n });
    await no(() => advance(empty.impactBatchId, 'allocated', ADA, projectId), /no contributions/);
    await no(() => advance('batch_nobody', 'allocated', ADA, projectId), /There is no impact batch/);
  });

  test('a verification by the evidence of a former project', async () => {
    const partner = await withClosed(service, 1);
    const batch = await newBatch(database, [partner]);
    await advanceTo(database, batch, 'in_progress');
    const { impactBatchId } = batch;
    await change(impactBatchId, ADA, { changeType: 'evidence_added', evidence: evidence() });
    const { projectId } = await newProject(database, 'Acacias');
    await change(impactBatchId, ADA, { changeType: 'reallocated', projectId });
    await advanceTo(database, { impactBatchId, status: 'allocated' }, 'delivered');
    const expected = { code: 'invalid_request', message: /Add evidence of the delivery/ };
    await refused(partner.partnerId, impactBatchId, () => advance(impactBatchId, 'verified', BEA), expected);
    const ofAcacias = evidence({ sha256: 'a'.repeat(64) });
    await change(impactBatchId, ADA, { changeType: 'evidence_added', evidence: ofAcacias });
    assert.equal((await advance(impactBatchId, 'verified', BEA)).status, 'verified');
  });

  test('more than 50 files of evidence of a project; another project has its own 50', async () => {
    const partner = await withClosed(service, 2);
    const batch = await newBatch(database, [partner]);
    await advanceTo(database, batch, 'funded');
    const { impactBatchId } = batch;
    let files = 0;
    const add = () => {
      const file = evidence({ sha256: String(++files).padStart(64, '0') });
      return change(impactBatchId, ADA, { changeType: 'evidence_added', evidence: file });
    };
    for (let count = 0; count < 50; count++) await add();
    const message = 'The batch has 50 files of evidence of its project, the most that it takes. Verify the batch by these.';
    const details = [{ field: 'file', code: 'not_possible', message }];
    await refused(partner.partnerId, impactBatchId, add, { code: 'invalid_request', message, details });
    const { projectId } = await newProject(database, 'Acacias');
    await change(impactBatchId, ADA, { changeType: 'reallocated', projectId });
    await add();
    const { data } = (await newsOf(partner.client, partner.partnerId)).at(-1);
    assert.deepEqual([data.evidence.length, data.affected_transaction_count], [51, 2n]);
  });

  test('a settlement that is open, empty, unknown, of another partner, or in a batch', async () => {
    const partner = await withClosed(service, 1, 0);
    const other = await withClosed(service, 1);
    const { impactBatchId } = await newBatch(database, []);
    const { partnerId } = partner;
    const add = (settlementId: string) => () =>
      poolSettlements(database, ADA, { impactBatchId, partnerId, settlementIds: [settlementId] });
    const no = (work: () => Promise<unknown>, message: RegExp) =>
      refused(partnerId, impactBatchId, work, { code: 'invalid_request', message });
    const { rows } = await pool.query("select settlement_id from settlement where partner_id = $1 and status = 'open'", [
      partnerId,
    ]);
    await no(add(rows[0].settlement_id), /is open/);
    await no(add(partner.closed[1]?.settlementId as string), /no contributions/);
    await no(add('stl_nobody'), /not there/);
    await no(add(other.closed[0]?.settlementId as string), /not there/);
    await newBatch(database, [{ partnerId, closed: partner.closed.slice(0, 1) }]);
    await no(add(partner.closed[0]?.settlementId as string), /already in a batch/);
    const late = await withClosed(service, 1);
    const fixed = await newBatch(database, [other]);
    await advanceTo(database, fixed, 'allocated');
    await no(
      () =>
        poolSettlements(database, ADA, {
          impactBatchId: fixed.impactBatchId,
          partnerId: late.partnerId,
          settlementIds: [late.closed[0]?.settlementId as string],
        }),
      /settlements can no longer be added/,
    );
  });

  test('names: blank, with line breaks, with marks that re-order; and codes that are no country', async () => {
    const make = (over: object) => createProject(database, ADA, { nameEn: 'Acacias', nameAr: 'أكاسيا', country: 'SA', ...over });
    for (const over of [
      { nameEn: ' ' },
      { nameAr: 'أ\nب' },
      { nameAr: '\u202eأكاسيا' },
      { country: 'sa' },
      { country: 'ZZ' },
      { country: 'EU' },
      { country: 'QX' },
    ])
      await assert.rejects(make(over), { code: 'invalid_request' }, JSON.stringify(over));
    await assert.rejects(
      make({ nameEn: ' ', country: 'ZZ' }),
      /name_en must be a line of 1 to 200 characters\. country must be an ISO 3166-1 code/,
    );
    const unnamed = createImpactBatch(database, ADA, { name: ' ', quantity: 1n });
    await assert.rejects(unnamed, { code: 'invalid_request', message: /name must be/ });
    assert.equal((await make({ nameAr: 'غابة «النخيل» – المرحلة ٢' })).nameAr, 'غابة «النخيل» – المرحلة ٢');
  });
});

describe('two people', () => {
  test('the owner of the machine records no delivery, and nobody verifies what he delivered himself', async () => {
    const batch = await newBatch(database, [await withClosed(service, 1)]);
    const { impactBatchId } = batch;
    await advanceTo(database, batch, 'in_progress');
    await assert.rejects(advance(impactBatchId, 'delivered', OWNER), { code: 'forbidden' });
    const [both] = await enrolled(database, 'admin');
    await advance(impactBatchId, 'delivered', both);
    await assert.rejects(advance(impactBatchId, 'verified', BEA), { code: 'invalid_request', message: /evidence/ });
    await change(impactBatchId, both, { changeType: 'evidence_added', evidence: evidence() });
    const message = 'The batch is delivered; its next status cannot be in_progress.';
    await assert.rejects(advance(impactBatchId, 'in_progress', both), { code: 'invalid_request', message });
    for (const actor of [both, OWNER, ADA])
      await assert.rejects(advance(impactBatchId, 'verified', actor), { code: 'forbidden' });
    const verified = await advance(impactBatchId, 'verified', BEA);
    assert.deepEqual([verified.deliveredBy, verified.verifiedBy], [both.operatorId, BEA.operatorId]);
    for (const actor of [BEA, OWNER, ADA])
      await assert.rejects(change(impactBatchId, actor, { changeType: 'corrected', quantity: 2n }), { code: 'forbidden' });
    const corrected = await change(impactBatchId, both, { changeType: 'corrected', quantity: 2n });
    assert.deepEqual([corrected.status, corrected.quantity, corrected.verifiedBy], ['verified', 2n, BEA.operatorId]);
  });
});

describe('a number of trees that was corrected after the delivery', () => {
  test('is verified by another person than the one who corrected it', async () => {
    const batch = await newBatch(database, [await withClosed(service, 1)]);
    const { impactBatchId } = batch;
    await advanceTo(database, batch, 'in_progress');
    await change(impactBatchId, BEA, { changeType: 'corrected', quantity: 7n });
    await advance(impactBatchId, 'delivered', ADA);
    await change(impactBatchId, ADA, { changeType: 'evidence_added', evidence: evidence() });
    await assert.rejects(change(impactBatchId, OWNER, { changeType: 'corrected', quantity: 8n }), { code: 'forbidden' });
    await change(impactBatchId, BEA, { changeType: 'corrected', quantity: 1_000_000n });
    await assert.rejects(advance(impactBatchId, 'verified', BEA), { code: 'forbidden' });
    const verified = await advance(impactBatchId, 'verified', (await enrolled(database, 'approver'))[0]);
    assert.deepEqual([verified.status, verified.quantity], ['verified', 1_000_000n]);
  });
});

describe('at once', () => {
  test('twenty who advance: one does, and each partner hears of it once', async () => {
    const partner = await withClosed(service, 1);
    const { impactBatchId } = await newBatch(database, [partner]);
    const { projectId } = await newProject(database);
    const before = await countEvents(partner.partnerId);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => advance(impactBatchId, 'allocated', ADA, projectId)),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(await countEvents(partner.partnerId), before + 1);
  });

  test('one settlement into ten batches: it is in one', async () => {
    const { partnerId, closed } = await withClosed(service, 1);
    const settlementIds = closed.map(({ settlementId }) => settlementId);
    const batches = await Promise.all(Array.from({ length: 10 }, () => newBatch(database, [])));
    const before = await countEvents(partnerId);
    const outcomes = await Promise.allSettled(
      batches.map(({ impactBatchId }) => poolSettlements(database, ADA, { impactBatchId, partnerId, settlementIds })),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(await countEvents(partnerId), before + 1);
  });

  test('adding and allocating: what is in the batch when it is allocated is all that is told of it', async () => {
    const [first, second] = [await withClosed(service, 1), await withClosed(service, 1)];
    const { impactBatchId } = await newBatch(database, [first]);
    const { projectId } = await newProject(database);
    const adding = poolSettlements(database, ADA, {
      impactBatchId,
      partnerId: second.partnerId,
      settlementIds: second.closed.map(({ settlementId }) => settlementId),
    });
    const [added] = await Promise.allSettled([adding, advance(impactBatchId, 'allocated', ADA, projectId)]);
    const events = await newsOf(second.client, second.partnerId);
    const statuses = events.map(({ data }: Answer['body']) => data.status);
    assert.deepEqual(statuses, added.status === 'fulfilled' ? ['recorded', 'allocated'] : []);
  });
});

describe('the database itself', () => {
  test('refuses a skipped step, a verification without evidence or by one person, and every change of what is kept', async () => {
    const batch = await newBatch(database, [await withClosed(service, 1)]);
    const id = [batch.impactBatchId];
    const no = (text: string, values: unknown[] = id) => assert.rejects(pool.query(text, values), /impact|not allowed|violates/);
    await no("update impact_batch set status = 'delivered', change_no = change_no + 1 where impact_batch_id = $1");
    await advanceTo(database, batch, 'delivered');
    await no(
      "update impact_batch set status = 'verified', verified_by = 'opr_b', change_no = change_no + 1 where impact_batch_id = $1",
    );
    await change(batch.impactBatchId, ADA, { changeType: 'evidence_added', evidence: evidence() });
    await no(
      "update impact_batch set status = 'verified', verified_by = delivered_by, change_no = change_no + 1 where impact_batch_id = $1",
    );
    await no("update impact_batch set delivered_by = 'opr_b', change_no = change_no + 1 where impact_batch_id = $1");
    await no("update impact_evidence set sha256 = repeat('a', 64) where impact_batch_id = $1");
    await no('delete from impact_batch_change where impact_batch_id = $1');
    await no('delete from impact_batch where impact_batch_id = $1');
    await no("update project set name_en = 'Other'", []);
  });

  test("a superuser's edit of a batch, its evidence, its settlements, its history or a project is found and named", async () => {
    const partner = await withClosed(service, 1, 1);
    const batch = await newBatch(database, [{ ...partner, closed: partner.closed.slice(0, 1) }], 9_223_372_036_854_775_806n);
    const { impactBatchId } = batch;
    await advanceTo(database, batch, 'verified');
    assert.deepEqual((await verifyImpactBatches(database)).problems, []);
    const gone = await createImpactBatch(database, ADA, { name: 'Gone', quantity: 1n });
    const { projectId } = await newProject(database, 'Renamed');
    await asSuperuser(pool, async (client) => {
      const edits: [string, unknown[], string][] = [
        ['update impact_batch set quantity = quantity + 1 where impact_batch_id = $1', [impactBatchId], 'quantity'],
        ["update impact_evidence set sha256 = repeat('a', 64) where impact_batch_id = $1", [impactBatchId], 'evidence'],
        [
          'update impact_batch_settlement set settlement_id = $2 where impact_batch_id = $1',
          [impactBatchId, partner.closed[1]?.settlementId],
          'settlements',
        ],
        [
          "update impact_batch_change set operator_id = 'opr_x' where impact_batch_id = $1 and change_no = 2",
          [impactBatchId],
          'changes',
        ],
        ['delete from impact_batch where impact_batch_id = $1', [gone.impactBatchId], 'removed'],
        ["update project set name_ar = 'آخر' where project_id = $1", [projectId], 'name_ar'],
      ];
      for (const [text, values] of edits) assert.ok(((await client.query(text, values)).rowCount ?? 0) > 0, text);
    });
    const { problems } = await verifyImpactBatches(database);
    const found = new Map(problems.map(({ subjectId, fields }) => [subjectId, [...fields].sort()]));
    assert.deepEqual(found.get(impactBatchId), ['changes', 'evidence', 'quantity', 'settlements']);
    assert.deepEqual([found.get(gone.impactBatchId), found.get(projectId), found.size], [['removed'], ['name_ar'], 3]);
  });
});
