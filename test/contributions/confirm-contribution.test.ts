/**
 * What a confirmation records, and what a repeated or a conflicting one is answered: interface, "confirmContribution", "Association outcome",
 * idempotency rules 1 and 2. Its fields are in `confirmation-fields.test.ts`.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { issueApiKey } from '../../src/operations/access/manage-api-key.ts';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { endEstimateEarly } from '../../src/store/sandbox/early-estimate-end.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { assertStoresNothing } from '../support/assertions/assert-stores-nothing.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Answer, Client, countByStatus, detailCodes, newConfirmation, uniqueId } from '../support/client.ts';
import { connect } from '../support/postgres/connect.ts';
import { whileConnectionsAreHeld } from '../support/postgres/while-connections-are-held.ts';
import { insertEstimateAged } from '../support/records.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { client, partner } = await service.newPartner();
const other = await service.newPartner();

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const assertNothingStored = (send: () => Promise<unknown>) =>
  assertStoresNothing(service.database, [partner.partnerId, other.partner.partnerId], send);

const aged = ({ partner_order_ref }: { partner_order_ref: string }) => ({
  partnerId: partner.partnerId,
  partnerOrderRef: partner_order_ref,
});

describe('201 (HTTP status and body: interface, "confirmContribution")', () => {
  test('a first confirmation answers contribution, association and request, and where to find it', async () => {
    const fields = { ...newConfirmation(), opaque_customer_ref: 'c-1' };
    const answer = await client.post('/v1/impact-transactions', fields, {
      'idempotency-key': 'key-of-the-first',
      'x-correlation-id': 'corr-of-mine',
    });
    assert.equal(answer.status, 201);
    const { contribution, association, request } = answer.body;
    assert.match(contribution.transaction_id, /^txn_/);
    assert.match(contribution.created_at, TIME);
    assert.deepEqual(
      { ...contribution, transaction_id: '', created_at: '', confirmed_at: '', expected_environmental_support: {} },
      {
        transaction_id: '',
        ...fields,
        points: 250n,
        status: 'confirmed',
        contribution_rule_version: 'default-1',
        point_conversion_version: 'default-1',
        tree_cost_version: 'default-1',
        expected_environmental_support: {},
        non_refundable: true,
        environment: 'sandbox',
        created_at: '',
        confirmed_at: '',
        failed_at: null,
      },
    );
    assert.equal(contribution.confirmed_at, contribution.created_at);
    assert.deepEqual(association, { status: 'not_requested' });
    assert.deepEqual(request, { correlation_id: 'corr-of-mine', idempotency_key: 'key-of-the-first' });
    assert.equal(answer.headers.get('location'), `/v1/impact-transactions/${contribution.transaction_id}`);
    assert.equal(answer.headers.get('x-correlation-id'), 'corr-of-mine');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(answer.headers.get('idempotent-replayed'), null);
  });

  test('expected support is told in English and Arabic, without a number of trees while no conversion applies', async () => {
    const { body } = await client.confirm({ points: 250 });
    assert.deepEqual(body.contribution.expected_environmental_support, {
      summary_en: 'This contribution of 250 points is expected to support tree planting.',
      summary_ar: 'يُتوقَّع أن تدعم هذه المساهمة، وقدرها 250 نقطة، زراعة الأشجار.',
    });
  });

  test('opaque_customer_ref is null when it was not sent', async () => {
    const { body } = await client.confirm();
    assert.equal(body.contribution.opaque_customer_ref, null);
  });

  test('identifiers of the least and the greatest length are taken ("Limits")', async () => {
    const longest = {
      partner_event_id: uniqueId('e').padEnd(128, '.'),
      partner_order_ref: uniqueId('o').padEnd(128, ':'),
      opaque_customer_ref: '_'.repeat(128),
    };
    assert.equal((await client.confirm(longest, { 'idempotency-key': uniqueId('k').padEnd(128, '-') })).status, 201);
    const shortest = { partner_event_id: 'evt-0008', partner_order_ref: '1', opaque_customer_ref: 'x' };
    assert.equal((await client.confirm(shortest, { 'idempotency-key': 'key-0008' })).status, 201);
  });
});

describe('replay (idempotency rule 1: the same key with the same canonical payload returns the original result)', () => {
  test('the original contribution, 201, marked as replayed, under a new correlation id', async () => {
    const fields = newConfirmation();
    const first = await client.confirm(fields, { 'idempotency-key': 'replayed-1' });
    const again = await client.confirm(fields, { 'idempotency-key': 'replayed-1', 'x-correlation-id': 'corr-of-replay' });
    assert.equal(again.status, 201);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.headers.get('location'), first.headers.get('location'));
    assert.deepEqual(again.body.contribution, first.body.contribution);
    assert.deepEqual(again.body.association, first.body.association);
    assert.deepEqual(again.body.request, { correlation_id: 'corr-of-replay', idempotency_key: 'replayed-1' });
  });

  test('white space, order of members, null for absent and another key of the partner make no other payload', async () => {
    const { partner_event_id, partner_order_ref } = newConfirmation();
    const headers = { 'idempotency-key': 'replayed-2' };
    await client.confirm({ partner_event_id, partner_order_ref, points: 7 }, headers);
    const second = await issueApiKey(service.database, OWNER, {
      environment: 'sandbox',
      partnerId: partner.partnerId,
      name: 'second',
      permission: 'read_write',
      allowedAddresses: [],
      expiresAt: null,
    });
    const body = ` { "points" : 7, "calculation_id": null, "opaque_customer_ref": null,\n"partner_order_ref":"${partner_order_ref}","partner_event_id":"${partner_event_id}"}`;
    const again = await new Client(service.baseUrl, second.apiKey).post('/v1/impact-transactions', body, headers);
    assert.equal(again.status, 201);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
  });

  test('the association stays as the confirmation answered it, although a link was made since', async () => {
    const { estimate } = (await client.estimate({ partner_order_ref: 'order-linked-later' })).body;
    const fields = { ...newConfirmation(), partner_order_ref: 'order-linked-later' };
    const first = await client.confirm(fields, { 'idempotency-key': 'replayed-3' });
    const { transaction_id } = first.body.contribution;
    assert.equal((await client.associate(transaction_id, estimate.calculation_id)).status, 201);
    const again = await client.confirm(fields, { 'idempotency-key': 'replayed-3' });
    assert.deepEqual(again.body.association, { status: 'not_requested' });
    assert.equal((await client.get(transaction_id)).body.association.status, 'associated');
  });

  test('a replay of a confirmation with a bad calculation_id compares the raw value', async () => {
    const fields = newConfirmation();
    const headers = { 'idempotency-key': 'replayed-4' };
    const first = await client.confirm({ ...fields, calculation_id: 5 }, headers);
    assert.equal(first.status, 201);
    assert.equal((await client.confirm({ ...fields, calculation_id: 5 }, headers)).headers.get('idempotent-replayed'), 'true');
    assertError(await client.confirm({ ...fields, calculation_id: '5' }, headers), 'idempotency_conflict');
  });
});

describe('idempotency_conflict (idempotency rule 2: the same key with a conflicting payload)', () => {
  const base = newConfirmation();
  const changes = {
    partner_event_id: 'another-event',
    partner_order_ref: 'another-order',
    points: 251,
    calculation_id: 'calc_other-1',
    opaque_customer_ref: 'c-2',
  };
  for (const [field, value] of Object.entries(changes)) {
    test(`another ${field} conflicts, and nothing is stored`, async () => {
      const headers = { 'idempotency-key': 'conflicting' };
      await client.confirm(base, headers);
      await assertNothingStored(async () => {
        const answer = await client.confirm({ ...base, [field]: value }, headers);
        assertError(answer, 'idempotency_conflict');
        assert.match(
          answer.body.error.message,
          /Look up what was recorded\. If this is another request, send it under a new Idempotency-Key\.$/,
        );
        assert.equal(detailCodes(answer)['next_action'], 'fix_request');
      });
    });
  }

  test('the key belongs to its partner: another one uses it freely', async () => {
    const headers = { 'idempotency-key': 'shared-key' };
    assert.equal((await client.confirm({}, headers)).status, 201);
    assert.equal((await other.client.confirm({}, headers)).status, 201);
  });

  test('the key belongs to its operation: an estimate uses it freely', async () => {
    const headers = { 'idempotency-key': 'key-of-two-kinds' };
    assert.equal((await client.confirm({}, headers)).status, 201);
    assert.equal((await client.estimate({}, headers)).status, 201);
  });

  test('a refused request leaves its key free', async () => {
    const headers = { 'idempotency-key': 'free-again' };
    assert.equal((await client.confirm({ points: 0 }, headers)).status, 400);
    const first = await client.confirm({}, headers);
    assert.equal(first.status, 201);
    assert.equal(first.headers.get('idempotent-replayed'), null);
  });
});

describe('partner_event_conflict and partner_order_conflict (interface, "Errors"; one confirmed contribution per order)', () => {
  test('a known event under another key conflicts and names the contribution; details tell whether the payload was the same', async () => {
    const fields = newConfirmation();
    const { transaction_id } = (await client.confirm(fields)).body.contribution;
    const same = await client.confirm(fields);
    assertError(same, 'partner_event_conflict');
    assert.deepEqual(detailCodes(same), {
      partner_event_id: 'same_payload',
      point_restoration: 'not_authorized',
      next_action: 'use_existing',
      transaction_id,
    });
    const different = await client.confirm({ ...fields, points: 9, partner_order_ref: uniqueId('order') });
    assert.equal(detailCodes(different)['partner_event_id'], 'other_payload');
  });

  test('another event for a confirmed order conflicts and names the holder', async () => {
    const fields = newConfirmation();
    const { transaction_id } = (await client.confirm(fields)).body.contribution;
    await assertNothingStored(async () => {
      const answer = await client.confirm({ ...fields, partner_event_id: uniqueId('event') });
      assertError(answer, 'partner_order_conflict');
      assert.deepEqual(detailCodes(answer), {
        point_restoration: 'not_authorized',
        next_action: 'contact_operator',
        transaction_id,
      });
    });
  });

  test('events and orders belong to their partner', async () => {
    const fields = newConfirmation();
    assert.equal((await client.confirm(fields)).status, 201);
    assert.equal((await other.client.confirm(fields)).status, 201);
  });

  test('precedence: key before event before order (decisions, section 3)', async () => {
    const [first, second, third] = [newConfirmation(), newConfirmation(), newConfirmation()];
    await client.confirm(first, { 'idempotency-key': 'precedence' });
    await client.confirm(second);
    await client.confirm(third);
    const both = { partner_event_id: second.partner_event_id, partner_order_ref: third.partner_order_ref };
    assertError(await client.confirm(both, { 'idempotency-key': 'precedence' }), 'idempotency_conflict');
    assertError(await client.confirm(both), 'partner_event_conflict');
  });
});

describe('partner_suspended (interface, "Authentication", 5; decisions, section 1)', () => {
  test('new records are refused, look-ups and replays go on, and a known event is a conflict first', async () => {
    const fields = newConfirmation();
    const suspended = await service.newPartner();
    const key = { 'idempotency-key': 'before-suspension' };
    const { transaction_id } = (await suspended.client.confirm(fields, key)).body.contribution;
    const { calculation_id } = (await suspended.client.estimate({}, key)).body.estimate;
    await suspendPartner(service.database, OWNER, suspended.partner.partnerId);
    // A second instance has not seen the key yet, so that no cache has to run out.
    const late = new Client((await testService({ env: { DATABASE_URL: service.databaseUrl } })).baseUrl, suspended.key.apiKey);
    await assertStoresNothing(service.database, [suspended.partner.partnerId], async () => {
      const refused = await late.confirm();
      assertError(refused, 'partner_suspended');
      assert.equal(detailCodes(refused)['next_action'], 'wait');
      assertError(await late.estimate(), 'partner_suspended');
      assertError(await late.associate(transaction_id, calculation_id), 'partner_suspended');
    });
    assert.equal((await late.confirm(fields, key)).headers.get('idempotent-replayed'), 'true');
    assertError(await late.confirm(fields), 'partner_event_conflict');
    assert.equal((await late.get(transaction_id)).status, 200);
    assert.equal((await late.getEstimate(calculation_id)).status, 200);
  });
});

describe('association (interface, "Association outcome")', () => {
  test('associated: the link holds a snapshot of the estimate', async () => {
    const fields = newConfirmation();
    const { estimate } = (await client.estimate({ partner_order_ref: fields.partner_order_ref, distance_km: '12.50' })).body;
    const { body } = await client.confirm({ ...fields, calculation_id: estimate.calculation_id });
    const { link } = body.association;
    assert.match(link.association_id, /^assoc_/);
    assert.deepEqual(body.association, {
      status: 'associated',
      link: {
        association_id: link.association_id,
        transaction_id: body.contribution.transaction_id,
        calculation_id: estimate.calculation_id,
        partner_order_ref: fields.partner_order_ref,
        estimated_emissions_kgco2e: '2.593875',
        estimated_emissions_unit: 'kgco2e',
        distance_km: '12.50',
        distance_unit: 'km',
        vehicle_category: 'car_gasoline',
        methodology_version: estimate.methodology_version,
        emission_factor_version: estimate.emission_factor_version,
        calculated_at: estimate.calculated_at,
        associated_at: body.contribution.created_at,
        environment: 'sandbox',
        immutable: true,
      },
    });
  });

  const malformed: [string, unknown][] = [
    ['a number', 5],
    ['too short', 'calc'],
    ['too long', 'c'.repeat(129)],
    ['an object', {}],
    ['a boolean', false],
    ['empty', ''],
  ];
  for (const [title, calculation_id] of malformed) {
    test(`rejected: a calculation_id that is ${title} leaves the contribution confirmed, and is not echoed`, async () => {
      const answer = await client.confirm({ calculation_id });
      assert.equal(answer.status, 201);
      assert.equal(answer.body.contribution.status, 'confirmed');
      const { status, rejection, link } = answer.body.association;
      assert.deepEqual(
        [status, rejection.code, rejection.calculation_id, link],
        ['rejected', 'estimate_not_found', null, undefined],
      );
    });
  }

  test('rejected: an unknown estimate, and that of another partner, are not found', async () => {
    const theirs = (await other.client.estimate()).body.estimate;
    for (const calculation_id of ['calc_unknown-1', theirs.calculation_id]) {
      const { association } = (await client.confirm({ calculation_id, partner_order_ref: uniqueId('order') })).body;
      assert.deepEqual(
        [association.rejection.code, association.rejection.calculation_id],
        ['estimate_not_found', calculation_id],
      );
    }
  });

  test('rejected: an expired estimate', async () => {
    const fields = newConfirmation();
    const calculation_id = await insertEstimateAged(service.database, { ...aged(fields), age: '24 hours' });
    const { association, contribution } = (await client.confirm({ ...fields, calculation_id })).body;
    assert.equal(association.rejection.code, 'estimate_expired');
    assert.equal(contribution.status, 'confirmed');
  });

  test('an estimate is still good shortly before its expiry', async () => {
    const fields = newConfirmation();
    const calculation_id = await insertEstimateAged(service.database, { ...aged(fields), age: '23 hours 59 minutes' });
    assert.equal((await client.confirm({ ...fields, calculation_id })).body.association.status, 'associated');
  });

  test('an estimate that expires while its requests wait in the service is linked: their arrival counts', async () => {
    const [named, linked] = [(await client.estimate()).body.estimate, (await client.estimate()).body.estimate];
    const { transaction_id } = (await client.confirm({ partner_order_ref: linked.partner_order_ref })).body.contribution;
    const { pool } = service.database;
    const direct = await connect(service.databaseUrl);
    const { calculation_id, partner_order_ref } = named;
    const asked: Promise<Answer>[] = [];
    await whileConnectionsAreHeld(pool, async () => {
      asked.push(client.confirm({ calculation_id, partner_order_ref }));
      asked.push(client.associate(transaction_id, linked.calculation_id));
      await waitFor('two requests that wait', () => pool.waitingCount >= 2);
      for (const { calculation_id: calculationId } of [named, linked])
        await endEstimateEarly(direct, { partnerId: partner.partnerId, calculationId }, -0.5);
      await waitFor('end of the estimates', async () => {
        const text = 'select every(ends_at < now()) as "areEnded" from estimate where calculation_id = any($1)';
        return (await direct.query(text, [[named.calculation_id, linked.calculation_id]])).rows[0].areEnded;
      });
    });
    const associations = (await Promise.all(asked)).map(({ body }) => body.association?.status ?? body.error.code);
    assert.deepEqual(associations, ['associated', 'associated']);
  });

  test('rejected: the estimate of another order', async () => {
    const { calculation_id } = (await client.estimate()).body.estimate;
    assert.equal((await client.confirm({ calculation_id })).body.association.rejection.code, 'calculation_mismatch');
  });

  test('rejected: an estimate that has a link', async () => {
    const fields = newConfirmation();
    const { calculation_id } = (await client.estimate({ partner_order_ref: fields.partner_order_ref })).body.estimate;
    await client.confirm({ ...fields, calculation_id });
    const second = await client.confirm({ calculation_id });
    assert.equal(second.status, 201);
    assert.equal(second.body.association.rejection.code, 'association_conflict');
  });

  test('one estimate that many confirmations name at once is linked with that of its order; the others are rejected, in row and answer', async () => {
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        client.confirm({ calculation_id, ...(index % 2 === 0 ? { partner_order_ref } : {}) }),
      ),
    );
    assert.deepEqual(countByStatus(answers), { 201: 11, 409: 9 });
    const confirmed = answers.filter(({ status }) => status === 201);
    for (const { body } of confirmed) {
      const { status, rejection } = body.association;
      if (body.contribution.partner_order_ref === partner_order_ref) assert.equal(status, 'associated');
      // The link is checked before the order: whether there is one already is the race.
      else assert.match(rejection.code, /^(calculation_mismatch|association_conflict)$/);
      const found = await client.get(body.contribution.transaction_id);
      assert.deepEqual(found.body.association, body.association);
    }
  });
});

describe('races (decisions, section 3: one key, one record)', () => {
  test('one key: twenty at once give one original and nineteen replays of it', async () => {
    const fields = newConfirmation();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.confirm(fields, { 'idempotency-key': 'raced-key' })),
    );
    assert.deepEqual(countByStatus(answers), { 201: 20 });
    assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
    assert.equal(new Set(answers.map(({ body }) => body.contribution.transaction_id)).size, 1);
  });

  test('one event: twenty keys at once give one contribution', async () => {
    const { partner_event_id } = newConfirmation();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.confirm({ partner_event_id, partner_order_ref: uniqueId('order') })),
    );
    assert.deepEqual(countByStatus(answers), { 201: 1, 409: 19 });
  });

  test('one order: twenty events at once give one contribution', async () => {
    const { partner_order_ref } = newConfirmation();
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.confirm({ partner_order_ref })));
    assert.deepEqual(countByStatus(answers), { 201: 1, 409: 19 });
  });

  test('good requests are not harmed by conflicting ones of the same moment', async () => {
    const taken = newConfirmation();
    await client.confirm(taken);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 4 === 0 ? client.confirm({ partner_order_ref: taken.partner_order_ref }) : client.confirm(),
      ),
    );
    assert.deepEqual(countByStatus(answers), { 201: 30, 409: 10 });
  });
});
