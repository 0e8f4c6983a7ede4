/** Reviews by operators, and their end by the schedule: decisions, section 4; settlements, section 5. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Role } from '../../src/domain/access/role.ts';
import { newId } from '../../src/domain/identifiers.ts';
import { disableOperator } from '../../src/operations/access/manage-operator.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { expireOverdueContributions } from '../../src/operations/contributions/expire-overdue-contributions.ts';
import { getReview, listOpenReviews, type ReviewFilter } from '../../src/operations/contributions/list-reviews.ts';
import {
  confirmPendingContribution,
  failPendingContribution,
} from '../../src/operations/contributions/resolve-pending-contribution.ts';
import { readReviewContext } from '../../src/operations/overview/review-context.ts';
import type { JobContext } from '../../src/schedule/job.ts';
import { expirePending } from '../../src/schedule/jobs/expire-pending.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import { insertContributionReviews } from '../../src/store/contributions/contribution-review.ts';
import { insertSimulatedEnds } from '../../src/store/sandbox/simulated-end.ts';
import { enrolled, OWNER, signedIn } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { detailCodes, newConfirmation, type TestEvent, uniqueId } from '../support/client.ts';
import { countingDatabase } from '../support/postgres/counting-database.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { insertPendingAged, untilSequenced } from '../support/records.ts';
import { insertContributionRule } from '../support/rules.ts';
import { OPEN_RATES, testService } from '../support/service.ts';

const prepared: Partner[] = [];
const service = await testService({
  async prepare(database) {
    const partner = await createPartner(database, OWNER, 'Reviewed', OPEN_RATES);
    await insertContributionRule(database, { partnerId: partner.partnerId, review_threshold: 100 });
    const limited = await createPartner(database, OWNER, 'Limited a day', OPEN_RATES);
    const limits = { daily_points_cap: 1_000, daily_count_cap: 5, review_threshold: 8_000 };
    await insertContributionRule(database, { partnerId: limited.partnerId, ...limits });
    prepared.push(partner, limited);
  },
});
const { database } = service;
const [reviewed, limited] = prepared as [Partner, Partner];
const { client } = await service.newPartner({ of: reviewed });
const { partnerId } = reviewed;

async function newPending() {
  const headers = { 'idempotency-key': uniqueId('key') };
  const fields = newConfirmation();
  const answer = await client.confirm(fields, headers);
  assert.equal(answer.status, 202);
  const { transaction_id: transactionId } = answer.body.contribution;
  return { transactionId, id: { partnerId, transactionId }, again: () => client.confirm(fields, headers) };
}

async function auditOf(subjectId: string) {
  const { rows } = await database.pool.query(
    'select action, operator_id, role, before_json, after_json, correlation_id from audit_entry where subject_id = $1 order by entry_no',
    [subjectId],
  );
  return rows;
}

/** As the command lists them. */
async function listOpen(filter: ReviewFilter, limit = 1_000) {
  const order = { by: 'opened_at', isDescending: false } as const;
  return (await listOpenReviews(database, filter, { order, after: undefined, limit })).page;
}

const eventsAbout = async (about: Partner, transactionId: string): Promise<TestEvent[]> => {
  const { client: reader } = await service.newPartner({ of: about });
  const { body } = await reader.listEvents('?limit=500');
  return body.events.filter(({ data }: TestEvent) => data.contribution?.transaction_id === transactionId);
};

