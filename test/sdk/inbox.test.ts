/** The inboxes of the SDK: each event once and in order, and the transaction that a handler writes in. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import {
  ConfigurationError,
  ConnectionError,
  type Inbox,
  MemoryInbox,
  PartnerImpact,
  PostgresInbox,
  RestorationPermit,
  SqliteInbox,
  stringifyExactJson,
} from '../../sdk/src/index.ts';
import { confirmedEvent, failedEvent } from '../../sdk/src/testing.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { newReceiver, SECRET, send, signed } from '../support/sdk/receiver.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface FailedEvent {
  readonly data: { readonly contribution: { readonly partner_event_id: string; readonly transaction_id: string } };
}

const { databaseUrl } = await testDatabase();
const REFERENCE = join(import.meta.dirname, '../../sdk/REFERENCE.md');
const folder = temporaryFolder('sdk-inbox');
let count = 0;

const INBOXES: Readonly<Record<string, (startAfter?: bigint) => Promise<Inbox<unknown>>>> = {
  MemoryInbox: async (startAfter = 0n) => new MemoryInbox({ startAfter }),
  SqliteInbox: async (startAfter = 0n) => {
    const database = new DatabaseSync(join(folder, `inbox-${count++}.db`));
    after(() => database.close());
    return new SqliteInbox(database, { startAfter });
  },
  PostgresInbox: async (startAfter = 0n) => {
    const schema = `inbox_${count++}`;
    const pool = new pg.Pool({ connectionString: databaseUrl, options: `-c search_path=${schema}`, max: 3 });
    after(() => pool.end());
    await pool.query(`create schema ${schema}`);
    return new PostgresInbox(pool, { startAfter });
  },
};

for (const [name, newInbox] of Object.entries(INBOXES))
  describe(name, () => {
    const events = Array.from({ length: 30 }, (_none, index) => confirmedEvent(BigInt(index + 1)));
    const sequences = events.map((_event, index) => BigInt(index + 1));

    test('once per event, in the order of sequence, however they arrive', async () => {
      const { receiver, handled } = newReceiver({ inbox: await newInbox(), feed: events });
      const arriving = [...events, ...events].sort(() => Math.random() - 0.5);
      const statuses = await Promise.all(arriving.map(async (event) => (await receiver(signed(event))).status));
      await receiver.settled();
      assert.deepEqual(new Set(statuses), new Set([200]));
      assert.deepEqual(handled, sequences);
      await send(receiver, signed(events[3] as object));
      assert.deepEqual(handled, sequences);
    });

    test('says of each event whether it is new, and keeps what it follows', async () => {
      const inbox = await newInbox();
      const event = { eventId: 'evt-1', sequence: 3n, follows: 2n, body: '{}' };
      assert.deepEqual([await inbox.add(event), await inbox.add(event)], [true, false]);
      assert.equal(await inbox.handleNext(() => {}), 'gap');
      // The feed shows that nothing comes before it.
      assert.deepEqual([await inbox.add({ ...event, follows: 0n }), await inbox.add(event)], [false, false]);
      assert.equal(await inbox.handleNext(() => {}), 'handled');
      assert.deepEqual([await inbox.add(event), await inbox.handleNext(() => {})], [false, 'empty']);
    });

    test('what is missing before an event comes from the feed, once', async () => {
      const calls: string[] = [];
      const { receiver, handled } = newReceiver({ inbox: await newInbox(), feed: events, calls });
      await send(receiver, signed(events[9] as object));
      assert.deepEqual([handled, calls], [sequences, ['/v1/events?after_sequence=0&limit=500']]);
    });

    test('catchUp handles everything of the feed, and goes on where it ended', async () => {
      const many = Array.from({ length: 1_201 }, (_none, index) => confirmedEvent(BigInt(index + 1)));
      const inbox = await newInbox();
      const { receiver, handled } = newReceiver({ inbox, feed: many });
      assert.equal(await receiver.catchUp(), 1_201);
      assert.deepEqual(
        handled,
        many.map((_event, index) => BigInt(index + 1)),
      );
      assert.equal(await receiver.catchUp(), 0);
      assert.equal(await inbox.position(), 1_201n);
    });

    test('events that the service no longer keeps are passed over', async () => {
      const { receiver, handled } = newReceiver({ inbox: await newInbox(), feed: events.slice(20) });
      await send(receiver, signed(events[25] as object));
      assert.deepEqual(handled, sequences.slice(20));
    });

    test('after a restore of the service, events that arrived before it and lie among the numbers left out are handled, and those after them', async () => {
      const feed: object[] = [];
      const { receiver, handled, errors } = newReceiver({ inbox: await newInbox(532n), feed });
      for (const sequence of [537n, 535n]) await send(receiver, signed(confirmedEvent(sequence)));
      await receiver.settled();
      assert.deepEqual(handled, []);
      feed.push(confirmedEvent(1_000_501n), confirmedEvent(1_000_502n));
      assert.equal(await receiver.catchUp(), 4);
      assert.deepEqual(handled, [535n, 537n, 1_000_501n, 1_000_502n]);
      assert.equal(errors.length, 1);
    });

    test('a webhook proves nothing of what came before it: a stored event still waits for the one before', async () => {
      const inbox = await newInbox();
      for (const sequence of [3n, 5n])
        await inbox.add({ eventId: `evt-${sequence}`, sequence, follows: sequence - 1n, body: '{}' });
      // The feed shows that nothing lies between 3 and 6, and says nothing of what lies before 3.
      await inbox.add({ eventId: 'evt-6', sequence: 6n, follows: 3n, body: '{}' });
      assert.equal(await inbox.handleNext(() => {}), 'gap');
      await inbox.add({ eventId: 'evt-2', sequence: 2n, follows: 0n, body: '{}' });
      const handled: bigint[] = [];
      while ((await inbox.handleNext(({ sequence }) => void handled.push(sequence))) === 'handled');
      assert.deepEqual(handled, [2n, 3n, 5n, 6n]);
    });

    test('starts after a sequence, above 2^53 too', async () => {
      const start = 2n ** 62n;
      const inbox = await newInbox(start);
      const { receiver, handled } = newReceiver({ inbox });
      await send(receiver, signed(confirmedEvent(start)));
      await send(receiver, signed(confirmedEvent(start + 1n)));
      assert.deepEqual([handled, await inbox.position()], [[start + 1n], start + 1n]);
    });

    test('a handler that fails is called again, and nothing after it before', async () => {
      let failures = 2;
      const errors: unknown[] = [];
      const handle = (sequence: bigint) => {
        if (sequence === 2n && failures-- > 0) throw new Error('not now');
      };
      const { receiver, handled } = newReceiver({ inbox: await newInbox(), feed: events, handle, errors });
      for (const event of [...events.slice(0, 3), ...events.slice(2, 3)]) await send(receiver, signed(event));
      assert.deepEqual(handled, sequences.slice(0, 3));
      assert.equal(errors.length, 2);
    });

    test('a failure gives a permit, once', async () => {
      const event = failedEvent(1n, 9_007_199_254_740_993n) as FailedEvent;
      const { receiver, permits } = newReceiver({ inbox: await newInbox() });
      for (let time = 0; time < 3; time++) await send(receiver, signed(event));
      assert.deepEqual([permits.length, permits[0]?.points], [1, 9_007_199_254_740_993n]);
      const { partner_event_id, transaction_id } = event.data.contribution;
      assert.deepEqual([permits[0]?.eventId, permits[0]?.transactionId], [partner_event_id, transaction_id]);
      assert.ok(RestorationPermit.isPermit(permits[0]));
    });

    test('a failure without the id of your event gives no permit', async () => {
      const event = failedEvent(1n) as FailedEvent;
      const { partner_event_id: _, ...contribution } = event.data.contribution;
      const errors: unknown[] = [];
      const { receiver, permits } = newReceiver({ inbox: await newInbox(), errors });
      await send(receiver, signed({ ...event, data: { ...event.data, contribution } }));
      assert.deepEqual(
        [permits.length, errors.map(String)],
        [0, ['TypeError: An event of a failed contribution does not authorise a restoration.']],
      );
    });

    test('an event that arrives while a handler waits is handled without a further event', async () => {
      const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const handle = async (sequence: bigint) => {
        if (sequence !== 1n) return;
        started.resolve();
        await released.promise;
      };
      const { receiver, handled } = newReceiver({ inbox: await newInbox(), handle });
      const first = receiver(signed(events[0] as object));
      await started.promise;
      const second = receiver(signed(events[1] as object));
      // The second one is at the inbox by then.
      for (let turn = 0; turn < 20; turn++) await setImmediate();
      released.resolve();
      assert.deepEqual([(await first).status, (await second).status], [200, 200]);
      await receiver.settled();
      assert.deepEqual(handled, [1n, 2n]);
    });

    test('a webhook that arrives during many events is answered before they are all handled', async () => {
      let answered: Promise<void> | undefined;
      let countThen = 0;
      const post = async () => {
        await setImmediate();
        assert.equal((await receiver(signed(events[29] as object))).status, 200);
        countThen = handled.length;
      };
      const handle = (sequence: bigint) => {
        if (sequence === 1n) answered = post();
      };
      const { receiver, handled } = newReceiver({ inbox: await newInbox(), feed: events, handle });
      await receiver.catchUp();
      assert.deepEqual(handled, sequences);
      await answered;
      await receiver.settled();
      assert.deepEqual(handled, sequences);
      assert.ok(countThen < 30, `The webhook was answered after ${countThen} events.`);
    });

    test('what is stored while a handler waits is stored before the handler of a later event is called', HANG_LIMIT, async () => {
      const inbox = await newInbox();
      const newEvent = (sequence: bigint) => ({ eventId: `evt-${sequence}`, sequence, follows: sequence - 1n, body: '{}' });
      for (const sequence of sequences.slice(0, 29)) await inbox.add(newEvent(sequence));
      let count = 0;
      let stored: Promise<unknown> | undefined;
      const handle = async () => {
        await setImmediate();
        // It would wait for ever for what waits until all are handled.
        await stored;
        stored ??= inbox.add(newEvent(30n));
        await setImmediate();
        count += 1;
      };
      while ((await inbox.handleNext(handle)) === 'handled');
      assert.equal(count, 30);
    });

    test('two receivers of one inbox: still once, in order', async () => {
      const inbox = await newInbox();
      const both = [newReceiver({ inbox, feed: events }), newReceiver({ inbox, feed: events })] as const;
      await Promise.all(events.map((event, index) => both[index % 2 === 0 ? 0 : 1].receiver(signed(event))));
      while ((await inbox.position()) < 30n) for (const { receiver } of both) await receiver.catchUp();
      const all = both.flatMap(({ handled }) => handled);
      assert.deepEqual(
        [...all].sort((a, b) => Number(a - b)),
        sequences,
      );
    });
  });

describe('a handler writes within the transaction of the inbox', () => {
  test('SqliteInbox: the write of a handler that fails is gone', async () => {
    const database = new DatabaseSync(join(folder, 'transaction.db'));
    after(() => database.close());
    database.exec('create table restored (transaction_id text primary key)');
    const inbox = new SqliteInbox(database);
    await inbox.add({ eventId: 'evt_12345678', sequence: 1n, follows: 0n, body: '{}' });
    const write = (tx: DatabaseSync) => tx.prepare("insert into restored values ('txn_1')").run();
    await assert.rejects(
      inbox.handleNext((_event, tx) => {
        write(tx);
        throw new Error('killed');
      }),
    );
    const countRows = () => database.prepare('select count(*) as count from restored').get()?.['count'];
    assert.equal(countRows(), 0);
    assert.equal(await inbox.handleNext((_event, tx) => void write(tx)), 'handled');
    assert.deepEqual([countRows(), await inbox.handleNext(() => {})], [1, 'empty']);
  });

  test('SqliteInbox: a handler that writes to the same file by another connection is told what is wrong, and not taken for busy', async () => {
    const path = join(folder, 'two-connections.db');
    const [database, other] = [new DatabaseSync(path), new DatabaseSync(path, { timeout: 0 })];
    after(() => database.close());
    after(() => other.close());
    database.exec('create table restored (transaction_id text primary key)');
    const inbox = new SqliteInbox(database);
    await inbox.add({ eventId: 'evt_12345678', sequence: 1n, follows: 0n, body: '{}' });
    const write = (connection: DatabaseSync) => void connection.prepare("insert into restored values ('txn_1')").run();
    await assert.rejects(
      inbox.handleNext(() => write(other)),
      (error) =>
        error instanceof ConfigurationError && /second parameter/.test(error.message) && /locked/.test(String(error.cause)),
    );
    assert.equal(await inbox.position(), 0n);
    other.exec('begin immediate');
    assert.equal(await inbox.handleNext((_event, tx) => write(tx)), 'busy');
    other.exec('rollback');
    assert.equal(await inbox.handleNext((_event, tx) => write(tx)), 'handled');
  });

  test('PostgresInbox: the write of a handler that fails is gone', async () => {
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    after(() => pool.end());
    await pool.query('create table restored (transaction_id text primary key)');
    const inbox = new PostgresInbox<pg.PoolClient>(pool);
    await inbox.add({ eventId: 'evt_12345678', sequence: 1n, follows: 0n, body: '{}' });
    const write = (tx: pg.PoolClient) => tx.query("insert into restored values ('txn_1')");
    await assert.rejects(
      inbox.handleNext(async (_event, tx) => {
        await write(tx);
        throw new Error('killed');
      }),
    );
    const countRows = async () => (await pool.query('select count(*)::int as count from restored')).rows[0].count;
    assert.equal(await countRows(), 0);
    assert.equal(await inbox.handleNext(async (_event, tx) => void (await write(tx))), 'handled');
    assert.deepEqual([await countRows(), await inbox.handleNext(() => {})], [1, 'empty']);
  });

  test('PostgresInbox: a connection that ends between two statements of a handler is its error, and does not end the process', async () => {
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    after(() => pool.end());
    const inbox = new PostgresInbox<pg.PoolClient>(pool);
    const sequence = (await inbox.position()) + 1n;
    await inbox.add({ eventId: 'evt_23456789', sequence, follows: sequence - 1n, body: '{}' });
    const handled = inbox.handleNext(async (_event, tx) => {
      const { rows } = await tx.query('select pg_backend_pid() as pid');
      // `once` of node:events would listen for the error, too.
      const ended = new Promise<void>((resolve) => void tx.once('end', resolve));
      await pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
      await ended;
    });
    await assert.rejects(handled, /not queryable/);
    assert.equal(await inbox.handleNext(() => {}), 'handled');
  });
});

test('SqliteInbox: an event that cannot be committed is answered 503, and stored when it comes again: a reader of the file held its lock for longer than the inbox waits', async () => {
  const path = join(folder, 'reader.db');
  const [database, reader] = [new DatabaseSync(path), new DatabaseSync(path)];
  after(() => database.close());
  after(() => reader.close());
  const inbox = new SqliteInbox(database);
  database.exec('pragma busy_timeout = 10');
  const { receiver, handled, errors } = newReceiver({ inbox: inbox as Inbox<unknown> });
  reader.exec('begin');
  reader.prepare('select * from partner_impact_inbox').all();
  assert.deepEqual(await send(receiver, signed(confirmedEvent(1n))), [503, { problem: 'not_stored' }]);
  assert.match(String(errors), /database is locked/);
  reader.exec('rollback');
  assert.deepEqual([(await send(receiver, signed(confirmedEvent(1n))))[0], handled], [200, [1n]]);
});

test('PostgresInbox works for a role that may not create tables, where they are there', async () => {
  const [schema, role] = [`inbox_${count++}`, `inbox_writer_${process.pid}`];
  const owner = new pg.Pool({ connectionString: databaseUrl, options: `-c search_path=${schema}`, max: 1 });
  after(async () => {
    await owner.query(`drop owned by ${role}`);
    await owner.query(`drop role ${role}`);
    await owner.end();
  });
  await owner.query(`create schema ${schema}`);
  await owner.query(`create role ${role}`);
  const [, ddl = ''] = /```sql\n(create table partner_impact_inbox .*?)```/s.exec(readFileSync(REFERENCE, 'utf8')) ?? [];
  await owner.query(ddl);
  await owner.query(`grant usage on schema ${schema} to ${role}`);
  await owner.query(`grant select, insert, update, delete on all tables in schema ${schema} to ${role}`);
  const pool = new pg.Pool({ connectionString: databaseUrl, options: `-c search_path=${schema} -c role=${role}`, max: 2 });
  after(() => pool.end());
  const inbox = new PostgresInbox(pool, { startAfter: 4n });
  assert.equal(await inbox.position(), 4n);
  assert.equal(await inbox.add({ eventId: 'evt_12345678', sequence: 5n, follows: 4n, body: '{}' }), true);
  assert.equal(await inbox.handleNext(() => {}), 'handled');
  await assert.rejects(pool.query('create table other (a int)'), /permission denied for schema/);
});

test('catchUp hands what is stored to its handler, although the feed does not answer', async () => {
  const inbox = new MemoryInbox();
  const body = stringifyExactJson(failedEvent(1n));
  await inbox.add({ eventId: 'evt_34567890', sequence: 1n, follows: 0n, body });
  const restored: bigint[] = [];
  const impact = new PartnerImpact({
    baseUrl: 'http://127.0.0.1:9',
    apiKey: 'pi_sandbox_test',
    fetch: () => Promise.reject(new TypeError('fetch failed')),
  });
  const receiver = impact.events.receiver(SECRET, inbox, {
    'impact.transaction.adjusted': ({ data }) => void (data.change === 'failed' && restored.push(data.permit.points)),
  });
  await assert.rejects(receiver.catchUp({ deadlineMs: 0 }), ConnectionError);
  await receiver.settled();
  assert.deepEqual(restored, [250n]);
});

test('a handler that throws while catchUp calls it is called again by itself', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let failures = 1;
  const handle = () => {
    if (failures-- > 0) throw new Error('not now');
  };
  const { receiver, handled } = newReceiver({ feed: [confirmedEvent(1n), confirmedEvent(2n)], handle });
  await assert.rejects(receiver.catchUp(), /not now/);
  assert.deepEqual(handled, []);
  t.mock.timers.tick(1_000);
  await receiver.settled();
  assert.deepEqual(handled, [1n, 2n]);
});
