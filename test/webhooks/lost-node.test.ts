/** A node of a cluster that does not answer holds up its own partners alone. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/domain/identifiers.ts';
import { openDatabase } from '../../src/store/database.ts';
import { isPoolUsedUp } from '../../src/store/database-errors.ts';
import { problemOf } from '../../src/store/database-problem.ts';
import { readWorkerSettings } from '../../src/store/durability.ts';
import { findLastSequence } from '../../src/store/events/event.ts';
import { type Ask, LOOK_AT_NODE, NodeReader, type OfAllPartners } from '../../src/store/node-reader.ts';
import { run } from '../../src/store/query.ts';
import type { Attempt } from '../../src/store/webhooks/attempt.ts';
import { insertClaimedDelivery } from '../../src/store/webhooks/delivery.ts';
import { listEndpointsOf } from '../../src/store/webhooks/webhook-endpoint.ts';
import { openAttemptBatches } from '../../src/webhooks/delivery/attempt-batches.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { clusterDatabase } from '../support/postgres/cluster-database.ts';
import { connect } from '../support/postgres/connect.ts';
import { countingDatabase } from '../support/postgres/counting-database.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { clusterUrl, moveNode, partnersApart, silentPort } from '../support/postgres/lost-node.ts';
import { playedCluster } from '../support/postgres/played-cluster.ts';
import { testService } from '../support/service.ts';
import { endpointTools, newEndpoint, type TestEndpoint, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const ROUNDS = 4;
/** Longer than a refused attempt waits. */
const RECORD_AGAIN_MS = 1_500;

