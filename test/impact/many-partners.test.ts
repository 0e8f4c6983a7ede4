/** What an impact batch of many partners costs. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import type pg from 'pg';
import { newId } from '../../src/domain/identifiers.ts';
import { changeImpactBatch } from '../../src/operations/impact/change-impact-batch.ts';
import { poolSettlements } from '../../src/operations/impact/pool-contributions.ts';
import { verifyImpactBatches } from '../../src/operations/impact/verify-impact-batches.ts';
import type { Database } from '../../src/store/database.ts';
import { ADA, newBatch, newProject } from '../support/environment.ts';
import { onSession } from '../support/postgres/on-session.ts';
import { testService } from '../support/service.ts';

const { database } = await testService();
const { pool } = database;

/** Partners with closed settlements of two contributions each, in a month of their own. No operation made them. */
async function newSettlements({ partners, each = 1 }: { readonly partners: number; readonly each?: number }) {
  const month = `${randomInt(1_000, 1_900)}-${randomInt(10, 13)}`;
  const partnerIds = Array.from({ length: partners }, () => newId('ptn')).sort();
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

test('a change is told to thirty partners by as many statements as to three', async () => {
  const { projectId } = await newProject(database);
  const costOf = async (partnerIds: readonly string[]) => {
    const closed = partnerIds.map((partnerId) => ({ partnerId, settlementIds: [`stl_${partnerId}_1`] }));
    const { impactBatchId } = await newBatch(database, []);
    for (const partner of closed) await poolSettlements(database, ADA, { impactBatchId, ...partner });
    const change = { changeType: 'advanced', to: 'allocated', projectId, reason: null } as const;
    const statements = await countStatements((on) => changeImpactBatch(on, ADA, impactBatchId, change));
    assert.deepEqual(await countEvents(impactBatchId, partnerIds), [['advanced', 2 * partnerIds.length, partnerIds.length]]);
    assert.deepEqual(await differencesOf(impactBatchId), []);
    return statements;
  };
  const [few, many] = [await newSettlements({ partners: 3 }), await newSettlements({ partners: 30 })];
  assert.equal(await costOf(many.partnerIds), await costOf(few.partnerIds));
});
