/** What the service may say of a transaction, however it ends. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { StaleBatchError } from '../../src/operations/group-commit.ts';
import { openDatabase, type Queryable } from '../../src/store/database.ts';
import { CommitUnknownError, inTransaction, USUAL_LOCK_TIMEOUT } from '../../src/store/transaction.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Answer, Client, detailCodes, newConfirmation, newEstimate, uniqueId } from '../support/client.ts';
import { emptyDatabase } from '../support/postgres/database.ts';
import { databaseProxy } from '../support/postgres/database-proxy.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { client, key } = await service.newPartner();
const { pool } = service.database;
const proxy = await databaseProxy(service.databaseUrl);
const cutOff = await testService({ env: { DATABASE_URL: proxy.databaseUrl }, roles: ['api'] });
const caller = new Client(cutOff.baseUrl, key.apiKey);

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

  test('work that gives up its transaction after each answer stores nothing, and keeps the connection', async () => {
    const single = openDatabase({ databaseUrl: service.databaseUrl, poolSize: 1 });
    after(() => single.close());
    const pid = async (db: Queryable) => (await db.query('select pg_backend_pid() as pid')).rows[0].pid;
    const before = await pid(single.pool);
    const stale = inTransaction(single, { lockTimeoutMs: 100 }, async (db) => {
      await db.query("insert into partner values ('ptn_stale', 'x', 1, 1, 1)");
      throw new StaleBatchError('another was faster');
    });
    await assert.rejects(stale, StaleBatchError);
    assert.equal(await pid(single.pool), before);
    const { rows } = await pool.query("select 1 from partner where partner_id = 'ptn_stale'");
    assert.equal(rows.length, 0);
  });

  test('work that throws before it waits for anything keeps no connection', async () => {
    const single = openDatabase({ databaseUrl: service.databaseUrl, poolSize: 1 });
    const failing = inTransaction(single, { lockTimeoutMs: 100 }, () => {
      throw new Error('a defect before the first statement');
    });
    await assert.rejects(failing, /a defect before the first statement/);
    await single.pool.query('select 1');
    await single.close();
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

  test('a session that began while the database was read-only does not outlast its refusal, of a last statement neither', async () => {
    const { databaseUrl, name, pool: administrator } = await emptyDatabase();
    await administrator.query('create table kept ()');
    const single = openDatabase({ databaseUrl, poolSize: 1 });
    after(() => single.close());
    const insert = (isLast: boolean) =>
      inTransaction(single, USUAL_LOCK_TIMEOUT, async (db, { finalStatement }) => {
        const write = () => db.query('insert into kept default values');
        await (isLast ? finalStatement(write) : write());
      });
    for (const isLast of [false, true]) {
      await administrator.query(`alter database ${name} set default_transaction_read_only = on`);
      await single.pool.query('select 1');
      await administrator.query(`alter database ${name} set default_transaction_read_only = off`);
      await assert.rejects(insert(isLast), { code: '25006' });
      await insert(isLast);
      // The next one begins anew.
      await assert.rejects(single.pool.query('select 1/0'));
    }
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

describe('a request whose COMMIT has no answer is answered with what is stored under its key (decisions, section 3)', () => {
  interface Cut {
    /** What the service sends together with the COMMIT. */
    readonly words: string;
    readonly isSent: boolean;
    /** What happens between the COMMIT and the loss of its connection. */
    meanwhile(): Promise<unknown>;
  }

  /** The answer to a request whose connection to the database is cut without an answer to its COMMIT. */
  async function answerCut(ask: () => Promise<Answer>, { words, isSent, meanwhile }: Cut): Promise<Answer> {
    const held = proxy.hold(words, isSent);
    const asked = ask();
    const loseConnection = await held;
    await meanwhile();
    loseConnection();
    return asked;
  }

  /** Only the statement that inserts a contribution has the reference of the customer. */
  const newReferred = () => ({ ...newConfirmation(), opaque_customer_ref: uniqueId('customer') });

  function confirmCut(fields: ReturnType<typeof newReferred>, idempotencyKey: string, cut: Omit<Cut, 'words'>): Promise<Answer> {
    const ask = () => caller.confirm(fields, { 'idempotency-key': idempotencyKey });
    return answerCut(ask, { words: fields.opaque_customer_ref, ...cut });
  }

  const toldOf = ({ status, headers, body }: Answer) => ({
    status,
    isReplay: headers.get('idempotent-replayed') === 'true',
    transactionId: body.contribution.transaction_id,
  });

  test('its own record: the original answer, 201', async () => {
    const [fields, idempotencyKey] = [newReferred(), uniqueId('key')];
    const isStored = async () => (await client.findByEvent(fields.partner_event_id)).status === 200;
    const answer = await confirmCut(fields, idempotencyKey, {
      isSent: true,
      meanwhile: () => waitFor('stored contribution', isStored),
    });
    const found = await client.findByEvent(fields.partner_event_id);
    const { transaction_id: transactionId } = found.body.contribution;
    assert.deepEqual(toldOf(answer), { status: 201, isReplay: false, transactionId });
    assert.deepEqual(answer.body.contribution, found.body.contribution);
    const again = await caller.confirm(fields, { 'idempotency-key': idempotencyKey });
    assert.deepEqual(toldOf(again), { status: 201, isReplay: true, transactionId });
  });

  test('the record of the same request at another service: a replay of it', async () => {
    const [fields, idempotencyKey] = [newReferred(), uniqueId('key')];
    let other: Answer | undefined;
    const answer = await confirmCut(fields, idempotencyKey, {
      isSent: false,
      async meanwhile() {
        other = await client.confirm(fields, { 'idempotency-key': idempotencyKey });
      },
    });
    assert.deepEqual(toldOf(answer), { status: 201, isReplay: true, transactionId: other?.body.contribution.transaction_id });
  });

  test('a record with another payload: idempotency_conflict', async () => {
    const [fields, idempotencyKey] = [newReferred(), uniqueId('key')];
    const answer = await confirmCut(fields, idempotencyKey, {
      isSent: false,
      meanwhile: () => client.confirm({ ...fields, points: 1 }, { 'idempotency-key': idempotencyKey }),
    });
    assertError(answer, 'idempotency_conflict');
  });

  test('nothing, although its event is stored under another key: internal_service_unavailable', async () => {
    const fields = newReferred();
    const answer = await confirmCut(fields, uniqueId('key'), { isSent: false, meanwhile: () => client.confirm(fields) });
    assertError(answer, 'internal_service_unavailable');
  });

  test('nothing at all: internal_service_unavailable, and the same request is the first one', async () => {
    const [fields, idempotencyKey] = [newReferred(), uniqueId('key')];
    const answer = await confirmCut(fields, idempotencyKey, { isSent: false, meanwhile: async () => {} });
    assertError(answer, 'internal_service_unavailable');
    assert.deepEqual(detailCodes(answer), { point_restoration: 'not_authorized', next_action: 'look_up' });
    assertError(await caller.findByEvent(fields.partner_event_id), 'contribution_not_found');
    const again = await caller.confirm(fields, { 'idempotency-key': idempotencyKey });
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, null]);
  });

  test('an estimate: the original answer, 201', async () => {
    const [fields, headers] = [newEstimate(), { 'idempotency-key': uniqueId('key') }];
    const isStored = async () =>
      (await pool.query('select from estimate where partner_order_ref = $1', [fields.partner_order_ref])).rowCount === 1;
    const answer = await answerCut(() => caller.estimate(fields, headers), {
      words: fields.partner_order_ref,
      isSent: true,
      meanwhile: () => waitFor('stored estimate', isStored),
    });
    assert.deepEqual([answer.status, answer.headers.get('idempotent-replayed')], [201, null]);
    const again = await caller.estimate(fields, headers);
    assert.deepEqual(again.body.estimate, answer.body.estimate);
  });

  test('a link, whose id nobody knows before: a replay', async () => {
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    const { transaction_id } = (await client.confirm({ partner_order_ref })).body.contribution;
    const isStored = async () => (await client.get(transaction_id)).body.association.status === 'associated';
    const answer = await answerCut(() => caller.associate(transaction_id, calculation_id), {
      words: '"change":"associated"',
      isSent: true,
      meanwhile: () => waitFor('stored link', isStored),
    });
    assert.deepEqual([answer.status, answer.headers.get('idempotent-replayed')], [201, 'true']);
    assert.deepEqual(answer.body.association, (await client.get(transaction_id)).body.association);
  });
});

test('behind a transaction pooler no statement is prepared by name (DATABASE_PREPARED_STATEMENTS=off)', async () => {
  const pooled = await testService({ env: { DATABASE_URL: service.databaseUrl, DATABASE_PREPARED_STATEMENTS: 'off' } });
  const behindPooler = new Client(pooled.baseUrl, key.apiKey);
  const { calculation_id, partner_order_ref } = (await behindPooler.estimate()).body.estimate;
  const { contribution, association } = (await behindPooler.confirm({ calculation_id, partner_order_ref })).body;
  assert.equal(association.status, 'associated');
  assert.equal((await behindPooler.findByEvent(contribution.partner_event_id)).status, 200);
  const { rows } = await pooled.database.pool.query('select name from pg_prepared_statements');
  assert.deepEqual(rows, []);
});
