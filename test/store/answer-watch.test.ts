/** A server that is silent while statements or callers wait for it. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openDatabase, type Queryable } from '../../src/store/database.ts';
import { isCanceled, isPoolUsedUp } from '../../src/store/database-errors.ts';
import { problemOf } from '../../src/store/database-problem.ts';
import { DatabaseSession } from '../../src/store/database-session.ts';
import { allowLongStatements, runLong } from '../../src/store/query.ts';
import { CommitUnknownError, inTransaction, USUAL_LOCK_TIMEOUT } from '../../src/store/transaction.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { emptyDatabase } from '../support/postgres/database.ts';
import { databaseProxy } from '../support/postgres/database-proxy.ts';

const { databaseUrl } = await emptyDatabase();

async function connect(url: string, answerTimeoutMs: number): Promise<DatabaseSession> {
  const session = new DatabaseSession({ connectionString: url, pipeline: true, answerTimeoutMs });
  await session.connect();
  session.on('error', () => {});
  after(() => session.end().catch(() => {}));
  return session;
}

describe('a server that is silent', () => {
  test('the statements that wait fail, those behind the first too, and the connection ends', async () => {
    const proxy = await databaseProxy(databaseUrl);
    const session = await connect(proxy.databaseUrl, 300);
    // A busy machine may take longer for this one.
    assert.deepEqual((await session.query({ text: 'select 1 as one', query_timeout: 30_000 })).rows, [{ one: 1 }]);
    proxy.silence();
    const ended = new Promise((resolve) => session.once('end', resolve));
    const outcomes = await Promise.allSettled(['select 1', 'select 2', 'select 3'].map((text) => session.query(text)));
    for (const outcome of outcomes) {
      assert.equal(outcome.status, 'rejected');
      assert.match(String(outcome.reason), /The database does not answer/);
    }
    await ended;
    await assert.rejects(session.query('select 4'));
  });

  test('a statement that failed gives those behind it no time of their own', async () => {
    const session = await connect(databaseUrl, 4_000);
    const failed = session.query("do $$ begin perform pg_sleep(0.5); raise exception 'too late'; end $$");
    const behind = session.query('select pg_sleep(3.75)');
    const [first, second] = await Promise.allSettled([failed, behind]);
    assert.match(String(first.status === 'rejected' && first.reason), /too late/);
    assert.match(String(second.status === 'rejected' && second.reason), /The database does not answer/);
  });

  test('a pool goes on with a new connection', async () => {
    const proxy = await databaseProxy(databaseUrl);
    const losses: Error[] = [];
    const database = openDatabase({
      databaseUrl: proxy.databaseUrl,
      poolSize: 1,
      onConnectionError: (error) => losses.push(error),
    });
    after(() => database.close());
    await database.pool.query('select 1');
    proxy.silence();
    await assert.rejects(database.pool.query('select 2 as two'), /The database does not answer/);
    assert.deepEqual((await database.pool.query('select 3 as three')).rows, [{ three: 3 }]);
    assert.deepEqual(
      losses.map(({ message }) => message),
      ['The database does not answer: the connection was ended.'],
    );
  });
});

test('a COMMIT that a silent server does not answer has no known outcome', async () => {
  const proxy = await databaseProxy(databaseUrl);
  const database = openDatabase({ databaseUrl: proxy.databaseUrl, poolSize: 1 });
  after(() => database.close());
  const work = inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    await db.query('select 1');
    proxy.silence();
  });
  await assert.rejects(work, CommitUnknownError);
});

describe('a new connection that can be used only when the time of its first caller is over', HANG_LIMIT, () => {
  /** @param call Waits for the only connection, and a new one is made for it. */
  async function callInVain(call: (pool: pg.Pool) => Promise<unknown>): Promise<pg.Pool> {
    const proxy = await databaseProxy(databaseUrl);
    const { pool } = openDatabase({ databaseUrl: proxy.databaseUrl, poolSize: 1 });
    const held = await pool.connect();
    const called = assert.rejects(call(pool), isPoolUsedUp);
    const begun = proxy.pauseBefore('pg_is_in_recovery');
    held.release(true);
    const goOn = await begun;
    await called;
    goOn();
    await waitFor('free connection', () => pool.idleCount === 1);
    return pool;
  }

  test('is free for the next caller, and ends with the pool', async () => {
    const pool = await callInVain((used) => used.connect());
    assert.equal(pool.totalCount, 1);
    assert.deepEqual((await pool.query('select 1 as one')).rows, [{ one: 1 }]);
    await pool.end();
  });

  test('is not sent the statement of that caller', async () => {
    const pool = await callInVain((used) => used.query('create table sent_in_vain ()'));
    assert.deepEqual((await pool.query("select to_regclass('sent_in_vain') as found")).rows, [{ found: null }]);
    await pool.end();
  });
});

