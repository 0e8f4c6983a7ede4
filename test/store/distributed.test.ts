/** The same service on a Citus cluster: where its rows lie, and what a plain PostgreSQL says of distribution. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import pino from 'pino';
import { newNamedKey } from '../../src/domain/audit/named-key.ts';
import { ID_PREFIXES, newId, timeOfId } from '../../src/domain/identifiers.ts';
import { changeSettlementPolicy } from '../../src/operations/access/manage-partner.ts';
import { DatabaseWatch, WATCH_POOL_SIZE } from '../../src/service/database-watch.ts';
import { setIdentifierClock } from '../../src/service/identifier-clock.ts';
import { lockAuditHead } from '../../src/store/audit/audit-head.ts';
import { type DatabaseOptions, LOSES_COMMITS, openDatabase, type Queryable } from '../../src/store/database.ts';
import {
  listMissingTimeouts,
  listWorkerProblems,
  readWorkerConnectionOptions,
  readWorkerSettings,
} from '../../src/store/durability.ts';
import { distributeTables, GROWING_TABLES, listDistributedTables } from '../../src/store/schema/distribute.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../src/store/transaction.ts';
import { insertWebhookEndpoint, listSecretsByKey } from '../../src/store/webhooks/webhook-endpoint.ts';
import { WORKERS_POOL_SIZE, WorkerWatch } from '../../src/store/worker-watch.ts';
import { openSecretBox } from '../../src/webhooks/security/secret-box.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { countByStatus } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { type TestPartner, testService } from '../support/service.ts';

const DAY_MS = 86_400_000;

const isCluster = process.env['TEST_ENGINE'] === 'citus';
const service = await testService();

if (isCluster) {
  describe('on a cluster', () => {
    test('every growing table is distributed by partner_id, and together', async () => {
      const { rows } = await service.database.pool.query(
        'select table_name::text as name, distribution_column as "column", colocation_id as colocation from citus_tables where table_name::text = any($1)',
        [GROWING_TABLES],
      );
      assert.deepEqual(rows.map(({ name }) => name).sort(), [...GROWING_TABLES].sort());
      assert.deepEqual(new Set(rows.map(({ column }) => column)), new Set(['partner_id']));
      assert.equal(new Set(rows.map(({ colocation }) => colocation)).size, 1);
    });

    test('the service knows it, and distributing again changes nothing', async () => {
      assert.equal(service.database.isDistributed, true);
      assert.deepEqual(await distributeTables(service.databaseUrl), []);
    });

    test('it names no statement to the database: behind a transaction pooler the next one has another session', async (t) => {
      const query = t.mock.method(pg.Client.prototype, 'query');
      await distributeTables(service.databaseUrl);
      const named = query.mock.calls.map(({ arguments: [statement] }) => (statement as { name?: string }).name);
      assert.deepEqual(new Set(named), new Set([undefined]));
    });

    test('many partners at once: each confirmation lands on its own shard, none is lost', async () => {
      const partners: TestPartner[] = [];
      for (let each = 0; each < 8; each++) partners.push(await service.newPartner());
      const answers = await Promise.all(partners.flatMap(({ client }) => Array.from({ length: 10 }, () => client.confirm())));
      assert.deepEqual(countByStatus(answers), { 201: 80 });
    });

    test('no change is ended as a deadlock while changes that use a worker, and such that use none, wait for the audit', async () => {
      const { database, newPartner } = service;
      const { partnerId } = (await newPartner()).partner;
      const [isHeld, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
        await db.query('set local idle_in_transaction_session_timeout = 0');
        await lockAuditHead(db);
        isHeld.resolve();
        await isOver.promise;
      });
      await isHeld.promise;
      const onWorker = (db: Queryable) => db.query('select from event_counter where partner_id = $1 for share', [partnerId]);
      const waiting: Promise<unknown>[] = [];
      for (const use of [onWorker, async () => {}, onWorker]) {
        const change = async (db: Queryable) => {
          await use(db);
          await lockAuditHead(db);
        };
        waiting.push(inTransaction(database, USUAL_LOCK_TIMEOUT, change));
        // So that they wait in this order.
        await sleep(100);
      }
      // Citus searches for deadlocks every two seconds.
      await Promise.race([Promise.all(waiting), sleep(2_500)]).catch(() => undefined);
      isOver.resolve();
      await Promise.all([holding, ...waiting]);
    });

    test('a statement of all partners takes one connection to a node, also where the node needs a while', async () => {
      for (let each = 0; each < 12; each++) await service.newPartner();
      const { pool } = service.database;
      const session = await pool.connect();
      try {
        await session.query('begin');
        const { rows } = await session.query('select pg_sleep(0.05), citus_backend_gpid() as session from event_counter limit 1');
        const counted = await pool.query('select result from run_command_on_workers($1)', [
          `select count(*) from pg_stat_activity where application_name = 'citus_internal gpid=${rows[0].session}'`,
        ]);
        assert.deepEqual(new Set(counted.rows.map(({ result }) => result)), new Set(['1']));
      } finally {
        await session.query('rollback');
        session.release();
      }
    });

    test('a worker that can lose commits is named, with what to do', async () => {
      const role = `lossy_${process.pid}`;
      const { pool } = service.database;
      const { rows } = await pool.query(
        'select nodename as host, nodeport as port from pg_dist_node where groupid > 0 order by 2',
      );
      const urlOf = (more: object) => Object.assign(new URL(service.databaseUrl), more).href;
      const worker = new pg.Client(urlOf({ hostname: rows[0].host, port: rows[0].port }));
      await worker.connect();
      await pool.query(`create role ${role} superuser login`);
      await worker.query(`set citus.enable_ddl_propagation = off; alter role ${role} set synchronous_commit = off`);
      const database = openDatabase({ databaseUrl: urlOf({ username: role }), poolSize: 1 });
      try {
        const workers = await readWorkerSettings(database);
        assert.equal(workers.length, rows.length);
        const problems = listWorkerProblems([...workers, { node: 'one that is lost', settings: undefined }]);
        assert.equal(problems.length, 1);
        assert.match(
          String(problems),
          new RegExp(`^Worker ${rows[0].host}:${rows[0].port}: synchronous_commit is off.*Set synchronous_commit = on`),
        );
        assert.deepEqual(listWorkerProblems(await readWorkerSettings(service.database)), []);
        const DATABASE_URL = urlOf({ username: role });
        await assert.rejects(
          testService({ env: { DATABASE_URL } }),
          /not durable: contributions could be lost\.\n {2}- Worker .*synchronous_commit is off/,
        );
        const { findings } = JSON.parse((await commandLine({ DATABASE_URL }).run(['doctor', '--json'])).stdout);
        const [found, ...others] = findings.filter(({ check }: { check: string }) => check === 'workers');
        assert.deepEqual([found.verdict, others], ['problem', []]);
        assert.match(found.message, /^Worker .*synchronous_commit is off/);
      } finally {
        await database.close();
        await worker.end();
        await pool.query(`drop role ${role}`);
      }
    });

    test('a transaction is durable on a worker whose role was set to lose commits since the start', async () => {
      const role = `lossy_later_${process.pid}`;
      const { partner } = await service.newPartner();
      const { pool } = service.database;
      await pool.query(`create role ${role} superuser login`);
      await pool.query(`create function tell_commits(text) returns text volatile language plpgsql as
        $$ begin return current_setting('synchronous_commit') || ' at ' || current_setting('port'); end $$`);
      const databaseUrl = Object.assign(new URL(service.databaseUrl), { username: role }).href;
      const withOptions = (options: string) =>
        Object.assign(new URL(databaseUrl), { search: `?${new URLSearchParams({ options })}` }).href;
      const levelOf = async (more: Partial<DatabaseOptions> = {}): Promise<string> => {
        const opened = openDatabase({ databaseUrl, poolSize: 1, ...more });
        const find = async (db: Queryable) =>
          (
            await db.query({
              text: 'select tell_commits(partner_id) as at from event_counter where partner_id = $1',
              values: [partner.partnerId],
            })
          ).rows[0].at;
        const found = await inTransaction({ ...opened, isDistributed: true }, USUAL_LOCK_TIMEOUT, find);
        await opened.close();
        return found.split(' ')[0];
      };
      try {
        await pool.query(`alter role ${role} set synchronous_commit = off`);
        assert.equal(await levelOf(), 'on');
        assert.equal(await levelOf({ settings: [LOSES_COMMITS] }), 'off', 'what can be made again waits for no disk');
        for (const level of ['remote_write', 'remote_apply']) {
          const databaseUrl = withOptions(`-c synchronous_commit=${level}`);
          assert.equal(await levelOf({ databaseUrl }), level, 'as the operator chose it for the coordinator');
        }
      } finally {
        await pool.query(`drop function tell_commits; drop role ${role}`);
      }
    });

    for (const { where, preparesStatements, setting, told } of [
      {
        where: 'a service',
        preparesStatements: true,
        setting: 'client_min_messages = error',
        told: 'client_min_messages is error: ',
      },
      {
        where: 'a service behind a transaction pooler',
        preparesStatements: false,
        setting: 'synchronous_commit = off',
        told: 'synchronous_commit is off: ',
      },
    ])
      test(`${where} whose worker began to lose commits after the start is not ready, with the worker, until it keeps them again`, async () => {
        const role = `lossy_now_${process.pid}`;
        const { pool } = service.database;
        await pool.query(`create role ${role} superuser login`);
        const databaseUrl = Object.assign(new URL(service.databaseUrl), { username: role }).href;
        const database = openDatabase({ databaseUrl, poolSize: WATCH_POOL_SIZE });
        const apart = openDatabase({ databaseUrl, poolSize: WORKERS_POOL_SIZE, preparesStatements });
        const logger = pino({ level: 'silent' });
        const watch = new DatabaseWatch({ database, logger, workers: new WorkerWatch(apart, 0) });
        const answer = () => watch.check().catch((error: Error) => `not ready: ${error.message}`);
        try {
          // It asks them for the second look.
          for (let look = 0; look < 3; look++) assert.equal(await answer(), undefined);
          await pool.query(`alter role ${role} set ${setting}`);
          const ofBoth = new RegExp(`\\(Worker \\S+:\\d+: ${told}.+ Worker \\S+:\\d+: ${told}`);
          const words = await waitFor('words about both workers', async () => {
            const said = await answer();
            return said !== undefined && ofBoth.test(said) && said;
          });
          assert.match(words, /^not ready: the database has a problem: a crash would lose contributions\. Set the settings/);
          setIdentifierClock(Date.now() - performance.now() + DAY_MS);
          await answer();
          const idAt = Number(timeOfId(ID_PREFIXES.contribution, newId(ID_PREFIXES.contribution)));
          assert.ok(idAt < Date.now() + DAY_MS / 2, 'new identifiers follow the clock that the look has read');
          await pool.query(`alter role ${role} reset all`);
          await waitFor('readiness', async () => (await answer()) === undefined);
        } finally {
          watch.close();
          await database.close();
          await apart.close();
          await pool.query(`drop role ${role}`);
        }
      });

    test('a service stays ready whose role was set to lose commits since the start: its transactions keep theirs', async () => {
      const role = `lossy_ready_${process.pid}`;
      const { pool } = service.database;
      await pool.query(`create role ${role} superuser login`);
      const databaseUrl = Object.assign(new URL(service.databaseUrl), { username: role }).href;
      const apart = openDatabase({ databaseUrl, poolSize: WORKERS_POOL_SIZE });
      const workers = new WorkerWatch(apart, 0);
      try {
        await pool.query(`alter role ${role} set synchronous_commit = off`);
        let answers = 0;
        const query = apart.pool.query.bind(apart.pool) as (...asked: unknown[]) => Promise<unknown>;
        Object.assign(apart.pool, { query: (...asked: unknown[]) => query(...asked).finally(() => answers++) });
        await waitFor('third answer', () => {
          workers.requireDurable();
          return answers >= 3;
        });
      } finally {
        await apart.close();
        await pool.query(`drop role ${role}`);
      }
    });

    test('the look at the coordinator keeps its connection while the workers are asked: a new one may be refused', async () => {
      const role = `no_longer_${process.pid}`;
      const { pool } = service.database;
      await pool.query(`create role ${role} superuser login`);
      const databaseUrl = Object.assign(new URL(service.databaseUrl), { username: role }).href;
      const database = openDatabase({ databaseUrl, poolSize: WATCH_POOL_SIZE });
      const apart = openDatabase({ databaseUrl, poolSize: WORKERS_POOL_SIZE });
      const logger = pino({ level: 'silent' });
      const watch = new DatabaseWatch({ database, logger, workers: new WorkerWatch(apart, 0) });
      try {
        for (let look = 0; look < 3; look++) assert.equal(await watch.check(), undefined);
        await pool.query(`alter role ${role} nologin`);
        // Long enough for several questions.
        for (let look = 0; look < 10; look++) {
          assert.equal(await watch.check(), undefined);
          await sleep(50);
        }
      } finally {
        watch.close();
        await database.close();
        await apart.close();
        await pool.query(`drop role ${role}`);
      }
    });

    test('a session hears what a worker warns of at a commit, and doctor tells of one behind a transaction pooler that does not', async () => {
      const { databaseUrl, database } = service;
      const { rows } = await database.pool.query(`select current_setting('client_min_messages') as session,
        current_setting('citus.worker_min_messages') as workers`);
      assert.deepEqual(rows, [{ session: 'debug1', workers: 'debug1' }]);
      const told = async (env: Record<string, string>) => {
        const { findings } = JSON.parse(
          (await commandLine({ DATABASE_URL: databaseUrl, ...env }).run(['doctor', '--json'])).stdout,
        );
        return findings.filter(({ message }: { message: string }) => message.includes('client_min_messages'));
      };
      assert.deepEqual(await told({}), []);
      const [found, ...others] = await told({ DATABASE_PREPARED_STATEMENTS: 'off' });
      assert.deepEqual([found.check, found.verdict, others], ['workers', 'problem', []]);
      assert.match(found.message, /^client_min_messages is notice on the coordinator: .+ Set it to debug1/);
    });

    test('what would hold locks for minutes when a worker is gone is named, with what to do', async () => {
      const { databaseUrl, database } = service;
      const { findings } = JSON.parse((await commandLine({ DATABASE_URL: databaseUrl }).run(['doctor', '--json'])).stdout);
      const told = findings.filter(({ check }: { check: string }) => check === 'time-outs');
      const workers = await readWorkerSettings(database);
      const options = await readWorkerConnectionOptions(database);
      assert.deepEqual(
        told.map(({ verdict, message }: { verdict: string; message: string }) => [verdict, message]),
        listMissingTimeouts(workers, options).map((message) => ['warning', message]),
      );
      const [idle, gone] = [
        /^Worker .+ idle_in_transaction_session_timeout = '3s' there$/,
        /set citus\.node_conninfo = '(.+)', then/,
      ];
      const missing = (idleInTransactionTimeout: string, given: string | undefined) =>
        listMissingTimeouts(
          workers.map((worker) => ({ ...worker, settings: worker.settings && { ...worker.settings, idleInTransactionTimeout } })),
          given,
        );
      assert.deepEqual(missing('3s', 'sslmode=require tcp_user_timeout=5000'), []);
      assert.match(String(missing('3s', undefined)), /^this role may not see citus\.node_conninfo, /);
      assert.equal(gone.exec(String(missing('3s', 'sslmode=require')))?.[1], 'sslmode=require tcp_user_timeout=5000');
      const unset = missing('0', 'tcp_user_timeout=5000');
      assert.equal(unset.length, workers.length);
      for (const message of unset) assert.match(message, idle);
    });

    test('the secrets of endpoints are counted by their keys', async () => {
      const { partner } = await service.newPartner();
      const key = newNamedKey('doctor');
      for (const endpointId of ['wep_first', 'wep_second'])
        await insertWebhookEndpoint(service.database.pool, {
          partnerId: partner.partnerId,
          endpointId,
          url: 'https://example.org/',
          eventTypes: [],
          secretSealed: openSecretBox([key]).seal(endpointId, 'whsec_abc'),
        });
      const byKey = await listSecretsByKey(service.database.pool);
      assert.deepEqual(
        byKey.filter(({ sealed }) => sealed.startsWith('v1.doctor.')).map(({ ownerCount }) => ownerCount),
        [2],
      );
      await service.database.pool.query("update webhook_endpoint set status = 'removed' where partner_id = $1", [
        partner.partnerId,
      ]);
    });

    test('the time zone of a partner with contributions is refused by its name', async () => {
      const { partner, client } = await service.newPartner();
      const setZone = (timeZone: string) => changeSettlementPolicy(service.database, OWNER, partner.partnerId, { timeZone });
      await client.confirm();
      await assert.rejects(setZone('Asia/Dubai'), /Currency and time zone of the partner are fixed/);
    });
  });
} else {
  test('migrate --distribute is refused where the extension is missing, with what to do', async () => {
    await assert.rejects(distributeTables(service.databaseUrl), /extension Citus is missing[\s\S]*create extension citus/);
    assert.deepEqual(await listDistributedTables(service.database), []);
  });
}
