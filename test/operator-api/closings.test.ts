/** What counts before a settlement closes. Settlements, section 2. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation } from '../support/client.ts';
import { type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { insertContributionRule } from '../support/rules.ts';
import { testService } from '../support/service.ts';
import { closeNow, closeThrough, newSettledPartner } from '../support/settlements.ts';

const service = await testService();
const { database } = service;
const V1 = '/operator/v1';
let viewer: SignedInOperator;
let operator: SignedInOperator;
before(async () => {
  viewer = await signedInOperator(service, 'viewer');
  operator = await signedInOperator(service, 'operator');
});

const draftOf = (partnerId: string, transactionId: string) =>
  operator.postOnce(`${V1}/adjustments`, {
    partner_id: partnerId,
    transaction_id: transactionId,
    reason_code: 'other',
    points_delta: '-1',
    reason_en: 'x',
    reason_ar: 'س',
  });

test('each partner with its open settlement, what is left to decide, and the settlement before', async () => {
  const { partnerId, client } = await newSettledPartner(service);
  const [contribution, second] = [await client.confirm({ points: 120 }), await client.confirm({ points: 30 })];
  const { closed, opened } = await closeNow(database, partnerId);
  await draftOf(partnerId, contribution.body.contribution.transaction_id);
  const { adjustment } = (await draftOf(partnerId, second.body.contribution.transaction_id)).body;
  const approver = await signedInOperator(service, 'approver');
  await approver.postOnce(`${V1}/partners/${partnerId}/adjustments/${adjustment.adjustment_id}/approve`, undefined);
  const { body } = await viewer.get(`${V1}/partners/${partnerId}/closing`);
  assert.deepEqual(
    [body.pending_contributions, body.adjustments_to_approve, body.adjustments_to_post],
    [
      { count: 0, is_more: false },
      { count: 1, is_more: false },
      { count: 1, is_more: false },
    ],
  );
  assert.deepEqual(
    [body.open_settlement.settlement_id, body.last_settlement.settlement_id, body.last_settlement.net_points],
    [opened.settlementId, closed.settlementId, '150'],
  );
  assert.equal((await viewer.get(`${V1}/partners/ptn_none/closing`)).status, 404);
});

test('disputed settlements are named until the partner accepts them, the latest first, and no more than ten', async () => {
  const { partnerId, client } = await newSettledPartner(service);
  const other = await newSettledPartner(service);
  const disputed: string[] = [];
  const answer = (settlementId: string, status: string, by = client) =>
    by.post(`/v1/settlements/${settlementId}/acknowledgement`, { status });
  await answer((await closeNow(database, other.partnerId)).closed.settlementId, 'disputed', other.client);
  const named = async () => {
    const { settlements, is_more } = (await viewer.get(`${V1}/partners/${partnerId}/closing`)).body.disputed_settlements;
    return { ids: settlements.map(({ settlement_id }: { settlement_id: string }) => settlement_id), is_more };
  };
  assert.deepEqual(await named(), { ids: [], is_more: false });
  for (let closing = 0; closing < 12; closing++) {
    const { settlementId } = (await closeNow(database, partnerId)).closed;
    disputed.unshift(settlementId);
    assert.equal((await answer(settlementId, 'disputed')).status, 201);
  }
  await closeNow(database, partnerId);
  assert.deepEqual(await named(), { ids: disputed.slice(0, 10), is_more: true });
  for (const settlementId of disputed.slice(1)) await answer(settlementId, 'accepted');
  const { body } = await viewer.get(`${V1}/partners/${partnerId}/closing`);
  const [{ period_label, disputed_at }] = body.disputed_settlements.settlements;
  assert.deepEqual(await named(), { ids: disputed.slice(0, 1), is_more: false });
  assert.match(period_label, /^\d{4}-\d\d/);
  assert.ok(Date.parse(disputed_at) > 0);
});

test('pending contributions of the partner alone are counted; the list is pages, and a file', async () => {
  const { partnerId, client } = await newSettledPartner(service);
  await newSettledPartner(service);
  await insertContributionRule(database, { partnerId, review_threshold: 200 });
  await waitFor('a review', async () => (await client.confirm({ ...newConfirmation(), points: 250 })).status === 202);
  const seen: { partner_id: string; pending_contributions: { count: number }; last_settlement: unknown }[] = [];
  for (let [after, hasMore] = ['', true]; hasMore; ) {
    const { body } = await viewer.get(`${V1}/closings?limit=1${after && `&after=${after}`}`);
    seen.push(...body.closings);
    [after, hasMore] = [body.next_after, body.has_more];
  }
  assert.equal(new Set(seen.map(({ partner_id }) => partner_id)).size, seen.length);
  const [{ rows }] = [await database.pool.query('select count(*)::int as count from partner')];
  assert.equal(seen.length, rows[0].count);
  for (const { partner_id, pending_contributions } of seen)
    assert.equal(pending_contributions.count, partner_id === partnerId ? 1 : 0);
  const file = parse((await viewer.get(`${V1}/closings.csv`)).text, { columns: true });
  assert.equal(file.length, seen.length);
});

/** Begins one, and waits for its end. */
async function verify(partnerId: string) {
  const path = `${V1}/partners/${partnerId}/verification`;
  assert.equal((await viewer.get(path)).body.status, 'none');
  const begun = await viewer.post(path);
  assert.equal(begun.status, 200, begun.text);
  return waitFor('an end of the verification', async () => {
    const { body } = await viewer.get(path);
    return body.status !== 'running' && body;
  });
}

test('a verification finds nothing where nothing was modified, and names what was', async () => {
  const { partnerId, client, open } = await newSettledPartner(service);
  await client.confirm({ points: 120 });
  await closeThrough(service, open);
  const sound = await verify(partnerId);
  assert.deepEqual([sound.status, sound.problem_count, sound.settlements, sound.lines], ['done', 0, 2, 1]);

  const other = await newSettledPartner(service);
  await other.client.confirm({ points: 120 });
  await closeThrough(service, other.open);
  const superuser = await database.pool.connect();
  await superuser.query("set session_replication_role = 'replica'");
  await superuser.query('update settlement_line set points = 121 where partner_id = $1', [other.partnerId]);
  await superuser.query("set session_replication_role = 'origin'");
  superuser.release();
  const modified = await verify(other.partnerId);
  assert.ok(modified.problem_count > 0);
  assert.equal(modified.problems[0].settlement_id, other.open.settlementId);
  assert.equal((await viewer.post(`${V1}/partners/ptn_none/verification`)).status, 404);
});
