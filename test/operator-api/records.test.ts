/** What operators read and change: the numbers are those of the rows, every change is audited, and texts of others are data. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'csv-parse/sync';
import { idAt } from '../../src/domain/identifiers.ts';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { ROUTES } from '../../src/operator-api/routes.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { PASSWORD, type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { untilAllSequenced } from '../support/records.ts';
import { OPEN_RATES, type TestPartner, testService } from '../support/service.ts';
import { getOpen } from '../support/settlements.ts';

const THRESHOLD = 1_000n;
/** Partners of which one contribution a day is confirmed at once. */
const capped = new Set<string>();
const service = await testService({
  rulesOf: (partnerId) => ({
    ...DEFAULT_RULES,
    reviewThreshold: THRESHOLD,
    dailyCountCap: capped.has(partnerId) ? 1n : DEFAULT_RULES.dailyCountCap,
  }),
});
const { database } = service;
const V1 = '/operator/v1';

let [viewer, operator, approver, admin]: SignedInOperator[] = [];
let partner: TestPartner;
before(async () => {
  partner = await service.newPartner();
  viewer = await signedInOperator(service, 'viewer');
  operator = await signedInOperator(service, 'operator');
  approver = await signedInOperator(service, 'approver');
  admin = await signedInOperator(service, 'admin');
});
const as = (person: SignedInOperator | undefined) => person as SignedInOperator;
const idOf = () => partner.partner.partnerId;
const entriesAbout = async (subjectId: string) => {
  const { rows } = await database.pool.query(
    'select action, operator_id from audit_entry where subject_id = $1 order by entry_no',
    [subjectId],
  );
  return rows;
};
const count = async (text: string, values: unknown[] = []) => Number((await database.pool.query(text, values)).rows[0].count);

