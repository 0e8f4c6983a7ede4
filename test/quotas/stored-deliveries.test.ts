/** What deliveries make a partner store: decisions, section 6, and docs/decisions/0070. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { fingerprint } from '../../src/domain/fingerprint.ts';
import { newWorkId } from '../../src/domain/identifiers.ts';
import { setPartnerQuota } from '../../src/operations/quotas/manage-partner-quota.ts';
import { claimKeyedAnswer } from '../../src/store/keyed-answer.ts';
import { findDailyUsage } from '../../src/store/quotas/daily-usage.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { detailCodes, uniqueId } from '../support/client.ts';
import { untilDayLastsForTest } from '../support/clock/quota-day.ts';
import { untilSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
beforeEach(untilDayLastsForTest);
const PATH = '/v1/webhook-endpoints';
const ALL = { since: '2026-01-01T00:00:00Z', missing: true };

const countDeliveries = async (partnerId: string) =>
  (await database.pool.query('select from delivery where partner_id = $1', [partnerId])).rows.length;
const storedBytes = async (partnerId: string) => (await findDailyUsage(database.pool, partnerId)).storedBytes;

/** A partner with so many events, of which only the first is one that the service has made. */
async function withEvents(events: number) {
  const made = await service.newPartner({ key: { permission: 'manage' } });
  const { partnerId } = made.partner;
  await untilSequenced(database, partnerId, 1);
  await database.pool.query(
    `insert into event select (jsonb_populate_record(e, jsonb_build_object('event_id', e.event_id || n, 'sequence', n))).*
    from event e cross join generate_series(2, $2::int4) n where partner_id = $1`,
    [partnerId, events],
  );
  await database.pool.query('update event_counter set last_sequence = $2 where partner_id = $1', [partnerId, events]);
  return { ...made, partnerId };
}

async function addDisabled({ client }: Awaited<ReturnType<typeof withEvents>>) {
  const receiver = await WebhookReceiver.open();
  const added = await client.post(PATH, { url: receiver.url });
  const endpoint = `${PATH}/${added.body.webhook_endpoint.endpoint_id}`;
  assert.equal((await client.call(endpoint, { method: 'PATCH', body: { status: 'disabled' } })).status, 200);
  return endpoint;
}

/** As a process leaves the work of a key that died a minute ago. */
async function leaveWork(callerId: string, idempotencyKey: string, members: Record<string, string | boolean>): Promise<void> {
  const operation = 'recoverDeliveries';
  const request = { callerId, idempotencyKey, operation, fingerprint: fingerprint(operation, members) };
  await claimKeyedAnswer(database.pool, request, { leftAfterSeconds: 60, claimId: newWorkId() });
  await database.pool.query("update keyed_answer set claimed_at = now() - interval '61 seconds' where idempotency_key = $1", [
    idempotencyKey,
  ]);
}

test(
  'deliveries of missing events that a partner asks for count, and end with its quota of bytes; confirmations do not',
  HANG_LIMIT,
  async () => {
    const partner = await withEvents(3_500);
    const { client, partnerId } = partner;
    await setPartnerQuota(database, OWNER, partnerId, { bytesPerDay: 1_500 * 720 });
    // Until the service has read the row of the day, it knows no quota.
    assert.equal((await client.confirm()).status, 201);
    await waitFor('the count of the confirmation', async () => (await storedBytes(partnerId)) > 0);
    const endpoint = await addDisabled(partner);
    const ended = await client.post(`${endpoint}/recover`, ALL);
    // A thousand at a time, as far as the quota reaches.
    assert.deepEqual([ended.status, ended.body.recovered, ended.body.has_more], [201, 2_000n, true], ended.text);
    assert.equal(await countDeliveries(partnerId), 2_000);
    await waitFor('the count of the deliveries', async () => (await storedBytes(partnerId)) >= 2_000 * 720);
    await client.call(endpoint, { method: 'DELETE' });
    const next = await addDisabled(partner);
    const refused = await client.post(`${next}/recover`, ALL);
    assertError(refused, 'rate_limited');
    assert.deepEqual(detailCodes(refused), { quota: 'bytes_of_day_spent' });
    assert.equal(await countDeliveries(partnerId), 2_000);
    // A process had begun it before the quota was spent, and died: a refusal would say that nothing was done.
    const headers = { 'idempotency-key': uniqueId('key') };
    await leaveWork(partnerId, headers['idempotency-key'], { endpoint_id: next.slice(PATH.length + 1), ...ALL });
    const resumed = await client.post(`${next}/recover`, ALL, headers);
    assert.deepEqual([resumed.status, resumed.body.recovered, resumed.body.has_more], [201, 0n, true], resumed.text);
    // What has failed is sent again as before.
    assert.equal((await client.post(`${next}/recover`, { since: ALL.since })).status, 201);
    assert.equal((await client.confirm()).status, 201);
    await setPartnerQuota(database, OWNER, partnerId, { bytesPerDay: 1_000_000_000 });
    const isRecovered = async () => (await client.post(`${next}/recover`, ALL)).status === 201;
    await waitFor('recovery that is accepted', isRecovered);
    assert.ok((await countDeliveries(partnerId)) > 2_000 + 3_500);
  },
);

test('what a receiver writes counts, and is not kept while the quota of bytes is spent', HANG_LIMIT, async () => {
  const { client, partner } = await service.newPartner({ key: { permission: 'manage' } });
  const { partnerId } = partner;
  const receiver = await WebhookReceiver.open();
  assert.equal((await client.post(PATH, { url: receiver.url })).status, 201);
  receiver.answer = (response) => void response.writeHead(200).end('x'.repeat(2_048));
  const excerpts = async () => {
    const { rows } = await database.pool.query(
      "select first_excerpt as kept from delivery where partner_id = $1 and event_type = 'impact.transaction.confirmed' order by sequence",
      [partnerId],
    );
    return rows.map(({ kept }) => kept?.length ?? 0);
  };
  const deliver = async (count: number) => {
    await client.confirm();
    await untilDeliveries(
      database,
      partnerId,
      (all) => all.length === count && all.every(({ status }) => status === 'delivered'),
    );
  };
  await deliver(1);
  assert.deepEqual(await excerpts(), [2_048]);
  await waitFor('the count of the answer', async () => (await storedBytes(partnerId)) >= 2_400 + 2_048);
  await setPartnerQuota(database, OWNER, partnerId, { bytesPerDay: 1 });
  assert.equal((await client.confirm()).status, 201);
  await waitFor('estimate that is refused', async () => (await client.estimate({}, {})).status === 429);
  await deliver(3);
  assert.equal((await excerpts()).at(-1), 0);
});
