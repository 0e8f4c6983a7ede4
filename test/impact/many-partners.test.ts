/** What an impact batch of many partners costs, and what is left to do when adding to it is interrupted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { newPartnerId } from '../../src/domain/identifiers.ts';
import type { BatchShare } from '../../src/domain/impact/impact-batch.ts';
import { changeImpactBatch } from '../../src/operations/impact/change-impact-batch.ts';
import { findUnpooled } from '../../src/operations/impact/find-unpooled.ts';
import { addUpSettlements } from '../../src/operations/impact/impact-batch-record.ts';
import { poolSettlements, poolSettlementsOfMany } from '../../src/operations/impact/pool-contributions.ts';
import { verifyImpactBatches } from '../../src/operations/impact/verify-impact-batches.ts';
import { listAuditEntries } from '../../src/store/audit/audit-entry.ts';
import type { Database } from '../../src/store/database.ts';
import { ADA, newBatch, newProject } from '../support/environment.ts';
import { onSession } from '../support/postgres/on-session.ts';
import { testService } from '../support/service.ts';

const { database } = await testService();
const { pool } = database;

let year = 1_000;

/** Partners with closed settlements of two contributions each, in a month of their own. No operation made them. */
async function newSettlements({ partners, each = 1 }: { readonly partners: number; readonly each?: number }) {
  const month = `${year++}-10`;
  const partnerIds = Array.from({ length: partners }, () => newPartnerId()).sort();
  await pool.query('insert into event_counter (partner_id) select * from unnest($1::text[])', [partnerIds]);
  await pool.query(
    `insert into settlement (partner_id, settlement_id, sequence, status, period_start, period_end, period_timezone, period_label,
        follows_event, created_at, closed_at, contribution_count, adjustment_count, gross_points, adjustment_points, carried_points, net_points,
        totals_by_version, csv_sha256, csv_bytes, line_count, chain_sha256, seal)
      select partner_id, 'stl_' || partner_id || '_' || n, n, 'closed', now() - interval '2 day', now() - interval '1 day', 'UTC',
        case when n = 1 then $2 else $2 || '-' || n end, 0, now(), now(), 2, 0, 0, 0, 0, 0, '[]', '', 0, 0, '', ''
      from unnest($1::text[]) partner_id cross join generate_series(1, $3::int) n`,
    [partnerIds, month, each],
  );
  return { month, partnerIds };
}

/** How many statements the work sends. */
async function countStatements(work: (counted: Database) => Promise<unknown>): Promise<number> {
  const session = await pool.connect();
  let count = 0;
  const query = (...words: unknown[]) => {
    count++;
    return (session.query as (...words: unknown[]) => unknown)(...words);
  };
  await work(onSession(database, { query: query.bind(session) } as unknown as pg.PoolClient));
  session.release();
  return count;
}

/** The impact batch with everything of the month, and the shares as each transaction had them. */
async function poolMonth(on: Database, impactBatchId: string, period: string): Promise<(readonly BatchShare[])[]> {
  const shares: (readonly BatchShare[])[] = [];
  const partners = await findUnpooled(on.pool, { period });
  await poolSettlementsOfMany(on, ADA, { impactBatchId, partners, onPooled: (pooled) => shares.push(pooled) });
  return shares;
}

const countEvents = async (impactBatchId: string, partnerIds: readonly string[]) => {
  const columns = "partner_id, data::jsonb ->> 'change_type' as kind, subject_id";
  const text = `select kind, count(*)::int4 as events, count(distinct partner_id)::int4 as partners
    from (select ${columns} from event union all select ${columns} from event_outbox) e
    where subject_id = $1 and partner_id = any ($2::text[]) group by kind order by kind`;
  const { rows } = await pool.query(text, [impactBatchId, partnerIds]);
  return rows.map(({ kind, events, partners }) => [kind, events, partners]);
};

const differencesOf = async (impactBatchId: string) =>
  (await verifyImpactBatches(database)).problems.filter(({ subjectId }) => subjectId === impactBatchId);

test('hundreds of partners are added, and told of a change, by as many statements as three', async () => {
  const [few, many] = [await newSettlements({ partners: 3 }), await newSettlements({ partners: 300 })];
  const [batchOfFew, batchOfMany] = [await newBatch(database, []), await newBatch(database, [])];
  const { projectId } = await newProject(database);
  const allocate = (on: Database, impactBatchId: string) =>
    changeImpactBatch(on, ADA, impactBatchId, { changeType: 'advanced', to: 'allocated', projectId, reason: null });
  const costs = async ({ impactBatchId }: { readonly impactBatchId: string }, month: string) => [
    await countStatements((on) => poolMonth(on, impactBatchId, month)),
    await countStatements((on) => allocate(on, impactBatchId)),
  ];
  assert.deepEqual(await costs(batchOfMany, many.month), await costs(batchOfFew, few.month));
  const { impactBatchId } = batchOfMany;
  assert.deepEqual(await countEvents(impactBatchId, many.partnerIds), [['advanced', 600, 300]]);
  assert.deepEqual(await differencesOf(impactBatchId), []);
});

