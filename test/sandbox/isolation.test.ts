/** What a partner of a sandbox asks for reaches its own records alone, and means what it means in production: decisions, sections 3 and 8. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SCENARIO_NAMES } from '../../src/domain/sandbox/scenarios.ts';
import { openSealKeys } from '../../src/domain/settlements/settlement-seal.ts';
import { verifyEverything } from '../../src/operations/verification/verify-everything.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { type Answer, type Client, countByStatus, detailCodes, newConfirmation, uniqueId } from '../support/client.ts';
import { countRows, untilAllSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const INT64_MAX = 9_223_372_036_854_775_807n;

const newManager = () => service.newPartner({ key: { permission: 'manage' } });
const ask = (client: Client, path: string, body?: object): Promise<Answer> => client.post(`/v1/sandbox/${path}`, body);
const newKey = () => ({ 'idempotency-key': uniqueId('key') });

/** One of each record that a partner of a sandbox can name, all events delivered. */
async function withEverything() {
  const made = await newManager();
  const { client, partner } = made;
  const receiver = await WebhookReceiver.open();
  const endpointId = (await client.post('/v1/webhook-endpoints', { url: receiver.url })).body.webhook_endpoint.endpoint_id;
  const transactionId = (await client.confirm()).body.contribution.transaction_id;
  const calculationId = (await client.estimate()).body.estimate.calculation_id;
  const settlementId = (await ask(client, 'settlements/close')).body.settlement.settlement_id;
  const { adjustment } = (
    await ask(client, 'adjustments', { transaction_id: transactionId, points_delta: -1, reason_code: 'other' })
  ).body;
  const batchId = (await ask(client, 'impact-batches', { settlement_ids: [settlementId] })).body.impact_batch.impact_batch_id;
  const pendingId = (await client.confirm({}, { 'x-sandbox-scenario': 'pending' })).body.contribution.transaction_id;
  await untilAllSequenced(database, partner.partnerId);
  const isQuiet = (all: readonly { status: string }[]) => all.length >= 5 && all.every(({ status }) => status === 'delivered');
  const [delivery] = await untilDeliveries(database, partner.partnerId, isQuiet);
  const ids = { endpointId, transactionId, calculationId, settlementId, batchId, pendingId };
  return { ...made, ids: { ...ids, adjustmentId: adjustment.adjustment_id, deliveryId: delivery?.deliveryId as string } };
}

/** What the service writes by itself and later: when a key was last used, what a partner stored in a day, and what dispatchers note of endpoints. */
const OWN_NOTES = ['api_key', 'daily_usage', 'endpoint_health', 'endpoint_watch'];

/** Every row of a partner in every table, as text. */
async function rowsOf({ partnerId }: Partner): Promise<Record<string, string>> {
  const { rows: tables } = await database.pool.query(
    `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and c.column_name = 'partner_id' and t.table_type = 'BASE TABLE' and c.table_name <> all ($1)`,
    [OWN_NOTES],
  );
  const all: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await database.pool.query(
      `select coalesce(string_agg(r::text, e'\\n' order by r::text), '') as text from "${name}" r where partner_id = $1`,
      [partnerId],
    );
    all[name] = rows[0].text;
  }
  return all;
}

function changedTables(before: Record<string, string>, now: Record<string, string>): string[] {
  return Object.keys(before).filter((name) => before[name] !== now[name]);
}

async function assertVerified(): Promise<void> {
  const parts = await Array.fromAsync(verifyEverything(database, openSealKeys(database.auditKeys)));
  assert.deepEqual(
    parts.flatMap(({ problems }) => problems),
    [],
  );
}