describe('an operator decides', () => {
  test('the list says what is pending, for how long, and why', async () => {
    const { transactionId } = await newPending();
    const { partner } = await service.newPartner();
    const older = await insertPendingAged(database, { partnerId: partner.partnerId, partnerOrderRef: 'older', age: '5 hours' });
    const ids = (await listOpen({})).map(({ record }) => record.contribution.transactionId);
    assert.ok(ids.indexOf(older) >= 0 && ids.indexOf(older) < ids.indexOf(transactionId), 'the longest waiting first');
    const mine = await listOpen({ partnerId });
    assert.ok(mine.every(({ record }) => record.partnerId === partnerId));
    const found = mine.find(({ record }) => record.contribution.transactionId === transactionId);
    assert.deepEqual([found?.review?.reason, found?.review?.resolvedAt], ['review_threshold', null]);
    assert.equal((await listOpen({}, 1)).length, 1);
  });

  test('the context of a review has the limits under which its contribution was recorded, not those of a later version', async () => {
    const { client: shop } = await service.newPartner({ of: limited });
    const { status, body } = await shop.confirm({ ...newConfirmation(), points: 1_200 });
    assert.equal(status, 202);
    const id = { partnerId: limited.partnerId, transactionId: body.contribution.transaction_id };
    const limits = async () => {
      const { rules } = await readReviewContext(database.pool, await getReview(database.pool, id));
      return [rules.dailyPointsCap, rules.dailyCountCap, rules.reviewThreshold];
    };
    assert.deepEqual(await limits(), [1_000n, 5n, 8_000n]);
    const later = { daily_points_cap: 50_000, review_threshold: 9_000 };
    await insertContributionRule(database, { partnerId: limited.partnerId, starts: '-1 second', ...later });
    assert.deepEqual(await limits(), [1_000n, 5n, 8_000n]);
  });

  test('the list of several partners takes two statements, on a cluster too', async () => {
    for (let made = 0; made < 3; made++) {
      const { partner } = await service.newPartner();
      await insertPendingAged(database, { partnerId: partner.partnerId, partnerOrderRef: 'listed', age: '1 hour' });
    }
    for (const isDistributed of new Set([true, database.isDistributed])) {
      const { counted, sent } = countingDatabase({ ...database, isDistributed });
      const page = { order: { by: 'opened_at', isDescending: false }, after: undefined, limit: 200 } as const;
      const listed = (await listOpenReviews(counted, {}, page)).page;
      assert.ok(new Set(listed.map(({ record }) => record.partnerId)).size >= 3);
      assert.equal(
        sent.values().reduce((sum, times) => sum + times, 0),
        2,
      );
    }
  });

  test('the reviews of a batch are opened by one statement, and so are the ends that a sandbox gives them', async () => {
    const { counted, sent } = countingDatabase(database);
    const client = await counted.pool.connect();
    await client.query('begin');
    const pending = Array.from({ length: 20 }, () => ({ partnerId, transactionId: newId('txn') }));
    sent.clear();
    await insertContributionReviews(
      client,
      pending.map((id) => ({ ...id, reason: 'review_threshold', countedOn: null })),
    );
    await insertSimulatedEnds(
      client,
      pending.map((id) => ({ ...id, outcome: 'failed', afterSeconds: 60 })),
    );
    assert.deepEqual([...sent.values()], [1, 1]);
    const { rows } = await client.query(
      `select count(*)::int4 from contribution_review r join sandbox_due d using (partner_id, transaction_id)
      where r.partner_id = $1 and d.partner_id = $1 and due_at = opened_at + interval '60 s'`,
      [partnerId],
    );
    assert.deepEqual(rows, [{ count: 20 }]);
    await client.query('rollback');
    client.release();
  });

  test('confirmed: with a reason, once, and it leaves the list', async () => {
    const { id, again, transactionId } = await newPending();
    const operator = signedIn('operator');
    await confirmPendingContribution(database, operator, id, 'the customer was called');
    assert.equal((await again()).status, 201);
    const { review } = await getReview(database.pool, id);
    assert.deepEqual([review?.resolvedBy, review?.note], [operator.operatorId, 'the customer was called']);
    const open = await listOpen({ partnerId });
    assert.ok(open.every(({ record }) => record.contribution.transactionId !== transactionId));
    assert.deepEqual(await auditOf(transactionId), [
      {
        action: 'review.confirm',
        operator_id: operator.operatorId,
        role: 'operator',
        before_json: '{"status":"pending","points":250,"association":"not_requested"}',
        after_json: '{"status":"confirmed","points":250,"association":"not_requested","note":"the customer was called"}',
        correlation_id: operator.correlationId,
      },
    ]);
    await assert.rejects(failPendingContribution(database, operator, id, 'too late'), /is confirmed, which is final/);
    assert.equal((await auditOf(transactionId)).length, 1);
  });

  test('contribution_final_failure: failed with a reason, and each replay authorises the restoration', async () => {
    const { id, again, transactionId } = await newPending();
    await failPendingContribution(database, signedIn('operator'), id, 'not a customer');
    const answer = await again();
    assertError(answer, 'contribution_final_failure');
    assert.equal(detailCodes(answer)['point_restoration'], 'authorized');
    assert.deepEqual(
      (await auditOf(transactionId)).map(({ action }) => action),
      ['review.fail'],
    );
  });

  test('a viewer decides nothing, and no operator without a reason', async () => {
    const { id, again } = await newPending();
    for (const decide of [confirmPendingContribution, failPendingContribution]) {
      await assert.rejects(decide(database, signedIn('viewer'), id, 'because'), { code: 'forbidden' });
      for (const reason of ['', '  ', 'x'.repeat(501)])
        await assert.rejects(decide(database, signedIn('operator'), id, reason), { code: 'invalid_request' });
    }
    assert.equal((await again()).status, 202);
    for (const role of ['operator', 'approver', 'admin'] satisfies Role[])
      await confirmPendingContribution(database, signedIn(role), (await newPending()).id, 'fine');
  });
});

