/** What is compared with the audit is read by an index, however many rows there are beside it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type pg from 'pg';
import { insertSelect } from '../../bench/rows/rows.ts';
import { eachAuditedAdjustment } from '../../src/operations/audit/compare-with-audit.ts';
import { listLatestEntries } from '../../src/operations/audit/list-entries.ts';
import { openDatabase } from '../../src/store/database.ts';
import { listAllWebhookEndpoints } from '../../src/store/webhooks/webhook-endpoint.ts';
import { blocksOf } from '../support/postgres/blocks.ts';
import { testDatabase } from '../support/postgres/database.ts';

const OTHERS = 30_000;
const ADJUSTMENTS = 40;
const PARTNER = 'ptn_busy';

/** The adjustments of the partner are among others' adjustments, and among its own entries of another kind. */
const KINDS: readonly [partnerId: string, action: string, id: string, count: number][] = [
  [PARTNER, 'endpoint.change', 'whe_1', OTHERS],
  ['ptn_other', 'adjustment.draft', 'adj_', OTHERS],
  [PARTNER, 'adjustment.draft', 'adj_own', ADJUSTMENTS],
  [PARTNER, 'adjustment.post', 'adj_own', ADJUSTMENTS],
];

async function fillAudit(pool: pg.Pool): Promise<void> {
  const by = { recorded_at: "'2026-01-01'::timestamptz + n * interval '1 second'", operator_id: `'a'`, role: `'operator'` };
  const seal = { correlation_id: `'c'`, previous_mac: `'m'`, key_id: `'k'`, mac: `'m'` };
  let last = 0;
  for (const [partnerId, action, id, count] of KINDS) {
    const about = {
      action: `'${action}'`,
      partner_id: `'${partnerId}'`,
      subject_id: `'${id}' || lpad((n - ${last})::text, 6, '0')`,
    };
    const source = `from generate_series(${last + 1}, ${last + count}) n`;
    await pool.query(insertSelect('audit_entry', { entry_no: 'n', ...by, ...about, ...seal }, source));
    last += count;
  }
}

test('the adjustments of a partner are found without its other entries and the adjustments of others', async () => {
  const { databaseUrl, pool } = await testDatabase();
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  after(() => database.close());
  const list = (db: pg.PoolClient) => Array.fromAsync(eachAuditedAdjustment(db, PARTNER));
  // The session plans the statement while the table is empty.
  await blocksOf(database.pool, list);
  await fillAudit(pool);
  for (const prepare of ['select', 'vacuum (analyze)', 'discard plans']) {
    await database.pool.query(prepare);
    let found: string[] = [];
    const blocks = await blocksOf(database.pool, async (db) => (found = await list(db)));
    assert.equal(found.length, ADJUSTMENTS);
    assert.ok(found.every((id) => id.startsWith('adj_own')));
    // Of each entry one, as long as no vacuum has passed, and those of the index.
    assert.ok(blocks <= 2 * ADJUSTMENTS + 20, `${blocks} blocks after ${prepare}`);
  }
});

test('entries since a time are read without those of the days before', async () => {
  const { databaseUrl, pool } = await testDatabase();
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  after(() => database.close());
  const [beginning, lately] = [new Date('2026-01-01'), new Date(Date.parse('2026-01-01') + (OTHERS - 100) * 60_000)];
  const list = (since: Date, limit: number) => (db: pg.PoolClient) => listLatestEntries(db, { since, limit });
  for (const plan of [list(beginning, 1), list(lately, 1)]) await blocksOf(database.pool, plan);
  const entry = { entry_no: 'n', recorded_at: "'2026-01-01'::timestamptz + n * interval '1 minute'", operator_id: `'a'` };
  const about = { role: `'viewer'`, action: `'partner.create'`, subject_id: `'ptn_' || n` };
  const seal = { correlation_id: `'c'`, previous_mac: `'m'`, key_id: `'k'`, mac: `'m'` };
  await pool.query(insertSelect('audit_entry', { ...entry, ...about, ...seal }, `from generate_series(1, ${OTHERS}) n`));
  for (const prepare of ['select', 'vacuum (analyze)', 'discard plans']) {
    await database.pool.query(prepare);
    let found = 0;
    const blocks = await blocksOf(database.pool, async (db) => (found = (await list(lately, 1_000)(db)).length));
    assert.equal(found, 101);
    // Those, and those of a day: 1,440.
    assert.ok(blocks <= 60, `${blocks} blocks of the latest after ${prepare}`);
    const ofAll = await blocksOf(database.pool, list(beginning, 50));
    assert.ok(ofAll <= 20, `${ofAll} blocks of a page after ${prepare}`);
  }
});

test('a page of all endpoints is read without those before and after it, removed ones among them', async () => {
  const { databaseUrl, pool } = await testDatabase();
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  after(() => database.close());
  const idOf = (number: number) => `whe_${String(number).padStart(6, '0')}`;
  const [limit, afterId] = [50, idOf(OTHERS / 2)];
  const listPage = (db: pg.PoolClient) => listAllWebhookEndpoints(db, { afterId, limit });
  const listThese = (db: pg.PoolClient) => listAllWebhookEndpoints(db, { afterId: '', ids: [afterId, 'whe_removed'], limit });
  await blocksOf(database.pool, listPage);
  const target = {
    url: `'https://example.org'`,
    status: `case when n % 3 = 0 then 'active' else 'removed' end`,
    secret_sealed: `'s'`,
  };
  const id = {
    partner_id: `'ptn_' || n % 100`,
    endpoint_id: `'whe_' || lpad(n::text, 6, '0')`,
    created_at: 'now()',
    changed_at: 'now()',
  };
  await pool.query(insertSelect('webhook_endpoint', { ...id, ...target }, `from generate_series(1, ${OTHERS}) n`));
  for (const prepare of ['select', 'vacuum (analyze)', 'discard plans']) {
    await database.pool.query(prepare);
    let ids: string[] = [];
    const blocks = await blocksOf(database.pool, async (db) => (ids = (await listPage(db)).map(({ endpointId }) => endpointId)));
    assert.deepEqual(
      ids,
      Array.from({ length: limit }, (_, index) => idOf(OTHERS / 2 + index + 1)),
    );
    assert.ok(blocks <= limit + 20, `${blocks} blocks of a page after ${prepare}`);
    const ofThese = await blocksOf(database.pool, listThese);
    assert.ok(ofThese <= 20, `${ofThese} blocks of a list after ${prepare}`);
  }
});
