/** What a partner may store in a day. Decisions, section 6: a byte quota refuses estimates and lists (429), never confirmations. */

import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { contributionBytes, lineBytes } from '../../src/domain/quotas/stored-bytes.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { setPartnerQuota } from '../../src/operations/quotas/manage-partner-quota.ts';
import { countStorage, type PartnerUse, type QuotaStage } from '../../src/operations/quotas/storage-usage.ts';
import { completeReconciliations } from '../../src/operations/reconciliations/complete-reconciliations.ts';
import { NodeReader } from '../../src/store/node-reader.ts';
import { addList, addStoredBytes, deleteOldDailyUsage, findDailyUsage } from '../../src/store/quotas/daily-usage.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { detailCodes, newConfirmation, newEstimate, uniqueId } from '../support/client.ts';
import { untilDayLastsForTest } from '../support/clock/quota-day.ts';
import { commandLine } from '../support/command-line.ts';
import { HEADER, newReconciledPartner, sendList, untilEnded } from '../support/reconciliations/partner-lists.ts';
import { testService } from '../support/service.ts';
import { closeNow, openFirst } from '../support/settlements.ts';

const service = await testService();
const { database } = service;
beforeEach(untilDayLastsForTest);
const DAY_SECONDS = 86_400;

async function withSettlement() {
  const made = await service.newPartner();
  const { partnerId } = made.partner;
  await openFirst(database, made.partner);
  const { closed } = await closeNow(database, partnerId);
  const path = `/v1/settlements/${closed.settlementId}/reconciliations`;
  const send = (body: string, idempotencyKey = uniqueId('key')) =>
    made.client.call(path, { method: 'POST', body, headers: { 'content-type': 'text/csv', 'idempotency-key': idempotencyKey } });
  return { ...made, partnerId, send };
}

const rowsOf = async (table: string, partnerId: string) =>
  (await database.pool.query(`select from ${table} where partner_id = $1`, [partnerId])).rows.length;

describe('a partner that has stored its quota of bytes', HANG_LIMIT, () => {
  test('estimates and lists are 429 with the reason; confirmations, look-ups and replays go on, and more bytes open it again', async () => {
    const { client, partnerId, send } = await withSettlement();
    await setPartnerQuota(database, OWNER, partnerId, { bytesPerDay: 1 });
    const [first, key] = [newEstimate(), { 'idempotency-key': uniqueId('key') }];
    const stored = await client.estimate(first, key);
    assert.equal(stored.status, 201);
    let count = 1;
    const refused = await waitFor('estimate that is refused', async () => {
      const answer = await client.estimate();
      if (answer.status !== 201) return answer;
      count++;
      return undefined;
    });
    assertError(refused, 'rate_limited');
    assert.deepEqual(detailCodes(refused), { quota: 'bytes_of_day_spent' });
    const retryAfter = Number(refused.headers.get('retry-after'));
    assert.ok(retryAfter >= 1 && retryAfter <= DAY_SECONDS);
    assert.equal(await rowsOf('estimate', partnerId), count);
    const replay = await client.estimate(first, key);
    assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [201, 'true']);
    assert.equal((await client.getEstimate(stored.body.estimate.calculation_id)).status, 200);
    const sent = newConfirmation();
    assert.equal((await client.confirm(sent)).status, 201);
    assert.equal((await client.findByEvent(sent.partner_event_id)).status, 200);
    const list = await send(HEADER);
    assert.deepEqual([list.status, detailCodes(list)], [429, { quota: 'bytes_of_day_spent' }]);
    assert.equal(await rowsOf('reconciliation', partnerId), 0);
    const { client: other } = await service.newPartner();
    assert.equal((await other.estimate()).status, 201);
    await setPartnerQuota(database, OWNER, partnerId, { bytesPerDay: 1_000_000 });
    await waitFor('estimate that is accepted', async () => (await client.estimate()).status === 201);
  });

  test('confirmations count', async () => {
    const { client, partnerId } = await withSettlement();
    await setPartnerQuota(database, OWNER, partnerId, { bytesPerDay: 1 });
    assert.equal((await client.confirm()).status, 201);
    await waitFor('estimate that is refused', async () => (await client.estimate({}, {})).status === 429);
    assert.equal((await client.confirm()).status, 201);
    assert.ok((await findDailyUsage(database.pool, partnerId)).storedBytes > 2_000);
  });
});

