/** While a worker of a cluster does not answer, operators sign in, see its partners named, and read the pages of all others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/operator-api/routes.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { uniqueId } from '../support/client.ts';
import { type OperatorClient, signedInOperator } from '../support/operator-client.ts';
import { clusterDatabase } from '../support/postgres/cluster-database.ts';
import { CLOSED_PORT, clusterUrl, moveNode, portOf } from '../support/postgres/lost-node.ts';
import { insertPendingAged } from '../support/records.ts';
import { type TestPartner, testService } from '../support/service.ts';
import { closeNow, openFirst } from '../support/settlements.ts';
import { endpointTools, newEndpoint, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

/** They look through the lists of all partners. */
const ONLY_OF_ALL = ['/operator/v1/unpooled-settlements'];

if (clusterUrl === undefined) test('one PostgreSQL has no worker', { skip: 'needs a Citus cluster' });
else await testOnCluster(clusterUrl);

async function testOnCluster(coordinatorUrl: string): Promise<void> {
  const cluster = await clusterDatabase(coordinatorUrl);
  const service = await testService({ env: { ...WEBHOOK_ENV, DATABASE_URL: cluster.databaseUrl } });
  const { database } = service;
  const tools = endpointTools(database);
  const first = await newEndpoint(service, tools);
  const lostPort = await portOf(cluster, first.partner);
  let other = await newEndpoint(service, tools);
  while ((await portOf(cluster, other.partner)) === lostPort) other = await newEndpoint(service, tools);

  async function makeRecords({ client, partner }: TestPartner): Promise<void> {
    const { partnerId } = partner;
    await client.confirm();
    await openFirst(database, partner);
    await closeNow(database, partnerId);
    await client.confirm();
    await insertPendingAged(database, { partnerId, partnerOrderRef: uniqueId('order'), age: '1 hour' });
  }

  /** Every list, or all that the path takes of one partner. */
  function* pathsOf(partnerId: string): Generator<string> {
    for (const { method, path, query } of ROUTES) {
      const ofPartner = path.replace(':partner_id', partnerId);
      const members: object = (query as { properties?: object } | undefined)?.properties ?? {};
      if (method !== 'GET' || ofPartner.includes(':') || ONLY_OF_ALL.some((each) => path.startsWith(each))) continue;
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
    for (const each of [first, other]) await makeRecords(each);
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
        assert.match(detail.message, new RegExp(`has the records of \\d+ partners?: .*${first.partner.partnerId}`));
        assert.doesNotMatch(detail.message, new RegExp(other.partner.partnerId));
        assert.equal(body.error.message, detail.message);
      }
      const search = await operator.get(`/operator/v1/search?q=${encodeURIComponent(other.partner.name)}`);
      assert.equal(search.status, 200);
    } finally {
      await moveNode(cluster, CLOSED_PORT, lostPort);
    }
  });
}
