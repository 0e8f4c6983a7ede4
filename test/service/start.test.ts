/** What a start looks at before it changes anything, whether one process serves or several. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { freePort } from '../../reliability/harness/free-port.ts';
import { claimInstallation } from '../../src/store/installation.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { Client } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { clearAway, makeDataDirectory } from '../support/postgres/embedded.ts';
import { spawnService, testService } from '../support/service.ts';

after(clearAway);

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

async function newDatabase() {
  const { databaseUrl } = await testDatabase();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  after(() => pool.end());
  return { databaseUrl, pool };
}

for (const words of [[], ['--processes', '2']]) {
  describe(['serve', ...words].join(' '), () => {
    test('seals from the first start on, and adopts no key that was put in', async () => {
      const { databaseUrl, pool } = await newDatabase();
      const service = await spawnService(databaseUrl, {}, words);
      const { rows } = await pool.query(
        `select action, (after_json::jsonb->>'ended_at') is not null as "isEnded" from audit_entry where action = 'contribution.seal'`,
      );
      assert.deepEqual(rows, [{ action: 'contribution.seal', isEnded: true }]);
      const { runJson } = commandLine({ DATABASE_URL: databaseUrl });
      const { partner_id } = await runJson('partner', 'create', '--name', 'Shop');
      const issued = await runJson('key', 'issue', '--partner', partner_id, '--name', 'own');
      assert.equal((await new Client(service.baseUrl, issued.api_key).call('/v1/partner')).status, 200);
      // What somebody with the database puts in, without an entry of the audit.
      await pool.query(
        `insert into api_key select (jsonb_populate_record(k, jsonb_build_object('key_id', $2::text))).* from api_key k where partner_id = $1`,
        [partner_id, issued.key_id.replace(/.$/, (last: string) => (last === 'a' ? 'b' : 'a'))],
      );
      await service.end('SIGTERM');
      const again = await spawnService(databaseUrl, {}, words);
      const adopted = await pool.query("select from audit_entry where action = 'key.adopt'");
      assert.equal(adopted.rowCount, 0);
      await again.end('SIGTERM');
    });

    test('refuses the keys of another installation, and changes nothing under them', async () => {
      const { databaseUrl, pool } = await newDatabase();
      const [own, otherBytes, otherName] = [newKey('2026'), newKey('2026'), newKey('2027')];
      const service = await spawnService(databaseUrl, { AUDIT_KEY: own }, words);
      await service.end('SIGTERM');
      const entries = async () => (await pool.query('select count(*)::int4 as count from audit_entry')).rows[0].count;
      const before = await entries();
      for (const key of [otherBytes, otherName]) {
        await assert.rejects(
          spawnService(databaseUrl, { AUDIT_KEY: key }, words),
          /AUDIT_KEY \(202[67]\) is not the key of this/,
        );
        const { run, runJson } = commandLine({ DATABASE_URL: databaseUrl, AUDIT_KEY: key });
        const refused = await run(['partner', 'create', '--name', 'Shop']);
        assert.deepEqual([refused.code === 0, await entries()], [false, before]);
        assert.match(refused.stderr, /is not the key of this database, whose audit is sealed with "2026"/);
        const { ok, findings } = JSON.parse((await run(['doctor', '--json'])).stdout);
        const [found] = findings.filter(({ check }: { check: string }) => check === 'keys');
        assert.deepEqual([ok, found.verdict], [false, 'problem']);
        // Who looks for the cause may read.
        assert.ok(Array.isArray(await runJson('partner', 'list')));
      }
      const rotated = await spawnService(databaseUrl, { AUDIT_KEY: `${otherName},${own}` }, words);
      await rotated.end('SIGTERM');
    });

    test('is alive and not ready while it waits for the database', async () => {
      const { databaseUrl, pool } = await newDatabase();
      await spawnService(databaseUrl, {}, words).then((service) => service.end('SIGTERM'));
      const lock = await pool.connect();
      await lock.query(
        'begin; set local idle_in_transaction_session_timeout = 0; lock table installation in access exclusive mode',
      );
      const port = await freePort();
      const starting = spawnService(databaseUrl, { OPERATIONS_PORT: String(port) }, words);
      starting.catch(() => {});
      const ask = async (path: string) => {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`);
        return `${answer.status} ${await answer.text()}`;
      };
      const waits =
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%installation%'";
      await waitFor('start that waits for the database', async () => (await pool.query(waits)).rows.length > 0);
      const answers = await Promise.all(['/livez', '/readyz', '/metrics', '/operator/v1/session'].map(ask)).finally(async () => {
        await lock.query('rollback');
        lock.release();
      });
      assert.deepEqual(answers, [
        '200 alive\n',
        '503 not ready: the service is starting\n',
        '503 no metrics: the service is starting\n',
        '503 The service is starting.\n',
      ]);
      const service = await starting;
      assert.equal(await ask('/readyz'), '200 ready\n');
      await service.end('SIGTERM');
    });

    test('needs the old key after a change of keys, and doctor names it', async () => {
      const { databaseUrl } = await newDatabase();
      const [own, next] = [newKey('2026'), newKey('2027')];
      await (await spawnService(databaseUrl, { AUDIT_KEY: own }, words)).end('SIGTERM');
      const { runJson } = commandLine({ DATABASE_URL: databaseUrl, AUDIT_KEY: `${next},${own}` });
      await runJson('partner', 'create', '--name', 'Shop');
      const missing = /sealed with the key "2026", which is not in AUDIT_KEY/;
      await assert.rejects(spawnService(databaseUrl, { AUDIT_KEY: next }, words), missing);
      const { run } = commandLine({ DATABASE_URL: databaseUrl, AUDIT_KEY: next });
      const { ok, findings } = JSON.parse((await run(['doctor', '--json'])).stdout);
      const [found] = findings.filter(({ check }: { check: string }) => check === 'keys');
      assert.deepEqual([ok, found.verdict], [false, 'problem']);
      assert.match(found.message, missing);
      await (await spawnService(databaseUrl, { AUDIT_KEY: `${next},${own}` }, words)).end('SIGTERM');
    });

    test('ends at once when it is stopped while it waits for the database', async () => {
      const { databaseUrl, pool } = await newDatabase();
      const holder = await pool.connect();
      await holder.query('begin; lock table installation');
      let starting: ChildProcess | undefined;
      const started = spawnService(databaseUrl, {}, words, (child) => {
        starting = child;
      });
      const ended = assert.rejects(started, /Stopped before the service was ready\. The next start does the rest\./);
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await waitFor('the start to wait', async () => (await pool.query(waiting)).rows.length > 0);
      starting?.kill('SIGTERM');
      await ended;
      assert.deepEqual([starting?.exitCode, starting?.signalCode], [0, null]);
      await holder.query('rollback');
      holder.release();
      await (await spawnService(databaseUrl, {}, words)).end('SIGTERM');
    });

    test('looks to whom the database belongs before it migrates it', async () => {
      const { databaseUrl, pool } = await newDatabase();
      await claimInstallation(pool, 'production');
      const last = `(select max(name) from kysely_migration)`;
      const { rows } = await pool.query(`delete from kysely_migration where name = ${last} returning name`);
      await assert.rejects(spawnService(databaseUrl, {}, words), /belongs to the production environment/);
      const { run } = commandLine({ DATABASE_URL: databaseUrl });
      const refused = await run(['migrate']);
      assert.equal(refused.code === 0, false);
      assert.match(refused.stderr, /belongs to the production environment, but SERVICE_ENVIRONMENT is sandbox/);
      const applied = await pool.query('select from kysely_migration where name = $1', [rows[0].name]);
      assert.equal(applied.rowCount, 0);
    });
  });
}

test('a first call that cannot be made ends the service, and the error says why', async () => {
  const { databaseUrl, pool } = await newDatabase();
  await pool.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'no room'; end $$`);
  await pool.query('create trigger refuse before insert on operator_credential execute function refuse()');
  const service = await spawnService(databaseUrl, {}, ['--first-call']);
  await waitFor('its end', () => service.process.exitCode !== null);
  assert.equal(service.process.exitCode, 1);
  assert.match(service.output(), /no room/);
});

/** What the shell of a person who works with databases may hold, each for another server. */
const OF_ANOTHER_SERVER = {
  PGHOST: 'nowhere.invalid',
  PGPORT: '6543',
  PGUSER: 'somebody',
  PGPASSWORD: 'unused',
  PGDATABASE: 'nothing',
  PGSSLMODE: 'verify-full',
  PGSSLNEGOTIATION: 'direct',
  PGREPLICATION: 'database',
  PGOPTIONS: '-c no_such_setting=1',
};