describe('contributions', () => {
  test('points are exact over the whole int64 range, as text', async () => {
    const points = 9_007_199_254_740_993n;
    const { body } = await partner.client.confirm({ points });
    const { transaction_id } = body.contribution;
    const shown = await as(viewer).get(`${V1}/partners/${idOf()}/contributions/${transaction_id}`);
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
      const { body } = await as(viewer).get(`${V1}/contributions${query}`);
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
      const { body } = await as(viewer).get(`${V1}/contributions?partner_id=${own.partnerId}&${query}`);
      return body.contributions.map(({ transaction_id }: { transaction_id: string }) => transaction_id);
    };
    assert.deepEqual(await list('status=pending'), [pending.transaction_id]);
    assert.deepEqual(await list('correlation_id=corr-of-a-shop-1'), [first.transaction_id]);
    assert.deepEqual(await list(`created_before=${first.created_at}`), []);
    const { body } = await as(viewer).get(`${V1}/contributions?partner_id=${own.partnerId}&limit=1`);
    const other = await as(viewer).get(`${V1}/contributions?partner_id=${own.partnerId}&status=pending&after=${body.next_after}`);
    assert.deepEqual([other.status, other.body.error.details[0].code], [400, 'not_of_this_list']);
    assert.equal((await as(viewer).get(`${V1}/contributions`)).body.error.details[0].field, 'partner_id');
    assert.equal((await as(viewer).get(`${V1}/contributions?partner_id=${own.partnerId}&limit=201`)).status, 400);
  });

  test('by each name, with its status: of one partner, although another has the same order', async () => {
    const [mine, other] = [await service.newPartner(), await service.newPartner()];
    const [order, key] = [uniqueId('order'), uniqueId('key')];
    const { contribution } = (await mine.client.confirm({ partner_order_ref: order }, { 'idempotency-key': key })).body;
    await other.client.confirm({ partner_order_ref: order });
    const list = async (query: string) => {
      const { status, body } = await as(viewer).get(`${V1}/contributions?partner_id=${mine.partner.partnerId}&${query}`);
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
      await as(operator).postOnce(`${V1}/reviews/decisions`, decision);
    }
    const seen = async (sort: string) => {
      const ids: string[] = [];
      for (let [after, hasMore] = ['', true]; hasMore; ) {
        const query = `partner_id=${own.partnerId}&of=${order}&limit=2&sort=${sort}${after && `&after=${after}`}`;
        const { body } = await as(viewer).get(`${V1}/contributions?${query}`);
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
    const { body } = await as(viewer).get(`${V1}/latest-contributions`);
    const shown = body.contributions.map(({ transaction_id }: { transaction_id: string }) => transaction_id);
    assert.deepEqual(shown, made.toReversed().slice(0, 50));
  });

  test('of another partner, and of none, are not found', async () => {
    const { partner: other } = await service.newPartner();
    const { transaction_id } = (await partner.client.confirm()).body.contribution;
    assert.equal((await as(viewer).get(`${V1}/partners/${other.partnerId}/contributions/${transaction_id}`)).status, 404);
    assert.equal((await as(viewer).get(`${V1}/partners/${idOf()}/contributions/txn_none`)).status, 404);
  });

  test('the timeline has the request, the review, who decided, and the event', async () => {
    const { transaction_id } = (await partner.client.confirm({ points: THRESHOLD }, { 'x-correlation-id': 'corr-of-a-timeline' }))
      .body.contribution;
    const contributions = [{ partner_id: idOf(), transaction_id }];
    await as(operator).postOnce(`${V1}/reviews/decisions`, { decision: 'confirm', reason: 'known customer', contributions });
    const numbered = () =>
      count('select count(*) from event where partner_id = $1 and subject_id = $2', [idOf(), transaction_id]);
    while ((await numbered()) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const { body } = await as(viewer).get(`${V1}/partners/${idOf()}/contributions/${transaction_id}/timeline`);
    const kinds = body.entries.map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(kinds.toSorted(), ['audited', 'confirmed', 'event', 'recorded', 'review_opened', 'review_resolved']);
    const of = (kind: string) => body.entries.find((entry: { kind: string }) => entry.kind === kind);
    assert.equal(of('recorded').correlation_id, 'corr-of-a-timeline');
    assert.deepEqual(of('review_resolved').facts, { reason: 'known customer' });
    assert.equal(of('review_resolved').operator_id, as(operator).operatorId);
    assert.equal(of('event').facts.event_type, 'impact.transaction.confirmed');
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
    const later = await as(viewer).get(`${V1}/partners/${idOf()}/contributions/${transaction_id}/timeline`);
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
    const find = async (q: string) => (await as(viewer).get(`${V1}/search?q=${encodeURIComponent(q)}`)).body;
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
    const find = async (q: string) => (await as(viewer).get(`${V1}/search?q=${q}`)).body.contributions;
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
    ])
      assert.deepEqual(
        (await as(viewer).get(`${V1}/search?q=${encodeURIComponent(q)}`)).body ?? {},
        { contributions: [], partners: [], records: [] },
        q,
      );
  });

  test('says of each what it is, whose, its status and its time', async () => {
    const { partner: own, client } = await service.newPartner();
    const { contribution } = (await client.confirm()).body;
    const find = async (q: string) => (await as(viewer).get(`${V1}/search?q=${q}`)).body;
    const [found] = (await find(contribution.transaction_id)).contributions;
    assert.deepEqual([found.partner_name, found.created_at], [own.name, contribution.created_at]);
    const [shown, ...others] = (await find(own.partnerId)).partners;
    assert.deepEqual([shown.partner_id, shown.name, shown.status, others], [own.partnerId, own.name, 'active', []]);
    const [open] = (await as(viewer).get(`${V1}/partners/${own.partnerId}/settlements`)).body.settlements;
    const [settlement] = (await find(open.settlement_id)).records;
    const { kind, partner_id, partner_name, id, status, created_at } = settlement;
    assert.deepEqual(
      { kind, partner_id, partner_name, id, status },
      { ...{ kind: 'settlement', partner_id: own.partnerId, partner_name: own.name }, id: open.settlement_id, status: 'open' },
    );
    assert.ok(Math.abs(Date.parse(created_at) - Date.parse(open.created_at)) < 60_000, created_at);
    const [person] = (await find(as(viewer).operatorId)).records;
    assert.deepEqual([person.kind, person.partner_name, person.status], ['operator', null, 'active']);
  });

  test('an id of each kind that names nothing finds nothing', async () => {
    for (const prefix of ['stl', 'adj', 'wep', 'dlv', 'evt', 'calc', 'rec', 'fail', 'batch', 'project', 'opr']) {
      const { status, body } = await as(viewer).get(`${V1}/search?q=${prefix}_${'0'.repeat(26)}`);
      assert.deepEqual([status, body.records], [200, []], prefix);
    }
  });
});

