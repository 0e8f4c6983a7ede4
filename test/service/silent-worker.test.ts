/** A worker of a cluster that says nothing holds up no partner of the others, however many of its own partners send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/store/database.ts';
import { type DatabaseProblem, problemOf } from '../../src/store/database-problem.ts';
import { LOOK_POOL_SIZE, LOOK_SETTINGS, type NodeWatch, openNodeWatch } from '../../src/store/node-watch.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { clusterDatabase } from '../support/postgres/cluster-database.ts';
import { CLOSED_PORT, clusterUrl, moveNode, partnersApart, silentPort } from '../support/postgres/lost-node.ts';
import { type TestPartner, testService } from '../support/service.ts';

/** Each waits for the worker at every place where requests wait for the database, several times over. */
const CROWD = 20;
const ROUNDS = 8;
/** As `Retry-After` says. */
const PAUSE_MS = 1_000;
const KNOWN = /The part of the database with your records does not answer/;

if (clusterUrl === undefined) test('one PostgreSQL has no worker', { skip: 'needs a Citus cluster' });
else await testOnCluster(clusterUrl);

async function testOnCluster(coordinatorUrl: string): Promise<void> {
  const cluster = await clusterDatabase(coordinatorUrl);
  const service = await testService({ env: { DATABASE_URL: cluster.databaseUrl }, roles: ['api'] });
  const { port: lostPort, crowd, other } = await partnersApart(cluster, service.newPartner, CROWD);
  const [first] = crowd;

  /** Every kind of request that waits in a queue with those of other partners. */
  async function statusesOf({ client }: TestPartner, eventId: string, transactionId: string): Promise<(number | string)[]> {
    const answers = await Promise.all([
      client.confirm(),
      client.findByEvent(eventId),
      client.get(transactionId),
      client.estimate(),
      client.call('/v1/impact-transactions?limit=5'),
      client.listEvents(),
      client.call('/v1/settlements'),
    ]);
    return answers.map(({ status, text }) => (status < 300 || KNOWN.test(text) ? status : `${status} ${text}`));
  }

  /** Each is refused without a wait, after what it sent before was answered. */
  async function untilKnown(partners: readonly TestPartner[]): Promise<void> {
    for (const { client } of partners) await waitFor('refusal', async () => KNOWN.test((await client.confirm()).text));
  }

  async function untilRefused(nodes: NodeWatch): Promise<void> {
    await waitFor('look that finds it lost', () => {
      nodes.suspect(first.partner.partnerId);
      return nodes.refusalOf(first.partner.partnerId);
    });
  }

  test('the partners of the others are answered while many of its own send', HANG_LIMIT, async () => {
    const eventId = uniqueId('event');
    const confirmed = await other.client.confirm({ partner_event_id: eventId });
    const { transaction_id: transactionId } = confirmed.body.contribution;
    const expected = [201, 200, 200, 201, 200, 200, 200];
    assert.deepEqual(await statusesOf(other, eventId, transactionId), expected);
    const silent = await silentPort();
    await moveNode(cluster, lostPort, silent);
    const state = { isOver: false };
    const statuses = new Set<number>();
    const sending = crowd.map((each) => sendRounds(each));
    async function sendRounds(each: TestPartner): Promise<void> {
      // What waits for the worker is answered one after the other; from the first round that is refused at once nothing waits.
      while (!state.isOver) {
        for (const status of await statusesOf(each, eventId, transactionId)) statuses.add(Number.parseInt(String(status), 10));
        await sleep(PAUSE_MS);
      }
    }
    try {
      // The first requests wait for the worker, because nobody knows of it yet, and those of the others wait behind them.
      await untilKnown(crowd);
      for (let round = 1; round <= ROUNDS; round++)
        assert.deepEqual(await statusesOf(other, eventId, transactionId), expected, `round ${round}`);
      assert.deepEqual([...statuses], [503], 'nothing is said of a record that cannot be read');
    } finally {
      state.isOver = true;
      await moveNode(cluster, silent, lostPort);
      await Promise.all(sending);
    }
    while ((await first.client.confirm()).status !== 201);
  });

  test('a look finds the worker lost, says so, and finds it back', HANG_LIMIT, async () => {
    const apart = openDatabase({ databaseUrl: cluster.databaseUrl, poolSize: LOOK_POOL_SIZE, settings: LOOK_SETTINGS });
    const lost = Promise.withResolvers<unknown>();
    const nodes = openNodeWatch(apart, lost.resolve);
    try {
      nodes.suspect(other.partner.partnerId);
      await moveNode(cluster, lostPort, CLOSED_PORT);
      await untilRefused(nodes);
      assert.equal(problemOf(await lost.promise)?.reason, 'worker_lost');
      assert.equal(nodes.refusalOf(other.partner.partnerId), undefined);
      await moveNode(cluster, CLOSED_PORT, lostPort);
      await waitFor('look that finds it back', () => !nodes.refusalOf(first.partner.partnerId));
    } finally {
      nodes.close();
      await apart.close();
    }
  });

  test(
    'a worker that takes no further connections is told as that, and is not taken for lost, also after it was',
    HANG_LIMIT,
    async () => {
      const role = `without_connections_${process.pid}`;
      await cluster.pool.query(`create role ${role} login; grant select on event_counter, partner to ${role}`);
      const limit = async (connections: number) => {
        for (const worker of cluster.workers)
          await worker.query(`set citus.enable_ddl_propagation = off; alter role ${role} connection limit ${connections}`);
      };
      await limit(0);
      const databaseUrl = Object.assign(new URL(cluster.databaseUrl), { username: role }).href;
      const apart = openDatabase({ databaseUrl, poolSize: LOOK_POOL_SIZE, settings: LOOK_SETTINGS });
      const failures: unknown[] = [];
      const reasonOf = (failure: unknown) => problemOf(failure)?.reason;
      const nodes = openNodeWatch(apart, (failure) => failures.push(failure));
      try {
        await waitFor('second look', () => {
          nodes.suspect(first.partner.partnerId);
          return failures.length > 1;
        });
        const { message, ...problem } = problemOf(failures[0]) as DatabaseProblem;
        assert.match(message, /too many connections for role/);
        assert.deepEqual(problem, { reason: 'connections_used_up', worker: `127.0.0.1:${lostPort}` });
        assert.deepEqual(new Set(failures.map(reasonOf)), new Set(['connections_used_up']));
        assert.equal(nodes.refusalOf(first.partner.partnerId), undefined);
        await moveNode(cluster, lostPort, CLOSED_PORT);
        await untilRefused(nodes);
        assert.equal(reasonOf(failures.at(-1)), 'worker_lost');
        await moveNode(cluster, CLOSED_PORT, lostPort);
        await waitFor('look that finds it back', () => !nodes.refusalOf(first.partner.partnerId));
        assert.equal(reasonOf(failures.at(-1)), 'connections_used_up', 'it answers again, and has no connection');
      } finally {
        nodes.close();
        await apart.close();
        await limit(-1);
        await cluster.pool.query(`drop owned by ${role}`);
        await cluster.pool.query(`drop role ${role}`);
      }
    },
  );

  test('what a worker refuses is told with the worker', HANG_LIMIT, async () => {
    const readiness = async () => (await fetch(`http://127.0.0.1:${service.operationsPort}/readyz`)).text();
    const setReadOnly = async (value: string) => {
      for (const worker of cluster.workers) {
        await worker.query('set default_transaction_read_only = off; set citus.enable_ddl_propagation = off');
        const { rows } = await worker.query('select current_database() as name');
        await worker.query(`alter database "${rows[0].name}" set default_transaction_read_only = ${value}`);
        // Those of the coordinator: it connects anew.
        await worker.query(`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name like 'citus_internal%'`);
      }
    };
    await setReadOnly('on');
    try {
      const told = new RegExp(`on its worker 127\\.0\\.0\\.1:${lostPort}, .+ it is read-only`);
      await waitFor('word of it', async () => {
        if (told.test(await readiness())) return true;
        assert.equal((await first.client.confirm()).status, 503);
        return false;
      });
    } finally {
      await setReadOnly('off');
    }
  });
}