describe('another partner', HANG_LIMIT, () => {
  test('names a record of somebody else on any path: the answer is that of none, and nothing of theirs changes', async () => {
    const { partner, ids } = await withEverything();
    const { client: enemy } = await newManager();
    const own = (await enemy.confirm()).body.contribution.transaction_id;
    const receiver = await WebhookReceiver.open();
    await enemy.post('/v1/webhook-endpoints', { url: receiver.url });
    const before = await rowsOf(partner);
    assert.ok(Object.values(before).filter((text) => text !== '').length > 10);
    const since = { since: '2026-01-01T00:00:00Z' };
    const adjusting = { points_delta: -1, reason_code: 'other' };
    const attempts: readonly (readonly [id: keyof typeof ids, method: string, path: string, body?: object])[] = [
      ['pendingId', 'POST', '/v1/sandbox/impact-transactions/ID/resolve', { status: 'failed' }],
      ['calculationId', 'POST', '/v1/sandbox/emissions/estimates/ID/expire'],
      ['endpointId', 'POST', '/v1/sandbox/events', { event_type: 'settlement.closed', endpoint_id: 'ID' }],
      ['transactionId', 'POST', '/v1/sandbox/adjustments', { transaction_id: 'ID', ...adjusting }],
      ['adjustmentId', 'POST', '/v1/sandbox/adjustments', { transaction_id: own, reversal_of: 'ID', ...adjusting }],
      ['settlementId', 'POST', '/v1/sandbox/impact-batches', { settlement_ids: ['ID'] }],
      ['batchId', 'POST', '/v1/sandbox/impact-batches', { impact_batch_id: 'ID', status: 'verified' }],
      ['endpointId', 'GET', '/v1/webhook-endpoints/ID'],
      ['endpointId', 'PATCH', '/v1/webhook-endpoints/ID', { status: 'disabled' }],
      ['endpointId', 'DELETE', '/v1/webhook-endpoints/ID'],
      ['endpointId', 'GET', '/v1/webhook-endpoints/ID/deliveries'],
      ['endpointId', 'POST', '/v1/webhook-endpoints/ID/rotate-secret', {}],
      ['endpointId', 'POST', '/v1/webhook-endpoints/ID/recover', since],
      ['deliveryId', 'POST', '/v1/webhook-endpoints/deliveries/ID/resend'],
    ];
    for (const [name, method, path, body] of attempts) {
      const nobodys = `${ids[name].slice(0, -4)}ZZZZ`;
      const answers: Answer[] = [];
      for (const id of [ids[name], nobodys]) {
        const put = (text: string) => text.replaceAll('ID', id);
        const headers = method === 'POST' ? newKey() : {};
        const sent = body && JSON.parse(put(JSON.stringify(body)));
        answers.push(await enemy.call(put(path), { method, headers, ...(sent && { body: sent }) }));
      }
      const [theirs, none] = answers as [Answer, Answer];
      assert.ok([400, 404].includes(theirs.status), `${method} ${path}: ${theirs.status} ${theirs.text}`);
      const wordsOf = ({ status, body: { error } }: Answer, id: string) => [
        status,
        error.code,
        error.message.replaceAll(id, 'ID'),
      ];
      assert.deepEqual(wordsOf(theirs, ids[name]), wordsOf(none, nobodys), `${method} ${path}`);
    }
    assert.deepEqual(changedTables(before, await rowsOf(partner)), []);
  });

  test('is beside a settlement of one’s own in one request: neither is pooled, and no batch is left', async () => {
    const { ids } = await withEverything();
    const { client: enemy } = await newManager();
    await enemy.confirm();
    const own = (await ask(enemy, 'settlements/close')).body.settlement.settlement_id;
    const count = async () => (await database.pool.query('select count(*) from impact_batch')).rows[0].count;
    const before = await count();
    const refused = await ask(enemy, 'impact-batches', { settlement_ids: [own, ids.settlementId] });
    assert.deepEqual([refused.status, detailCodes(refused)['settlement_ids']], [404, 'not_found']);
    assert.equal(await count(), before);
    const word = await ask(enemy, 'impact-batches', { settlement_ids: own });
    assert.match(
      word.body.error.message,
      /^settlement_ids must be a list of 1 to 24 elements, each a string of 8 to 128 characters/,
    );
    assert.equal((await ask(enemy, 'impact-batches', { settlement_ids: [own] })).status, 201);
  });

  test('does not move by a clock, an end of the month or a batch of mine', async () => {
    const { partner } = await withEverything();
    const { client } = await withEverything();
    const before = await rowsOf(partner);
    const answers = await Promise.all([
      ask(client, 'clock', { advance: 'P1Y' }),
      ask(client, 'settlements/close'),
      ask(client, 'clock', { advance: 'PT30H' }),
    ]);
    // A closing beside an advance may find that another process closes.
    assert.ok(
      answers.every(({ status }) => status === 201 || status === 503),
      JSON.stringify(countByStatus(answers)),
    );
    assert.equal((await ask(client, 'clock', { advance: 'P1M' })).status, 201);
    assert.deepEqual(changedTables(before, await rowsOf(partner)), []);
    await assertVerified();
  });
});

