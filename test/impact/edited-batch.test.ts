/** An impact batch that was edited in the database is not changed: the next entry of the audit would confirm the edit (settlements, section 5). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BatchChange, changeImpactBatch } from '../../src/operations/impact/change-impact-batch.ts';
import { poolSettlements, poolSettlementsOfMany } from '../../src/operations/impact/pool-contributions.ts';
import { verifyImpactBatches } from '../../src/operations/impact/verify-impact-batches.ts';
import { attestRecord, getRecord } from '../../src/operations/verification/attest-record.ts';
import { findImpactBatch } from '../../src/store/impact/impact-batch.ts';
import { enrol, OWNER } from '../support/actor.ts';
import { ADA, advanceTo, BEA, evidence, newBatch, withClosed } from '../support/environment.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database } = service;
const { pool } = database;
await enrol(database, ADA, BEA);

async function edit(text: string, values: readonly unknown[]): Promise<void> {
  await asSuperuser(pool, async (client) => assert.equal((await client.query(text, [...values])).rowCount, 1, text));
}

async function countEntries(impactBatchId: string): Promise<bigint> {
  const { rows } = await pool.query('select count(*) from audit_entry where subject_id = $1', [impactBatchId]);
  return rows[0].count;
}

const differs = (impactBatchId: string, field: string) => ({
  name: 'UnverifiedRecordError',
  message: new RegExp(`^The impact batch ${impactBatchId} differs from the audit: ${field} differs`),
});

const differencesOf = async (impactBatchId: string) =>
  (await verifyImpactBatches(database)).problems.filter(({ subjectId }) => subjectId === impactBatchId);

const added = (letter: string): BatchChange => ({
  changeType: 'evidence_added',
  evidence: evidence({ sha256: letter.repeat(64), url: `https://example.org/${letter}.jpg` }),
  reason: null,
});

describe('a change of an edited batch', () => {
  const edits = {
    quantity: 'update impact_batch set quantity = quantity + 1 where impact_batch_id = $1',
    evidence: 'delete from impact_evidence where impact_batch_id = $1',
    changes: 'delete from impact_batch_change where impact_batch_id = $1 and change_no = 2',
    settlements: 'delete from impact_batch_settlement where impact_batch_id = $1 and settlement_id = $2',
  };
  for (const [field, text] of Object.entries(edits))
    test(`is refused and writes no entry: ${field}`, async () => {
      const partner = await withClosed(service, 1, 1);
      const batch = await newBatch(database, [partner]);
      const { impactBatchId } = batch;
      await advanceTo(database, batch, 'in_progress');
      await changeImpactBatch(database, ADA, impactBatchId, added('a'));
      const [before, entries] = [await findImpactBatch(pool, impactBatchId), await countEntries(impactBatchId)];
      const values = [impactBatchId, ...(field === 'settlements' ? [partner.closed[0]?.settlementId] : [])];
      await edit(text, values);
      await assert.rejects(changeImpactBatch(database, ADA, impactBatchId, added('b')), differs(impactBatchId, field));
      assert.equal((await findImpactBatch(pool, impactBatchId))?.changeNo, before?.changeNo);
      assert.equal(await countEntries(impactBatchId), entries);
      assert.deepEqual(await differencesOf(impactBatchId), [{ subjectId: impactBatchId, fields: [field] }]);
    });

  test('is refused where an approver named another in the delivery of his own, and verifies it alone', async () => {
    const batch = await newBatch(database, [await withClosed(service, 1)]);
    const { impactBatchId } = batch;
    await advanceTo(database, batch, 'in_progress');
    const advance = (to: 'delivered' | 'verified'): BatchChange => ({ changeType: 'advanced', to, reason: null });
    await changeImpactBatch(database, BEA, impactBatchId, advance('delivered'));
    await changeImpactBatch(database, BEA, impactBatchId, added('a'));
    await edit('update impact_batch set delivered_by = $2 where impact_batch_id = $1', [impactBatchId, ADA.operatorId]);
    await assert.rejects(
      changeImpactBatch(database, BEA, impactBatchId, advance('verified')),
      differs(impactBatchId, 'delivered_by'),
    );
    assert.equal((await findImpactBatch(pool, impactBatchId))?.status, 'delivered');
  });
});

describe('settlements that are added to an edited batch', () => {
  for (const field of ['name', 'settlements'])
    test(`are refused: ${field}`, async () => {
      const [first, second] = [await withClosed(service, 1), await withClosed(service, 1)];
      const { impactBatchId } = await newBatch(database, [first]);
      const text =
        field === 'name'
          ? "update impact_batch set name = 'Another' where impact_batch_id = $1"
          : 'delete from impact_batch_settlement where impact_batch_id = $1';
      await edit(text, [impactBatchId]);
      const entries = await countEntries(impactBatchId);
      const settlementIds = second.closed.map(({ settlementId }) => settlementId);
      const partners = [{ partnerId: second.partnerId, settlementIds }];
      await assert.rejects(
        poolSettlements(database, ADA, { impactBatchId, partnerId: second.partnerId, settlementIds }),
        differs(impactBatchId, field),
      );
      await assert.rejects(
        poolSettlementsOfMany(database, ADA, { impactBatchId, partners, onPooled: () => {} }),
        differs(impactBatchId, field),
      );
      assert.equal(await countEntries(impactBatchId), entries);
    });

  test('are refused: one that was taken out is not put back', async () => {
    const { partnerId, closed } = await withClosed(service, 1);
    const { impactBatchId } = await newBatch(database, [{ partnerId, closed }]);
    await edit('delete from impact_batch_settlement where impact_batch_id = $1', [impactBatchId]);
    const settlementIds = closed.map(({ settlementId }) => settlementId);
    const adding = poolSettlements(database, ADA, { impactBatchId, partnerId, settlementIds });
    await assert.rejects(adding, differs(impactBatchId, 'settlements'));
  });
});

test('an edited batch that an admin attests is changed again, and the audit says why', async () => {
  const batch = await newBatch(database, [await withClosed(service, 1)]);
  const { impactBatchId } = batch;
  await edit('update impact_batch set quantity = 7 where impact_batch_id = $1', [impactBatchId]);
  const record = { kind: 'impact_batch', id: impactBatchId };
  const shown = (await getRecord(pool, record)) as { quantity: bigint };
  assert.equal(shown.quantity, 7n);
  await attestRecord(database, OWNER, { ...record, reason: 'as the order says' });
  assert.deepEqual(await differencesOf(impactBatchId), []);
  const { rows } = await pool.query(
    'select action, before_json from audit_entry where subject_id = $1 order by entry_no desc limit 1',
    [impactBatchId],
  );
  assert.deepEqual(rows, [{ action: 'impact-batch.attest', before_json: '{"reason":"as the order says"}' }]);
  await advanceTo(database, batch, 'verified');
  assert.equal((await findImpactBatch(pool, impactBatchId))?.quantity, 7n);
  await assert.rejects(getRecord(pool, { kind: 'impact_batch', id: 'batch_nobody' }), { code: 'invalid_request' });
});
