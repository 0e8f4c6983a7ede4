/** The tables that the guides give a partner: what their statements do when a process ends, at the end of a month, and when the service says otherwise than before. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { listBlocks } from '../support/document-blocks.ts';
import { testDatabase } from '../support/postgres/database.ts';

const { databaseUrl } = await testDatabase();
const pool = new pg.Pool({ connectionString: databaseUrl });
after(() => pool.end());
const schema = 'partner_of_the_guides';
await pool.query(`create schema ${schema}`);

/** The statements of a document's blocks of SQL that name the table, without their comments. */
function statementsOf(path: string, table: string): string[] {
  return listBlocks()
    .filter((block) => block.path === path && block.tag === 'sql' && block.text.includes(table))
    .flatMap(({ text }) => text.split(/;$/m))
    .map((each) => each.replace(/^--.*$/gm, '').trim())
    .filter((each) => each !== '');
}

/** Makes the tables, and gives what runs the one other statement that begins so. */
async function tablesOf(path: string, table: string) {
  const statements = statementsOf(path, table);
  /** A new connection each, as after the end of a process. */
  const send = async (sql: string, values: readonly unknown[] = []) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      await client.query(`set search_path = ${schema}`);
      return await client.query(sql, [...values]);
    } finally {
      await client.end();
    }
  };
  for (const statement of statements.filter((each) => each.startsWith('create'))) await send(statement);
  return async (begin: string, ...values: unknown[]) => {
    const found = statements.filter((each) => each.startsWith(begin));
    assert.equal(found.length, 1, `${path} has ${found.length} statements that begin with: ${begin}`);
    return send(found[0] ?? '', values);
  };
}

describe('the inbox of the guide to webhooks', async () => {
  const run = await tablesOf('docs/webhooks.md', 'received_event');
  const store = (eventId: string) => run('insert into received_event', eventId, `{"event_id":"${eventId}"}`);
  const listWaiting = async () => (await run('select event_id, body')).rows;
  const begin = async (eventId: string) => (await run('update received_event set handled_at', eventId)).rowCount;

  test('an event whose process ended after the answer is processed by the next one, once, however often it is delivered', async () => {
    await store('evt_1');
    // The process ends here. The event is delivered, or fetched, once more.
    assert.equal((await store('evt_1')).rowCount, 0);
    assert.deepEqual(await listWaiting(), [{ event_id: 'evt_1', body: '{"event_id":"evt_1"}' }]);
    assert.deepEqual([await begin('evt_1'), await begin('evt_1')], [1, 0]);
    assert.equal((await store('evt_1')).rowCount, 0);
    assert.deepEqual(await listWaiting(), []);
  });
});

describe('the intents of the partner guide', async () => {
  const run = await tablesOf('docs/partner-guide.md', 'contribution_intent');
  const insert = (eventId: string) =>
    run('insert into contribution_intent', eventId, `key-${eventId}`, `order-${eventId}`, 250, null);
  const end = async (eventId: string, status: string) =>
    (await run('update contribution_intent set status', eventId, status, 'txn_1')).rowCount;
  const findOther = async (eventId: string, status: string) =>
    (await run('select status from contribution_intent', eventId, status)).rows;

  test('a confirmed contribution that fails after a restore of the service changes no row, and is shown to a person', async () => {
    await insert('restored');
    assert.deepEqual([await end('restored', 'confirmed'), await end('restored', 'confirmed')], [1, 0]);
    assert.deepEqual(await findOther('restored', 'confirmed'), []);
    assert.equal(await end('restored', 'failed'), 0);
    assert.deepEqual(await findOther('restored', 'failed'), [{ status: 'confirmed' }]);
    const restore = async () => (await run('update contribution_intent set transaction_id', 'restored', 'txn_2')).rowCount;
    assert.deepEqual([await restore(), await restore()], [1, 0], 'the person gives the points back once');
  });

  test('the list of a month has what the service confirmed in it, whenever the points were deducted', async () => {
    const times = { first: '2026-10-31T21:00:00Z', last: '2026-11-30T20:59:59.999Z', next: '2026-11-30T21:00:00Z' };
    for (const [eventId, confirmedAt] of Object.entries(times)) {
      await insert(eventId);
      await end(eventId, 'confirmed');
      await run('update contribution_intent set confirmed_at', eventId, confirmedAt);
    }
    const list = await run('select partner_event_id', '2026-10-31T21:00:00Z', '2026-11-30T21:00:00Z');
    assert.deepEqual(
      list.rows.map(({ partner_event_id }) => partner_event_id),
      ['first', 'last'],
    );
  });
});