describe('idempotent replay', HANG_LIMIT, () => {
  /** What a replay of a recorded contribution is, with the header of each scenario. */
  for (const scenario of SCENARIO_NAMES)
    test(`${scenario} on a recorded key: a refusal that passes, or the record as it is; nothing more is stored`, async () => {
      const { client, partner } = await service.newPartner();
      for (const first of [undefined, 'pending'] as const) {
        const [key, confirmation] = [newKey(), newConfirmation()];
        const made = await client.confirm(confirmation, { ...key, ...(first && { 'x-sandbox-scenario': first }) });
        const before = await countRows(database, partner.partnerId);
        const replayed = await client
          .confirm(confirmation, { ...key, 'x-sandbox-scenario': scenario })
          .catch((error: unknown) => error as Error);
        if (!(replayed instanceof Error) && replayed.status < 400) {
          assert.equal(replayed.headers.get('idempotent-replayed'), 'true');
          assert.deepEqual(replayed.body.contribution, made.body.contribution);
        } else {
          const isRefusing = ['rate_limited', 'service_unavailable', 'timeout_before_commit'].includes(scenario);
          assert.ok(isRefusing, scenario);
        }
        const plain = await client.confirm(confirmation, key);
        assert.deepEqual([plain.status, plain.body.contribution], [made.status, made.body.contribution]);
        // Where the order is taken already, nobody else takes it.
        assert.deepEqual(await countRows(database, partner.partnerId), before);
      }
    });

  test('a refusal on request frees the key for another payload, whichever it was', async () => {
    const { client } = await service.newPartner();
    for (const scenario of ['rate_limited', 'service_unavailable', 'timeout_before_commit', 'order_taken', 'nonsense']) {
      const key = newKey();
      await client.confirm({}, { ...key, 'x-sandbox-scenario': scenario }).catch(() => undefined);
      const other = await client.confirm({}, key);
      assert.deepEqual([other.status, other.headers.get('idempotent-replayed')], [201, null], scenario);
    }
  });
});

test('int64: the whole range goes through an adjustment, a batch and a settlement, and what is beyond it is refused', async () => {
  const { client } = await service.newPartner();
  const transactionId = (await client.confirm({ points: INT64_MAX })).body.contribution.transaction_id;
  await client.confirm({ points: INT64_MAX });
  const adjust = (points_delta: bigint) =>
    ask(client, 'adjustments', { transaction_id: transactionId, points_delta, reason_code: 'operator_error' });
  const { settlement } = (await ask(client, 'settlements/close')).body;
  assert.equal(settlement.gross_points, 2n * INT64_MAX);
  for (const beyond of [-INT64_MAX - 1n, -INT64_MAX - 2n, INT64_MAX + 1n, 1n, -(10n ** 40n)])
    assert.equal((await adjust(beyond)).status, 400, String(beyond));
  const taken = await adjust(-INT64_MAX);
  assert.deepEqual(
    [taken.status, taken.body.adjustment.points_delta, taken.body.adjustment.settled_points_after],
    [201, -INT64_MAX, 0n],
  );
  const pool = (quantity: bigint) => ask(client, 'impact-batches', { settlement_ids: [settlement.settlement_id], quantity });
  for (const beyond of [0n, -1n, INT64_MAX + 1n]) assert.equal((await pool(beyond)).status, 400, String(beyond));
  assert.equal((await pool(INT64_MAX)).body.impact_batch.quantity.value, INT64_MAX);
});