describe('after 72 hours it fails by itself', () => {
  const expire = (hours = 72) => expirePending({ hours }).run(context(AbortSignal.timeout(60_000)));

  /** A partner with so many that have waited so long. */
  async function waiting(count: number, age: string) {
    const { partner } = await service.newPartner();
    const ids: string[] = [];
    for (let made = 0; made < count; made++)
      ids.push(await insertPendingAged(database, { partnerId: partner.partnerId, partnerOrderRef: uniqueId('order'), age }));
    return { partner, ids };
  }

  const statusesOf = async ({ partnerId: id }: Partner) => {
    const { rows } = await database.pool.query(
      'select status, count(*)::int4 from contribution where partner_id = $1 group by 1',
      [id],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  };

  test('what waited for 72 hours fails, what waited for less stays; its event lets points be restored', async () => {
    const { partner, ids } = await waiting(1, '72 hours');
    await insertPendingAged(database, { partnerId: partner.partnerId, partnerOrderRef: 'young', age: '71 hours 59 minutes' });
    await expire();
    assert.deepEqual(await statusesOf(partner), { failed: 1, pending: 1 });
    await untilSequenced(database, partner.partnerId, 2);
    const [event, ...more] = await eventsAbout(partner, ids[0] as string);
    assert.deepEqual([event?.event_type, event?.data.change, more.length], ['impact.transaction.adjusted', 'failed', 0]);
    assert.deepEqual(
      (await auditOf(ids[0] as string)).map(({ action, operator_id }) => [action, operator_id]),
      [['review.expire', 'schedule']],
    );
    assert.deepEqual(await expire(), { failed: 0, decided: 0, busy: 0 }, 'again without harm');
  });

  test('only partners with something overdue are asked, and one statement finds them', async () => {
    await expire();
    for (const age of ['1 hour', '80 hours', '80 hours']) await waiting(2, age);
    const { counted, sent } = countingDatabase(database);
    const { failed } = await expirePending({ hours: 72 }).run({ ...context(AbortSignal.timeout(60_000)), database: counted });
    assert.equal(failed, 4);
    assert.deepEqual([sent.get('list_partners_with_overdue_reviews'), sent.get('list_overdue_contribution_reviews')], [1, 2]);
    assert.equal(sent.get('list_partners'), undefined);
  });

  test('the hours are those of the setting', async () => {
    const { partner } = await waiting(1, '5 hours');
    await expire(6);
    assert.deepEqual(await statusesOf(partner), { pending: 1 });
    await expire(5);
    assert.deepEqual(await statusesOf(partner), { failed: 1 });
  });

  test('one that cannot be failed and one that is locked hold up no other, and are failed later', async () => {
    const { partner, ids } = await waiting(103, '100 hours');
    const [spoiled, locked] = ids as [string, string];
    const holder = await database.pool.connect();
    await holder.query("begin; set local idle_in_transaction_session_timeout = '60s'");
    const row = 'from contribution where partner_id = $1 and transaction_id = $2';
    const { rows } = await holder.query(`select seal ${row}`, [partner.partnerId, spoiled]);
    await holder.query(`select ${row} for update`, [partner.partnerId, locked]);
    const setSeal = (seal: Buffer) =>
      asSuperuser(database.pool, async (superuser) => {
        const text = 'update contribution set seal = $3 where partner_id = $1 and transaction_id = $2';
        await superuser.query(text, [partner.partnerId, spoiled, seal]);
      });
    await setSeal(Buffer.alloc(32));
    const overdue = { partnerId: partner.partnerId, hours: 72 };
    await assert.rejects(expireOverdueContributions(database, OWNER, overdue), /^AggregateError: 1 pending contribution of /);
    assert.deepEqual(await statusesOf(partner), { failed: 101, pending: 2 });
    await setSeal(rows[0].seal);
    assert.deepEqual(await expireOverdueContributions(database, OWNER, overdue), { failed: 1, decided: 0, busy: 1 });
    await holder.query('rollback');
    holder.release();
    assert.deepEqual(await expireOverdueContributions(database, OWNER, overdue), { failed: 1, decided: 0, busy: 0 });
  });

  test('whoever lost the right meanwhile fails none, and none counts as decided', async () => {
    const { partner } = await waiting(2, '100 hours');
    const [late] = await enrolled(database, 'operator');
    await disableOperator(database, OWNER, late.operatorId);
    const overdue = { partnerId: partner.partnerId, hours: 72 };
    await assert.rejects(
      expireOverdueContributions(database, late, overdue),
      /^AggregateError: 2 pending contributions of .*disabled/,
    );
    assert.deepEqual(await statusesOf(partner), { pending: 2 });
    assert.deepEqual(await expireOverdueContributions(database, OWNER, overdue), { failed: 2, decided: 0, busy: 0 });
  });

  test('more than a chunk, by two processes at once, against an operator: each ends once', async () => {
    const { partner, ids } = await waiting(130, '100 hours');
    const confirmed = ids.slice(0, 10).map((transactionId) => {
      const id = { partnerId: partner.partnerId, transactionId };
      return confirmPendingContribution(database, signedIn('operator'), id, 'just in time');
    });
    const [outcomes, first, second] = await Promise.all([Promise.allSettled(confirmed), expire(), expire()]);
    const inTime = outcomes.filter(({ status }) => status === 'fulfilled').length;
    assert.deepEqual(await statusesOf(partner), { failed: 130 - inTime, ...(inTime > 0 && { confirmed: inTime }) });
    assert.equal(Number(first['failed']) + Number(second['failed']), 130 - inTime);
    await untilSequenced(database, partner.partnerId, 131);
    const { rows } = await database.pool.query(
      'select count(*)::int4, count(distinct subject_id)::int4 as subjects from event where partner_id = $1 and sequence > 1',
      [partner.partnerId],
    );
    assert.deepEqual(rows, [{ count: 130, subjects: 130 }]);
  });

  test('it stops between two contributions when it is told to', async () => {
    const { partner } = await waiting(3, '100 hours');
    await expirePending({ hours: 72 }).run(context(AbortSignal.abort()));
    assert.deepEqual(await statusesOf(partner), { pending: 3 });
  });
});

/** As the schedule gives it. */
function context(signal: AbortSignal): JobContext {
  const alert = assert.fail;
  return { database, signal, alert, actor: { operatorId: 'schedule', role: 'admin', correlationId: newId('corr') } };
}