if (clusterUrl !== undefined) {
  const cluster = await clusterDatabase(clusterUrl);
  const service = await testService({
    env: { ...WEBHOOK_ENV, DATABASE_URL: cluster.databaseUrl },
    roles: ['api', 'webhooks', 'schedule'],
  });
  const tools = endpointTools(service.database);
  const {
    port: lostPort,
    crowd: [first],
    other,
  } = await partnersApart(cluster, () => newEndpoint(service, tools));

  /** An attempt at a delivery that only the test sends, and that is not recorded. */
  async function successOf({ partner: { partnerId }, endpointId }: TestEndpoint): Promise<Attempt> {
    const ids = { partnerId, endpointId, eventId: newId('evt'), deliveryId: newId('evt').replace('evt', 'dlv') };
    const delivery = { ...ids, eventType: 'endpoint.test', trigger: 'test', body: '{}' } as const;
    const claimed = await insertClaimedDelivery(service.database.pool, delivery, 60_000);
    const times = { startedAt: new Date(), endedAt: new Date(), milliseconds: 1, nextAttemptAt: undefined };
    return { claimed, ...times, status: 200, errorClass: null, excerpt: null, isSuccess: true };
  }

  describe('while a node does not answer, the partners of the others are sent their events', HANG_LIMIT, () => {
    for (const [how, port] of [
      ['it refuses connections', async () => 1],
      ['it says nothing', silentPort],
    ] as const) {
      test(how, async () => {
        const elsewhere = await port();
        const before = other.receiver.arrived.length;
        await first.client.confirm();
        await moveNode(cluster, lostPort, elsewhere);
        const [refused, confirmed] = await Promise.all([first.client.confirm(), other.client.confirm()]);
        assert.deepEqual([refused.status, confirmed.status], [503, 201]);
        const { partnerId } = first.partner;
        const failure = await findLastSequence(service.database.pool, partnerId).catch((error: unknown) => error);
        assert.equal(problemOf(failure)?.reason, 'worker_lost', String(failure));
        const silent = (await readWorkerSettings(service.database)).filter(({ settings }) => settings === undefined);
        assert.deepEqual(
          silent.map(({ node }) => node.split(':').at(-1)),
          [String(elsewhere)],
        );
        await other.receiver.until(before + 1);
        assert.equal((await other.client.confirm()).status, 201);
        const [, second] = (await other.receiver.until(before + 2)).slice(before);
        assert.equal(second?.event.event_type, 'impact.transaction.confirmed');
        const ofFirst = first.receiver.arrived.length;
        await moveNode(cluster, elsewhere, lostPort);
        // The service looks at a lost node once a second, and refuses its partners until it answers.
        await waitFor('the node to be found back', async () => (await first.client.confirm()).status === 201);
        await first.receiver.until(ofFirst + 1);
      });
    }
  });

  test(
    'attempts that a silent node does not take are refused without a query until it answers, and then recorded',
    HANG_LIMIT,
    async () => {
      const attempts = await Promise.all([first, other].map(successOf));
      const [ofFirst, ofOther] = attempts as [Attempt, Attempt];
      const { counted, sent } = countingDatabase(service.database);
      const nodes = new NodeReader(counted);
      const { partnerId } = first.partner;
      const ignore = () => {};
      const { signal } = new AbortController();
      const record = openAttemptBatches({ database: counted, nodes, onDisabled: ignore, onError: ignore, signal });
      const silent = await silentPort();
      await moveNode(cluster, lostPort, silent);
      const recording = record(ofFirst);
      await waitFor('node that was found lost after a failure', () => nodes.isLost(partnerId));
      const begun = () => sent.get('begin') ?? 0;
      const before = begun();
      for (let round = 1; round <= ROUNDS; round++) {
        assert.equal((await record(ofOther))?.endpointId, other.endpointId);
        await sleep(RECORD_AGAIN_MS);
      }
      assert.equal(begun() - before, ROUNDS, 'none of them is for the lost node');
      const listed = await listEndpointsOf(nodes, [partnerId, other.partner.partnerId]);
      assert.deepEqual(
        listed.map(({ endpointId }) => endpointId),
        [other.endpointId],
      );
      await moveNode(cluster, silent, lostPort);
      await waitFor('the node to be found back', async () => {
        await listEndpointsOf(nodes, [partnerId]).catch(ignore);
        return !nodes.isLost(partnerId);
      });
      assert.equal((await recording)?.endpointId, first.endpointId);
    },
  );
} else {
  test('one PostgreSQL has no other node to ask: a failure is the caller’s at once', async () => {
    const { databaseUrl } = await testDatabase();
    const database = openDatabase({ databaseUrl, poolSize: 1 });
    after(() => database.close());
    const { counted, sent } = countingDatabase(database);
    const nodes = new NodeReader(counted, (error) => assert.fail(String(error)));
    const statement = {
      name: 'of_all',
      write: (ofPartners: (column: string) => string) => `select 1 / 0 where ${ofPartners('x')}`,
    };
    await assert.rejects(nodes.read(statement), /division by zero/);
    assert.deepEqual([...sent], [['of_all', 1]]);
  });

  const PARTNER_IDS = ['ptn_1', 'ptn_2', 'ptn_3'];
  const OF_ALL: OfAllPartners = {
    name: 'of_all',
    write: (ofPartners) => `select partner_id as "partnerId" from partner where ${ofPartners('partner_id')} order by 1`,
  };
  const idsOf = (rows: readonly { readonly partnerId: string }[]) => rows.map(({ partnerId }) => partnerId);

  test(
    'nodes that were found lost, and are read from, are looked at one after the other, so that the others have connections',
    HANG_LIMIT,
    async () => {
      const { database, databaseUrl } = await playedCluster(PARTNER_IDS, PARTNER_IDS.length + 1);
      const { counted, sent } = countingDatabase(database);
      const nodes = new NodeReader(counted);
      const read = async () => idsOf(await nodes.read<{ partnerId: string }>(OF_ALL));
      const looks = () => sent.get(LOOK_AT_NODE.name) ?? 0;
      const holder = await connect(databaseUrl);
      await holder.query('begin; lock table event_counter');
      await Promise.all(PARTNER_IDS.map((partnerId) => nodes.look(partnerId)));
      assert.deepEqual([nodes.lost.length, looks()], [PARTNER_IDS.length, PARTNER_IDS.length]);
      await waitFor('look at a node that was read from', async () => {
        assert.deepEqual(await read(), PARTNER_IDS);
        return looks() > PARTNER_IDS.length;
      });
      // That look waits meanwhile.
      for (let count = 0; count < 50; count++) await read();
      assert.equal(looks(), PARTNER_IDS.length + 1);
      await holder.query('rollback');
      await waitFor('end of what was found', async () => {
        await read();
        return nodes.lost.length === 0;
      });
      assert.equal(looks(), 2 * PARTNER_IDS.length);
    },
  );

  test('a node that could not be looked at for want of a connection is not taken for lost', async () => {
    const { database } = await playedCluster(PARTNER_IDS, 1);
    const nodes = new NodeReader(database);
    const held = await database.pool.connect();
    const looked = nodes.look('ptn_1').catch((error: unknown) => error);
    // This caller waits behind the look: when its time is over, so is that of the look.
    await assert.rejects(database.pool.connect(), isPoolUsedUp);
    held.release();
    assert.ok(isPoolUsedUp(await looked));
    assert.deepEqual(nodes.lost, []);
  });

  test('a node that was not read from for want of a connection is read from as soon as there is one', async () => {
    const { database, databaseUrl } = await playedCluster(PARTNER_IDS, PARTNER_IDS.length);
    const single = openDatabase({ databaseUrl, poolSize: 1 });
    after(() => single.close());
    const nodes = new NodeReader(database);
    const ask: Ask<{ partnerId: string }> = (statement, values) => {
      if (values.length === 0) throw new Error('a node does not answer');
      return run(String(values) === 'ptn_2' ? single.pool : database.pool, statement, values);
    };
    const held = await single.pool.connect();
    assert.deepEqual(idsOf(await nodes.read(OF_ALL, [], ask)), ['ptn_1', 'ptn_3']);
    assert.equal(nodes.isLost('ptn_2'), true, 'its rows are missing');
    held.release();
    assert.deepEqual(idsOf(await nodes.read(OF_ALL, [], ask)).sort(), PARTNER_IDS);
    assert.deepEqual(nodes.lost, []);
  });
}