test('no PG… variable of the shell has an effect on the embedded server, of a service, its processes or a command', async () => {
  const env = { DATA_DIR: await makeDataDirectory(), ...OF_ANOTHER_SERVER };
  for (const words of [[], ['--processes', '2']]) {
    const service = await spawnService('', env, words);
    // Without prepared statements the service has no start-up options of its own, in place of PGOPTIONS.
    for (const statements of ['on', 'off'])
      assert.ok(
        Array.isArray(await commandLine({ ...env, DATABASE_PREPARED_STATEMENTS: statements }).runJson('partner', 'list')),
      );
    assert.equal(await service.end('SIGTERM'), 0);
  }
});

describe('the database of a service', () => {
  test('whose embedded server does not start: doctor says why, and nothing of DATABASE_URL', async () => {
    const dataDirectory = await makeDataDirectory();
    rmSync(join(dataDirectory, 'postgres/global/pg_control'));
    const { stdout } = await commandLine({ DATA_DIR: dataDirectory }).run(['doctor', '--json']);
    const { message } = JSON.parse(stdout).findings.at(-1);
    assert.match(message, /^The embedded PostgreSQL in .+ did not start: .+pg_control[^.]+\.$/);
  });

  test('of which the key of the audit is lost gets no new one, and the error says what is missing', async () => {
    const { databaseUrl } = await newDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'lost-audit-key-'));
    after(() => rmSync(folder, { recursive: true }));
    const env = { AUDIT_KEY: '', DATA_DIR: folder };
    const file = join(folder, 'audit.key');
    const { run, runJson } = commandLine({ DATABASE_URL: databaseUrl, ...env });
    assert.equal((await run(['migrate'])).code, 0);
    // Who only reads before the first start makes no file that the user of the service could not read.
    assert.ok(Array.isArray(await runJson('partner', 'list')));
    assert.equal(existsSync(file), false);
    const service = await spawnService(databaseUrl, env);
    await service.end('SIGTERM');
    // With a rule doctor compares the audit too.
    await runJson(
      'rule',
      'create',
      '--kind',
      'contribution_rule',
      '--label',
      'own-bounds',
      '--points-min',
      '1',
      '--points-max',
      '9',
    );
    renameSync(file, join(folder, 'kept.key'));
    const missing = /There is no key of the audit: AUDIT_KEY is not set, and .*audit\.key does not exist/;
    await assert.rejects(spawnService(databaseUrl, env), missing);
    for (const command of [
      ['partner', 'create', '--name', 'Shop'],
      ['audit', 'verify'],
    ]) {
      const refused = await run(command);
      assert.notEqual(refused.code, 0);
      assert.match(refused.stderr, missing);
    }
    const { findings } = JSON.parse((await run(['doctor', '--json'])).stdout);
    const [found] = findings.filter(({ check }: { check: string }) => check === 'keys');
    assert.equal(found.verdict, 'problem');
    assert.match(found.message, missing);
    assert.ok(Array.isArray(await runJson('partner', 'list')));
    assert.equal(existsSync(file), false);
    renameSync(join(folder, 'kept.key'), file);
    await (await spawnService(databaseUrl, env)).end('SIGTERM');
  });

  test('may be migrated twice before the first start', async () => {
    const { databaseUrl } = await newDatabase();
    const { run } = commandLine({ DATABASE_URL: databaseUrl });
    for (let time = 0; time < 2; time++) {
      const { code, stderr } = await run(['migrate']);
      assert.equal(code, 0, stderr);
    }
  });

  test('of which the transactions are read-only is told of by doctor, a start and a command, with what helps', async () => {
    const { databaseUrl, pool } = await newDatabase();
    const { rows } = await pool.query('select current_database() as name');
    await pool.query(`alter database "${rows[0].name}" set default_transaction_read_only = on`);
    const { findings } = JSON.parse((await commandLine({ DATABASE_URL: databaseUrl }).run(['doctor', '--json'])).stdout);
    const [found] = findings.filter(({ check }: { check: string }) => check === 'writing');
    assert.equal(found.verdict, 'problem');
    assert.match(
      found.message,
      /the database is read-only: default_transaction_read_only .+\. Check whether this server is the primary/,
    );
    const told =
      /The database says: cannot execute .+ in a read-only transaction\. Check whether this server is the primary\. .+ set default_transaction_read_only to off/;
    await assert.rejects(spawnService(databaseUrl), told);
    const refused = await commandLine({ DATABASE_URL: databaseUrl }).run(['partner', 'create', '--name', 'Shop']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, told);
  });

  test('of which somebody holds a table for long is told of with where to look', async () => {
    const { databaseUrl, pool } = await newDatabase();
    const holder = await pool.connect();
    await holder.query('begin; lock table installation');
    const told = /The database says: canceling statement due to statement timeout\. Look at .+ its locks/;
    await assert.rejects(spawnService(databaseUrl), told);
    await holder.query('rollback');
    holder.release();
  });

  test('that has no connection left for its role is told of with what helps', async () => {
    const { databaseUrl, pool } = await newDatabase();
    const role = `refused_${randomBytes(4).toString('hex')}`;
    await pool.query(`create role ${role} login connection limit 0`);
    const url = new URL(databaseUrl);
    url.searchParams.set('user', role);
    const told = /too many connections for role .+ End sessions that nobody needs/;
    await assert.rejects(spawnService(url.href), told);
    const { findings } = JSON.parse((await commandLine({ DATABASE_URL: url.href }).run(['doctor', '--json'])).stdout);
    assert.match(findings.find(({ check }: { check: string }) => check === 'connection').message, told);
    await pool.query(`drop role ${role}`);
  });

  test('of which a newer release made more is told by doctor', async () => {
    const { databaseUrl } = await testService();
    const { run } = commandLine({ DATABASE_URL: databaseUrl });
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
    await pool.query("insert into kysely_migration (name, timestamp) values ('9999_newer', '2026-01-01')");
    await pool.end();
    const { findings } = JSON.parse((await run(['doctor', '--json'])).stdout);
    const [found] = findings.filter(({ check }: { check: string }) => check === 'migrations');
    assert.deepEqual(
      [found.verdict, /has migrations of a newer release \(9999_newer\), so this release cannot start/.test(found.message)],
      ['problem', true],
    );
  });
});
