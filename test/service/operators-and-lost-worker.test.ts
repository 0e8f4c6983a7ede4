/** While a worker of a cluster does not answer, operators sign in, see its partners named, and read the pages of all others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/domain/identifiers.ts';
import { ROUTES } from '../../src/operator-api/routes.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { type OperatorClient, signedInOperator } from '../support/operator-client.ts';
import { clusterDatabase } from '../support/postgres/cluster-database.ts';
import { CLOSED_PORT, clusterUrl, moveNode, partnersApart, portOf } from '../support/postgres/lost-node.ts';
import { insertPendingAged } from '../support/records.ts';
import { type TestPartner, testService } from '../support/service.ts';
import { closeNow, openFirst } from '../support/settlements.ts';
import { endpointTools, newEndpoint, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

/** What they show stands on the coordinator. */
const LISTS_ON_COORDINATOR = ['partners', 'audit', 'rules', 'operators', 'impact-batches', 'jobs', 'job-runs'];

if (clusterUrl === undefined) test('one PostgreSQL has no worker', { skip: 'needs a Citus cluster' });
else await testOnCluster(clusterUrl);

async function testOnCluster(coordinatorUrl: string): Promise<void> {
  const cluster = await clusterDatabase(coordinatorUrl);
  const service = await testService({ env: { ...WEBHOOK_ENV, DATABASE_URL: cluster.databaseUrl } });
  const { database } = service;
  const tools = endpointTools(database);
  const {
    port: lostPort,
    crowd: [first],
    other,
  } = await partnersApart(cluster, () => newEndpoint(service, tools));

  async function newPartnerBeside(port: number): Promise<TestPartner> {
    const made = await service.newPartner();
    return (await portOf(cluster, made.partner)) === port ? newPartnerBeside(port) : made;
  }

  async function makeRecords({ client, partner }: TestPartner): Promise<string> {
    const { partnerId } = partner;
    const { transaction_id: transactionId } = (await client.confirm()).body.contribution;
    await openFirst(database, partner);
    await closeNow(database, partnerId);
    await client.confirm();
    await insertPendingAged(database, { partnerId, partnerOrderRef: uniqueId('order'), age: '1 hour' });
    return transactionId;
  }

  /** Every list, or all that the path takes of one partner. */
  function* pathsOf(partnerId: string): Generator<string> {
    for (const { method, path, query } of ROUTES) {
      const ofPartner = path.replace(':partner_id', partnerId);
      const members: object = (query as { properties?: object } | undefined)?.properties ?? {};
      if (method !== 'GET' || ofPartner.includes(':')) continue;
      if (ofPartner !== path) yield ofPartner;
      else if ('partner_id' in members && !('kind' in members && path.includes('preview')))
        yield `${path}?partner_id=${partnerId}`;
    }
  }

  async function statusesOf(operator: OperatorClient, partnerId: string): Promise<[string, number][]> {
    const statuses: [string, number][] = [];
    for (const path of pathsOf(partnerId)) statuses.push([path, (await operator.get(path)).status]);
    return statuses;
  }

  test('the pages of a partner on another worker are answered, and what includes the lost one says so', HANG_LIMIT, async () => {
    const [lostId, otherId] = [await makeRecords(first), await makeRecords(other)];
    const settlementOf = async ({ partner }: TestPartner) =>
      (await database.pool.query('select settlement_id as id from settlement where partner_id = $1', [partner.partnerId])).rows[0]
        .id;
    const [lostSettlement, otherSettlement] = [await settlementOf(first), await settlementOf(other)];
    const [order, correlationId] = [uniqueId('order'), newId('corr')];
    const others = [other, await newPartnerBeside(lostPort)];
    for (const { client } of [first, ...others])
      await client.confirm({ partner_order_ref: order }, { 'x-correlation-id': correlationId });
    const before = await statusesOf(await signedInOperator(service, 'viewer'), other.partner.partnerId);
    assert.ok(before.length > 20 && before.every(([, status]) => status === 200), JSON.stringify(before));
    await moveNode(cluster, lostPort, CLOSED_PORT);
    try {
      const operator = await signedInOperator(service, 'viewer');
      assert.deepEqual(await statusesOf(operator, other.partner.partnerId), before);
      for (const path of [
        '/overview',
        '/settlements',
        '/closings',
        '/months/2026-11',
        `/partners/${first.partner.partnerId}/closing`,
      ]) {
        const { status, body } = await operator.get(`/operator/v1${path}`);
        const [detail] = body.error?.details ?? [];
        assert.deepEqual(
          [status, body.error?.retryable, detail?.code],
          [503, true, 'worker_lost'],
          `${path} ${JSON.stringify(body)}`,
        );
        // Five are named; those that came to lie beside it by chance may be more.
        assert.match(
          detail.message,
          new RegExp(`has the records of \\d+ partners?: .*(?:${first.partner.partnerId}| and \\d+ more\\.)`),
        );
        assert.doesNotMatch(detail.message, new RegExp(other.partner.partnerId));
        assert.equal(body.error.message, detail.message);
      }
      const search = await operator.get(`/operator/v1/search?q=${encodeURIComponent(other.partner.name)}`);
      assert.equal(search.status, 200);
      const byId = (id: string) => operator.get(`/operator/v1/search?q=${id}`);
      for (const id of [otherId, otherSettlement, other.endpointId]) {
        const { status, body, text } = await byId(id);
        assert.equal(status, 200, text);
        assert.deepEqual(
          [...body.contributions, ...body.records].map(({ partner_id }) => partner_id),
          [other.partner.partnerId],
        );
      }
      for (const id of [lostId, lostSettlement, `${order}-of-nobody`]) {
        const { status, body } = await byId(id);
        assert.deepEqual([status, body.error?.details?.[0]?.code], [503, 'worker_lost'], id);
      }
      const whole = await byId(otherId);
      assert.equal(whole.body.left_out, null, 'an id names one record');
      for (const name of [order, order.slice(0, -1), correlationId]) {
        const { status, body, text } = await byId(name);
        assert.equal(status, 200, text);
        assert.deepEqual(
          body.contributions.map(({ partner_id }: { partner_id: string }) => partner_id),
          others.map(({ partner }) => partner.partnerId).toReversed(),
        );
        assert.match(body.left_out, new RegExp(`has the records of \\d+ partners?: .*${first.partner.partnerId}`));
      }
    } finally {
      await moveNode(cluster, CLOSED_PORT, lostPort);
    }
  });

  test('the lists of partners, the audit, rules, operators, batches and jobs are shown', HANG_LIMIT, async () => {
    await moveNode(cluster, lostPort, CLOSED_PORT);
    try {
      const operator = await signedInOperator(service, 'viewer');
      for (const list of LISTS_ON_COORDINATOR) {
        const { status, text } = await operator.get(`/operator/v1/${list}`);
        assert.equal(status, 200, `${list} ${text}`);
      }
      const { body } = await operator.get('/operator/v1/partners');
      const listed = body.partners.map(({ partner_id }: { partner_id: string }) => partner_id);
      for (const { partner } of [first, other]) assert.ok(listed.includes(partner.partnerId), partner.partnerId);
    } finally {
      await moveNode(cluster, CLOSED_PORT, lostPort);
    }
  });

  test(
    'a command says that nothing was created on the lost worker, to repeat it, and how the worker comes back',
    HANG_LIMIT,
    async () => {
      const { run } = commandLine({ DATABASE_URL: cluster.databaseUrl });
      const create = (name: string) => run(['partner', 'create', '--name', name]);
      const name = uniqueId('partner');
      await moveNode(cluster, lostPort, CLOSED_PORT);
      try {
        let outcome = await create(name);
        let created = 0;
        for (; outcome.code === 0; outcome = await create(name)) created++;
        const nextStep =
          /Start the worker, or promote its synchronous standby and name that to the coordinator \(citus_update_node\)\./;
        assert.match(outcome.stderr, /No partner was created\. Repeat the command: the next id may belong to another worker\./);
        assert.match(outcome.stderr, nextStep);
        while ((await create(name)).code !== 0);
        const { rows } = await database.pool.query('select from partner where name = $1', [name]);
        assert.equal(rows.length, created + 1);
        const listed = await run(['endpoint', 'list', '--partner', first.partner.partnerId]);
        assert.match(listed.stderr, nextStep);
      } finally {
        await moveNode(cluster, CLOSED_PORT, lostPort);
      }
    },
  );
}
