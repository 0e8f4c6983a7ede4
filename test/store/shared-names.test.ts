/** Partners give names such as `order-1` alike: how many do so costs nobody anything. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { contributionColumns, insertSelect } from '../../bench/rows/rows.ts';
import { findContributionConflicts } from '../../src/store/contributions/contribution.ts';
import { searchContributions, searchContributionsOf } from '../../src/store/contributions/contribution-search.ts';
import { lookUpContributionsByEvent } from '../../src/store/contributions/looked-up-contribution.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { NodeReader } from '../../src/store/node-reader.ts';
import { findRecordedEvents } from '../../src/store/reconciliations/recorded-line.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { onSession } from '../support/postgres/on-session.ts';

const { databaseUrl, pool } = await testDatabase();
let database: Database;

const PARTNERS = 20_000;
const NAME = 'event-0001';
const ORDER = 'order-1';
/** Of a tree of three levels, a heap page and what lies beside them; the entries of a name fill some 300. */
const BLOCKS_MAX = 8;

const partnerOf = (number: number) => `ptn_${String(number).padStart(6, '0')}`;
/** Partners 2, 4, … have the name, and the others do not. */
const [WITH, WITHOUT] = [partnerOf(PARTNERS), partnerOf(PARTNERS + 1)];

before(async () => {
  database = openDatabase({ databaseUrl, poolSize: 1 });
  const columns = contributionColumns({ partner: `'ptn_' || lpad((n * 2)::text, 6, '0')`, token: 'shared', number: 'n' });
  const named = { ...columns, partner_event_id: `'${NAME}'`, partner_order_ref: `'${ORDER}'`, idempotency_key: `'${NAME}'` };
  await pool.query(
    `begin; set local session_replication_role = replica;
     ${insertSelect('contribution', named, `from generate_series(1::bigint, ${PARTNERS}) n`)}; commit`,
  );
});
after(() => database.close());

const nodesOn = (client: pg.PoolClient) => new NodeReader(onSession(database, client));

/** Of the second time: the first plans the statement. */
async function blocksOf<Found>(read: (client: pg.PoolClient) => Promise<Found>): Promise<{ found: Found; blocks: number }> {
  const client = await database.pool.connect();
  const fetched = async () => {
    const { rows } = await client.query<{ blocks: number }>(
      `select sum(pg_stat_get_xact_blocks_fetched(oid))::int4 as blocks from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
    );
    return rows[0]?.blocks ?? 0;
  };
  try {
    await client.query('begin');
    await read(client);
    const before = await fetched();
    const found = await read(client);
    return { found, blocks: (await fetched()) - before };
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const claims = (partnerId: string) => ({ partnerId, idempotencyKey: NAME, partnerEventId: NAME, partnerOrderRef: ORDER });

for (const [partnerId, count] of [
  [WITH, 1],
  [WITHOUT, 0],
] as const) {
  test(`a look-up of a partner that has ${count === 1 ? 'the name' : 'not the name'} reads a few blocks`, async () => {
    const { found, blocks } = await blocksOf((db) => lookUpContributionsByEvent(db, [{ partnerId, partnerEventId: NAME }]));
    assert.equal(found.filter((each) => each !== undefined).length, count);
    assert.ok(blocks <= BLOCKS_MAX, `${blocks} blocks`);
  });

  test(`the same of what meets a confirmation, ${count} there, by each of three names`, async () => {
    const { found, blocks } = await blocksOf((db) => findContributionConflicts(db, [claims(partnerId)]));
    assert.equal(found[0]?.length, count);
    assert.ok(blocks <= 3 * BLOCKS_MAX, `${blocks} blocks`);
  });

  test(`the same of a line of a list, and of an operator who looks at the partner, ${count} there`, async () => {
    const list = { partnerId, reconciliationId: 'rec_1', settlementId: 'stl_1' };
    const line = await blocksOf((db) => findRecordedEvents(db, list, [NAME]));
    assert.equal(Number(line.found.get(NAME)?.transactionId !== null), count);
    assert.ok(line.blocks <= 4 * BLOCKS_MAX, `${line.blocks} blocks`);
    for (const [name, value] of [
      ['partner_event_id', NAME],
      ['idempotency_key', NAME],
      ['partner_order_ref', ORDER],
    ] as const) {
      const { found, blocks } = await blocksOf((db) => searchContributionsOf(db, partnerId, { name, value, limit: 20 }));
      assert.equal(found.length, count, name);
      assert.ok(blocks <= 2 * BLOCKS_MAX, `${name}: ${blocks} blocks`);
    }
  });
}

test('an operator finds a name over all partners at the cost of what is found', async () => {
  const { found, blocks } = await blocksOf((db) =>
    searchContributions(nodesOn(db), { name: 'partner_event_id', value: NAME, limit: 20 }),
  );
  assert.deepEqual(
    found.map(({ partnerId, isWhole }) => isWhole && partnerId),
    Array.from({ length: 20 }, (_, place) => partnerOf(2 * (place + 1))),
  );
  assert.ok(blocks <= 20 + BLOCKS_MAX, `${blocks} blocks`);
  const begun = await blocksOf((db) =>
    searchContributions(nodesOn(db), { name: 'partner_event_id', value: NAME.slice(0, 4), limit: 20 }),
  );
  assert.deepEqual([begun.found.length, begun.found[0]?.isWhole], [20, false]);
  assert.ok(begun.blocks <= 20 + BLOCKS_MAX, `${begun.blocks} blocks`);
  const nothing = await blocksOf((db) =>
    searchContributions(nodesOn(db), { name: 'idempotency_key', value: 'key-of-nobody', limit: 20 }),
  );
  assert.ok(nothing.found.length === 0 && nothing.blocks <= BLOCKS_MAX, `${nothing.blocks} blocks`);
});
