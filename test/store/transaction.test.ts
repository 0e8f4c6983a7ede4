/** What the service may say of a transaction, however it ends. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CommitUnknownError, inTransaction } from '../../src/store/transaction.ts';
import { Client } from '../support/client.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { client, key } = await service.newPartner();
const { pool } = service.database;

describe('transactions', () => {
  test('what throws stores nothing, and the connection is used again', async () => {
    const insert = { text: "insert into partner values ('ptn_rolled_back', 'x', 1, 1, 1)" };
    await assert.rejects(
      inTransaction(service.database, { lockTimeoutMs: 100 }, async (db) => {
        await db.query(insert);
        await db.query('select 1/0');
      }),
      /division by zero/,
    );
    const { rows } = await pool.query("select 1 from partner where partner_id = 'ptn_rolled_back'");
    assert.equal(rows.length, 0);
  });

  test('a COMMIT that is answered with ROLLBACK is not taken for a commit', async () => {
    const swallow = inTransaction(service.database, { lockTimeoutMs: 100 }, async (db) => {
      await db.query('select 1/0').catch(() => {});
    });
    await assert.rejects(swallow, CommitUnknownError);
  });

  test('a last statement that fails stores nothing, whatever COMMIT goes along, and says why', async () => {
    const failing = inTransaction(service.database, { lockTimeoutMs: 100 }, async (db, { finalStatement }) => {
      await db.query("insert into partner values ('ptn_last_failed', 'x', 1, 1, 1)");
      return finalStatement(() => db.query('select 1/0'));
    });
    await assert.rejects(failing, /division by zero/);
    const { rows } = await pool.query("select 1 from partner where partner_id = 'ptn_last_failed'");
    assert.equal(rows.length, 0);
  });

  test('what is stored, or may be, is never reported as not stored', async () => {
    const brokenAfterwards = inTransaction(service.database, { lockTimeoutMs: 100 }, async (db, { finalStatement }) => {
      await finalStatement(() => db.query("insert into partner values ('ptn_stored', 'x', 1, 1, 1)"));
      throw new Error('a defect behind the COMMIT');
    });
    await assert.rejects(brokenAfterwards, CommitUnknownError);
    const { rows } = await pool.query("select 1 from partner where partner_id = 'ptn_stored'");
    assert.equal(rows.length, 1);
    const cutOff = inTransaction(service.database, { lockTimeoutMs: 100 }, (db, { finalStatement }) =>
      finalStatement(() => db.query('select pg_terminate_backend(pg_backend_pid())')),
    );
    await assert.rejects(cutOff, CommitUnknownError);
  });

  test('a session that loses its client in the middle is ended by the server', async () => {
    const { rows } = await pool.query(
      "select current_setting('idle_in_transaction_session_timeout') as idle, current_setting('statement_timeout') as statement",
    );
    assert.deepEqual(rows, [{ idle: '3s', statement: '4500ms' }]);
  });

  test('a connection that dies while it is checked out rejects its work and ends nothing else', async () => {
    await assert.rejects(
      inTransaction(service.database, { lockTimeoutMs: 100 }, async (db) => {
        const { rows } = await db.query('select pg_backend_pid() as pid');
        await pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
        await db.query('select 1');
      }),
    );
    assert.equal((await client.confirm()).status, 201);
  });
});

test('behind a transaction pooler no statement is prepared by name (DATABASE_PREPARED_STATEMENTS=off)', async () => {
  const pooled = await testService({ env: { DATABASE_URL: service.databaseUrl, DATABASE_PREPARED_STATEMENTS: 'off' } });
  const caller = new Client(pooled.baseUrl, key.apiKey);
  const { calculation_id, partner_order_ref } = (await caller.estimate()).body.estimate;
  const { contribution, association } = (await caller.confirm({ calculation_id, partner_order_ref })).body;
  assert.equal(association.status, 'associated');
  assert.equal((await caller.findByEvent(contribution.partner_event_id)).status, 200);
  const { rows } = await pooled.database.pool.query('select name from pg_prepared_statements');
  assert.deepEqual(rows, []);
});
