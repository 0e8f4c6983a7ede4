/** What one partner's self-service takes from the others: decisions, sections 6 and 9. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '../../src/store/database.ts';
import { listEndpointDeliveries } from '../../src/webhooks/endpoints/list-endpoint-deliveries.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { countByStatus } from '../support/client.ts';
import { connect } from '../support/postgres/connect.ts';
import { testService } from '../support/service.ts';
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

/** Deliveries of numbered events, without the events. */
async function insertDeliveries(partnerId: string, endpointId: string, { from, to, status }: Numbered): Promise<void> {
  await database.pool.query(
    `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left,
      next_attempt_at, created_at, ended_at)
    select $1, 'dlv_01M7Y4NYQYPG5MAQ' || lpad(n::text, 10, '0') || '.' || right($2, 8), $2, 'evt_01M7Y4NYQYPG5MAQ' || lpad(n::text, 10, '0'),
      n, 'settlement.closed', 'event', $5, 10, now(), now(), case when $5 <> 'waiting' then now() end
    from generate_series($3::int4, $4) n`,
    [partnerId, endpointId, from, to, status],
  );
}

interface Numbered {
  readonly from: number;
  readonly to: number;
  readonly status: 'waiting' | 'delivered';
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

/** The most rows that a step of a statement reads from a table of deliveries. */
async function mostRows(send: (of: Pick<Database, 'pool' | 'isDistributed'>) => Promise<unknown>): Promise<number> {
  const sent: { text: string; values: unknown[] }[] = [];
  const query = (statement: { text: string; values: unknown[] }) => {
    sent.push(statement);
    return database.pool.query(statement);
  };
  await send({ pool: { query } as unknown as Database['pool'], isDistributed: false });
  let most = 0;
  const walk = (plan: { Plans?: object[]; 'Actual Rows': number; 'Rows Removed by Filter'?: number; 'Actual Loops': number }) => {
    most = Math.max(most, (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']);
    for (const part of plan.Plans ?? []) walk(part as typeof plan);
  };
  for (const { text, values } of sent) {
    const { rows } = await database.pool.query({ text: `explain (analyze, format json) ${text}`, values });
    walk(rows[0]['QUERY PLAN'][0].Plan);
  }
  return most;
}

describe('a page of the deliveries to an endpoint', HANG_LIMIT, () => {
  test('looks at 2,000 deliveries of its partner, and the pages have all of them', async () => {
    const partner = await withEndpoints();
    const { partnerId, busy, quiet } = partner;
    await insertDeliveries(partnerId, quiet, { from: 1, to: 3, status: 'delivered' });
    await insertDeliveries(partnerId, busy, { from: 10, to: 4_509, status: 'delivered' });
    assert.deepEqual(shapeOf(await pagesOf(partner, quiet, 'limit=100')), [
      [0, true],
      [0, true],
      [3, false],
    ]);
    const all = await pagesOf(partner, busy, 'limit=100&status=delivered');
    assert.equal(new Set(all.flatMap(({ ids }) => ids)).size, 4_500);
    assert.deepEqual(shapeOf(await pagesOf(partner, busy, 'limit=100&status=exhausted')), [[0, false]]);
    const wanted = { partnerId, endpointId: quiet, status: undefined, beforeId: 'dlv_zzzz', limit: 100 };
    assert.ok((await mostRows((of) => listEndpointDeliveries(of, wanted))) <= 2_000);
  });

  test('of what waits has few at once, and of many no more than others', async () => {
    const partner = await withEndpoints();
    const { partnerId, busy, quiet } = partner;
    await insertDeliveries(partnerId, quiet, { from: 1, to: 3, status: 'waiting' });
    await insertDeliveries(partnerId, busy, { from: 10, to: 4_509, status: 'waiting' });
    assert.deepEqual(shapeOf(await pagesOf(partner, quiet, 'limit=100&status=held')), [[3, false]]);
    const all = await pagesOf(partner, busy, 'limit=100&status=held');
    assert.equal(new Set(all.flatMap(({ ids }) => ids)).size, 4_500);
    const wanted = { partnerId, endpointId: busy, status: 'held', beforeId: 'dlv_zzzz', limit: 100 } as const;
    assert.ok((await mostRows((of) => listEndpointDeliveries(of, wanted))) <= 2_000);
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
