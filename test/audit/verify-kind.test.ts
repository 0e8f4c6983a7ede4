/** Records that only the audit has are found by the entries of their kind, however many entries there are of other kinds. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ADJUSTMENT, AUDITED_KINDS } from '../../src/operations/audit/audited-kinds.ts';
import { verifyKind } from '../../src/operations/audit/verify-kind.ts';
import { openDatabase } from '../../src/store/database.ts';
import { blocksOf } from '../support/postgres/blocks.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { onSession } from '../support/postgres/on-session.ts';

const { databaseUrl, pool } = await testDatabase();
const database = openDatabase({ databaseUrl, poolSize: 1 });
after(() => database.close());
const pause = async () => {};

/** SQL of an entry is enough here: nobody verifies its seal. */
async function insertEntries(count: number, { first, action, subject }: Record<'first' | 'action' | 'subject', string>) {
  await pool.query(
    `insert into audit_entry (entry_no, recorded_at, operator_id, role, action, subject_id, correlation_id, previous_mac, key_id, mac)
      select ${first} + n, now(), 'schedule', 'admin', ${action}, ${subject}, 'c', 'm', 'k', 'm' from generate_series(1, $1::int) n`,
    [count],
  );
}

test('of 30,000 decided reviews, the verification of another kind reads nothing', async () => {
  await insertEntries(30_000, { first: '0', action: `'review.expire'`, subject: `'txn_' || lpad(n::text, 26, '0')` });
  for (const kind of AUDITED_KINDS) {
    const blocks = await blocksOf(database.pool, (db) => verifyKind(onSession(database, db), kind, pause));
    assert.ok(blocks <= 50, `${blocks} blocks of ${kind.name}`);
  }
});

test('700 removed records with two entries each are reported once, in the order of their ids', async () => {
  const subject = `'adj_' || lpad((1 + n % 700)::text, 26, '0')`;
  const action = `(array['adjustment.draft', 'adjustment.post'])[1 + (n > 700)::int]`;
  await insertEntries(1_400, { first: '100000', action, subject });
  const { differences, records } = await verifyKind(database, ADJUSTMENT, pause);
  const ids = Array.from({ length: 700 }, (_, index) => `adj_${String(index + 1).padStart(26, '0')}`);
  assert.deepEqual([records, differences], [0, ids.map((subjectId) => ({ subjectId, fields: ['removed'] }))]);
});