describe('reviews', () => {
  test('many are decided with one reason; each says what became of it, once', async () => {
    const made = await Promise.all([1, 2, 3].map(() => partner.client.confirm({ points: THRESHOLD + 5n })));
    const ids = made.map(({ body }) => body.contribution.transaction_id as string);
    const decided = {
      decision: 'fail',
      reason: 'a test of the shop',
      contributions: [...ids, 'txn_none'].map((transaction_id) => ({ partner_id: idOf(), transaction_id })),
    };
    const key = uniqueId('key');
    const answers = await Promise.all([1, 2, 3].map(() => as(operator).postOnce(`${V1}/reviews/decisions`, decided, key)));
    const statuses = answers.map(({ body }) => body.decisions.map(({ status }: { status: string }) => status));
    for (const each of statuses) assert.deepEqual(each, ['failed', 'failed', 'failed', 'not_decided']);
    assert.equal(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 2);
    for (const id of ids)
      assert.deepEqual(await entriesAbout(id), [{ action: 'review.fail', operator_id: as(operator).operatorId }]);
    const conflict = await as(operator).postOnce(`${V1}/reviews/decisions`, { ...decided, reason: 'another' }, key);
    assert.equal(conflict.status, 409);
    const again = await as(operator).postOnce(`${V1}/reviews/decisions`, { ...decided, decision: 'confirm' });
    assert.deepEqual(
      again.body.decisions.map(({ status }: { status: string }) => status),
      Array(4).fill('not_decided'),
    );
  });

  test('a key belongs to its operator', async () => {
    const { transaction_id } = (await partner.client.confirm({ points: THRESHOLD })).body.contribution;
    const body = { decision: 'confirm', reason: 'known', contributions: [{ partner_id: idOf(), transaction_id }] };
    const key = uniqueId('key');
    assert.equal((await as(operator).postOnce(`${V1}/reviews/decisions`, body, key)).body.decisions[0].status, 'confirmed');
    assert.equal((await as(approver).postOnce(`${V1}/reviews/decisions`, body, key)).body.decisions[0].status, 'not_decided');
    assert.equal((await as(operator).post(`${V1}/reviews/decisions`, body)).status, 400);
  });

  test('list: over all partners, the longest waiting first, filtered by partner, reason and age', async () => {
    const { partner: own, client } = await service.newPartner();
    const made = [];
    for (let index = 0; index < 3; index++)
      made.push((await client.confirm({ points: THRESHOLD })).body.contribution.transaction_id);
    const list = async (query: string) => (await as(viewer).get(`${V1}/reviews?${query}`)).body;
    const first = await list(`partner_id=${own.partnerId}&limit=2`);
    const second = await list(`partner_id=${own.partnerId}&limit=2&after=${first.next_after}`);
    const ids = [...first.reviews, ...second.reviews].map(({ contribution }) => contribution.transaction_id);
    assert.deepEqual([ids, first.has_more, second.has_more], [made, true, false]);
    assert.deepEqual((await list(`partner_id=${own.partnerId}&reason=daily_count_cap`)).reviews, []);
    assert.equal((await list(`partner_id=${own.partnerId}&reason=review_threshold`)).reviews.length, 3);
    assert.deepEqual((await list(`partner_id=${own.partnerId}&opened_before=2020-01-01T00:00:00Z`)).reviews, []);
    const all = [];
    for (let [after, hasMore] = ['', true]; hasMore; ) {
      const page = await list(`limit=3${after && `&after=${after}`}`);
      all.push(...page.reviews);
      [after, hasMore] = [page.next_after, page.has_more];
    }
    const opened = all.map(({ opened_at }) => opened_at);
    assert.deepEqual(opened, opened.toSorted());
    assert.equal(all.length, await count('select count(*) from contribution_review where resolved_at is null'));
    const detail = await as(viewer).get(`${V1}/partners/${own.partnerId}/reviews/${made[0]}`);
    assert.deepEqual(
      detail.body.order_history.map(({ transaction_id }: { transaction_id: string }) => transaction_id),
      [made[0]],
    );
    assert.equal(detail.body.partner_name, own.name);
  });

  test('the detail shows what counts on the day of a contribution beyond its cap', async () => {
    const { partner: own, client } = await service.newPartner();
    capped.add(own.partnerId);
    const answers = [await client.confirm({ points: 250n }), await client.confirm({ points: 100n })];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 202],
    );
    const [, pending] = answers.map(({ body }) => body.contribution);
    const { body } = await as(viewer).get(`${V1}/partners/${own.partnerId}/reviews/${pending.transaction_id}`);
    const { day, points, contributions } = body.day;
    assert.match(day, /^\d{4}-\d\d-\d\d$/);
    assert.deepEqual(
      { points, contributions, reason: body.reason },
      { points: '350', contributions: '2', reason: 'daily_count_cap' },
    );
  });
});

