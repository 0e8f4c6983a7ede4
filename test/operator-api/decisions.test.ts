/** What operators decide: reviews, adjustments and closings. The numbers are those of the rows, and every change is audited. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { resetSignIn } from '../../src/operations/access/manage-operator.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { openRecords, THRESHOLD, V1 } from '../support/operator-api/records-scene.ts';
import { PASSWORD, type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { databaseProxy } from '../support/postgres/database-proxy.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { testService } from '../support/service.ts';
import { getOpen } from '../support/settlements.ts';

const { service, database, viewer, operator, approver, admin, partner, capped, idOf, entriesAbout, count } = await openRecords();

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
    const answers = await Promise.all([1, 2, 3].map(() => operator.postOnce(`${V1}/reviews/decisions`, decided, key)));
    const statuses = answers.map(({ body }) => body.decisions.map(({ status }: { status: string }) => status));
    for (const each of statuses) assert.deepEqual(each, ['failed', 'failed', 'failed', 'not_decided']);
    assert.equal(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 2);
    for (const id of ids) assert.deepEqual(await entriesAbout(id), [{ action: 'review.fail', operator_id: operator.operatorId }]);
    const conflict = await operator.postOnce(`${V1}/reviews/decisions`, { ...decided, reason: 'another' }, key);
    assert.equal(conflict.status, 409);
    const again = await operator.postOnce(`${V1}/reviews/decisions`, { ...decided, decision: 'confirm' });
    assert.deepEqual(
      again.body.decisions.map(({ status }: { status: string }) => status),
      Array(4).fill('not_decided'),
    );
    const [first, , , unknown] = again.body.decisions;
    assert.deepEqual(
      [first.error_code, unknown.error_code, unknown.earlier],
      ['invalid_request', 'contribution_not_found', null],
    );
    assert.deepEqual([first.earlier.status, first.earlier.decided_by], ['failed', operator.operatorId]);
    assert.match(first.earlier.decided_at, /^\d{4}-/);
  });

  test('a row that was edited in the database is named, and holds up none of the others', async () => {
    const made = await Promise.all([1, 2, 3].map(() => partner.client.confirm({ points: THRESHOLD })));
    const ids = made.map(({ body }) => body.contribution.transaction_id as string);
    await asSuperuser(database.pool, async (client) => {
      await client.query('update contribution set points = points + 1 where transaction_id = $1', [ids[1]]);
    });
    const { status, body } = await operator.postOnce(`${V1}/reviews/decisions`, {
      decision: 'confirm',
      reason: 'known',
      contributions: ids.map((transaction_id) => ({ partner_id: idOf(), transaction_id })),
    });
    assert.equal(status, 200);
    const [first, edited, last] = body.decisions;
    assert.deepEqual([first.status, edited.status, last.status], ['confirmed', 'not_decided', 'confirmed']);
    assert.deepEqual([edited.error_code, edited.earlier], ['record_modified', null]);
    assert.match(edited.error, new RegExp(`${ids[1]}.*partner-impact verify`));
    await asSuperuser(database.pool, async (client) => {
      await client.query('update contribution set points = points - 1 where transaction_id = $1', [ids[1]]);
    });
  });

  test('while another change holds the end of the audit, each is left as it is, and says so', async () => {
    const { transaction_id } = (await partner.client.confirm({ points: THRESHOLD })).body.contribution;
    const decided = { decision: 'confirm', reason: 'known', contributions: [{ partner_id: idOf(), transaction_id }] };
    const holder = await database.pool.connect();
    await holder.query('begin; set local idle_in_transaction_session_timeout = 0; select from audit_head for update');
    const held = await operator.postOnce(`${V1}/reviews/decisions`, decided);
    await holder.query('rollback');
    holder.release();
    assert.equal(held.status, 200, held.text);
    const [{ status, error, error_code }] = held.body.decisions;
    assert.deepEqual([status, error_code], ['not_decided', 'internal_service_unavailable']);
    assert.match(error, /^Another change holds/);
    const again = await operator.postOnce(`${V1}/reviews/decisions`, decided);
    assert.equal(again.body.decisions[0].status, 'confirmed');
  });

  describe('a COMMIT of a decision without an answer', HANG_LIMIT, () => {
    const proxied = async () => {
      const proxy = await databaseProxy(service.databaseUrl);
      const behind = await testService({ env: { DATABASE_URL: proxy.databaseUrl }, roles: ['api'] });
      return { proxy, person: await signedInOperator(behind, 'operator') };
    };
    const statusOf = async (id: string) => {
      const { rows } = await database.pool.query('select status from contribution where transaction_id = $1', [id]);
      return rows[0].status as string;
    };

    /**
     * Loses the connection of the second of three decisions with its COMMIT.
     *
     * @param isSent Whether the COMMIT comes to the server.
     * @param isRead Whether the decision can be read afterwards.
     */
    async function decideThree({ isSent, isRead = true }: { readonly isSent: boolean; readonly isRead?: boolean }) {
      const { proxy, person } = await proxied();
      const made = await Promise.all([1, 2, 3].map(() => partner.client.confirm({ points: THRESHOLD })));
      const ids = made.map(({ body }) => body.contribution.transaction_id as string);
      const id = ids[1] as string;
      const contributions = ids.map((transaction_id) => ({ partner_id: idOf(), transaction_id }));
      const second = proxy.pauseBefore(id);
      const asked = person.postOnce(`${V1}/reviews/decisions`, { decision: 'confirm', reason: 'known', contributions });
      const decide = await second;
      const commit = proxy.hold('commit\0', isSent);
      decide();
      const loseConnection = await commit;
      if (isSent) await waitFor('recorded decision', async () => (await statusOf(id)) === 'confirmed');
      const reading = isRead ? undefined : proxy.hold(id, false);
      loseConnection();
      (await reading)?.();
      return { ...(await asked), now: await statusOf(id) };
    }

    test('it was recorded: the decision is told, and the others are decided', async () => {
      const { status, body, text } = await decideThree({ isSent: true });
      assert.equal(status, 200, text);
      assert.deepEqual(
        body.decisions.map(({ status, error }: { status: string; error: string | null }) => [status, error]),
        Array(3).fill(['confirmed', null]),
      );
    });

    test('it is not found, and may be recorded yet: the outcome of the request is unknown', async () => {
      const { status, now } = await decideThree({ isSent: false });
      assert.deepEqual([status, now], [503, 'pending']);
    });

    test('it was recorded, and cannot be read either: the outcome of the request is unknown', async () => {
      const { status, now } = await decideThree({ isSent: true, isRead: false });
      assert.deepEqual([status, now], [503, 'confirmed']);
    });

    test('the sign-in ended meanwhile: none of the rest is tried', async () => {
      const { proxy, person } = await proxied();
      const made = await Promise.all([1, 2].map(() => partner.client.confirm({ points: THRESHOLD })));
      const contributions = made.map(({ body }) => ({ partner_id: idOf(), transaction_id: body.contribution.transaction_id }));
      const [first, second] = contributions as [(typeof contributions)[number], (typeof contributions)[number]];
      const wanted = { decision: 'confirm', reason: 'known' };
      const paused = proxy.pauseBefore(first.transaction_id);
      const asked = person.postOnce(`${V1}/reviews/decisions`, { ...wanted, contributions });
      const decide = await paused;
      await resetSignIn(database, OWNER, person.operatorId);
      await operator.postOnce(`${V1}/reviews/decisions`, { ...wanted, contributions: [second] });
      decide();
      const { status, body } = await asked;
      const told = body.decisions.map((each: Record<string, unknown>) => [each['status'], each['error_code'], each['earlier']]);
      assert.deepEqual([status, told], [200, Array(2).fill(['not_decided', 'unauthorized', null])]);
      await operator.postOnce(`${V1}/reviews/decisions`, { ...wanted, contributions: [first] });
    });
  });

  test('a key belongs to its operator', async () => {
    const { transaction_id } = (await partner.client.confirm({ points: THRESHOLD })).body.contribution;
    const body = { decision: 'confirm', reason: 'known', contributions: [{ partner_id: idOf(), transaction_id }] };
    const key = uniqueId('key');
    assert.equal((await operator.postOnce(`${V1}/reviews/decisions`, body, key)).body.decisions[0].status, 'confirmed');
    assert.equal((await approver.postOnce(`${V1}/reviews/decisions`, body, key)).body.decisions[0].status, 'not_decided');
    assert.equal((await operator.post(`${V1}/reviews/decisions`, body)).status, 400);
  });

  test('list: over all partners, the longest waiting first, filtered by partner, reason and age', async () => {
    const { partner: own, client } = await service.newPartner();
    const made = [];
    for (let index = 0; index < 3; index++)
      made.push((await client.confirm({ points: THRESHOLD })).body.contribution.transaction_id);
    const list = async (query: string) => (await viewer.get(`${V1}/reviews?${query}`)).body;
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
    const detail = await viewer.get(`${V1}/partners/${own.partnerId}/reviews/${made[0]}`);
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
    const { body } = await viewer.get(`${V1}/partners/${own.partnerId}/reviews/${pending.transaction_id}`);
    const { day, points, contributions } = body.day;
    assert.match(day, /^\d{4}-\d\d-\d\d$/);
    assert.deepEqual(
      { points, contributions, reason: body.reason },
      { points: '350', contributions: '2', reason: 'daily_count_cap' },
    );
  });
});

