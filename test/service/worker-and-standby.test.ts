/**
 * A worker of a cluster names a synchronous standby that is away: it reads, and each of its commits waits. The setting is one of the whole
 * worker, so nothing else may run on the cluster meanwhile.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type DatabaseProblem, nodeOf, problemOf } from '../../src/store/database-problem.ts';
import { findLastSequence } from '../../src/store/events/event.ts';
import { NodeReader } from '../../src/store/node-reader.ts';
import { relayOnNodes } from '../../src/webhooks/relay/relay-on-nodes.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { detailCodes, newConfirmation, uniqueId } from '../support/client.ts';
import { cancelWaits } from '../support/postgres/cancel-waits.ts';
import { clusterDatabase } from '../support/postgres/cluster-database.ts';
import { countingDatabase } from '../support/postgres/counting-database.ts';
import { clusterUrl, partnersApart } from '../support/postgres/lost-node.ts';
import { type TestPartner, testService } from '../support/service.ts';

/** Each waits for the worker at every place where requests wait for the database, several times over. */
const CROWD = 12;
const ROUNDS = 8;
/** As `Retry-After` says. */
const PAUSE_MS = 1_000;
const KNOWN = /The part of the database with your records does not answer/;

if (clusterUrl === undefined) test('one PostgreSQL has no worker', { skip: 'needs a Citus cluster' });
else await testOnCluster(clusterUrl);

async function testOnCluster(coordinatorUrl: string): Promise<void> {
  const cluster = await clusterDatabase(coordinatorUrl);
  const service = await testService({ env: { DATABASE_URL: cluster.databaseUrl }, roles: ['api'] });
  const { port, crowd, other } = await partnersApart(cluster, service.newPartner, CROWD);
  const [first] = crowd;
  const worker = cluster.workers.find(({ options }) => options.connectionString?.includes(`:${port}/`)) as pg.Pool;

  /** Of the worker; every session has it soon. */
  async function nameStandbys(names: string): Promise<void> {
    await worker.query(`alter system set synchronous_standby_names = '${names}'`);
    await worker.query('select pg_reload_conf()');
    const isKnown = async () =>
      (await worker.query("select current_setting('synchronous_standby_names') as names")).rows[0].names === names;
    await waitFor('new setting', isKnown);
  }

  /** How many sessions of the worker wait for its standby. */
  async function countWaits(): Promise<number> {
    return (await worker.query("select from pg_stat_activity where wait_event = 'SyncRep'")).rowCount as number;
  }

  test(
    'a confirmation whose wait for the standby of the worker is cancelled is not answered as recorded',
    HANG_LIMIT,
    async () => {
      const fields = newConfirmation();
      const headers = { 'idempotency-key': uniqueId('key') };
      await nameStandbys('one_that_is_away');
      try {
        const asked = first.client.confirm(fields, headers);
        assert.ok((await cancelWaits(worker, asked)) > 0);
        const answer = await asked;
        assert.equal(answer.status, 503, answer.text);
        assert.deepEqual(detailCodes(answer), { point_restoration: 'not_authorized', next_action: 'look_up' });
      } finally {
        await nameStandbys('');
      }
      const found = await first.client.findByEvent(fields.partner_event_id);
      assert.equal(found.status, 200, 'the worker has it, and nobody waits for the standby any more');
      const { contribution } = (await first.client.confirm(fields, headers)).body;
      assert.deepEqual(contribution, found.body.contribution, 'the same request is a replay');
    },
  );

  test(
    'while a worker waits for its standby, its partners are refused at once and those of the others are answered',
    HANG_LIMIT,
    async () => {
      const fields = newConfirmation();
      const { transaction_id: transactionId } = (await other.client.confirm(fields)).body.contribution;
      const ask = async ({ client }: TestPartner) => {
        const answers = await Promise.all([
          client.confirm(),
          client.findByEvent(fields.partner_event_id),
          client.get(transactionId),
          client.estimate(),
        ]);
        return answers.map(({ status }) => status);
      };
      const expected = [201, 200, 200, 201];
      assert.deepEqual(await ask(other), expected);
      const state = { isOver: false };
      const statuses = new Set<number>();
      const sendRounds = async (each: TestPartner) => {
        for (; !state.isOver; await sleep(PAUSE_MS)) for (const status of await ask(each)) statuses.add(status);
      };
      await nameStandbys('one_that_is_away');
      const sending = crowd.map(sendRounds);
      try {
        for (const { client } of crowd)
          await waitFor('refusal without a wait', async () => {
            const { text, headers } = await client.confirm();
            return KNOWN.test(text) && headers.get('retry-after') !== null;
          });
        const readiness = await fetch(`http://127.0.0.1:${service.operationsPort}/readyz`);
        assert.match(await readiness.text(), new RegExp(`no answer in time from the node 127\\.0\\.0\\.1:${port} `));
        for (let round = 1; round <= ROUNDS; round++) {
          assert.deepEqual(await ask(other), expected, `round ${round}`);
          await sleep(PAUSE_MS);
        }
        // Of the look at the worker. What waited before was cancelled.
        await waitFor('worker with one session that waits at most', async () => (await countWaits()) <= 1);
        assert.deepEqual([...statuses], [503]);
      } finally {
        await nameStandbys('');
        state.isOver = true;
        await Promise.all(sending);
      }
      await waitFor('confirmation', async () => (await first.client.confirm()).status === 201);
      await waitFor('worker without waits', async () => (await countWaits()) === 0);
      assert.deepEqual((await ask(first)).slice(0, 1), [201]);
    },
  );

  test('the relay goes on for the partners of the others, and tries one of the worker once', HANG_LIMIT, async () => {
    const waiting = crowd.slice(0, ROUNDS);
    for (const { client } of waiting) assert.equal((await client.confirm()).status, 201);
    const { counted, sent } = countingDatabase(service.database);
    const relay = relayOnNodes(counted, () => {});
    const begun = () => sent.get('begin') ?? 0;
    await nameStandbys('one_that_is_away');
    try {
      await relay.once();
      const before = begun();
      for (let round = 1; round <= ROUNDS; round++) {
        assert.equal((await other.client.confirm()).status, 201);
        assert.equal((await relay.once()).sequenced, 1);
      }
      assert.equal(begun() - before, ROUNDS, 'none of them is for the worker');
      const nodes = new NodeReader(service.database);
      await nodes.look(first.partner.partnerId);
      const [lost] = nodes.lost;
      assert.equal(
        nodeOf(problemOf(lost?.failure) as DatabaseProblem),
        `127.0.0.1:${port}`,
        'what a job says of the partners left',
      );
    } finally {
      await nameStandbys('');
    }
    const { pool } = service.database;
    await waitFor('sequences of all', async () => {
      await relay.once();
      const last = await Promise.all(waiting.map(({ partner }) => findLastSequence(pool, partner.partnerId)));
      return last.every((sequence) => sequence > 0n);
    });
  });
}
