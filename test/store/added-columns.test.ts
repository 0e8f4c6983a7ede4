/**
 * A release works on while the next one adds columns to its tables (decision 0069). Its sessions have prepared their statements: one whose
 * columns are not listed by name would fail on each of them from then on.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type pg from 'pg';
import { newToken } from '../../bench/rows/identifiers.ts';
import { openDatabase } from '../../src/store/database.ts';
import { uniqueId } from '../support/client.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { prepareParties } from '../support/postgres/grown-tables.ts';
import { type HotCall, hotCalls } from '../support/postgres/hot-calls.ts';
import { verifyCalls } from '../support/postgres/verify-calls.ts';
import { testService } from '../support/service.ts';
import { closeNow, openFirst } from '../support/settlements.ts';

// Each table in a transaction of its own: one that held the tables before it could meet what the service does meanwhile in a deadlock.
const ADD_TO_EVERY_TABLE = `do $$ declare name regclass; begin
  for name in select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
    execute format('alter table %s add column added_later text', name);
    commit;
  end loop;
end $$`;

test('every statement that the service sends over and over is sent again on the same session', async () => {
  const { databaseUrl, pool } = await testDatabase();
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  const client = await database.pool.connect();
  after(() => {
    client.release();
    return database.close();
  });
  const terms = { ...(await prepareParties(pool)), token: newToken(), rows: 200_000, fewer: 40_000, isDistributed: false };
  const calls = [...hotCalls(terms), ...verifyCalls(terms)];
  const first = await listFailures(client, calls);
  await client.query(ADD_TO_EVERY_TABLE);
  assert.deepEqual([first, await listFailures(client, calls)], [[], []]);
});

/** The calls that fail, such as for want of a row, and how. Nothing of them stays. */
async function listFailures(client: pg.PoolClient, calls: readonly HotCall[]): Promise<string[]> {
  const failures: string[] = [];
  for (const { title, prepare, send } of calls) {
    await client.query('begin');
    try {
      await prepare?.(client);
      await send(client);
    } catch (error) {
      failures.push(`${title}: ${(error as Error).message}`);
    }
    await client.query('rollback');
  }
  return failures;
}

test('a settlement is read and acknowledged as before', async () => {
  const { database, newPartner } = await testService();
  const { client, partner } = await newPartner();
  await openFirst(database, partner);
  const { settlementId } = (await closeNow(database, partner.partnerId)).closed;
  const path = `/v1/settlements/${settlementId}`;
  const read = async () => (await Promise.all(Array.from({ length: 8 }, () => client.call(path)))).map(({ status }) => status);
  await read();
  await database.pool.query(ADD_TO_EVERY_TABLE);
  assert.deepEqual(new Set(await read()), new Set([200]));
  const headers = { 'idempotency-key': uniqueId('key') };
  const body = { status: 'accepted' };
  const { status } = await client.call(`${path}/acknowledgement`, { method: 'POST', headers, body });
  assert.equal(status, 201);
});
