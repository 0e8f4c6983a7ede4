/** What the engineer on call is told of the database: by `/readyz`, by the metrics, and by one line when it begins and one when it is over. */
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { chmodSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import pino from 'pino';
import { DatabaseWatch } from '../../src/service/database-watch.ts';
import { describeFailure } from '../../src/service/open-database.ts';
import { openDatabase, type Queryable } from '../../src/store/database.ts';
import { isPoolUsedUp } from '../../src/store/database-errors.ts';
import { problemOf, UnfitDatabaseError } from '../../src/store/database-problem.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { connect } from '../support/postgres/connect.ts';
import { emptyDatabase } from '../support/postgres/database.ts';
import { databaseProxy } from '../support/postgres/database-proxy.ts';
import { testService } from '../support/service.ts';

const { operationsPort, newPartner, database, databaseUrl } = await testService();
const { client } = await newPartner();

interface Line {
  readonly level: number;
  readonly reason: string;
  readonly cause?: string;
  readonly msg: string;
}

/** A watch of a database, with the lines that it writes. */
function watch(url: string) {
  const lines: Line[] = [];
  const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const watched = openDatabase({ databaseUrl: url, poolSize: 1 });
  const opened = new DatabaseWatch({ database: watched, logger });
  after(async () => {
    opened.close();
    await watched.close();
  });
  return { opened, lines, pool: watched.pool };
}

async function openedAt(url: string): Promise<void> {
  const opened = openDatabase({ databaseUrl: url, poolSize: 1 });
  after(() => opened.close());
  await opened.pool.query('select 1');
}

async function readAdmin(path: string): Promise<[status: number, text: string]> {
  const answer = await fetch(`http://127.0.0.1:${operationsPort}${path}`);
  return [answer.status, await answer.text()];
}

const isTold = (words: RegExp, wanted = 200) =>
  waitFor(`answer ${wanted} of /readyz with ${words}`, async () => {
    const [status, text] = await readAdmin('/readyz');
    return status === wanted && words.test(text);
  });

async function reasons(): Promise<unknown[]> {
  const [, text] = await readAdmin('/metrics');
  return [...text.matchAll(/^partner_impact_database_problem\{reason="(\w+)"\} 1$/gm)].map(([, reason]) => reason);
}

test('a database that is gone and comes back is one line each, and /readyz would be 503 meanwhile', async () => {
  const empty = await emptyDatabase();
  const proxy = await databaseProxy(empty.databaseUrl);
  const { opened, lines } = watch(proxy.databaseUrl);
  assert.equal(await opened.check(), undefined);
  proxy.cut();
  await assert.rejects(opened.check(), /it cannot be reached\. Start it/);
  await assert.rejects(opened.check(), /it cannot be reached/);
  assert.deepEqual(opened.reasons, ['unreachable']);
  proxy.heal();
  await waitFor('the line about its return', () => lines.length === 2);
  assert.equal(await opened.check(), undefined);
  assert.deepEqual(
    lines.map(({ level, reason }) => [level, reason]),
    [
      [50, 'unreachable'],
      [40, 'unreachable'],
    ],
  );
});

test('a database at a name with several addresses, none of which is reached, is told with what each of them said', async (t) => {
  t.mock.method(dns, 'lookup', (_host: string, _options: object, tell: (error: null, addresses: object[]) => void) =>
    tell(
      null,
      ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 })),
    ),
  );
  const { opened, lines } = watch('postgresql://impact@db.example:1/impact');
  await assert.rejects(opened.check(), /it cannot be reached/);
  const each = 'connect ECONNREFUSED 127.0.0.1:1; connect ECONNREFUSED 127.0.0.2:1';
  assert.deepEqual(
    lines.map(({ reason, cause }) => [reason, cause]),
    [['unreachable', each]],
  );
  await assert.rejects(openedAt('postgresql://impact@db.example:1/impact'), (error) => {
    assert.match(describeFailure(error), /^connect ECONNREFUSED 127\.0\.0\.1:1; .+\. Check that the database runs/);
    return true;
  });
});