test('one audit entry names the partners of a transaction, with what each had in the batch before', async () => {
  const { month, partnerIds } = await newSettlements({ partners: 3, each: 2 });
  const [known = '', ...others] = partnerIds;
  const { impactBatchId } = await newBatch(database, []);
  const entries = () => listAuditEntries(pool, { subjectId: impactBatchId, limit: 10 });
  await poolSettlements(database, ADA, { impactBatchId, partnerId: known, settlementIds: [`stl_${known}_1`] });
  assert.deepEqual(await poolMonth(database, impactBatchId, month), [
    partnerIds.map((partnerId) => ({ partnerId, settlementCount: 2, contributionCount: 4n })),
  ]);
  const [ofAll, ofOne] = await entries();
  assert.deepEqual([ofOne?.partnerId, ofAll?.partnerId], [known, null]);
  assert.deepEqual(JSON.parse(ofOne?.before ?? ''), { settlements_of_partners: { [known]: 0 } });
  const before = { [known]: 1, ...Object.fromEntries(others.map((partnerId) => [partnerId, 0])) };
  assert.deepEqual(JSON.parse(ofAll?.before ?? ''), { settlements_of_partners: before });
  assert.deepEqual((await entries()).length, 3);
  assert.deepEqual(await countEvents(impactBatchId, partnerIds), [
    ['advanced', 3, 3],
    ['corrected', 1, 1],
  ]);
  assert.deepEqual(await differencesOf(impactBatchId), []);
});

test('a refusal leaves the transactions before it in the batch, and adding what is left completes it', async () => {
  const { month, partnerIds } = await newSettlements({ partners: 4, each: 300 });
  const [first = '', second = '', third = '', fourth = ''] = partnerIds;
  const [mine, theirs] = [await newBatch(database, []), await newBatch(database, [])];
  const partners = await findUnpooled(pool, { period: month });
  assert.deepEqual(
    partners.map(({ partnerId, settlementIds }) => [partnerId, new Set(settlementIds).size]),
    partnerIds.map((partnerId) => [partnerId, 300]),
  );
  await poolSettlements(database, ADA, { ...theirs, partnerId: third, settlementIds: [`stl_${third}_7`] });
  const told: string[] = [];
  const onPooled = (shares: readonly BatchShare[]) => told.push(...shares.map(({ partnerId }) => partnerId));
  await assert.rejects(poolSettlementsOfMany(database, ADA, { ...mine, partners, onPooled }), {
    code: 'invalid_request',
    message: `The settlement stl_${third}_7 of the partner ${third} is already in a batch, permanently.`,
  });
  assert.deepEqual(told, [first, second]);
  assert.deepEqual(await countEvents(mine.impactBatchId, [third, fourth]), []);
  const rest = (await poolMonth(database, mine.impactBatchId, month)).flat();
  assert.deepEqual(
    rest.map(({ partnerId, settlementCount }) => [partnerId, settlementCount]),
    [
      [third, 299],
      [fourth, 300],
    ],
  );
  const { settlementCount, contributionCount } = await addUpSettlements(pool, mine.impactBatchId);
  assert.deepEqual([settlementCount, contributionCount], [1_199, 2_398n]);
  assert.deepEqual(await countEvents(mine.impactBatchId, partnerIds), [['advanced', 4, 4]]);
  assert.deepEqual(await differencesOf(mine.impactBatchId), []);
  assert.deepEqual(await findUnpooled(pool, { period: month }), []);
});

test('a month into two batches at once: one gets it, and the other is refused', async () => {
  const { month, partnerIds } = await newSettlements({ partners: 100 });
  const batches = await Promise.all([newBatch(database, []), newBatch(database, [])]);
  const partners = await findUnpooled(pool, { period: month });
  const adding = batches.map((batch) => poolSettlementsOfMany(database, ADA, { ...batch, partners, onPooled: () => {} }));
  const outcomes = await Promise.allSettled(adding);
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  assert.equal(refusals.length, 1, String(refusals));
  // The nodes of a cluster may meet the two in another order, and end one of them.
  if (!database.isDistributed) assert.equal(refusals[0]?.code, 'invalid_request', String(refusals));
  const counts = await Promise.all(batches.map(({ impactBatchId }) => countEvents(impactBatchId, partnerIds)));
  assert.deepEqual(counts.flat(), [['advanced', 100, 100]]);
});

test('one period of a month is added without the others', async () => {
  const { month, partnerIds } = await newSettlements({ partners: 2, each: 3 });
  const expected = partnerIds.map((partnerId) => ({ partnerId, settlementIds: [`stl_${partnerId}_3`] }));
  assert.deepEqual(await findUnpooled(pool, { period: `${month}-3` }), expected);
  const [partnerId] = partnerIds;
  assert.deepEqual(await findUnpooled(pool, { period: `${month}-3`, partnerId }), expected.slice(0, 1));
});