test('the overview: its numbers are those of the rows', async () => {
  const { body } = await viewer.get(`${V1}/overview`);
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
    const { id, body } = await newDraft(approver);
    assert.deepEqual([body.effect.settled_points_before, body.effect.settled_points_after], ['500', '300']);
    const own = await approver.postOnce(path(id, '/approve'), undefined);
    assert.deepEqual([own.status, own.body.error.code], [403, 'forbidden']);
    const key = uniqueId('key');
    const answers = await Promise.all([1, 2].map(() => admin.postOnce(path(id, '/approve'), undefined, key)));
    for (const { status, body: said } of answers) assert.deepEqual([status, said.adjustment.status], [200, 'approved']);
    assert.equal((await admin.postOnce(path(id, '/post'), undefined)).body.adjustment.status, 'posted');
    assert.deepEqual(
      (await entriesAbout(id)).map(({ action }) => action),
      ['adjustment.draft', 'adjustment.approve', 'adjustment.post'],
    );
    const waiting = (await viewer.get(`${V1}/adjustments?status=draft`)).body.adjustments;
    assert.ok(!waiting.some(({ adjustment_id }: { adjustment_id: string }) => adjustment_id === id));
    const timeline = await viewer.get(`${V1}/partners/${idOf()}/contributions/${body.adjustment.transaction_id}/timeline`);
    const kinds = timeline.body.entries.map(({ kind }: { kind: string }) => kind);
    for (const kind of ['adjustment_drafted', 'adjustment_approved', 'adjustment_posted']) assert.ok(kinds.includes(kind), kind);
    const posted = timeline.body.entries.find(({ kind }: { kind: string }) => kind === 'adjustment_posted');
    const open = await getOpen(service.database, idOf());
    assert.deepEqual(posted.facts, { settlement_id: open.settlementId, period_label: open.period.label });
  });

  test('approving, posting and closing early need the password of the last ten minutes', async () => {
    const { id } = await newDraft(operator);
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
      const { status, body } = await operator.postOnce(`${V1}/adjustments`, { ...wanted, points_delta });
      assert.equal(status, 400, points_delta);
      assert.ok(body.error.details.length > 0);
    }
    assert.equal(
      (await operator.postOnce(`${V1}/adjustments`, { ...wanted, points_delta: '-1', more: 1 })).body.error.details[0].code,
      'unknown_field',
    );
    assert.equal(await drafts(), stored);
  });

  test('a settlement is closed once; its statement is the bytes of its hash', async () => {
    const { partner: own, client } = await service.newPartner();
    await client.confirm({ points: 300 });
    await client.confirm({ points: 400 });
    const numbered = () => count('select count(*) from event where partner_id = $1', [own.partnerId]);
    await waitFor('third event of the partner', async () => (await numbered()) >= 3);
    const list = `${V1}/partners/${own.partnerId}/settlements`;
    const [open] = (await viewer.get(list)).body.settlements;
    assert.deepEqual([open.status, open.net_points, open.statement], ['open', '700', null]);
    const close = () => approver.postOnce(`${list}/${open.settlement_id}/close`, undefined);
    const answers = await Promise.all([close(), close(), close()]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400]);
    const told = answers.flatMap(({ body }) => body.error?.details ?? []).map(({ field, code }) => `${field} ${code}`);
    assert.deepEqual(told, Array(2).fill('settlement_id not_possible'));
    assert.equal((await approver.postOnce(`${list}/stl_none/close`, undefined)).status, 404);
    const closed = (await viewer.get(`${list}/${open.settlement_id}`)).body;
    assert.deepEqual([closed.status, closed.gross_points, closed.statement.line_count], ['closed', '700', 2]);
    const { text } = await viewer.get(`${list}/${open.settlement_id}/statement.csv`);
    assert.equal(createHash('sha256').update(text).digest('hex'), closed.statement.csv_sha256);
    const { lines } = (await viewer.get(`${list}/${open.settlement_id}/lines`)).body;
    assert.deepEqual(lines.map(({ points }: { points: string }) => points).sort(), ['300', '400']);
    const ofAll = (await viewer.get(`${V1}/settlements?acknowledgement=pending&limit=200`)).body.settlements;
    assert.ok(ofAll.some(({ settlement_id }: { settlement_id: string }) => settlement_id === open.settlement_id));
    const { body } = await viewer.get(`${V1}/overview`);
    const unanswered = await count(
      "select count(*) from settlement s where status = 'closed' and not exists (select from settlement_acknowledgement a where a.partner_id = s.partner_id and a.settlement_id = s.settlement_id)",
    );
    assert.equal(body.unacknowledged_settlements.count, unanswered);
  });
});
