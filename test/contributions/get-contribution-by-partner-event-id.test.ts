/** getContributionByPartnerEventId: interface, section of that name, and "Errors", recovery rules. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type pg from 'pg';
import {
  type LookedUpContribution,
  lookUpContributionsByEvent,
  lookUpContributionsById,
} from '../../src/store/contributions/looked-up-contribution.ts';
import type { Queryable } from '../../src/store/database.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { detailCodes, newConfirmation } from '../support/client.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database } = service;
const { client, partner } = await service.newPartner();
const other = await service.newPartner();

test('200: contribution, association and request, as confirmed', async () => {
  const { body } = await client.confirm({ opaque_customer_ref: 'c-9' });
  const found = await client.call(`/v1/impact-transactions?partner_event_id=${body.contribution.partner_event_id}`, {
    headers: { 'x-correlation-id': 'corr-of-lookup' },
  });
  assert.equal(found.status, 200);
  assert.deepEqual(found.body.contribution, body.contribution);
  assert.deepEqual(found.body.association, { status: 'not_requested' });
  assert.deepEqual(found.body.request, { correlation_id: 'corr-of-lookup' });
});

test('the association is the present one: a link made since is shown', async () => {
  const fields = newConfirmation();
  const { calculation_id } = (await client.estimate({ partner_order_ref: fields.partner_order_ref })).body.estimate;
  const { transaction_id } = (await client.confirm({ ...fields, calculation_id: 'calc_unknown-9' })).body.contribution;
  assert.equal((await client.findByEvent(fields.partner_event_id)).body.association.rejection.code, 'estimate_not_found');
  const linked = await client.associate(transaction_id, calculation_id);
  assert.deepEqual((await client.findByEvent(fields.partner_event_id)).body.association, linked.body.association);
});

test('a look-up, by the event or by the id, reads from the database no column that its answer does not use', async () => {
  const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
  const { contribution } = (await client.confirm({ partner_order_ref, calculation_id })).body;
  const { transaction_id: transactionId, partner_event_id: partnerEventId } = contribution;
  const { partnerId } = partner;
  /** The columns of the row that the statement gives, and those of them that are used. */
  const read = async (lookUp: (db: Queryable) => Promise<(LookedUpContribution | undefined)[]>) => {
    const [columns, used] = [new Set<string>(), new Set<string>()];
    const get = (row: object, name: string) => {
      used.add(name);
      return Reflect.get(row, name);
    };
    const query = async (config: pg.QueryConfig) => {
      const { rows, fields } = await database.pool.query(config);
      for (const { name } of fields) columns.add(name);
      return { rows: rows.map((row) => new Proxy(row, { get })) };
    };
    const [found] = await lookUp({ query } as unknown as Queryable);
    assert.deepEqual([found?.contribution.transactionId, found?.link?.calculationId], [transactionId, calculation_id]);
    assert.deepEqual([...columns.difference(used)], []);
    return columns;
  };
  for (const lookUp of [
    (db: Queryable) => lookUpContributionsByEvent(db, [{ partnerId, partnerEventId }]),
    (db: Queryable) => lookUpContributionsById(db, [{ partnerId, transactionId }]),
  ]) {
    const columns = await read(lookUp);
    for (const ofReplays of [
      'idempotency_key',
      'fingerprint',
      'first_status',
      'association_outcome',
      'correlation_id',
      'partner_id',
    ])
      assert.ok(!columns.has(ofReplays), ofReplays);
  }
});

test('contribution_not_found: 404, retryable, and no permission to restore points', async () => {
  const answer = await client.findByEvent('event-of-nobody');
  assertError(answer, 'contribution_not_found');
  assert.equal(answer.body.error.retryable, true);
  assert.deepEqual(detailCodes(answer), { point_restoration: 'not_authorized', next_action: 'retry_same_request' });
});

test("another partner's contribution is not found, by the identical answer", async () => {
  const { partner_event_id } = (await client.confirm()).body.contribution;
  const headers = { 'x-correlation-id': 'corr-same-answer' };
  const theirs = await other.client.call(`/v1/impact-transactions?partner_event_id=${partner_event_id}`, { headers });
  const none = await other.client.call('/v1/impact-transactions?partner_event_id=event-of-nobody', { headers });
  assert.equal(theirs.status, 404);
  assert.equal(theirs.text, none.text);
});

describe('invalid_request: the query takes one well-formed partner_event_id and nothing else', () => {
  const queries: [string, string][] = [
    ['no query', ''],
    ['an empty id', '?partner_event_id='],
    ['7 characters', '?partner_event_id=evt-007'],
    ['129 characters', `?partner_event_id=${'e'.repeat(129)}`],
    ['a letter outside the pattern', '?partner_event_id=event%20of%20nobody'],
    ['the id twice', '?partner_event_id=event-of-nobody&partner_event_id=event-of-nobody'],
    ['an unknown member', '?partner_event_id=event-of-nobody&limit=5'],
    ['another member for the id, beside a member of a list', '?event_id=event-of-nobody&limit=many'],
  ];
  for (const [title, query] of queries) {
    test(title, async () => {
      const answer = await client.call(`/v1/impact-transactions${query}`);
      assertError(answer, 'invalid_request');
      assert.equal(detailCodes(answer)['point_restoration'], 'not_authorized');
    });
  }
});

test('look-ups that come together each get their own answer', async () => {
  const made = await Promise.all(Array.from({ length: 40 }, (_, index) => client.confirm({ points: index + 1 })));
  const found = await Promise.all(made.map(({ body }) => client.findByEvent(body.contribution.partner_event_id)));
  assert.deepEqual(
    found.map(({ body }) => body.contribution),
    made.map(({ body }) => body.contribution),
  );
});

test('so do those of two partners, for the same names, some of them twice and some for nothing, by event and by id', async () => {
  const names = Array.from({ length: 20 }, () => newConfirmation().partner_event_id);
  const lookUps = await Promise.all(
    [client, other.client].flatMap((caller, ofPartner) =>
      names.map(async (partner_event_id, index) => {
        // Every third name is one partner's alone.
        const isMade = index % 3 !== 0 || index % 2 === ofPartner;
        const points = 100 * ofPartner + index + 1;
        const made = isMade ? (await caller.confirm({ partner_event_id, points })).body.contribution : undefined;
        return { caller, partner_event_id, made };
      }),
    ),
  );
  const asked = [...lookUps, ...lookUps.filter((_, index) => index % 4 === 0)];
  const [byEvent, byId] = await Promise.all([
    Promise.all(asked.map(({ caller, partner_event_id }) => caller.findByEvent(partner_event_id))),
    Promise.all(asked.map(({ caller, made }) => caller.get(made?.transaction_id ?? 'txn_of_nobody'))),
  ]);
  const expected = asked.map(({ made }) => made ?? 'contribution_not_found');
  for (const answers of [byEvent, byId])
    assert.deepEqual(
      answers.map(({ body }) => body.contribution ?? body.error.code),
      expected,
    );
});

test('HEAD answers as GET, without a body', async () => {
  const { partner_event_id } = (await client.confirm()).body.contribution;
  const answer = await client.call(`/v1/impact-transactions?partner_event_id=${partner_event_id}`, { method: 'HEAD' });
  assert.equal(answer.status, 200);
  assert.equal(answer.text, '');
  assert.ok(answer.headers.get('x-correlation-id'));
});