test('the overview: its numbers are those of the rows', async () => {
  const { body } = await as(viewer).get(`${V1}/overview`);
  const { rows } = await database.pool.query(
    `select count(*)::int4 as count, coalesce(sum(c.points), 0)::text as points from contribution_review r
      join contribution c using (partner_id, transaction_id) where r.resolved_at is null`,
  );
  assert.deepEqual({ count: body.reviews.count, points: body.reviews.points }, rows[0]);
  assert.equal(body.reviews.is_more, false);
  assert.equal(body.adjustments_to_approve.count, await count("select count(*) from adjustment where status = 'draft'"));
  assert.equal(body.adjustments_to_post.count, await count("select count(*) from adjustment where status = 'approved'"));
  assert.equal(body.failures_to_approve.count, await count("select count(*) from failure_draft where status = 'drafted'"));
});

describe('money', () => {
  /** The password was given eleven minutes ago, and the audit says so. */
  const makeOld = async ({ operatorId }: SignedInOperator) => {
    await database.pool.query(
      "update operator_credential set created_at = created_at - interval '11 minutes' where operator_id = $1 and kind = 'session' and ended_at is null",
      [operatorId],
    );
    await attestRecord(database, OWNER, { kind: 'operator', id: operatorId, reason: 'aged by a test' });
  };
  const newDraft = async (author: SignedInOperator) => {
    const { transaction_id } = (await partner.client.confirm({ points: 500 })).body.contribution;
    const wanted = {
      partner_id: idOf(),
      transaction_id,
      reason_code: 'operator_error',
      reason_en: 'Too many',
      reason_ar: 'عدد زائد',
      points_delta: '-200',
    };
    const { status, body, text } = await author.postOnce(`${V1}/adjustments`, wanted);
    assert.equal(status, 200, text);
    return { id: body.adjustment.adjustment_id as string, body };
  };
  const path = (id: string, step = '') => `${V1}/partners/${idOf()}/adjustments/${id}${step}`;

  test('an adjustment takes two people, and shows points before and after', async () => {
    const { id, body } = await newDraft(as(approver));
    assert.deepEqual([body.effect.settled_points_before, body.effect.settled_points_after], ['500', '300']);
    const own = await as(approver).postOnce(path(id, '/approve'), undefined);
    assert.deepEqual([own.status, own.body.error.code], [403, 'forbidden']);
    const key = uniqueId('key');
    const answers = await Promise.all([1, 2].map(() => as(admin).postOnce(path(id, '/approve'), undefined, key)));
    for (const { status, body: said } of answers) assert.deepEqual([status, said.adjustment.status], [200, 'approved']);
    assert.equal((await as(admin).postOnce(path(id, '/post'), undefined)).body.adjustment.status, 'posted');
    assert.deepEqual(
      (await entriesAbout(id)).map(({ action }) => action),
      ['adjustment.draft', 'adjustment.approve', 'adjustment.post'],
    );
    const waiting = (await as(viewer).get(`${V1}/adjustments?status=draft`)).body.adjustments;
    assert.ok(!waiting.some(({ adjustment_id }: { adjustment_id: string }) => adjustment_id === id));
    const timeline = await as(viewer).get(`${V1}/partners/${idOf()}/contributions/${body.adjustment.transaction_id}/timeline`);
    const kinds = timeline.body.entries.map(({ kind }: { kind: string }) => kind);
    for (const kind of ['adjustment_drafted', 'adjustment_approved', 'adjustment_posted']) assert.ok(kinds.includes(kind), kind);
    const posted = timeline.body.entries.find(({ kind }: { kind: string }) => kind === 'adjustment_posted');
    const open = await getOpen(service.database, idOf());
    assert.deepEqual(posted.facts, { settlement_id: open.settlementId, period_label: open.period.label });
  });

  test('approving, posting and closing early need the password of the last ten minutes', async () => {
    const { id } = await newDraft(as(operator));
    const person = await signedInOperator(service, 'approver');
    await makeOld(person);
    const { rows } = await database.pool.query("select settlement_id from settlement where partner_id = $1 and status = 'open'", [
      idOf(),
    ]);
    const steps = [
      path(id, '/approve'),
      path(id, '/post'),
      `${V1}/partners/${idOf()}/settlements/${rows[0].settlement_id}/close`,
    ];
    for (const step of steps) {
      const { status, body } = await person.postOnce(step, undefined);
      assert.deepEqual([status, body.error.details[0].code], [403, 'sign_in_again'], step);
    }
    assert.equal((await person.post(`${V1}/session/again`, { password: PASSWORD })).status, 200);
    assert.equal((await person.postOnce(steps[0] as string, undefined)).status, 200);
  });

  test('what is wrong with a draft is told field by field, and nothing is stored', async () => {
    const drafts = () => count('select count(*) from adjustment');
    const stored = await drafts();
    const { transaction_id } = (await partner.client.confirm()).body.contribution;
    const wanted = {
      partner_id: idOf(),
      transaction_id,
      reason_code: 'operator_error',
      reason_en: 'Too many',
      reason_ar: 'عدد زائد',
    };
    for (const points_delta of ['-251', '1e3', '0', '9223372036854775808', '-1.5']) {
      const { status, body } = await as(operator).postOnce(`${V1}/adjustments`, { ...wanted, points_delta });
      assert.equal(status, 400, points_delta);
      assert.ok(body.error.details.length > 0);
    }
    assert.equal(
      (await as(operator).postOnce(`${V1}/adjustments`, { ...wanted, points_delta: '-1', more: 1 })).body.error.details[0].code,
      'unknown_field',
    );
    assert.equal(await drafts(), stored);
  });

  test('a settlement is closed once; its statement is the bytes of its hash', async () => {
    const { partner: own, client } = await service.newPartner();
    await client.confirm({ points: 300 });
    await client.confirm({ points: 400 });
    const numbered = () => count('select count(*) from event where partner_id = $1', [own.partnerId]);
    while ((await numbered()) < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    const list = `${V1}/partners/${own.partnerId}/settlements`;
    const [open] = (await as(viewer).get(list)).body.settlements;
    assert.deepEqual([open.status, open.net_points, open.statement], ['open', '700', null]);
    const close = () => as(approver).postOnce(`${list}/${open.settlement_id}/close`, undefined);
    const answers = await Promise.all([close(), close(), close()]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404]);
    const closed = (await as(viewer).get(`${list}/${open.settlement_id}`)).body;
    assert.deepEqual([closed.status, closed.gross_points, closed.statement.line_count], ['closed', '700', 2]);
    const { text } = await as(viewer).get(`${list}/${open.settlement_id}/statement.csv`);
    assert.equal(createHash('sha256').update(text).digest('hex'), closed.statement.csv_sha256);
    const { lines } = (await as(viewer).get(`${list}/${open.settlement_id}/lines`)).body;
    assert.deepEqual(lines.map(({ points }: { points: string }) => points).sort(), ['300', '400']);
    const ofAll = (await as(viewer).get(`${V1}/settlements?acknowledgement=pending&limit=200`)).body.settlements;
    assert.ok(ofAll.some(({ settlement_id }: { settlement_id: string }) => settlement_id === open.settlement_id));
    const { body } = await as(viewer).get(`${V1}/overview`);
    const unanswered = await count(
      "select count(*) from settlement s where status = 'closed' and not exists (select from settlement_acknowledgement a where a.partner_id = s.partner_id and a.settlement_id = s.settlement_id)",
    );
    assert.equal(body.unacknowledged_settlements.count, unanswered);
  });
});

