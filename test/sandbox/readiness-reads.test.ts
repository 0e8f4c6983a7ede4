/** What the checklist of one partner costs the others, and how long what it reads is kept. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type pg from 'pg';
import { newToken } from '../../bench/rows/identifiers.ts';
import { contributionColumns, insertSelect } from '../../bench/rows/rows.ts';
import { removeOldEvents } from '../../src/operations/events/remove-old-events.ts';
import { watchReadiness } from '../../src/operations/sandbox/readiness.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { deleteOldRehearsals } from '../../src/store/sandbox/old-rehearsal.ts';
import { blocksOf } from '../support/postgres/blocks.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { onSession } from '../support/postgres/on-session.ts';

const PARTNER = 'ptn_rehearsing';
/** Of each scenario. */
const REHEARSED = 20_000;
/** Of a thousand refused keys of each of three scenarios the row, and that nothing was confirmed under it. */
const BLOCKS_MAX = 3 * 1_000 * 6;
/** The partner's rows take 480. Finding none reads 9, and 161 while a snapshot is held, as autovacuum does: removed rows are visited then. */
const BLOCKS_TO_FIND_NONE_MAX = 250;

const { databaseUrl, pool } = await testDatabase();
/** One connection, which lives as long. */
const young = openDatabase({ databaseUrl, poolSize: 1 });
after(() => young.close());

function checkOn(database: Database, partnerId: string) {
  return watchReadiness(database, assert.ifError).check(partnerId, null);
}

async function rehearse(partnerId: string, scenario: string, columns: Record<string, string> = {}): Promise<void> {
  const usual = {
    operation: `'confirmContribution'`,
    refusals: '1',
    correlation_id: `'corr'`,
    first_at: 'now()',
    last_at: 'now()',
  };
  const row = { partner_id: `'${partnerId}'`, idempotency_key: `'${scenario}-' || n`, scenario: `'${scenario}'`, ...usual };
  await pool.query(insertSelect('sandbox_rehearsal', { ...row, ...columns }, `from generate_series(1, ${REHEARSED}) n`));
}

test('it reads a bounded part of what a partner rehearsed and of its contributions, by a plan from empty tables too', async () => {
  await blocksOf(young.pool, (db) => checkOn(onSession(young, db), PARTNER));
  for (const scenario of ['timeout_before_commit', 'service_unavailable;times=2', 'rate_limited'])
    await rehearse(PARTNER, scenario);
  const lookedUp = { refusals: '0', subject_id: `'txn_' || n`, looked_up_at: 'now()', looked_up_by: `'corr'` };
  await rehearse(PARTNER, 'timeout_after_commit', lookedUp);
  const contribution = contributionColumns({ partner: `'${PARTNER}'`, token: newToken(), number: 'n' });
  await pool.query(insertSelect('contribution', contribution, `from generate_series(1, ${REHEARSED}::bigint) n`));
  const blocks = await blocksOf(young.pool, (db) => checkOn(onSession(young, db), PARTNER));
  assert.ok(blocks <= BLOCKS_MAX, `${blocks} blocks`);
});

test('what was rehearsed longer ago than events are kept is removed, in parts, and what is younger stays', async () => {
  const partnerId = 'ptn_long_ago';
  await pool.query('insert into event_counter (partner_id) values ($1)', [partnerId]);
  const aged = (days: string) => ({ first_at: `now() - ${days} * interval '1 day'` });
  await rehearse(partnerId, 'rate_limited', aged(`(case when n <= 1200 then 91 else 89 end)`));
  await removeOldEvents(young, 90);
  const { rows } = await pool.query(
    'select count(*) as left, max(now() - first_at) < $2::interval as "isYounger" from sandbox_rehearsal where partner_id = $1',
    [partnerId, '90 days'],
  );
  assert.deepEqual([Number(rows[0].left), rows[0].isYounger], [REHEARSED - 1_200, true]);
  const blocks = await blocksOf(young.pool, (db) => deleteOldRehearsals(db, partnerId, { days: 90, limit: 500 }));
  assert.ok(blocks < BLOCKS_TO_FIND_NONE_MAX, `${blocks} blocks to find none`);
});

test('however many ask at once, it has one connection, and a partner that asks once waits for none of the others of another partner', async () => {
  const { shared, most } = countAtOnce(young);
  const readiness = watchReadiness(shared, assert.ifError);
  const ended: string[] = [];
  const ask = (partnerId: string) => readiness.check(partnerId, null).then(() => ended.push(partnerId));
  await Promise.all([...Array.from({ length: 50 }, () => ask('ptn_busy')), ask('ptn_quiet')]);
  assert.equal(most(), 1);
  assert.ok(ended.indexOf('ptn_quiet') <= 1, ended.join(' '));
});

/** The same database, and the most statements that were under way at once. */
function countAtOnce(database: Database): { readonly shared: Database; most(): number } {
  let [underWay, most] = [0, 0];
  const send = database.pool.query.bind(database.pool) as (...statement: unknown[]) => Promise<unknown>;
  const query = (...statement: unknown[]) => {
    most = Math.max(most, ++underWay);
    return send(...statement).finally(() => underWay--);
  };
  return { shared: { ...database, pool: { query } as unknown as pg.Pool }, most: () => most };
}
