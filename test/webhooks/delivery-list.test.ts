/** `delivery list`: its filters read no more of a partner than the lists of the console and of the interface. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LOOKED_AT_MAX } from '../../src/operations/filtered-page.ts';
import type { DeliveryStatus } from '../../src/store/webhooks/delivery.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { LATEST_DELIVERY, listDeliveryPage } from '../../src/webhooks/endpoints/list-delivery-page.ts';
import { disableEndpoint } from '../../src/webhooks/endpoints/manage-endpoint.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { commandLine } from '../support/command-line.ts';
import { testService } from '../support/service.ts';
import { insertDeliveries, mostRows } from '../support/webhooks/numbered-deliveries.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV, roles: ['api'] });
const { database } = service;
const { run } = commandLine({ DATABASE_URL: service.databaseUrl });
const tools = endpointTools(database);

/** A partner with two disabled endpoints: 4,500 later deliveries to one, three earlier ones to the other. */
async function withDeliveries(status: 'waiting' | 'delivered') {
  const { partnerId } = (await service.newPartner()).partner;
  const receiver = await WebhookReceiver.open();
  const add = async (number: number) => {
    const wanted = { partnerId, url: `${receiver.url}?${number}`, eventTypes: ['settlement.closed'] };
    const { endpointId } = await addEndpoint(tools, OWNER, wanted);
    await disableEndpoint(database, OWNER, { partnerId, endpointId }, 'for a test');
    return endpointId;
  };
  const [busy, quiet] = [await add(1), await add(2)];
  await insertDeliveries(database, partnerId, quiet, { from: 1, to: 3, status });
  await insertDeliveries(database, partnerId, busy, { from: 10, to: 4_509, status });
  await database.pool.query('analyze delivery');
  return { partnerId, busy, quiet };
}

/** Page after page, as each names the next. */
async function pagesOf(partnerId: string, ...filters: string[]): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after: string[] = []; ; ) {
    const words = ['delivery', 'list', '--partner', partnerId, ...filters, '--limit', '1000', '--json', ...after];
    const { code, stdout, stderr } = await run(words);
    assert.equal(code, 0, stderr);
    pages.push(JSON.parse(stdout).map(({ delivery_id }: { delivery_id: string }) => delivery_id));
    const [, place] = /There is more: repeat the command with --after (\S+)/.exec(stderr) ?? [];
    if (place === undefined) return pages;
    after = ['--after', place];
  }
}

const sizesOf = (pages: readonly string[][]) => pages.map(({ length }) => length);

describe('delivery list looks at 2,000 deliveries for a page, and its pages have all that match', HANG_LIMIT, () => {
  test('to one endpoint, among those to another', async () => {
    const { partnerId, busy, quiet } = await withDeliveries('delivered');
    assert.deepEqual(sizesOf(await pagesOf(partnerId, '--endpoint', quiet)), [0, 0, 3]);
    assert.deepEqual(
      sizesOf(await pagesOf(partnerId, '--endpoint', busy, '--status', 'delivered')),
      [1000, 1000, 1000, 1000, 500],
    );
    const { stdout } = await run(['delivery', 'list', '--partner', partnerId, '--endpoint', quiet]);
    assert.match(stdout, /^None of the deliveries that were looked at matches\.\n\nThere is more: repeat .+ --after dlv_/);
  });

  test('that are held, few or many, of one endpoint or of all', async () => {
    const { partnerId, busy, quiet } = await withDeliveries('waiting');
    assert.deepEqual(sizesOf(await pagesOf(partnerId, '--endpoint', quiet, '--status', 'held')), [3]);
    for (const filters of [[], ['--endpoint', busy]]) {
      const pages = await pagesOf(partnerId, '--status', 'held', ...filters);
      assert.equal(new Set(pages.flat()).size, filters.length === 0 ? 4_503 : 4_500);
    }
    assert.deepEqual(new Set((await pagesOf(partnerId, '--status', 'dropped')).flat()).size, 0);
  });

  test('of one event, with a status', async () => {
    const { partnerId, busy } = await withDeliveries('waiting');
    const ofEvent = ['--event-id', 'evt_01M7Y4NYQYPG5MAQ0000000010'];
    assert.equal((await pagesOf(partnerId, ...ofEvent, '--status', 'held')).flat().length, 1);
    assert.equal((await pagesOf(partnerId, ...ofEvent, '--status', 'held', '--endpoint', busy)).flat().length, 1);
    assert.equal((await pagesOf(partnerId, ...ofEvent, '--status', 'delivered')).flat().length, 0);
  });

  test('no statement reads more rows', async () => {
    const [delivered, waiting] = [await withDeliveries('delivered'), await withDeliveries('waiting')];
    const lists: [partnerId: string, endpointId: string | undefined, status: DeliveryStatus | undefined][] = [
      [delivered.partnerId, delivered.quiet, undefined],
      [delivered.partnerId, undefined, 'delivered'],
      [delivered.partnerId, undefined, undefined],
      [waiting.partnerId, undefined, 'held'],
      [waiting.partnerId, undefined, 'waiting'],
      [waiting.partnerId, undefined, 'dropped'],
    ];
    for (const [partnerId, endpointId, status] of lists) {
      const wanted = { partnerId, endpointId, status, beforeId: LATEST_DELIVERY, limit: 50 };
      const rows = await mostRows(database, (of) => listDeliveryPage(of, wanted));
      assert.ok(rows <= LOOKED_AT_MAX, `${endpointId} ${status}: ${rows} rows`);
    }
  });
});
