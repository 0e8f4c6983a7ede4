/** The timeline of a contribution with many adjustments. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approveAdjustment, draftAdjustment, postAdjustment } from '../../src/operations/adjustments/manage-adjustment.ts';
import { readTimeline } from '../../src/operations/overview/contribution-timeline.ts';
import { findContributionsById } from '../../src/store/contributions/contribution.ts';
import type { Queryable } from '../../src/store/database.ts';
import { enrolled } from '../support/actor.ts';
import { testService } from '../support/service.ts';
import { closeNow, getOpen, newSettledPartner, tools } from '../support/settlements.ts';

const service = await testService();
const { database } = service;
const [ada, bea] = await enrolled(database, 'operator', 'approver');

test('adjustments of a closed and of the open settlement name them, by as many reads of settlements however many there are', async () => {
  const { partnerId, client } = await newSettledPartner(service);
  const { transaction_id: transactionId } = (await client.confirm({ points: 100 })).body.contribution;
  const take = async () => {
    const why = { reasonCode: 'other', reasonEn: 'A test.', reasonAr: 'اختبار.' };
    const wanted = { partnerId, transactionId, ...why, pointsDelta: -1n, amountDelta: null, reversalOf: null };
    const approved = await approveAdjustment(database, bea, await draftAdjustment(database, ada, wanted, tools()), tools());
    await postAdjustment(database, ada, approved, tools());
  };
  for (let n = 0; n < 2; n++) await take();
  const { closed } = await closeNow(database, partnerId);
  for (let n = 0; n < 3; n++) await take();

  const asked: string[] = [];
  const query = (...args: Parameters<typeof database.pool.query>) => {
    asked.push((args[0] as unknown as { readonly text: string }).text);
    return database.pool.query(...args);
  };
  const [record] = await findContributionsById(database.pool, [{ partnerId, transactionId }]);
  assert.ok(record);
  const entries = await readTimeline({ query } as Queryable, record);
  const open = await getOpen(database, partnerId);
  const named = ({ settlementId, period }: typeof open) => ({ settlement_id: settlementId, period_label: period.label });
  assert.deepEqual(
    entries.filter(({ kind }) => kind === 'adjustment_posted').map(({ facts }) => facts),
    [closed, closed, open, open, open].map(named),
  );
  const ofSettlements = asked.filter((text) => /\bfrom settlement\b/.test(text));
  assert.equal(ofSettlements.length, 3, 'the open one, the one of the adjustments, and the one of the contribution');
});

test('a drafted restatement says its amount, and its reason in both languages', async () => {
  const { partnerId, client } = await newSettledPartner(service);
  const { transaction_id: transactionId } = (await client.confirm({ points: 100 })).body.contribution;
  const why = { reasonCode: 'conversion_restatement', reasonEn: 'Too dear.', reasonAr: 'السعر مرتفع.' };
  const wanted = { partnerId, transactionId, ...why, pointsDelta: 0n, amountDelta: '-1.5', reversalOf: null };
  await draftAdjustment(database, ada, wanted, tools('0.05', 'SAR'));
  const [record] = await findContributionsById(database.pool, [{ partnerId, transactionId }]);
  assert.ok(record);
  const drafted = (await readTimeline(database.pool, record)).find(({ kind }) => kind === 'adjustment_drafted');
  const { amount_delta: amount, reason, reason_ar: inArabic } = drafted?.facts ?? {};
  assert.deepEqual([amount, reason, inArabic], ['-1.5', why.reasonEn, why.reasonAr]);
});