test('a name whose first address this machine has no network for tells of the other one', () => {
  const [v6, v4] = ['EADDRNOTAVAIL', 'ECONNREFUSED'].map((code) => Object.assign(new Error(`connect ${code}`), { code }));
  const failure = Object.assign(new AggregateError([v6, v4]), { code: 'EADDRNOTAVAIL' });
  assert.equal(problemOf(failure)?.reason, 'unreachable');
});

test(
  'a database is gone, and not ready, also after a look waited in vain for a connection that was being made',
  HANG_LIMIT,
  async () => {
    const empty = await emptyDatabase();
    const proxy = await databaseProxy(empty.databaseUrl);
    const { opened, pool } = watch(proxy.databaseUrl);
    const held = await pool.connect();
    const inVain = assert.rejects(opened.check(), /did not commit/);
    // This caller waits behind the look: when its time is over, so is that of the look.
    const behind = assert.rejects(pool.connect(), isPoolUsedUp);
    const begun = proxy.pauseBefore('pg_is_in_recovery');
    held.release(true);
    const goOn = await begun;
    await Promise.all([inVain, behind]);
    goOn();
    const made = `select from pg_stat_activity where datname = current_database() and application_name = 'partner-impact' and state = 'idle'
    and query <> ''`;
    await waitFor('connection that was made', async () => (await empty.pool.query(made)).rowCount === 1);
    proxy.cut();
    await waitFor('look that finds the database gone', () => opened.reasons.includes('unreachable'));
    await assert.rejects(opened.check(), /it cannot be reached/);
  },
);