describe('partners and keys', () => {
  test('a new partner with a key that is shown once; the same key of the request shows it again', async () => {
    const created = await as(operator).postOnce(`${V1}/partners`, {
      name: 'A bakery',
      currency: 'SAR',
      time_zone: 'Asia/Riyadh',
    });
    const { partner_id } = created.body;
    assert.deepEqual(await entriesAbout(partner_id), [{ action: 'partner.create', operator_id: as(operator).operatorId }]);
    const request = uniqueId('key');
    const issue = () =>
      as(operator).postOnce(`${V1}/partners/${partner_id}/keys`, { name: 'server', permission: 'manage' }, request);
    const [one, other] = [await issue(), await issue()];
    assert.match(one.body.api_key, /^pi_sandbox_/);
    assert.equal(other.body.api_key, one.body.api_key);
    const { rows } = await database.pool.query("select answer from keyed_answer where operation = 'issueApiKey'");
    assert.ok(!JSON.stringify(rows).includes(one.body.api_key));
    const { keys } = (await as(viewer).get(`${V1}/partners/${partner_id}/keys`)).body;
    assert.deepEqual(
      keys.map(({ key_id }: { key_id: string }) => key_id),
      [one.body.key.key_id],
    );
    assert.ok(!JSON.stringify(keys).includes(one.body.api_key));
    assert.ok((await as(operator).postOnce(`${V1}/keys/${one.body.key.key_id}/revoke`, undefined)).body.revoked_at);
  });

  test('texts of others are data: script, terminal controls, right-to-left overrides', async () => {
    const names = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', 'مخبز الحي', "Robert'); drop table partner;--"];
    for (const name of names) {
      const { body, headers } = await as(operator).postOnce(`${V1}/partners`, { name });
      assert.equal(body.name, name);
      assert.match(headers['content-type'] ?? '', /^application\/json/);
      assert.equal((await as(viewer).get(`${V1}/partners/${body.partner_id}`)).body.name, name);
      const listed = (await as(viewer).get(`${V1}/partners?name=${encodeURIComponent(name)}`)).body.partners;
      assert.deepEqual(
        listed.map(({ partner_id }: { partner_id: string }) => partner_id),
        [body.partner_id],
      );
    }
    for (const name of ['\u001b[31mred', 'a\u202eb', 'x'.repeat(201), 'two\nlines'])
      assert.equal((await as(operator).postOnce(`${V1}/partners`, { name })).status, 400, JSON.stringify(name));
  });

  test('suspend and resume', async () => {
    const { partner: own, client } = await service.newPartner();
    const step = (name: string) => as(operator).post(`${V1}/partners/${own.partnerId}/${name}`);
    assert.equal((await step('suspend')).body.status, 'suspended');
    assert.equal((await step('resume')).body.status, 'active');
    assert.equal((await client.confirm()).status, 201);
  });
});