describe('lists of a day', HANG_LIMIT, () => {
  test('the lines that a list lacks count too: the list is completed, and the next one is 429 at once in every process', async () => {
    const lines = 3;
    const { partnerId, client, path } = await newReconciledPartner(service, lines);
    const usage = () => findDailyUsage(database.pool, partnerId);
    const confirmed = contributionBytes({ partnerEventId: '', partnerOrderRef: '', idempotencyKey: '' }) * (lines + 1);
    await waitFor('record of the confirmations', async () => (await usage()).storedBytes > confirmed, usage);
    const { storedBytes } = await usage();
    const ofLines = lineBytes({ partnerEventId: '', partnerOrderRef: '' }) * lines;
    await setPartnerQuota(database, OWNER, partnerId, { bytesPerDay: storedBytes + ofLines });
    const short = await sendList(client, path, HEADER);
    const completing = countStorage(database, { onStage() {}, onError: (error) => assert.fail(String(error)) });
    await completeReconciliations(database, new AbortController().signal, { usage: completing });
    await completing.close();
    const { counts, status } = (await untilEnded(client, short)).body.reconciliation;
    assert.deepEqual([status, counts.missing_in_partner_file], ['done', BigInt(lines)]);
    assert.ok((await usage()).storedBytes > storedBytes + ofLines);
    const refused = await sendList(client, path, HEADER);
    assert.deepEqual([refused.status, detailCodes(refused)], [429, { quota: 'bytes_of_day_spent' }]);
  });

  test('each that is begun counts, also one that is refused; past the quota 429, and nothing is kept', async () => {
    const { partnerId, send } = await withSettlement();
    await setPartnerQuota(database, OWNER, partnerId, { listsPerDay: 2 });
    const key = uniqueId('key');
    assert.equal((await send('partner_event_id\n')).status, 400);
    assert.equal((await send(HEADER, key)).status, 202);
    await database.pool.query("update reconciliation set status = 'done', ended_at = now() where partner_id = $1", [partnerId]);
    const refused = await send(HEADER);
    assert.deepEqual([refused.status, detailCodes(refused)], [429, { quota: 'lists_of_day_spent' }]);
    assert.match(refused.body.error.message, /^The partner has sent 2 lists today \(UTC\)/);
    assert.equal(await rowsOf('reconciliation', partnerId), 1);
    const replay = await send(HEADER, key);
    assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [202, 'true']);
    await setPartnerQuota(database, OWNER, partnerId, { listsPerDay: 3 });
    assert.equal((await send(HEADER)).status, 202);
  });

  test('twenty at once: as many begin as are left', async () => {
    const { partner } = await service.newPartner();
    const begun = await Promise.all(Array.from({ length: 20 }, () => addList(database.pool, partner.partnerId, 7)));
    assert.equal(begun.filter(Boolean).length, 7);
    assert.equal((await findDailyUsage(database.pool, partner.partnerId)).lists, 7);
  });
});