test('no ROLLBACK waits on the connection of a statement that took too long', async () => {
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  after(() => database.close());
  const findPid = async (db: Queryable) =>
    (await (db as pg.Pool).query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
  const before = await findPid(database.pool);
  const work = inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    assert.equal(await findPid(db), before);
    await db.query('set local statement_timeout = 10');
    await db.query('select pg_sleep(5)');
  });
  await assert.rejects(work, /canceling statement due to statement timeout/);
  assert.notEqual(await findPid(database.pool), before);
});

describe('a statement of a whole month that takes longer than it may', () => {
  test('is ended by the server, which says so', HANG_LIMIT, async () => {
    const database = openDatabase({ databaseUrl, poolSize: 1 });
    after(() => database.close());
    const long = { timeoutMs: 300 };
    const failureOf = () =>
      inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
        await allowLongStatements(db, long);
        // The server begins a statement later than it is sent.
        const before = db.query('select pg_sleep(0.1)');
        await Promise.all([before, runLong(db, { name: 'sleep', text: 'select pg_sleep(10)' }, [], long)]);
      }).catch((error: unknown) => error);
    // On a busy machine the answer of the server may come when the caller has given up.
    const failures: unknown[] = [];
    const isServerFirst = async () => {
      failures.push(await failureOf());
      return isCanceled(failures.at(-1));
    };
    await waitFor('answer of the server before the caller gave up', isServerFirst, () => failures.map(String));
  });

  test('is known as one without an answer, where the server is silent', async () => {
    const proxy = await databaseProxy(databaseUrl);
    const database = openDatabase({ databaseUrl: proxy.databaseUrl, poolSize: 1 });
    after(() => database.close());
    await database.pool.query('select 1');
    proxy.silence();
    const failure = await runLong(database.pool, { name: 'one', text: 'select 1' }, [], { timeoutMs: 100 }).catch(problemOf);
    assert.deepEqual(failure, { reason: 'no_answer', message: 'Query read timeout' });
  });
});

describe('a server that answers', { concurrency: true }, () => {
  test('statements that together take longer than it may be silent are all answered', async () => {
    const session = await connect(databaseUrl, 4_000);
    const texts = Array.from({ length: 4 }, (_, number) => `select ${number} as number, pg_sleep(1.1)`);
    const answers = await Promise.all(texts.map((text) => session.query(text)));
    assert.deepEqual(
      answers.map(({ rows }) => rows[0].number),
      [0, 1, 2, 3],
    );
  });

  test('a connection that was idle for longer is not ended', async () => {
    const session = await connect(databaseUrl, 3_000);
    await session.query('select 1');
    await sleep(3_500);
    assert.deepEqual((await session.query('select 2 as two')).rows, [{ two: 2 }]);
  });

  test('a statement with a time of its own may take it', async () => {
    const session = await connect(databaseUrl, 1_000);
    const answer = await session.query({ text: "select 'done' as state, pg_sleep(1.5)", query_timeout: 30_000 });
    assert.equal(answer.rows[0].state, 'done');
  });
});
