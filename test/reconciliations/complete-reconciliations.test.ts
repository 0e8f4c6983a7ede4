/** Partners' lists that wait for the lines which they lack share a process, however many lines their settlements have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { completeReconciliations } from '../../src/operations/reconciliations/complete-reconciliations.ts';
import type { Database } from '../../src/store/database.ts';
import { findReconciliation } from '../../src/store/reconciliations/reconciliation.ts';
import { uniqueId } from '../support/client.ts';
import { testService } from '../support/service.ts';
import { closeNow, insertLines, newSettledPartner } from '../support/settlements.ts';

const service = await testService();
const { database } = service;
const { pool } = database;
const { signal } = new AbortController();

/** A list without a line, which has arrived, beside a settlement of so many lines. */
async function newList(lines: number) {
  const { partnerId } = await newSettledPartner(service);
  const { closed } = await closeNow(database, partnerId);
  await insertLines(database, closed, lines);
  const reconciliationId = uniqueId('rec');
  const insert = () =>
    pool.query(
      `insert into reconciliation (partner_id, reconciliation_id, settlement_id, idempotency_key, format, status, compared_through,
        lease_until, created_at) values ($1, $2, $3, $2, 'csv', 'comparing', 0, now() - interval '1 minute', now())`,
      [partnerId, reconciliationId, closed.settlementId],
    );
  const read = async () => findReconciliation(pool, partnerId, reconciliationId);
  return { reconciliationId, insert, read };
}

type List = Awaited<ReturnType<typeof newList>>;

/** The same database, which tells of each page before it is read. */
function telling(onPage: (reconciliationId: string) => Promise<unknown>): Database {
  const query = async (statement: { readonly name?: string }, values?: unknown[]) => {
    const { name, ...rest } = statement;
    if (name === 'list_settlement_beside_list') await onPage((values ?? (rest as { values: string[] }).values)[1] as string);
    return pool.query(statement as pg.QueryConfig, values);
  };
  return { ...database, pool: { query, connect: () => pool.connect() } as unknown as pg.Pool };
}

const statusOf = async ({ read }: List) => (await read())?.status;

test('a list beside a large settlement holds up no list of another partner, also one that arrives later', async () => {
  const [large, small, later] = [await newList(3_000), await newList(3), await newList(3)];
  await large.insert();
  await small.insert();
  const statuses: (readonly unknown[])[] = [];
  const heard = telling(async (reconciliationId) => {
    if (reconciliationId !== large.reconciliationId) return;
    statuses.push(await Promise.all([small, later].map(statusOf)));
    if (statuses.length === 3) await later.insert();
  });
  assert.equal(await completeReconciliations(heard, signal, { lookEveryMs: 0 }), 3);
  assert.equal(statuses.length, 7, 'every page of the large settlement');
  assert.deepEqual(statuses.at(-1), ['done', 'done']);
  for (const [list, missing] of [
    [large, 3_000],
    [small, 3],
    [later, 3],
  ] as const) {
    const { status, counts } = (await list.read()) ?? {};
    assert.deepEqual([status, counts?.missing_in_partner_file], ['done', missing]);
  }
});

test('a list whose page fails is left for later, and the others are completed', async () => {
  const [broken, sound] = [await newList(600), await newList(600)];
  for (const { insert } of [broken, sound]) await insert();
  let isOpen = false;
  const heard = telling(async (reconciliationId) => {
    if (reconciliationId === broken.reconciliationId && (await broken.read())?.comparedThrough === 500 && !isOpen)
      throw new Error('the page cannot be read');
  });
  await assert.rejects(completeReconciliations(heard, signal, { lookEveryMs: 0 }), /^AggregateError: 1 reconciliation could not/);
  assert.deepEqual([await statusOf(broken), await statusOf(sound)], ['comparing', 'done']);
  assert.equal(await completeReconciliations(heard, signal), 0, 'its lease is not over');
  await pool.query("update reconciliation set lease_until = now() - interval '1 s' where reconciliation_id = $1", [
    broken.reconciliationId,
  ]);
  isOpen = true;
  assert.equal(await completeReconciliations(heard, signal), 1);
  assert.equal((await broken.read())?.counts.missing_in_partner_file, 600);
});