describe('operators, audit and jobs', () => {
  test('an admin makes an operator, whose link signs in', async () => {
    const email = `${uniqueId('person').toLowerCase()}@example.org`;
    const { body } = await as(admin).postOnce(`${V1}/operators`, { name: 'Basma', email, role: 'operator' });
    assert.match(body.sign_in_path, /^\/sign-in#pi_code_\w+$/);
    const { operators } = (await as(viewer).get(`${V1}/operators`)).body;
    assert.ok(!JSON.stringify(operators).includes('pi_code_'));
    const { operator_id } = body.operator;
    const changed = await as(admin).send('PUT', `${V1}/operators/${operator_id}/role`, { body: { role: 'viewer' } });
    assert.equal(changed.body.role, 'viewer');
    assert.equal((await as(admin).postOnce(`${V1}/operators/${operator_id}/disable`, undefined)).body.status, 'disabled');
    assert.deepEqual(
      (await entriesAbout(operator_id)).map(({ action }) => action),
      ['operator.create', 'operator.change-role', 'operator.disable'],
    );
  });

  test('the audit is read page by page, the latest first', async () => {
    const seen: bigint[] = [];
    for (let [after, hasMore] = ['', true]; hasMore; ) {
      const { body } = await as(viewer).get(`${V1}/audit?limit=40${after && `&after=${after}`}`);
      seen.push(...body.entries.map(({ entry_no }: { entry_no: string }) => BigInt(entry_no)));
      [after, hasMore] = [body.next_after, body.has_more];
    }
    assert.deepEqual(
      seen,
      Array.from({ length: seen.length }, (_, index) => BigInt(seen.length - index)),
    );
    const { entries } = (await as(viewer).get(`${V1}/audit?subject_id=${idOf()}`)).body;
    assert.deepEqual(
      entries.map(({ action }: { action: string }) => action),
      ['partner.create'],
    );
  });

  test('runs of jobs', async () => {
    assert.equal((await as(viewer).get(`${V1}/job-runs`)).status, 200);
  });
});

describe('the months', () => {
  test('each day of each partner is what its rows say, however often and however many ask', async () => {
    const { partner: own, client } = await service.newPartner();
    await Promise.all([100, 250, 300].map((points) => client.confirm({ points })));
    const { transaction_id } = (await client.confirm({ points: THRESHOLD })).body.contribution;
    const contributions = [{ partner_id: own.partnerId, transaction_id }];
    await as(operator).postOnce(`${V1}/reviews/decisions`, { decision: 'fail', reason: 'a test of the shop', contributions });
    // What has no number yet is in no figure.
    await untilAllSequenced(database, own.partnerId);
    const month = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 7);
    const read = async () => (await as(viewer).get(`${V1}/months/${month}/partners?limit=200`)).body;
    await Promise.all(Array.from({ length: 8 }, read));
    await waitFor('months with everything that happened', async () => (await read()).is_complete);
    const figures = (await read()).partners.find(({ partner_id }: { partner_id: string }) => partner_id === own.partnerId);
    assert.deepEqual([figures.confirmed_count, figures.confirmed_points, figures.failed_count], ['3', '650', '1']);
    assert.equal(figures.days.length, 1);
    assert.ok(figures.open_settlement.settlement_id);
    const { rows } = await database.pool.query(
      `select count(*) filter (where status = 'confirmed')::text as confirmed, count(*) filter (where status = 'failed')::text as failed,
        coalesce(sum(points) filter (where status = 'confirmed'), 0)::text as points from contribution
        where coalesce(confirmed_at, failed_at) >= ($1 || '-01')::timestamp at time zone 'Asia/Riyadh'`,
      [month],
    );
    // It is read once for all who ask within some seconds.
    const all = async () => {
      const { body } = await as(viewer).get(`${V1}/months/${month}`);
      return { confirmed: body.confirmed_count, failed: body.failed_count, points: body.confirmed_points };
    };
    await waitFor('month of all that is what the rows say', async () => isDeepStrictEqual(await all(), rows[0]), all);
    assert.equal((await as(viewer).get(`${V1}/months/2026-13`)).status, 404);
  });
});

