/** What adjustments may leave of a contribution, in points and in money, in whatever order they are posted (settlements, section 3). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAmount } from '../../src/domain/numbers/money.ts';
import { draftAdjustment, oppositeOf, rejectAdjustment } from '../../src/operations/adjustments/manage-adjustment.ts';
import { verifyAdjustments } from '../../src/operations/adjustments/verify-adjustments.ts';
import { adjustmentRecord } from '../../src/operations/audit/adjustment-record.ts';
import { audit } from '../../src/operations/audit/audit.ts';
import { verifySettlements } from '../../src/operations/settlements/verify-settlements.ts';
import { type Adjustment, findAdjustment } from '../../src/store/adjustments/adjustment.ts';
import { inTransaction } from '../../src/store/transaction.ts';
import { OWNER } from '../support/actor.ts';
import { adjustmentScene, refused, restated, WHY } from '../support/adjustments/adjustment-scene.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { testService } from '../support/service.ts';
import { closeNow, priced, sealKeys, tools } from '../support/settlements.ts';

const service = await testService();
const { database } = service;
const { pool } = database;
const { BEA, one, newContribution, draft, approve, approved, post, posted, eventsOf } = await adjustmentScene(service);
const MAX = 9_223_372_036_854_775_807n;

test('settled points stay within 0 and the points, over int64', async () => {
  const of = await newContribution(MAX);
  await refused(draft(of, 1n), 'points_delta out_of_bounds');
  await refused(draft(of, -(2n ** 63n)), 'points_delta out_of_bounds');
  await refused(draft(of, 0n), 'points_delta zero');
  assert.deepEqual([(await posted(of, -MAX)).settledPointsAfter, (await posted(of, MAX)).settledPointsAfter], [0n, MAX]);
  const { closed } = await closeNow(database, of.partnerId);
  assert.deepEqual([closed.totals?.adjustmentPoints, closed.totals?.netPoints], [0n, MAX]);
});

test('what others left counts when it is posted, not what was there when it was drafted', async () => {
  const of = await newContribution();
  const [one, two] = [await approved(of, -200n), await approved(of, -51n)];
  await post(one);
  await refused(post(two), 'points_delta out_of_bounds');
  assert.equal((await findAdjustment(pool, of.partnerId, two.adjustmentId))?.status, 'approved');
  await rejectAdjustment(database, BEA, two, 'no room');
  assert.equal((await eventsOf(of.client, of.partnerId)).length, 1);
});

test('twenty at once: the settled points are the sum of what was posted, and never below 0', async () => {
  const of = await newContribution(100);
  const all: Adjustment[] = [];
  for (let n = 0; n < 20; n++) all.push(await approved(of, -9n));
  const outcomes = await Promise.allSettled(all.map((each) => post(each)));
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 11);
  const events = await eventsOf(of.client, of.partnerId);
  const after = events.map(({ data }) => data.settled_points_after).sort((a, b) => Number(a - b));
  assert.deepEqual(
    after,
    Array.from({ length: 11 }, (_, n) => 1n + 9n * BigInt(n)),
  );
});

test('posting while settlements close: each adjustment on exactly one', async () => {
  const of = await newContribution(1_000);
  const all: Adjustment[] = [];
  for (let n = 0; n < 12; n++) all.push(await approved(of, -1n));
  const closings = async () => {
    for (let n = 0; n < 6; n++) await closeNow(database, of.partnerId);
  };
  await Promise.all([closings(), ...all.map((each) => post(each))]);
  await closeNow(database, of.partnerId);
  const { rows } = await pool.query(
    `select count(*)::int4 as lines, count(distinct adjustment_id)::int4 as adjustments, sum(points)::int4 as points
     from settlement_line where partner_id = $1 and line_type = 'adjustment'`,
    [of.partnerId],
  );
  assert.deepEqual(rows, [{ lines: 12, adjustments: 12, points: -12 }]);
  assert.deepEqual((await verifySettlements(database, of.partnerId, sealKeys)).problems, []);
});

test('a restatement leaves the settled amount within 0 and what the settled points are worth, in whole minor units', async () => {
  const of = await newContribution(250);
  const restate = (amountDelta: string, over: object = {}) => draft(of, 0n, { ...restated, amountDelta, ...over }, '0.10892');
  await refused(restate('-99999.50'), 'amount_delta out_of_bounds');
  await refused(restate('-27.24'), 'amount_delta out_of_bounds');
  await refused(restate('0.01'), 'amount_delta out_of_bounds');
  await refused(restate('-6.0005'), 'amount_delta not_minor_units');
  assert.equal((await restate('-27.23')).status, 'draft');
  assert.equal((await pool.query('select from adjustment where partner_id = $1', [of.partnerId])).rowCount, 1);
});

test('twenty restatements at once: the settled amount is the sum of what was posted, and never below 0', async () => {
  const of = await newContribution(100);
  const all: Adjustment[] = [];
  for (let n = 0; n < 20; n++) all.push(await approved(of, 0n, { ...restated, amountDelta: '-0.9' }, '0.1'));
  const outcomes = await Promise.allSettled(all.map((each) => post(each, '0.1')));
  const settled = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value.settledAmountAfter as bigint] : [],
  );
  settled.sort((a, b) => Number(a - b));
  assert.deepEqual(
    settled,
    Array.from({ length: 11 }, (_, n) => (readAmount('0.1') as bigint) + 9n * BigInt(n) * 10n ** 11n),
  );
  const { closed } = await closeNow(database, of.partnerId, tools('0.1'));
  assert.deepEqual([closed.totals?.amount, closed.totals?.adjustmentCount], [readAmount('0.1'), 11n]);
});

test('what was posted since the approval counts: points are not taken back below what was restated', async () => {
  const of = await newContribution(250);
  const all = await approved(of, -250n, {}, '0.05');
  const restatement = await posted(of, 0n, { ...restated, amountDelta: '-2.5' }, '0.05');
  await refused(post(all, '0.05'), 'points_delta out_of_bounds');
  await refused(draft(of, -201n, {}, '0.05'), 'points_delta out_of_bounds');
  const undo = { ...restated, ...(await oppositeOf(pool, restatement)) };
  await posted(of, 0n, undo, '0.05');
  assert.equal((await post(all, '0.05')).settledAmountAfter, 0n);
});

test('an admin goes beyond the worth with a reason of its own, which the partner is not told', async () => {
  const of = await newContribution(250);
  const beyond = { ...restated, amountDelta: '5', beyondWorthReason: 'Agreed on 3 December, رقم 7.' };
  await assert.rejects(draft(of, 0n, beyond, '0.05'), { code: 'forbidden' });
  const wanted = { ...of, ...WHY, ...beyond, pointsDelta: 0n, reversalOf: null };
  const drafted = await draftAdjustment(database, await one('admin'), wanted, { pricesOf: priced('0.05') });
  const done = await post(await approve(BEA, drafted, '0.05'), '0.05');
  assert.deepEqual(
    [done.settledAmountBefore, done.settledAmountAfter, done.settledAmountMax, done.beyondWorthReason],
    [readAmount('12.5'), readAmount('17.5'), readAmount('12.5'), beyond.beyondWorthReason],
  );
  await refused(draft(of, 0n, { ...restated, amountDelta: '-0.01' }, '0.05'), 'amount_delta out_of_bounds');
  const [event] = await eventsOf(of.client, of.partnerId);
  assert.doesNotMatch(
    JSON.stringify(event, (_name, value) => (typeof value === 'bigint' ? String(value) : value)),
    /December/,
  );
  assert.deepEqual((await verifyAdjustments(database, of.partnerId, new Set())).problems, []);
});

test('what was posted before amounts were bounded stays valid, is settled and can be undone', async () => {
  const of = await newContribution(250);
  const { adjustmentId } = await approved(of, 0n, { ...restated, amountDelta: '-1' }, '0.05');
  await asSuperuser(pool, async (client) => {
    const older = `update adjustment set amount_delta = -60.0005, status = 'posted', posted_by = drafted_by, posted_at = now(),
      settled_points_before = 250, settled_points_after = 250 where adjustment_id = $1`;
    assert.equal((await client.query(older, [adjustmentId])).rowCount, 1);
  });
  await inTransaction(database, { lockTimeoutMs: 1_000 }, async (db) => {
    const after = adjustmentRecord((await findAdjustment(db, of.partnerId, adjustmentId)) as Adjustment);
    const about = { partnerId: of.partnerId, subjectId: adjustmentId };
    await audit(db, OWNER, { action: 'adjustment.post', ...about, before: null, after });
  });
  await refused(draft(of, 0n, { ...restated, amountDelta: '-1' }, '0.05'), 'amount_delta out_of_bounds');
  assert.equal((await closeNow(database, of.partnerId, tools('0.05'))).closed.totals?.amount, readAmount('-47.5005'));
  const undo = { ...restated, ...(await oppositeOf(pool, { partnerId: of.partnerId, adjustmentId })) };
  assert.equal((await posted(of, 0n, undo, '0.05')).settledAmountAfter, readAmount('12.5'));
  assert.equal((await closeNow(database, of.partnerId, tools('0.05'))).closed.totals?.amount, readAmount('12.5'));
});

test('a restatement changes the amount alone, and only where the points had a value', async () => {
  const of = await newContribution();
  await refused(draft(of, 0n, { ...restated, amountDelta: '-1' }), 'amount_delta not_possible');
  await refused(draft(of, -1n, restated, '1'), 'points_delta not_expected', 'amount_delta missing');
  await refused(draft(of, 0n, { ...restated, amountDelta: `1${'0'.repeat(60)}` }, '1'), 'amount_delta out_of_bounds');
  await refused(draft(of, 0n, { ...restated, amountDelta: '0.0000000000001' }, '1'), 'amount_delta wrong_form');
  const adjustment = await posted(of, 0n, { ...restated, amountDelta: '-12.5' }, '1');
  assert.deepEqual([adjustment.settledAmountBefore, adjustment.settledAmountAfter], [readAmount('250'), readAmount('237.5')]);
  assert.deepEqual([adjustment.settledPointsBefore, adjustment.settledPointsAfter], [250n, 250n]);
  const [event] = await eventsOf(of.client, of.partnerId);
  assert.deepEqual([event.data.amount_delta, event.data.points_delta], ['-12.5', 0n]);
});
