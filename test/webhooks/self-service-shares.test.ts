/** What one partner's self-service takes from the others: decisions, sections 6 and 9. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listDeliveryPage } from '../../src/webhooks/endpoints/list-delivery-page.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { countByStatus } from '../support/client.ts';
import { connect } from '../support/postgres/connect.ts';
import { testService } from '../support/service.ts';
import { insertDeliveries, mostRows } from '../support/webhooks/numbered-deliveries.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const PATH = '/v1/webhook-endpoints';

async function withEndpoints() {
  const made = await service.newPartner({ key: { permission: 'manage' } });
  const receiver = await WebhookReceiver.open();
  const add = async (number: number) => {
    const added = await made.client.post(PATH, { url: `${receiver.url}?${number}`, event_types: ['settlement.closed'] });
    return added.body.webhook_endpoint.endpoint_id as string;
  };
  const [busy, quiet] = [await add(1), await add(2)];
  for (const id of [busy, quiet])
    assert.equal((await made.client.call(`${PATH}/${id}`, { method: 'PATCH', body: { status: 'disabled' } })).status, 200);
  return { ...made, partnerId: made.partner.partnerId, busy, quiet };
}

interface ListedPage {
  readonly ids: readonly string[];
  readonly hasMore: boolean;
}

async function pagesOf(
  { client }: Awaited<ReturnType<typeof withEndpoints>>,
  endpointId: string,
  query: string,
): Promise<ListedPage[]> {
  const pages: ListedPage[] = [];
  for (let after = ''; ; ) {
    const { status, body } = await client.call(`${PATH}/${endpointId}/deliveries?${query}${after && `&after=${after}`}`);
    assert.equal(status, 200);
    pages.push({ ids: body.deliveries.map(({ delivery_id }: { delivery_id: string }) => delivery_id), hasMore: body.has_more });
    if (!body.has_more) return pages;
    after = body.next_after;
  }
}

const shapeOf = (pages: readonly ListedPage[]) => pages.map(({ ids, hasMore }) => [ids.length, hasMore]);

describe('a page of the deliveries to an endpoint', HANG_LIMIT, () => {
  test('looks at 2,000 deliveries of its partner, and the pages have all of them', async () => {
    const partner = await withEndpoints();
    const { partnerId, busy, quiet } = partner;
    await insertDeliveries(database, partnerId, quiet, { from: 1, to: 3, status: 'delivered' });
    await insertDeliveries(database, partnerId, busy, { from: 10, to: 4_509, status: 'delivered' });
    assert.deepEqual(shapeOf(await pagesOf(partner, quiet, 'limit=100')), [
      [0, true],
      [0, true],
      [3, false],
    ]);
    const all = await pagesOf(partner, busy, 'limit=100&status=delivered');
    assert.equal(new Set(all.flatMap(({ ids }) => ids)).size, 4_500);
    assert.deepEqual(shapeOf(await pagesOf(partner, busy, 'limit=100&status=exhausted')), [[0, false]]);
    const wanted = { partnerId, endpointId: quiet, status: undefined, beforeId: 'dlv_zzzz', limit: 100 };
    assert.ok((await mostRows(database, (of) => listDeliveryPage(of, wanted))) <= 2_000);
  });

  test('of what waits has few at once, and of many no more than others', async () => {
    const partner = await withEndpoints();
    const { partnerId, busy, quiet } = partner;
    await insertDeliveries(database, partnerId, quiet, { from: 1, to: 3, status: 'waiting' });
    await insertDeliveries(database, partnerId, busy, { from: 10, to: 4_509, status: 'waiting' });
    assert.deepEqual(shapeOf(await pagesOf(partner, quiet, 'limit=100&status=held')), [[3, false]]);
    const all = await pagesOf(partner, busy, 'limit=100&status=held');
    assert.equal(new Set(all.flatMap(({ ids }) => ids)).size, 4_500);
    const wanted = { partnerId, endpointId: busy, status: 'held', beforeId: 'dlv_zzzz', limit: 100 } as const;
    assert.ok((await mostRows(database, (of) => listDeliveryPage(of, wanted))) <= 2_000);
  });
});

test('a partner whose changes all wait for a lock has two connections, and the others have the rest', HANG_LIMIT, async () => {
  const [attacker, other] = [await withEndpoints(), await withEndpoints()];
  const advance = (by: string) => attacker.client.post('/v1/sandbox/clock', { advance: by });
  assert.equal((await advance('PT1S')).status, 201);
  const holder = await connect(service.databaseUrl);
  await holder.query('begin');
  await holder.query('select from sandbox_clock where partner_id = $1 for update', [attacker.partnerId]);
  const waiting = async () => {
    const { rows } = await database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length;
  };
  const changes = Array.from({ length: 8 }, (_, number) => advance(`PT${number + 1}S`));
  await waitFor('changes that wait', async () => (await waiting()) >= 2, waiting);
  const answers = await Promise.all(Array.from({ length: 4 }, () => other.client.call(PATH)));
  assert.deepEqual(countByStatus(answers), { 200: 4 });
  assert.ok((await waiting()) <= 2);
  await holder.query('rollback');
  assert.ok((await Promise.all(changes)).some(({ status }) => status === 201));
});