describe('lists as files', () => {
  test('are named after what they hold: the partner in any script, the period, what was chosen, and the day', async () => {
    const own = await createPartner(database, OWNER, 'متجر "الواحة"', OPEN_RATES);
    const [open] = (await as(viewer).get(`${V1}/partners/${own.partnerId}/settlements`)).body.settlements;
    const path = `${V1}/partners/${own.partnerId}/settlements/${open.settlement_id}/lines.csv?line_type=adjustment`;
    const sent = String((await as(viewer).get(path)).headers['content-disposition']);
    const day = new Date().toISOString().slice(0, 10);
    const [, ascii, name = ''] = /^attachment; filename="([^"]+)"; filename\*=UTF-8''(\S+)$/.exec(sent) ?? [];
    assert.equal(decodeURIComponent(name), `settlement-lines-متجر-الواحة-${open.period_label}-adjustment-${day}.csv`);
    assert.equal(ascii, `settlement-lines-_-_-${open.period_label}-adjustment-${day}.csv`);
  });

  test('each list is there as CSV, with all its records over all pages, for whoever may read it', async () => {
    const files = ROUTES.filter(({ answer, operation }) => answer === 'csv' && operation.startsWith('export'));
    assert.ok(files.length >= 10);
    const { partner: own, client } = await service.newPartner();
    const made = [];
    for (let index = 0; index < 5; index++) made.push((await client.confirm()).body.contribution.transaction_id);
    const { text, headers } = await as(viewer).get(`${V1}/contributions.csv?partner_id=${own.partnerId}`);
    const day = new Date().toISOString().slice(0, 10);
    const shop = own.name.replaceAll(' ', '-');
    assert.match(
      String(headers['content-disposition']),
      new RegExp(`^attachment; filename="contributions-${shop}-${day}\\.csv"`),
    );
    const [head = '', ...lines] = text.trimEnd().split('\n');
    const column = head.split(',').indexOf('transaction_id');
    assert.deepEqual(
      lines.map((line) => line.split(',')[column]),
      made.toReversed(),
    );
    const audited = (await as(viewer).get(`${V1}/audit.csv`)).text.trimEnd();
    assert.equal(parse(audited, { columns: true }).length, await count('select count(*) from audit_entry'));
  });

  test('what a spreadsheet would run is text; what is wrong is told as an error', async () => {
    const name = `=HYPERLINK("http://evil.example","${uniqueId('click')}")`;
    await as(operator).postOnce(`${V1}/partners`, { name });
    const { text } = await as(viewer).get(`${V1}/partners.csv?name=HYPERLINK`);
    const [row] = parse(text, { columns: true }) as { name: string }[];
    assert.equal(row?.name, `'${name}`);
    const wrong = await as(viewer).get(`${V1}/contributions.csv`);
    assert.deepEqual([wrong.status, wrong.body.error.details[0].field], [400, 'partner_id']);
    assert.equal((await as(viewer).get(`${V1}/partners.csv?limit=3`)).status, 400);
  });
});

