/** What many operators look at is read once for all of them within seconds, until one of them changes something. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { listClosings } from '../../src/operations/overview/list-closings.ts';
import { readMonthOfAll, readMonthOfPartners, refreshDays } from '../../src/operations/overview/read-month.ts';
import { forgetOverview, readOverview } from '../../src/operations/overview/read-overview.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { auditKeys, OWNER } from '../support/actor.ts';
import { countingDatabase } from '../support/postgres/counting-database.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { OPEN_RATES } from '../support/service.ts';

const { databaseUrl } = await testDatabase();
const database = openDatabase({ databaseUrl, auditKeys });
after(() => database.close());

test('ten who open the overview at once read it once; after a change what waits is counted anew, and the backlog is not', async () => {
  const { counted, sent } = countingDatabase(database);
  const read = () => readOverview(counted, { reviewExpiryHours: 72 });
  await Promise.all(Array.from({ length: 10 }, read));
  assert.deepEqual([sent.get('measure_relay_lag'), sent.get('count_waiting_reviews')], [1, 1]);
  forgetOverview(counted);
  await Promise.all([read(), read()]);
  assert.deepEqual([sent.get('measure_relay_lag'), sent.get('count_waiting_reviews')], [1, 2]);
});

test('ten who open a page of the months of partners read it once, and another page once more', async () => {
  const { counted, sent } = countingDatabase(database);
  const order = { by: 'created_at', isDescending: false } as const;
  const read = (limit: number) => readMonthOfPartners(counted, { month: '2026-03' }, { order, after: undefined, limit });
  await Promise.all(Array.from({ length: 10 }, () => read(10)));
  assert.equal(sent.get('list_rule_versions'), 1);
  await read(20);
  assert.equal(sent.get('list_rule_versions'), 2);
});

test('whoever reads leaves most of the connections to those who write', async () => {
  const page = { order: { by: 'created_at', isDescending: false }, after: undefined, limit: 50 } as const;
  const reads = [
    [3, (read: Database) => readOverview(read, { reviewExpiryHours: 72 })],
    [2, (read: Database) => readMonthOfPartners(read, { month: '2026-03' }, page)],
    [1, (read: Database) => listClosings(read, {}, page)],
  ] as const;
  for (let number = 0; number < 20; number++) await createPartner(database, OWNER, `Partner ${number}`, OPEN_RATES);
  for (const [connections, read] of reads) {
    const fresh = openDatabase({ databaseUrl });
    await read(fresh);
    assert.ok(fresh.pool.totalCount <= connections, `${fresh.pool.totalCount} connections`);
    await fresh.close();
  }
});

test('ten who open a month of all partners read it once, and another month once more', async () => {
  const { counted, sent } = countingDatabase(database);
  await Promise.all(Array.from({ length: 10 }, () => readMonthOfAll(counted, '2026-03')));
  assert.equal(sent.get('sum_day_totals'), 1);
  await readMonthOfAll(counted, '2026-04');
  assert.equal(sent.get('sum_day_totals'), 2);
});

test('ten who open a month look once for what is new', async () => {
  const { counted, sent } = countingDatabase(database);
  await Promise.all(Array.from({ length: 10 }, () => refreshDays(counted)));
  await refreshDays(counted);
  assert.equal(sent.get('list_partners_behind_totals'), 1);
});