describe('what processes count', HANG_LIMIT, () => {
  async function counters(count: number, bytesPerDay: number) {
    const { partner } = await service.newPartner();
    await setPartnerQuota(database, OWNER, partner.partnerId, { bytesPerDay });
    const told: [QuotaStage, PartnerUse][] = [];
    const open = () =>
      countStorage(database, {
        everyMs: 10,
        onStage: (stage, use) => told.push([stage, use]),
        onError: (error) => assert.fail(String(error)),
      });
    return { ...partner, told, usages: Array.from({ length: count }, open) };
  }

  test('is one sum: two that each count less than the quota refuse together', async () => {
    const { partnerId, usages } = await counters(2, 1_000);
    const [one, other] = usages as [(typeof usages)[0], (typeof usages)[0]];
    one.count(partnerId, 600);
    const usage = () => findDailyUsage(database.pool, partnerId);
    await waitFor('record of 600 bytes', async () => (await usage()).storedBytes >= 600, usage);
    assert.equal(one.isSpent(partnerId), false);
    other.count(partnerId, 600);
    await waitFor('end of the quota in the other process', () => other.isSpent(partnerId));
    one.count(partnerId, 1);
    await waitFor('end of the quota in this process', () => one.isSpent(partnerId));
    await Promise.all(usages.map((usage) => usage.close()));
    assert.equal((await findDailyUsage(database.pool, partnerId)).storedBytes, 1_201);
  });

  test('is told before the quota is reached, when it is, and when confirmations go on; each once, and shown by the metrics', async () => {
    const { partnerId, usages, told } = await counters(1, 1_000);
    const [usage] = usages as [(typeof usages)[0]];
    const metrics = createMetrics({ totalCount: 0, idleCount: 0, waitingCount: 0 }, NOTHING_TO_WATCH);
    metrics.watchQuotas(usage.listNear);
    const stages = () => told.map(([stage]) => stage);
    for (const [bytes, stage] of [
      [800, 'near'],
      [200, 'spent'],
      [400, 'exceeded'],
    ] as const) {
      usage.count(partnerId, bytes);
      await waitFor(`stage ${stage}`, () => stages().at(-1) === stage, stages);
    }
    await usage.close();
    assert.deepEqual(stages(), ['near', 'spent', 'exceeded']);
    assert.deepEqual(told[0]?.[1], { partnerId, storedBytes: 800, bytesPerDay: 1_000 });
    const shown = await metrics.registry.getSingleMetricAsString('partner_impact_storage_quota_used_ratio');
    assert.match(shown, new RegExp(`\\{partner_id="${partnerId}"\\} 1\\.4$`, 'm'));
  });

  test('is written down later when the database does not take it', async () => {
    const { partner } = await service.newPartner();
    let errors = 0;
    const usage = countStorage(database, { everyMs: 5, onStage: assert.fail, onError: () => errors++ });
    await database.pool.query('alter table daily_usage rename to daily_usage_away');
    usage.count(partner.partnerId, 10);
    await waitFor('third error', () => errors >= 3);
    await database.pool.query('alter table daily_usage_away rename to daily_usage');
    usage.count(partner.partnerId, 1);
    await usage.close();
    assert.equal((await findDailyUsage(database.pool, partner.partnerId)).storedBytes, 11);
  });

  test('of one partner cannot be written down: that of the others is', async () => {
    const [spoiled, other] = [(await service.newPartner()).partner, (await service.newPartner()).partner];
    const errors: unknown[] = [];
    await database.pool.query(
      `alter table daily_usage add constraint not_this_one check (partner_id <> '${spoiled.partnerId}') not valid`,
    );
    const usage = countStorage(database, { everyMs: 5, onStage: assert.fail, onError: (error) => errors.push(error) });
    usage.count(spoiled.partnerId, 10);
    usage.count(other.partnerId, 10);
    const stored = async (partnerId: string) => (await findDailyUsage(database.pool, partnerId)).storedBytes;
    try {
      await waitFor('the bytes of the other', async () => (await stored(other.partnerId)) === 10);
      await waitFor('an error', () => errors.length > 0);
      assert.match(String(errors[0]), /The usage of 1 partner could not be recorded\. The first: .*not_this_one/);
    } finally {
      await database.pool.query('alter table daily_usage drop constraint not_this_one');
    }
    await usage.close();
    assert.equal(await stored(spoiled.partnerId), 10);
  });

  test('is written down for many partners in one transaction, and for the same ones by two processes at once', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => service.newPartner()));
    const partnerIds = made.map(({ partner }) => partner.partnerId);
    const open = () =>
      countStorage(database, { everyMs: 600_000, onStage: assert.fail, onError: (error) => assert.fail(String(error)) });
    const first = open();
    for (const partnerId of partnerIds) first.count(partnerId, 10);
    await first.close();
    const { rows } = await database.pool.query<{ partners: number; transactions: number }>(
      `select count(*)::int as partners, count(distinct xmin::text)::int as transactions from daily_usage
       where partner_id = any($1) and stored_bytes = 10`,
      [partnerIds],
    );
    const [{ partners, transactions }] = rows as [(typeof rows)[0]];
    assert.equal(partners, 20);
    // A cluster writes down that of each partner alone, on nodes that count their transactions by themselves.
    assert.ok(database.isDistributed ? transactions > 1 : transactions === 1, `${transactions} transactions`);
    const [one, other] = [open(), open()];
    for (const partnerId of partnerIds) one.count(partnerId, 3);
    for (const partnerId of partnerIds.toReversed()) other.count(partnerId, 4);
    await Promise.all([one.close(), other.close()]);
    for (const partnerId of partnerIds) assert.equal((await findDailyUsage(database.pool, partnerId)).storedBytes, 17);
  });

  test('is removed after 30 days', async () => {
    const { partner } = await service.newPartner();
    await addStoredBytes(database.pool, partner.partnerId, 5);
    await database.pool.query('update daily_usage set day = day - 31 where partner_id = $1', [partner.partnerId]);
    await addStoredBytes(database.pool, partner.partnerId, 7);
    await deleteOldDailyUsage(new NodeReader(database), 30);
    assert.equal(await rowsOf('daily_usage', partner.partnerId), 1);
    assert.equal((await findDailyUsage(database.pool, partner.partnerId)).storedBytes, 7);
  });
});

const NOTHING_TO_WATCH = {
  measureBacklog: async () => ({ waiting: 0, oldestWaitingSeconds: 0, exhausted: 0, exhaustedEndpoints: [], relayLagSeconds: 0 }),
  listEndpointStates: async () => [],
  listJobStates: async () => [],
  findDifferences: async () => undefined,
};

test('the command line sets the quota and shows what is stored today', async () => {
  const { partner } = await service.newPartner();
  const { partnerId } = partner;
  await addStoredBytes(database.pool, partnerId, 123);
  await addList(database.pool, partnerId, 1);
  const { runJson, run } = commandLine({ DATABASE_URL: service.databaseUrl });
  const before = await runJson('partner', 'show', '--partner', partnerId);
  assert.deepEqual(
    [before.bytes_per_day, before.lists_per_day, before.stored_bytes_today, before.lists_today],
    [2 * 1024 ** 3, 100, 123, 1],
  );
  const changed = await runJson('partner', 'set-quota', '--partner', partnerId, '--bytes-per-day', '9007199254740');
  assert.deepEqual(changed, { partner_id: partnerId, bytes_per_day: 9_007_199_254_740, lists_per_day: 100 });
  assert.equal((await run(['partner', 'set-quota', '--partner', partnerId])).code, 2);
  assert.match(
    (await run(['partner', 'show', '--partner', partnerId])).stdout,
    /bytes today +123 of 9007199254740\nlists today +1 of 100/,
  );
});
