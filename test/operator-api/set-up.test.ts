/** What operators set up: a partner's terms, its first confirmation, a version of a rule before it is made, and jobs by hand. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { type OperatorAnswer, type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { insertContributionRule } from '../support/rules.ts';
import { testService } from '../support/service.ts';

const V1 = '/operator/v1';
const service = await testService();
const { database } = service;

let [viewer, operator, admin]: SignedInOperator[] = [];
before(async () => {
  viewer = await signedInOperator(service, 'viewer');
  operator = await signedInOperator(service, 'operator');
  admin = await signedInOperator(service, 'admin');
});
const as = (person: SignedInOperator | undefined) => person as SignedInOperator;
const done = (answer: OperatorAnswer) => {
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const rowsOf = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;

describe('the terms of a partner', () => {
  test('an admin states other rates at once, and changes them; an operator may not', async () => {
    const wanted = { name: uniqueId('Shop'), writes_per_second: '7' };
    assert.equal((await as(operator).postOnce(`${V1}/partners`, wanted)).status, 403);
    const made = done(await as(admin).postOnce(`${V1}/partners`, wanted));
    const { partner_id: id } = made;
    assert.deepEqual([made.writes_per_second, made.lookups_per_second, made.reports_per_second], [7, 200, 50]);
    const set = (body: object, person = admin) => as(person).send('PUT', `${V1}/partners/${id}/rates`, { body });
    assert.deepEqual(done(await set({ lookups_per_second: '9' })).lookups_per_second, 9);
    assert.equal((await set({ lookups_per_second: '9' }, operator)).status, 403);
    for (const digits of ['0', '-1', '1.5', 'many', '1000001']) {
      const { status, body } = await set({ reports_per_second: digits });
      assert.deepEqual([status, body.error.details[0].field], [400, 'reports_per_second'], digits);
    }
  });

  test('a change of nothing is refused, and is no entry of the audit', async () => {
    const { partner } = await service.newPartner();
    const entries = () => rowsOf('select entry_no from audit_entry where partner_id = $1', [partner.partnerId]);
    const before = await entries();
    for (const [what, field] of [
      ['rates', 'writes_per_second'],
      ['settlement-policy', 'currency'],
    ] as const) {
      const { status, body } = await as(admin).send('PUT', `${V1}/partners/${partner.partnerId}/${what}`, { body: {} });
      assert.deepEqual([status, body.error?.details[0].field, body.error?.details[0].code], [400, field, 'missing']);
    }
    assert.deepEqual(await entries(), before);
  });

  test('currency and zone are set until a record depends on them', async () => {
    const { partner, client } = await service.newPartner();
    const set = (body: object) => as(operator).send('PUT', `${V1}/partners/${partner.partnerId}/settlement-policy`, { body });
    assert.equal(done(await set({ currency: 'AED' })).currency, 'AED');
    assert.equal((await set({ currency: 'dirham' })).status, 400);
    assert.equal((await set({ time_zone: 'Mars/Olympus' })).body.error.details[0].field, 'time_zone');
    await client.confirm();
    assert.equal((await set({ time_zone: 'Asia/Dubai' })).status, 400);
  });
});

describe('a test confirmation', () => {
  const send = (partnerId: string, apiKey: string, key = uniqueId('key')) =>
    as(operator).postOnce(`${V1}/partners/${partnerId}/test-confirmation`, { api_key: apiKey }, key);

  test('goes the way of the partner, once under its key; the API key is not kept', async () => {
    const { partner, key } = await service.newPartner();
    const idempotencyKey = uniqueId('key');
    const first = await send(partner.partnerId, key.apiKey, idempotencyKey);
    const { http_status, status, transaction_id, message } = done(first);
    assert.deepEqual([http_status, status, message], [201, 'confirmed', null]);
    assert.equal((await send(partner.partnerId, key.apiKey, idempotencyKey)).text, first.text);
    const rows = await rowsOf('select transaction_id, points from contribution where partner_id = $1', [partner.partnerId]);
    assert.deepEqual(rows, [{ transaction_id, points: 10n }]);
    const entries = await rowsOf(
      'select action, operator_id from audit_entry where partner_id = $1 order by entry_no desc limit 1',
      [partner.partnerId],
    );
    assert.deepEqual(entries, [{ action: 'sandbox.test-confirmation', operator_id: as(operator).operatorId }]);
    const kept = await rowsOf("select answer from keyed_answer where operation = 'sendTestConfirmation'");
    assert.ok(!JSON.stringify(kept).includes(key.apiKey));
  });

  test('whose outcome is unknown is asked for again under its key, and is recorded once', async () => {
    const { partner, key } = await service.newPartner();
    const idempotencyKey = uniqueId('key');
    await database.pool.query('alter table event_outbox rename to elsewhere');
    const unknown = await send(partner.partnerId, key.apiKey, idempotencyKey);
    await database.pool.query('alter table elsewhere rename to event_outbox');
    assert.deepEqual([unknown.status, unknown.body.error.code], [503, 'internal_service_unavailable'], unknown.text);
    assert.match(unknown.body.error.message, /^The interface of partners answered 503: ./);
    // As if the minute were over for which nobody else may take the work of the key over.
    const left = "update keyed_answer set claimed_at = now() - interval '61 seconds' where answer is null";
    assert.equal((await database.pool.query(left)).rowCount, 1);
    const { http_status, status } = done(await send(partner.partnerId, key.apiKey, idempotencyKey));
    assert.deepEqual([http_status, status], [201, 'confirmed']);
    assert.equal((await rowsOf('select from contribution where partner_id = $1', [partner.partnerId])).length, 1);
  });

  test('a key that may not confirm is told so; a key of another partner, or of nobody, is not used', async () => {
    const { partner } = await service.newPartner();
    const reader = await service.newPartner({ of: partner, key: { permission: 'read_only' } });
    const refused = done(await send(partner.partnerId, reader.key.apiKey));
    assert.deepEqual([refused.http_status, refused.transaction_id], [403, null]);
    assert.ok(refused.message.length > 10);
    const { key: foreign, partner: other } = await service.newPartner();
    for (const apiKey of [foreign.apiKey, 'pi_sandbox_x', foreign.apiKey.replace('sandbox', 'live')]) {
      const { status, body } = await send(partner.partnerId, apiKey);
      assert.deepEqual([status, body.error.details[0].field], [400, 'api_key']);
    }
    assert.deepEqual(
      await rowsOf('select from contribution where partner_id = any ($1)', [[partner.partnerId, other.partnerId]]),
      [],
    );
  });
});

describe('a preview of a rule', () => {
  const preview = (query: Record<string, string>) =>
    as(viewer).get(`${V1}/rule-preview?${new URLSearchParams({ over: 'last_30_days', ...query })}`);

  test('says what would have become of the contributions of a partner, and stores nothing', async () => {
    const { partner, client } = await service.newPartner();
    for (const points of [5, 50, 60, 70, 900]) await client.confirm({ points });
    const head = await rowsOf('select last_no from audit_head');
    const body = done(
      await preview({
        kind: 'contribution_rule',
        partner_id: partner.partnerId,
        points_min: '10',
        review_threshold: '500',
        daily_points_cap: '150',
      }),
    );
    assert.deepEqual([body.contribution_count, body.points, body.partner_count, body.is_complete], ['5', '1085', 1, true]);
    assert.deepEqual(body.bands, [
      { outcome: 'confirmed', count: '2', points: '110' },
      { outcome: 'review_threshold', count: '1', points: '900' },
      { outcome: 'daily_points_cap', count: '1', points: '70' },
      { outcome: 'out_of_bounds', count: '1', points: '5' },
    ]);
    assert.deepEqual(await rowsOf('select last_no from audit_head'), head);
    assert.deepEqual(await rowsOf("select from rule_version where version like 'preview%'"), []);
  });

  test('of a version for all leaves out the partners that have one of their own', async () => {
    const look = async () => done(await preview({ kind: 'contribution_rule', reviews_everything: 'true' }));
    const before = await look();
    const { partner, client } = await service.newPartner();
    await insertContributionRule(database, { partnerId: partner.partnerId });
    await client.confirm({ points: 77 });
    const after = await look();
    assert.deepEqual([after.partner_count, after.points], [before.partner_count, before.points]);
    const { client: another } = await service.newPartner();
    await another.confirm({ points: 1_000 });
    const { partner_count, points } = await look();
    assert.deepEqual([partner_count, BigInt(points) - BigInt(after.points)], [after.partner_count + 1, 1_000n]);
  });

  test('of a version that could not be made names each field', async () => {
    const { status, body } = await preview({ kind: 'contribution_rule', points_min: '9', points_max: '3', point_value: '1' });
    assert.equal(status, 400);
    const fields = body.error.details.map(({ field }: { field: string }) => field);
    assert.deepEqual(fields.toSorted(), ['point_value', 'points_max']);
    assert.equal((await preview({ kind: 'tree_cost', tree_cost: '-1', currency: 'SAR' })).status, 400);
    assert.equal((await preview({ kind: 'contribution_rule', partner_id: 'ptn_none' })).status, 404);
  });
});

describe('a job by hand', () => {
  const run = (job: string, person = operator) => as(person).postOnce(`${V1}/jobs/${job}/run`, undefined);

  test('begins at once, is audited, and its end is in the list', async () => {
    const { jobs } = done(await as(viewer).get(`${V1}/jobs`));
    assert.ok(jobs.length > 5 && jobs.every(({ description }: { description: string }) => description.length > 10));
    const { run_no } = done(await run('verify'));
    const ended = await waitFor('run that ended', async () => {
      const { runs } = done(await as(viewer).get(`${V1}/job-runs?job=verify`));
      return runs.find((each: { run_no: string; outcome: string | null }) => each.run_no === run_no && each.outcome !== null);
    });
    assert.deepEqual([ended.outcome, ended.trigger, JSON.parse(ended.result_json).differences], ['succeeded', 'hand', 0]);
    const [entry] = await rowsOf("select operator_id from audit_entry where action = 'job.run' order by entry_no desc limit 1");
    assert.equal(entry.operator_id, as(operator).operatorId);
  });

  test('an unknown one is not found, and a viewer starts none', async () => {
    assert.equal((await run('nothing')).status, 404);
    assert.equal((await run('verify', viewer)).status, 403);
  });
});
