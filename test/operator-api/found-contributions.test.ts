/** What operators find: contributions of one partner and of all, by their names, and what happened to each. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { idAt } from '../../src/domain/identifiers.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { openRecords, THRESHOLD, V1 } from '../support/operator-api/records-scene.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { OPEN_RATES } from '../support/service.ts';

const { service, database, viewer, operator, partner, idOf, count } = await openRecords();

describe('contributions', () => {
  test('points are exact over the whole int64 range, as text', async () => {
    const points = 9_007_199_254_740_993n;
    const { body } = await partner.client.confirm({ points });
    const { transaction_id } = body.contribution;
    const shown = await viewer.get(`${V1}/partners/${idOf()}/contributions/${transaction_id}`);
    assert.equal(shown.body.points, '9007199254740993');
    assert.deepEqual([shown.body.amount, shown.body.currency], [null, null], 'its version has no value');
    assert.equal(shown.body.status, 'pending');
  });

  test('pages are stable while contributions are added', async () => {
    const { partner: own, client } = await service.newPartner();
    const made: string[] = [];
    const add = async () => made.push((await client.confirm()).body.contribution.transaction_id);
    for (let index = 0; index < 7; index++) await add();
    const wanted = made.toReversed();
    const seen: string[] = [];
    let query = `?partner_id=${own.partnerId}&limit=3`;
    for (let hasMore = true; hasMore; ) {
      const { body } = await viewer.get(`${V1}/contributions${query}`);
      seen.push(...body.contributions.map(({ transaction_id }: { transaction_id: string }) => transaction_id));
      hasMore = body.has_more;
      query = `?partner_id=${own.partnerId}&limit=3&after=${body.next_after}`;
      await add();
    }
    assert.deepEqual(seen, wanted);
  });

  test('filters by status, time and correlation id; a cursor of another filter is refused', async () => {
    const { partner: own, client } = await service.newPartner();
    const first = (await client.confirm({}, { 'x-correlation-id': 'corr-of-a-shop-1' })).body.contribution;
    const pending = (await client.confirm({ points: THRESHOLD })).body.contribution;
    const list = async (query: string) => {
      const { body } = await viewer.get(`${V1}/contributions?partner_id=${own.partnerId}&${query}`);
      return body.contributions.map(({ transaction_id }: { transaction_id: string }) => transaction_id);
    };
    assert.deepEqual(await list('status=pending'), [pending.transaction_id]);
    assert.deepEqual(await list('correlation_id=corr-of-a-shop-1'), [first.transaction_id]);
    assert.deepEqual(await list(`created_before=${first.created_at}`), []);
    const { body } = await viewer.get(`${V1}/contributions?partner_id=${own.partnerId}&limit=1`);
    const other = await viewer.get(`${V1}/contributions?partner_id=${own.partnerId}&status=pending&after=${body.next_after}`);
    assert.deepEqual([other.status, other.body.error.details[0].code], [400, 'not_of_this_list']);
    assert.equal((await viewer.get(`${V1}/contributions`)).body.error.details[0].field, 'partner_id');
    assert.equal((await viewer.get(`${V1}/contributions?partner_id=${own.partnerId}&limit=201`)).status, 400);
  });

  test('by each name, with its status: of one partner, although another has the same order', async () => {
    const [mine, other] = [await service.newPartner(), await service.newPartner()];
    const [order, key] = [uniqueId('order'), uniqueId('key')];
    const { contribution } = (await mine.client.confirm({ partner_order_ref: order }, { 'idempotency-key': key })).body;
    await other.client.confirm({ partner_order_ref: order });
    const list = async (query: string) => {
      const { status, body } = await viewer.get(`${V1}/contributions?partner_id=${mine.partner.partnerId}&${query}`);
      assert.equal(status, 200);
      return body.contributions.map(({ transaction_id }: { transaction_id: string }) => transaction_id);
    };
    for (const name of [order, key, contribution.partner_event_id, contribution.transaction_id])
      assert.deepEqual(await list(`of=${name}`), [contribution.transaction_id], name);
    assert.deepEqual(await list(`of=${order}&status=failed`), []);
    assert.deepEqual(await list('of=nothing-has-this-name'), []);
  });

  test('pages of one order: what failed before the one that counts, in both directions', async () => {
    const { partner: own, client } = await service.newPartner();
    const order = uniqueId('order');
    const made: string[] = [];
    for (let index = 0; index < 3; index++) {
      const { transaction_id } = (await client.confirm({ partner_order_ref: order, points: THRESHOLD })).body.contribution;
      made.push(transaction_id);
      const contributions = [{ partner_id: own.partnerId, transaction_id }];
      const decision = { decision: index === 2 ? 'confirm' : 'fail', reason: 'a test', contributions };
      await operator.postOnce(`${V1}/reviews/decisions`, decision);
    }
    const seen = async (sort: string) => {
      const ids: string[] = [];
      for (let [after, hasMore] = ['', true]; hasMore; ) {
        const query = `partner_id=${own.partnerId}&of=${order}&limit=2&sort=${sort}${after && `&after=${after}`}`;
        const { body } = await viewer.get(`${V1}/contributions?${query}`);
        ids.push(...body.contributions.map(({ transaction_id }: { transaction_id: string }) => transaction_id));
        [after, hasMore] = [body.next_after, body.has_more];
      }
      return ids;
    };
    assert.deepEqual(await seen('created_at'), made);
    assert.deepEqual(await seen('-created_at'), made.toReversed());
  });

  test('the latest of all partners, the latest first, 50 at most', async () => {
    const [one, other] = [await service.newPartner(), await service.newPartner()];
    const made: string[] = [];
    for (let index = 0; index < 51; index++) {
      const { client } = index % 3 === 0 ? one : other;
      made.push((await client.confirm()).body.contribution.transaction_id);
    }
    const { body } = await viewer.get(`${V1}/latest-contributions`);
    const shown = body.contributions.map(({ transaction_id }: { transaction_id: string }) => transaction_id);
    assert.deepEqual(shown, made.toReversed().slice(0, 50));
  });

  test('of another partner, and of none, are not found', async () => {
    const { partner: other } = await service.newPartner();
    const { transaction_id } = (await partner.client.confirm()).body.contribution;
    assert.equal((await viewer.get(`${V1}/partners/${other.partnerId}/contributions/${transaction_id}`)).status, 404);
    assert.equal((await viewer.get(`${V1}/partners/${idOf()}/contributions/txn_none`)).status, 404);
  });

  test('the timeline has the request, the review, who decided, and the event', async () => {
    const { transaction_id } = (await partner.client.confirm({ points: THRESHOLD }, { 'x-correlation-id': 'corr-of-a-timeline' }))
      .body.contribution;
    const contributions = [{ partner_id: idOf(), transaction_id }];
    await operator.postOnce(`${V1}/reviews/decisions`, { decision: 'confirm', reason: 'known customer', contributions });
    const numbered = () =>
      count('select count(*) from event where partner_id = $1 and subject_id = $2', [idOf(), transaction_id]);
    await waitFor('event of the contribution', async () => (await numbered()) > 0);
    const { body } = await viewer.get(`${V1}/partners/${idOf()}/contributions/${transaction_id}/timeline`);
    const kinds = body.entries.map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(kinds.toSorted(), ['audited', 'confirmed', 'event', 'recorded', 'review_opened', 'review_resolved']);
    const of = (kind: string) => body.entries.find((entry: { kind: string }) => entry.kind === kind);
    assert.equal(of('recorded').correlation_id, 'corr-of-a-timeline');
    assert.deepEqual(of('review_resolved').facts, { reason: 'known customer' });
    assert.equal(of('review_resolved').operator_id, operator.operatorId);
    assert.equal(of('event').facts.event_type, 'impact.transaction.confirmed');
    assert.equal(of('event').facts.deliveries, '0', 'no endpoint gets it');
    const times = body.entries.map(({ at }: { at: string }) => at);
    assert.deepEqual(times, times.toSorted());
    assert.ok(of('event').subject_id > idAt('evt', Date.parse(of('review_resolved').at)), of('event').subject_id);
    // The id of an earlier release has the time of the recording, however late an operator decided.
    await asSuperuser(database.pool, async (owing) => {
      await owing.query(
        `update contribution set confirmed_at = date_trunc('milliseconds', now()) + interval '2 days' where partner_id = $1 and transaction_id = $2`,
        [...[idOf(), transaction_id]],
      );
    });
    const later = await viewer.get(`${V1}/partners/${idOf()}/contributions/${transaction_id}/timeline`);
    assert.equal(later.body.entries.filter(({ kind }: { kind: string }) => kind === 'event').length, 1);
  });
});

type Found = { readonly transaction_id: string };
const idOfFound = ({ transaction_id }: Found) => transaction_id;

describe('the search', () => {
  test('finds a contribution by each of its names, and a partner by a part of its name', async () => {
    const { client } = await service.newPartner();
    const key = uniqueId('key');
    const { body, headers } = await client.confirm({}, { 'idempotency-key': key });
    const { transaction_id, partner_event_id, partner_order_ref } = body.contribution;
    const find = async (q: string) => (await viewer.get(`${V1}/search?q=${encodeURIComponent(q)}`)).body;
    const names: [string, string][] = [
      [transaction_id, 'transaction_id'],
      [partner_event_id, 'partner_event_id'],
      [partner_order_ref, 'partner_order_ref'],
      [key, 'idempotency_key'],
      [headers.get('x-correlation-id') as string, 'correlation_id'],
    ];
    for (const [q, by] of names) {
      const [found, ...others] = (await find(q)).contributions;
      assert.deepEqual([found?.transaction_id, found?.found_by, others], [transaction_id, [by], []], by);
    }
    assert.ok((await find('EST PARTN')).partners.length > 0);
    const name = uniqueId('Bazaar');
    const made = [];
    for (const end of ['one', 'two'])
      made.push((await createPartner(service.database, OWNER, `${name} ${end}`, OPEN_RATES)).partnerId);
    const partners: { readonly partner_id: string }[] = (await find(name)).partners;
    assert.deepEqual(
      partners.map(({ partner_id }) => partner_id),
      made.toReversed(),
    );
  });

  test('finds by how an event, an order or a key begins, the whole ones first, 20 at most', async () => {
    const { client } = await service.newPartner();
    const beginning = uniqueId('begin');
    const confirm = (end: string, key = uniqueId('key')) =>
      client.confirm({ partner_order_ref: `${beginning}${end}` }, { 'idempotency-key': key });
    const longer = (await confirm('.1')).body.contribution.transaction_id;
    const whole = (await confirm('')).body.contribution.transaction_id;
    const byKey = (await confirm('-of-a-key', `${beginning}key`)).body.contribution.transaction_id;
    const find = async (q: string) => (await viewer.get(`${V1}/search?q=${q}`)).body.contributions;
    const found = await find(beginning);
    assert.deepEqual(found.map(idOfFound), [whole, byKey, longer], 'the whole name, then the newest');
    assert.deepEqual(found.find((each: Found) => idOfFound(each) === byKey).found_by, ['partner_order_ref', 'idempotency_key']);
    assert.deepEqual((await find(`${beginning}.`)).map(idOfFound), [longer]);
    assert.deepEqual((await find(`${beginning}ke`)).map(idOfFound), [byKey]);
    await Promise.all(Array.from({ length: 25 }, (_, place) => confirm(`_${place}`)));
    const many = await find(beginning);
    assert.deepEqual([many.length, many[0].transaction_id], [20, whole]);
  });

  test('what it does not know, and what is no name of anything, finds nothing', async () => {
    for (const q of [
      'nothing-has-this-name',
      "'; drop table partner; --",
      'txn_00000000000000000000000000',
      '%%',
      '__',
      '\u202ex',
      // A partner may send what looks like an id of ours, of a time that no clock has.
      `corr_${'Z'.repeat(26)}`,
      `corr_7${'Z'.repeat(25)}`,
      `txn_${'Z'.repeat(26)}`,
    ])
      assert.deepEqual(
        (await viewer.get(`${V1}/search?q=${encodeURIComponent(q)}`)).body ?? {},
        { contributions: [], partners: [], records: [], left_out: null },
        q,
      );
  });

  test('says of each what it is, whose, its status and its time', async () => {
    const { partner: own, client } = await service.newPartner();
    const { contribution } = (await client.confirm()).body;
    const find = async (q: string) => (await viewer.get(`${V1}/search?q=${q}`)).body;
    const [found] = (await find(contribution.transaction_id)).contributions;
    assert.deepEqual([found.partner_name, found.created_at], [own.name, contribution.created_at]);
    const [shown, ...others] = (await find(own.partnerId)).partners;
    assert.deepEqual([shown.partner_id, shown.name, shown.status, others], [own.partnerId, own.name, 'active', []]);
    const [open] = (await viewer.get(`${V1}/partners/${own.partnerId}/settlements`)).body.settlements;
    const [settlement] = (await find(open.settlement_id)).records;
    const { kind, partner_id, partner_name, id, status, created_at } = settlement;
    assert.deepEqual(
      { kind, partner_id, partner_name, id, status },
      { kind: 'settlement', partner_id: own.partnerId, partner_name: own.name, id: open.settlement_id, status: 'open' },
    );
    assert.ok(Math.abs(Date.parse(created_at) - Date.parse(open.created_at)) < 60_000, created_at);
    const [person] = (await find(viewer.operatorId)).records;
    assert.deepEqual([person.kind, person.partner_name, person.status], ['operator', null, 'active']);
  });

  test('an id of each kind that names nothing finds nothing', async () => {
    for (const prefix of ['stl', 'adj', 'wep', 'dlv', 'evt', 'calc', 'rec', 'fail', 'batch', 'project', 'opr']) {
      const { status, body } = await viewer.get(`${V1}/search?q=${prefix}_${'0'.repeat(26)}`);
      assert.deepEqual([status, body.records], [200, []], prefix);
    }
  });
});
