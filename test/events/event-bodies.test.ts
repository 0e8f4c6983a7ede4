/** The body of an event, made from what its process has just recorded or from the database, and what it tells then. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEventBodies, writeEventBodies } from '../../src/operations/events/event-bodies.ts';
import { RecentContributions } from '../../src/operations/events/recent-contributions.ts';
import { type ContributionRecord, findContributionsById } from '../../src/store/contributions/contribution.ts';
import { listEvents } from '../../src/store/events/event.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { untilSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { endpointTools, newEndpoint, untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const tools = endpointTools(database);

test(
  'the body from memory is, byte for byte, the one from the database, with the association of the answer',
  HANG_LIMIT,
  async () => {
    const { client, partner } = await newEndpoint(service, tools, ['impact.transaction.confirmed']);
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    const answers = [await client.confirm({ points: 9_223_372_036_854_775_807n })];
    // At once, as members of one batch: one of them gets the estimate.
    answers.push(
      ...(await Promise.all([{ partner_order_ref }, {}].map((order) => client.confirm({ ...order, calculation_id })))),
    );
    for (const rejected of ['calc_unknown-1', 5]) answers.push(await client.confirm({ calculation_id: rejected }));
    await untilSequenced(database, partner.partnerId, 6);
    await untilDeliveries(database, partner.partnerId, (found) => found.every(({ status }) => status === 'delivered'));
    const stored = await listEvents(database.pool, partner.partnerId, { afterSequence: 1n, limit: 10 });
    const formOf = new Map(stored.map((event) => [event.subjectId, event.bodyValues === null ? 'packed' : 'values']));
    for (const { bodyValues, packedBody, body } of stored)
      assert.deepEqual([bodyValues === null, body], [packedBody !== null, null]);
    const events = await writeEventBodies(database.pool, 'sandbox', stored);
    const fresh = { environment: 'sandbox', recent: new RecentContributions(), onError: assert.ifError } as const;
    const bodies = await makeEventBodies(database.pool, fresh, events);
    assert.equal(events.length, 5);
    for (const { eventId, body } of events) assert.deepEqual(bodies.get(eventId)?.body, body);
    const told = new Map(events.map(({ subjectId, body }) => [subjectId, JSON.parse(String(body)).data.association]));
    for (const { body } of answers) {
      const { transaction_id } = body.contribution;
      assert.deepEqual(told.get(transaction_id), body.association);
      assert.deepEqual((await client.get(transaction_id)).body.association, body.association);
    }
    // The body of an association has no template.
    assert.deepEqual(
      answers.map(({ body: { contribution, association } }) => [association.status, formOf.get(contribution.transaction_id)]),
      [
        ['not_requested', 'values'],
        ['associated', 'packed'],
        ['rejected', 'packed'],
        ['rejected', 'packed'],
        ['rejected', 'packed'],
      ],
    );
  },
);

test('a confirmation and the link after it, written together: each body tells what happened then', {
  ...HANG_LIMIT,
}, async () => {
  const { client, partner } = await newEndpoint(service, tools, ['impact.transaction.confirmed']);
  const { estimate } = (await client.estimate({ partner_order_ref: 'order-linked-at-once' })).body;
  const { body: confirmed } = await client.confirm({ partner_order_ref: 'order-linked-at-once' });
  const { transaction_id: transactionId } = confirmed.contribution;
  const [asConfirmed] = await findContributionsById(database.pool, [{ partnerId: partner.partnerId, transactionId }]);
  assert.equal((await client.associate(transactionId, estimate.calculation_id)).status, 201);
  const other = await client.confirm({ partner_order_ref: 'order-of-another-process' });
  await untilSequenced(database, partner.partnerId, 4);
  const events = await listEvents(database.pool, partner.partnerId, { afterSequence: 1n, limit: 10 });
  const statuses = ['not_requested', 'associated', 'not_requested'];
  // With nothing else to read, with something, and the link without its confirmation.
  for (const [from, to] of [
    [0, 2],
    [0, 3],
    [1, 2],
  ] as const) {
    const recent = new RecentContributions();
    recent.add(asConfirmed as ContributionRecord);
    const together = events.slice(from, to);
    const bodies = await makeEventBodies(database.pool, { environment: 'sandbox', recent, onError: assert.ifError }, together);
    const told = together.map(({ eventId }) => JSON.parse(String(bodies.get(eventId)?.body)).data);
    assert.deepEqual(
      told.map(({ contribution, association }) => [contribution.transaction_id, association.status]),
      [transactionId, transactionId, other.body.contribution.transaction_id]
        .map((id, place) => [id, statuses[place]])
        .slice(from, to),
    );
    const [link] = told.filter(({ association }) => association.status === 'associated');
    assert.equal(link.association.link.calculation_id, estimate.calculation_id);
  }
});