test(
  'a process that died between the advance of a clock and its answer: the same key advances nothing more',
  HANG_LIMIT,
  async () => {
    const { client, partner } = await service.newPartner();
    const key = newKey();
    const advance = () => client.post('/v1/sandbox/clock', { advance: 'P1M' }, key);
    const first = await advance();
    await database.pool.query(
      "update keyed_answer set answer = null, claimed_at = now() - interval '2 minutes' where partner_id = $1 and idempotency_key = $2",
      [partner.partnerId, key['idempotency-key']],
    );
    const again = await advance();
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, null]);
    const apartMs = Date.parse(again.body.clock.now) - Date.parse(first.body.clock.now);
    assert.ok(apartMs >= 0 && apartMs < 86_400_000, `${apartMs} ms`);
    assert.equal((await client.call('/v1/settlements')).body.settlements.length, 2);
  },
);

describe('the list of contributions', HANG_LIMIT, () => {
  const LIST = '/v1/impact-transactions';

  async function allOf(client: Client, query: string, limit: number): Promise<string[]> {
    const ids: string[] = [];
    for (let after = ''; ; ) {
      const { status, body } = await client.call(`${LIST}?limit=${limit}&${query}${after && `&after=${after}`}`);
      assert.equal(status, 200);
      ids.push(...body.contributions.map(({ transaction_id }: { transaction_id: string }) => transaction_id));
      if (!body.has_more) return ids;
      after = body.next_after;
    }
  }

  test('of many that were made in one millisecond, none is lost and none comes twice, whatever the page', async () => {
    const { client } = await service.newPartner();
    const answers = await Promise.all(Array.from({ length: 120 }, () => client.confirm()));
    const made = answers.map(({ body }) => body.contribution);
    const times = Map.groupBy(made, ({ created_at }) => created_at as string);
    assert.ok(times.size < made.length, 'no two were made in one millisecond');
    const ids = made.map(({ transaction_id }) => transaction_id as string).toSorted();
    for (const limit of [1, 7, 500]) assert.deepEqual(await allOf(client, '', limit), ids);
    for (const [time, tied] of times) {
      const next = new Date(Date.parse(time) + 1).toISOString();
      const found = await allOf(client, `created_after=${time}&created_before=${next}`, 2);
      assert.deepEqual(found, tied.map(({ transaction_id }) => transaction_id as string).toSorted());
    }
  });

  test('bounds at the ends of time are answered', async () => {
    const { client } = await service.newPartner();
    const { transaction_id } = (await client.confirm()).body.contribution;
    for (const [query, found] of [
      ['created_before=0001-01-01T00:00:00Z', []],
      ['created_after=0001-01-01T00:00:00Z', [transaction_id]],
      ['created_before=9999-12-31T23:59:59.999Z', [transaction_id]],
      ['created_after=9999-12-31T23:59:59.999Z', []],
      ['created_after=9999-12-31T23:59:59Z&created_before=0001-01-01T00:00:00Z', []],
    ] as const)
      assert.deepEqual(await allOf(client, query, 10), found, query);
  });
});

test('an estimate that is expired on request is in the audit under the key', async () => {
  const { client, partner, key } = await service.newPartner();
  const { calculation_id } = (await client.estimate()).body.estimate;
  assert.equal((await ask(client, `emissions/estimates/${calculation_id}/expire`)).status, 201);
  const { rows } = await database.pool.query(
    'select action, operator_id as by, role from audit_entry where partner_id = $1 and subject_id = $2',
    [partner.partnerId, calculation_id],
  );
  assert.deepEqual(rows, [{ action: 'sandbox.expire-estimate', by: key.key.keyId, role: 'partner' }]);
  await assertVerified();
});
