/** What `npm run migrations` says of its figures and of the rows at its end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newToken } from '../../bench/rows/identifiers.ts';
import { checkMigrations, type MigrationsFigures } from '../../reliability/migrations/check-migrations.ts';
import { readOldRows } from '../../reliability/migrations/old-rows.ts';
import { emptyDatabase } from '../support/postgres/database.ts';
import { applyOlder, insertOldRows } from '../support/postgres/older-database.ts';

const GOOD: MigrationsFigures = {
  applied: 30,
  pending: [],
  longestWaitMs: 500,
  pairsMeanwhile: 7,
  changed: [],
  written: { expected: 20, found: 20 },
};

function check(figures: Partial<MigrationsFigures>): string[] {
  const violations: string[] = [];
  checkMigrations({ ...GOOD, ...figures }, (violation) => void violations.push(violation));
  return violations;
}

test('files that were applied beside writers, without a wait and without a change to a row, are right', () => {
  assert.deepEqual(check({}), []);
});

test('a run that applied nothing, or beside which nothing was written, has shown nothing', () => {
  assert.deepEqual(check({ applied: 0 }), ['void: no file was applied']);
  assert.deepEqual(check({ pairsMeanwhile: 0 }), ['void: nothing was written while files were applied']);
});

test('a file left, a wait, a row that changed and a row that is missing are each reported', () => {
  assert.deepEqual(check({ pending: ['0009_a'], longestWaitMs: 501 }), [
    '0009_a were not applied',
    'a writer waited 501 ms for a lock',
  ]);
  assert.deepEqual(check({ changed: ['estimate'], written: { expected: 20, found: 19 } }), [
    'the rows of estimate are not those of before the migrations',
    '20 contributions were written beside the migrations, and 19 are there',
  ]);
});

test('rows of before are compared value by value, and those of the writers are counted', async () => {
  const { pool } = await emptyDatabase();
  await applyOlder(pool, '0009');
  const [token, other] = [newToken(), `${newToken()}0`];
  await insertOldRows(pool, { token, first: 1, last: 5 });
  const oldRows = await readOldRows(pool, token);
  await insertOldRows(pool, { token: other, first: 1, last: 2 });
  assert.deepEqual(await oldRows.compare(), { compared: 10, changed: [], others: 2 });
  // The sum over the rows stays the same; only a file that switches the guards of the tables off can do this.
  await pool.query(`set local session_replication_role = replica;
    update contribution set points = case changed.place when 1 then 251 else 249 end
      from (select transaction_id as id, row_number() over () as place from contribution where strpos(transaction_id, '${token}') > 0 limit 2) changed
      where changed.id = transaction_id;
    delete from estimate where calculation_id = (select min(calculation_id) from estimate where strpos(calculation_id, '${token}') > 0)`);
  assert.deepEqual((await oldRows.compare()).changed, ['contribution', 'estimate']);
});
