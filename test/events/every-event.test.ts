/** Every kind of event comes of a real cause, arrives, and is as published (interface, "Events"). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_TYPES } from '../../src/domain/events/event.ts';
import { ENVIRONMENTAL_STATUSES } from '../../src/domain/impact/environmental-status.ts';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import { approveAdjustment, draftAdjustment, postAdjustment } from '../../src/operations/adjustments/manage-adjustment.ts';
import {
  confirmPendingContribution,
  failPendingContribution,
} from '../../src/operations/contributions/resolve-pending-contribution.ts';
import { changeImpactBatch } from '../../src/operations/impact/change-impact-batch.ts';
import { enrol, OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { ADA, advanceTo, BEA, newBatch, newProject } from '../support/environment.ts';
import { assertPublished } from '../support/published.ts';
import { testService } from '../support/service.ts';
import { closeNow, priced } from '../support/settlements.ts';
import { endpointTools, newEndpoint, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const REVIEWED_FROM = 1_000n;
const service = await testService({ env: WEBHOOK_ENV, rulesOf: () => ({ ...DEFAULT_RULES, reviewThreshold: REVIEWED_FROM }) });
const { database } = service;
await enrol(database, ADA, BEA);

test('every kind of event, with every change that it names, arrives as published', HANG_LIMIT, async () => {
  const { client, partner, receiver } = await newEndpoint(service, endpointTools(database));
  const { partnerId } = partner;
  const expected: string[] = [];

  const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
  const { transaction_id: transactionId } = (await client.confirm({ partner_order_ref, points: 250 })).body.contribution;
  expected.push('impact.transaction.confirmed');
  assert.equal((await client.associate(transactionId, calculation_id)).status, 201);
  expected.push('impact.transaction.adjusted associated');

  const pend = async () => {
    const answer = await client.confirm({ points: Number(REVIEWED_FROM) });
    assert.equal(answer.status, 202, answer.text);
    return { partnerId, transactionId: answer.body.contribution.transaction_id as string };
  };
  await confirmPendingContribution(database, OWNER, await pend(), 'It is right.');
  expected.push('impact.transaction.confirmed');
  await failPendingContribution(database, OWNER, await pend(), 'It was made up.');
  expected.push('impact.transaction.adjusted failed');

  const { closed } = await closeNow(database, partnerId);
  expected.push('settlement.closed', 'settlement.created');

  const why = { reasonCode: 'duplicate_report', reasonEn: 'It was reported twice.', reasonAr: 'أُبلغ عنه مرتين.' };
  const wanted = { partnerId, transactionId, ...why, pointsDelta: -50n, amountDelta: null, reversalOf: null };
  const drafted = await draftAdjustment(database, ADA, wanted, { pricesOf: priced() });
  await postAdjustment(database, ADA, await approveAdjustment(database, BEA, drafted, { pricesOf: priced() }), {
    pricesOf: priced(),
  });
  expected.push('impact.transaction.adjusted adjustment');

  const { impactBatchId, status } = await newBatch(database, [{ partnerId, closed: [closed] }]);
  expected.push('environmental.status.updated advanced');
  await advanceTo(database, { impactBatchId, status }, 'allocated');
  const change = async (wanted: Parameters<typeof changeImpactBatch>[3]) => {
    await changeImpactBatch(database, ADA, impactBatchId, wanted);
    expected.push(`environmental.status.updated ${wanted.changeType}`);
  };
  expected.push('environmental.status.updated advanced');
  await change({ changeType: 'delayed', expectedDeliveryPeriod: '2027-Q1', reason: 'Drought.' });
  await change({ changeType: 'reallocated', projectId: (await newProject(database)).projectId, reason: 'Flood.' });
  await change({ changeType: 'corrected', quantity: 2n, reason: 'One was counted twice.' });
  await advanceTo(database, { impactBatchId, status: 'allocated' }, 'verified');
  const steps = ENVIRONMENTAL_STATUSES.slice(ENVIRONMENTAL_STATUSES.indexOf('allocated') + 1);
  expected.push('environmental.status.updated evidence_added', ...steps.map(() => 'environmental.status.updated advanced'));

  const arrived = await receiver.until(expected.length);
  for (const each of arrived) assertPublished(each);
  const seen = arrived.map(({ event: { event_type, data } }) =>
    [event_type, data.change ?? data.change_type].filter((word) => word !== undefined).join(' '),
  );
  assert.deepEqual(seen.sort(), expected.sort());
  assert.deepEqual(new Set(arrived.map(({ event }) => event.event_type)), new Set(EVENT_TYPES));
});