describe('rules', () => {
  test('an admin creates a version, which is in force at its start, and withdraws one that has not started', async () => {
    const { partner: own } = await service.newPartner();
    const version = uniqueId('rule');
    const wanted = {
      kind: 'contribution_rule',
      version,
      partner_id: own.partnerId,
      points_max: '9007199254740993',
      daily_count_cap: '10',
    };
    const created = await as(admin).postOnce(`${V1}/rules`, wanted);
    assert.deepEqual([created.body.points_max, created.body.point_value], ['9007199254740993', null]);
    assert.deepEqual(await entriesAbout(`contribution_rule/${version}`).then((rows) => rows.length), 1);
    assert.equal((await as(admin).postOnce(`${V1}/rules`, wanted)).status, 400);
    const inForce = (await as(viewer).get(`${V1}/partners/${own.partnerId}/rules`)).body;
    assert.equal(inForce.contribution_rule_version, 'default-1');
    const { rules } = (await as(viewer).get(`${V1}/rules?partner_id=${own.partnerId}`)).body;
    assert.ok(rules.some((rule: { version: string }) => rule.version === version));
    const later = { ...wanted, version: `${version}-2`, starts_at: new Date(Date.now() + 3_600_000).toISOString() };
    await as(admin).postOnce(`${V1}/rules`, later);
    const withdrawn = await as(admin).postOnce(`${V1}/rules/contribution_rule/${version}-2/withdraw`, undefined);
    assert.ok(withdrawn.body.withdrawn_at, withdrawn.text);
    assert.equal((await as(admin).postOnce(`${V1}/rules`, { ...wanted, version: 'x', points_min: '0' })).status, 400);
  });
});

test('an estimate with the steps of its calculation', async () => {
  const { calculation_id } = (await partner.client.estimate({ distance_km: '1' })).body.estimate;
  const { body } = await as(viewer).get(`${V1}/partners/${idOf()}/estimates/${calculation_id}`);
  assert.deepEqual(
    [body.estimate.raw_emissions_gco2e, body.calculation.steps[0].result, body.transaction_id],
    ['207.51', '207.51', null],
  );
  assert.equal((await as(viewer).get(`${V1}/partners/${idOf()}/estimates/calc_none`)).status, 404);
});