test('a database whose transactions are read-only is not ready, and look-ups are answered', HANG_LIMIT, async () => {
  const confirmed = await client.confirm();
  const { rows } = await database.pool.query('select current_database() as name');
  const administrator = await connect(databaseUrl);
  const set = async (value: string) => {
    await administrator.query(`alter database "${rows[0].name}" set default_transaction_read_only = ${value}`);
    await administrator.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'partner-impact'`,
    );
  };
  await set('on');
  await isTold(/^not ready: the database has a problem: it is read-only\. Check .+default_transaction_read_only/, 503);
  assert.deepEqual(await reasons(), ['read_only']);
  const refused = await client.confirm();
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
  assert.equal((await client.findByEvent(confirmed.body.contribution.partner_event_id)).status, 200);
  await administrator.query('set transaction_read_only = off');
  await set('off');
  await isTold(/^ready\n$/);
  assert.deepEqual(await reasons(), []);
  assert.equal((await client.confirm()).status, 201);
});

const setReadOnly = (administrator: Queryable, name: string, value: 'on' | 'off') =>
  administrator.query(`alter database "${name}" set default_transaction_read_only = ${value}`);

test('a database that is read-only no more does all of its work again, although the sessions of that time are open', async () => {
  const { databaseUrl, name, pool: administrator } = await emptyDatabase();
  await setReadOnly(administrator, name, 'on');
  const { opened, lines } = watch(databaseUrl);
  await assert.rejects(opened.check(), /it is read-only/);
  await setReadOnly(administrator, name, 'off');
  // The look under way may be one of before.
  await opened.check().catch(() => {});
  assert.equal(await opened.check(), undefined);
  assert.deepEqual(
    lines.map(({ level, reason }) => [level, reason]),
    [
      [50, 'read_only'],
      [40, 'read_only'],
    ],
  );
});

test('what new connections meet is told although the connection of the look works: a read-only database, and a standby', async () => {
  const { databaseUrl, name, pool: administrator } = await emptyDatabase();
  await administrator.query('create table kept ()');
  const { opened } = watch(databaseUrl);
  assert.equal(await opened.check(), undefined);
  await setReadOnly(administrator, name, 'on');
  const work = openDatabase({ databaseUrl, poolSize: 1 });
  await work.pool.query('insert into kept default values').catch(opened.note);
  await work.close();
  assert.match((await opened.check()) ?? '', /it is read-only.+\(cannot execute INSERT in a read-only transaction\)$/);
  opened.note(new UnfitDatabaseError('standby', 'The server is in recovery.'));
  assert.match((await opened.check()) ?? '', /it is a standby.+\(The server is in recovery\.\)$/);
});

test('a file that the server itself may not open is no missing right of the role, and neither is a disk that fails', async (t) => {
  const { databaseUrl: url, pool: administrator } = await emptyDatabase();
  await administrator.query('create table kept ()');
  // Until it is written the server would end for want of the file.
  await administrator.query('checkpoint');
  const { rows } = await administrator.query(
    `select current_setting('data_directory') || '/' || pg_relation_filepath('kept') as path`,
  );
  const { opened } = watch(url);
  assert.equal(await opened.check(), undefined);
  const session = await connect(url);
  chmodSync(rows[0].path, 0);
  const failure = await session.query('insert into kept default values').catch((error: Error) => error);
  chmodSync(rows[0].path, 0o600);
  if (!(failure instanceof pg.DatabaseError)) return t.skip('the account of the server opens any file');
  assert.equal(failure.code, '42501');
  opened.note(failure);
  assert.match(String(await opened.check()), /refuses it a file.+could not open file .+: Permission denied\)$/);
  assert.deepEqual(opened.reasons, ['disk_failing']);
  const saying = (code: string, words: string) => Object.assign(new pg.DatabaseError(words, 0, 'error'), { code });
  const readOnly = saying('42501', 'could not extend file "base/16384/16397": Read-only file system');
  const broken = saying('58030', 'could not read blocks 0..0 in file "base/16384/16397": Input/output error');
  const right = saying('42501', 'permission denied for table contribution');
  assert.deepEqual(
    [readOnly, broken, right].map((error) => problemOf(error)?.reason),
    ['disk_failing', 'disk_failing', 'rights_missing'],
  );
});

test('open files that are used up are told although the connection of the look works', async () => {
  const { opened } = watch((await emptyDatabase()).databaseUrl);
  assert.equal(await opened.check(), undefined);
  opened.note(Object.assign(new Error('connect EMFILE 127.0.0.1:5432'), { code: 'EMFILE', syscall: 'connect' }));
  assert.match(String(await opened.check()), /may open no further file.+LimitNOFILE.+\(connect EMFILE 127\.0\.0\.1:5432\)$/);
  assert.deepEqual(opened.reasons, ['files_used_up']);
});

test('a lock for which one request at a time waits is named, although each gives up before the watch would look again', async () => {
  const { databaseUrl: url } = await emptyDatabase();
  const [colleague, partner] = await Promise.all([connect(`${url}&application_name=colleague`), connect(url)]);
  await colleague.query('create table taken ()');
  await colleague.query('begin; lock table taken');
  const { opened, lines } = watch(url);
  opened.note(new Error('The request before this one waited in vain.'));
  assert.equal(await opened.check(), undefined);
  // As long as a request waits.
  await partner.query(`set lock_timeout = '4s'`);
  await assert.rejects(partner.query('insert into taken default values'), { code: '55P03' });
  assert.match(
    lines.find(({ reason }) => reason === 'locked')?.cause ?? 'nothing was told',
    /\(colleague\) holds taken for \d+ s/,
  );
  await colleague.query('rollback');
});

test('a database that answers late is named, with how late, until it has answered in time for a while', HANG_LIMIT, async () => {
  const proxy = await databaseProxy((await emptyDatabase()).databaseUrl);
  const { opened, lines } = watch(proxy.databaseUrl);
  assert.equal(await opened.check(), undefined);
  proxy.delay(1_200);
  await waitFor('words about it', async () =>
    /^the database has a problem: it is slow.+Look at its machine.+\(a commit took 1\d\d\d ms\)$/.test(
      (await opened.check()) ?? '',
    ),
  );
  assert.deepEqual(opened.reasons, ['slow']);
  proxy.delay(0);
  await waitFor('the line about its end', () => lines.length === 2);
  assert.deepEqual(
    lines.map(({ level, reason }) => [level, reason]),
    [
      [50, 'slow'],
      [40, 'slow'],
    ],
  );
});

test(
  'a database that answers a look and leaves work without an answer, more than for a moment, is slow',
  HANG_LIMIT,
  async () => {
    const { opened } = watch((await emptyDatabase()).databaseUrl);
    const silence = new Error('The database does not answer: the connection was ended.');
    for (let request = 0; request < 20; request++) opened.note(silence);
    assert.equal(await opened.check(), undefined);
    await waitFor('words about it', async () => {
      opened.note(silence);
      return /it is slow.+\(The database does not answer: the connection was ended\.\)/.test((await opened.check()) ?? '');
    });
  },
);

test(
  'a process whose own connections are all in use is another problem than a database that gives no answer',
  HANG_LIMIT,
  async () => {
    const { databaseUrl: url } = await emptyDatabase();
    const { opened, lines } = watch(url);
    const work = openDatabase({ databaseUrl: url, poolSize: 1 });
    const held = await work.pool.connect();
    const waitInVain = () => work.pool.query('select 1').then(() => assert.fail('There was a connection.'), opened.note);
    const words =
      /all connections of one kind that a process has to it are in use.+pg_stat_activity.+\(timeout exceeded when trying to connect\)$/;
    await waitFor('words about it', async () => {
      await waitInVain();
      return words.test(String(await opened.check()));
    });
    assert.deepEqual(opened.reasons, ['connections_busy']);
    held.release();
    await work.close();
    await waitFor('the line about its end', () => lines.length === 2);
  },
);

test('what work met while a database gave no answer does not make it slow once it answers', HANG_LIMIT, async () => {
  const proxy = await databaseProxy((await emptyDatabase()).databaseUrl);
  const { opened } = watch(proxy.databaseUrl);
  const silence = new Error('The database does not answer: the connection was ended.');
  proxy.delay(60_000);
  await assert.rejects(opened.check(), /it does not answer in time/);
  opened.note(silence);
  await sleep(600);
  opened.note(silence);
  proxy.delay(0);
  await waitFor('a database that answers', () =>
    opened.check().then(
      () => true,
      () => false,
    ),
  );
  assert.deepEqual(opened.reasons, []);
});

test('a database that answers again, and late, is slow at once: not all is well between', HANG_LIMIT, async () => {
  const proxy = await databaseProxy((await emptyDatabase()).databaseUrl);
  const { opened, lines } = watch(proxy.databaseUrl);
  assert.equal(await opened.check(), undefined);
  proxy.delay(3_000);
  await assert.rejects(opened.check(), /it does not answer in time/);
  proxy.delay(1_200);
  const words = await waitFor('an answer', () => opened.check().then(String, () => undefined));
  assert.match(words, /it is slow.+\(a commit took 1\d\d\d ms\)$/);
  assert.deepEqual(
    lines.map(({ level, reason }) => [level, reason]),
    [
      [50, 'no_answer'],
      [50, 'slow'],
    ],
  );
});

test('a database that is back after it could not be reached, and late, is slow at once', HANG_LIMIT, async () => {
  const proxy = await databaseProxy((await emptyDatabase()).databaseUrl);
  const { opened, lines } = watch(proxy.databaseUrl);
  proxy.cut();
  await assert.rejects(opened.check(), /it cannot be reached/);
  const commit = proxy.pauseBefore('pg_logical_emit_message');
  proxy.heal();
  const late = commit.then((goOn) => {
    proxy.delay(1_200);
    goOn();
  });
  const words = await waitFor('an answer', () => opened.check().then(String, () => undefined));
  await late;
  assert.match(words, /it is slow.+\(a commit took 1\d\d\d ms\)$/);
  assert.deepEqual(
    lines.map(({ level, reason }) => [level, reason]).filter(([, reason]) => reason !== 'no_answer'),
    [
      [50, 'unreachable'],
      [50, 'slow'],
    ],
  );
});

test('a disk that is full hides no other problem while it lasts', HANG_LIMIT, async () => {
  const { databaseUrl, name, pool: administrator } = await emptyDatabase();
  // Stands for the disk: what the look for room calls before the server's own.
  await administrator.query(`alter database "${name}" set search_path = public, pg_catalog;
    create function public.repeat(text, integer) returns text language plpgsql as
      $$ begin raise exception using errcode = 'disk_full', message = 'No space left on device'; end $$`);
  const { opened } = watch(databaseUrl);
  const full = new pg.DatabaseError('could not extend file: No space left on device', 0, 'error');
  full.code = '53100';
  opened.note(full);
  // Until it has to be looked for.
  await sleep(10_100);
  assert.match(String(await opened.check()), /its disk is full.+No space left on device\)$/);
  opened.note(new UnfitDatabaseError('rights_missing', 'permission denied for table contribution'));
  assert.match(String(await opened.check()), /its disk is full.+; the database has a problem: its role lacks a right/);
  await administrator.query('drop function public.repeat');
  await waitFor('a disk with room', async () => !String(await opened.check()).includes('its disk is full'));
});

const saysThatItAnswers = ({ msg }: { readonly msg: string }) => msg.startsWith('the database answers again');

test('an outage lasts while the database is late, also where another problem is shown in place of that', HANG_LIMIT, async () => {
  const proxy = await databaseProxy((await emptyDatabase()).databaseUrl);
  const { opened, lines } = watch(proxy.databaseUrl);
  const lost = new UnfitDatabaseError('worker_lost', 'A worker does not answer.');
  opened.note(lost);
  proxy.cut();
  await assert.rejects(opened.check(), /it cannot be reached/);
  opened.note(lost);
  const commit = proxy.pauseBefore('pg_logical_emit_message');
  proxy.heal();
  const late = commit.then((goOn) => {
    proxy.delay(1_200);
    goOn();
  });
  for (let look = 0; look < 3; look++) await waitFor('an answer', () => opened.check().then(String, () => undefined));
  await late;
  assert.deepEqual(lines.filter(saysThatItAnswers), []);
});

test(
  'the end of each outage is a line while another problem lasts, and a second outage within a minute is one',
  HANG_LIMIT,
  async () => {
    const proxy = await databaseProxy((await emptyDatabase()).databaseUrl);
    const { opened, lines } = watch(proxy.databaseUrl);
    const lost = new UnfitDatabaseError('worker_lost', 'A worker does not answer.');
    opened.note(lost);
    assert.match(String(await opened.check()), /a worker of the cluster does not answer/);
    for (let outage = 0; outage < 2; outage++) {
      proxy.cut();
      await assert.rejects(opened.check(), /it cannot be reached/);
      // Lasts, too.
      opened.note(lost);
      proxy.heal();
      await waitFor('an end of the outage', async () => {
        await opened.check().catch(() => undefined);
        return lines.filter(saysThatItAnswers).length === outage + 1;
      });
    }
    // A busy machine may need more than two seconds for a look.
    const told = lines.filter(({ reason }) => reason !== 'no_answer');
    assert.deepEqual(
      told.map((line) => [line.level, line.reason, saysThatItAnswers(line)]),
      [
        [50, 'worker_lost', false],
        ...Array.from({ length: 2 }, () => [
          [50, 'unreachable', false],
          [40, 'unreachable', true],
        ]).flat(),
      ],
    );
  },
);

test(
  'a session that a worker of a cluster has ended, and one that it has no room for, are no lost worker, whose standby somebody would promote',
  HANG_LIMIT,
  async () => {
    const { opened } = watch((await emptyDatabase()).databaseUrl);
    const saying = (words: string) =>
      new pg.DatabaseError(
        `connection to the remote node pi@10.0.0.3:5432 failed with the following error: ${words}`,
        0,
        'error',
      );
    opened.note(saying('connection not open'));
    assert.equal(await opened.check(), undefined);
    opened.note(saying('FATAL:  sorry, too many clients already'));
    const usedUp =
      /a problem on its worker 10\.0\.0\.3:5432, whose partners alone are concerned: it takes no further connections\. End sessions/;
    assert.match(String(await opened.check()), usedUp);
    opened.note(saying('Connection refused'));
    assert.match(String(await opened.check()), /a worker of the cluster does not answer/);
  },
);

test(
  'a second lost worker of a cluster is a line of its own, and two that are found in turn are one line each',
  HANG_LIMIT,
  async () => {
    const { opened, lines } = watch((await emptyDatabase()).databaseUrl);
    const lost = (node: string) =>
      new pg.DatabaseError(
        `connection to the remote node pi@${node}:5432 failed with the following error: Connection refused`,
        0,
        'error',
      );
    for (const node of ['10.0.0.3', '10.0.0.4', '10.0.0.3', '10.0.0.4']) {
      opened.note(lost(node));
      await opened.check();
    }
    assert.deepEqual(
      lines.map(({ reason, cause }) => [reason, /@(\S+):/.exec(cause ?? '')?.[1]]),
      [
        ['worker_lost', '10.0.0.3'],
        ['worker_lost', '10.0.0.4'],
      ],
    );
  },
);

test('two problems that work meets in turn are one line each, and both are shown all the time', HANG_LIMIT, async () => {
  const { opened, lines } = watch((await emptyDatabase()).databaseUrl);
  const standby = new UnfitDatabaseError('standby', 'The server is in recovery.');
  const right = new pg.DatabaseError('permission denied for table contribution', 0, 'error');
  right.code = '42501';
  opened.note(standby);
  await opened.check();
  for (let turn = 0; turn < 3; turn++)
    for (const error of [right, standby]) {
      opened.note(error);
      assert.match(String(await opened.check()), /it is a standby.+; the database has a problem: its role lacks a right/);
      assert.deepEqual(opened.reasons, ['standby', 'rights_missing']);
    }
  assert.deepEqual(
    lines.map(({ reason }) => reason),
    ['standby', 'rights_missing'],
  );
  await waitFor('the line about its end', () => lines.length > 2);
  assert.deepEqual(
    lines.slice(2).map(({ msg }) => msg),
    ['the database does all of its work again'],
  );
});

describe('while look-ups work, a service stays ready and names what does not', HANG_LIMIT, () => {
  test('a table that a session locks, with the session', async () => {
    const colleague = await connect(`${databaseUrl}&application_name=colleague`);
    const { rows } = await colleague.query('select pg_backend_pid() as pid');
    await colleague.query('begin; lock table event_outbox');
    const refused = await client.confirm();
    assert.equal(refused.status, 503);
    const again = client.confirm();
    await isTold(
      new RegExp(`sessions wait for a lock.+session ${rows[0].pid} of \\S+ \\(colleague\\) holds event_outbox for \\d+ s`),
    );
    assert.deepEqual(await reasons(), ['locked']);
    await colleague.query('rollback');
    await again;
    await isTold(/^ready\n$/);
  });

  test('a worker of a cluster that does not answer, from what the coordinator says to a statement', async () => {
    await database.pool.query(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception using errcode = '08006', message = 'connection to the remote node pi@10.0.0.3:5432 failed with the following error: Connection refused'; end $$;
      create trigger refuse before insert on contribution execute function refuse()`);
    assert.equal((await client.confirm()).status, 503);
    await isTold(/a worker of the cluster does not answer: its partners get 503.+Start the worker.+pi@10\.0\.0\.3:5432/);
    assert.deepEqual(await reasons(), ['worker_lost']);
    await database.pool.query('drop function refuse() cascade');
    assert.equal((await client.confirm()).status, 201);
  });

  test('a table on which the role of the service lacks a right, from what the server says to a statement', async () => {
    await database.pool.query(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception using errcode = 'insufficient_privilege', message = 'permission denied for table contribution'; end $$;
      create trigger refuse before insert on contribution execute function refuse()`);
    assert.equal((await client.confirm()).status, 503);
    await isTold(
      /its role lacks a right.+Grant the role in DATABASE_URL what it lacks.+permission denied for table contribution/,
    );
    // Beside what the tests before this one left.
    assert.ok((await reasons()).includes('rights_missing'));
    await database.pool.query('drop function refuse() cascade');
    assert.equal((await client.confirm()).status, 201);
  });

  test('tables that are not found, as with another search_path', async () => {
    await database.pool.query('alter table contribution rename to contribution_elsewhere');
    assert.equal((await client.confirm()).status, 503);
    await isTold(/its tables are not found.+Check that DATABASE_URL leads to.+relation "contribution" does not exist/);
    // Beside what the tests before this one left.
    assert.ok((await reasons()).includes('tables_missing'));
    await database.pool.query('alter table contribution_elsewhere rename to contribution');
    assert.equal((await client.confirm()).status, 201);
    await isTold(/^ready\n$/);
  });

  test('a disk that is full, from what the server says to a statement', async () => {
    await database.pool.query(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception using errcode = 'disk_full', message = 'could not extend file: No space left on device'; end $$;
      create trigger refuse before insert on contribution execute function refuse()`);
    const refused = await client.confirm();
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
    await isTold(/its disk is full: look-ups work.+Free space.+No space left on device/);
    assert.deepEqual(await reasons(), ['disk_full']);
    await database.pool.query('drop function refuse() cascade');
    await isTold(/^ready\n$/);
    assert.equal((await client.confirm()).status, 201);
  });
});
