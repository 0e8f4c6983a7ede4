/** What a superuser edits of an adjustment, or of the rules that bound it, is never settled or posted as true: settlements, sections 3 and 5. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ErrorDetail } from '../../src/domain/service-error.ts';
import { changeSettlementPolicy } from '../../src/operations/access/manage-partner.ts';
import { approveAdjustment, draftAdjustment, postAdjustment } from '../../src/operations/adjustments/manage-adjustment.ts';
import { approveFailure, draftFailure } from '../../src/operations/contributions/record-failure.ts';
import { pricesUnderRules } from '../../src/operations/rules/rule-prices.ts';
import type { Adjustment } from '../../src/store/adjustments/adjustment.ts';
import { enrolled, OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { signedInOperator } from '../support/operator-client.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { insertPrice } from '../support/rules.ts';
import { testService } from '../support/service.ts';
import { closeNow, closeRegularly, getOpen, priced, tools } from '../support/settlements.ts';

const service = await testService();
const { database } = service;
const [ADA, BEA] = await enrolled(database, 'operator', 'approver');
const WHY = { reasonCode: 'operator_error', reasonEn: 'Counted twice.', reasonAr: 'حُسبت مرتين.' };
const prices = { pricesOf: priced() };

async function newContribution() {
  const { partner, client } = await service.newPartner();
  const answer = await client.confirm({ points: 250 });
  return { partnerId: partner.partnerId, transactionId: answer.body.contribution.transaction_id as string };
}

type Of = Awaited<ReturnType<typeof newContribution>>;

const draft = (of: Of, over: object = {}) =>
  draftAdjustment(database, ADA, { ...of, ...WHY, pointsDelta: -100n, amountDelta: null, reversalOf: null, ...over }, prices);
const approved = async (of: Of) => approveAdjustment(database, BEA, await draft(of), prices);
const posted = async (of: Of) => postAdjustment(database, ADA, await approved(of), prices);

async function tamper(text: string, values: unknown[]): Promise<void> {
  await asSuperuser(database.pool, async (client) => assert.equal((await client.query(text, values)).rowCount, 1, text));
}

const unsound = (id: string) => (error: Error) => {
  assert.equal(error.name, 'UnverifiedRecordError');
  assert.match(error.message, new RegExp(`${id}[^0-9A-Za-z]`));
  return true;
};

const set = (columns: string) => `update adjustment set ${columns} where adjustment_id = $1`;

describe('an adjustment that is edited before its settlement closes: nothing is closed, and the row is named', () => {
  const edits: [what: string, text: string, prepare: (of: Of) => Promise<Adjustment>][] = [
    ['the points of a posted one', set('points_delta = -99, settled_points_after = 151'), posted],
    ['its version, and so its price', set("point_conversion_version = 'dear'"), posted],
    ['its time, to after the period', set("posted_at = '9999-12-31'"), posted],
    [
      'its status, back to approved',
      set("status = 'approved', posted_by = null, posted_at = null, settled_points_before = null, settled_points_after = null"),
      posted,
    ],
    ['its settlement, as if it were settled', set("settlement_id = 'stl_another'"), posted],
    ['a posted one, removed', 'delete from adjustment where adjustment_id = $1', posted],
    ['its audit entry, removed', "delete from audit_entry where subject_id = $1 and action = 'adjustment.post'", posted],
    [
      'an approved one, posted by SQL',
      set("status = 'posted', posted_by = 'opr_x', posted_at = now(), settled_points_before = 250, settled_points_after = 150"),
      approved,
    ],
    [
      'a draft, approved and posted by SQL',
      set(
        "status = 'posted', approved_by = 'opr_y', approved_at = now(), posted_by = 'opr_x', posted_at = now(), settled_points_before = 250, settled_points_after = 150",
      ),
      draft,
    ],
  ];
  for (const [what, text, prepare] of edits)
    test(what, async () => {
      const of = await newContribution();
      const { adjustmentId } = await prepare(of);
      await tamper(text, [adjustmentId]);
      const open = await getOpen(database, of.partnerId);
      await assert.rejects(closeRegularly(database, of.partnerId), unsound(adjustmentId));
      assert.deepEqual(await getOpen(database, of.partnerId), open);
      const { rows } = await database.pool.query('select count(*) from settlement_line where partner_id = $1', [of.partnerId]);
      assert.equal(rows[0].count, 0n);
    });

  test('one that is inserted by SQL', async () => {
    const of = await newContribution();
    const { adjustmentId } = await posted(of);
    const copy = uniqueId('adj');
    await tamper(
      `insert into adjustment select (jsonb_populate_record(a, jsonb_build_object('adjustment_id', $2::text))).* from adjustment a
        where adjustment_id = $1`,
      [adjustmentId, copy],
    );
    await assert.rejects(closeRegularly(database, of.partnerId), unsound(copy));
  });

  test('as they were posted they are settled, also where an older one was edited after its settlement', async () => {
    const of = await newContribution();
    const settled = await posted(of);
    await closeNow(database, of.partnerId);
    await tamper(set("reason_en = 'x'"), [settled.adjustmentId]);
    await posted(of);
    const { closed } = await closeRegularly(database, of.partnerId);
    assert.equal(closed.totals?.adjustmentPoints, -100n);
  });
});

test('no step is taken with an adjustment that was edited: its entry would make the edit true', async () => {
  const of = await newContribution();
  const drafted = await draft(of);
  await tamper(set("drafted_by = 'opr_another'"), [drafted.adjustmentId]);
  await assert.rejects(approveAdjustment(database, BEA, drafted, prices), unsound(drafted.adjustmentId));
  const agreed = await approved(of);
  await tamper(set("approved_by = 'opr_another'"), [agreed.adjustmentId]);
  await assert.rejects(postAdjustment(database, ADA, agreed, prices), unsound(agreed.adjustmentId));
});

describe('rules that the audit does not have bound nothing', () => {
  async function withRule() {
    const { partner, client } = await service.newPartner();
    const { partnerId } = partner;
    await changeSettlementPolicy(database, OWNER, partnerId, { currency: 'SAR' });
    const label = uniqueId('value');
    await insertPrice(database, 'point_conversion', { partnerId, label, starts: '-1 day', price: '0.05' });
    // The service reads the rules anew within seconds.
    const { transaction_id } = await waitFor('contribution under the version', async () => {
      const { contribution } = (await client.confirm({ points: 250 })).body;
      return contribution.point_conversion_version === label ? contribution : undefined;
    });
    return { partnerId, label, transactionId: transaction_id as string };
  }
  const restatement = { reasonCode: 'conversion_restatement', pointsDelta: 0n, amountDelta: '1' };

  test('an inserted version does not raise what a restatement may come to', async () => {
    const of = await withRule();
    const label = uniqueId('dear');
    await tamper(
      `insert into rule_version (kind, version, partner_id, starts_at, point_value, currency, created_at)
        values ('point_conversion', $1, $2, now() - interval '1 hour', 500, 'SAR', now())`,
      [label, of.partnerId],
    );
    const wanted = { ...of, ...WHY, ...restatement, reversalOf: null };
    const real = { ...tools(), pricesOf: pricesUnderRules };
    await assert.rejects(draftAdjustment(database, ADA, wanted, real), unsound(label));
  });

  test('an edited version judges no failure that two operators record', async () => {
    const { partnerId, label } = await withRule();
    const event = { partnerId, partnerEventId: uniqueId('event'), partnerOrderRef: uniqueId('order'), points: 5n };
    const drafted = await draftFailure(database, ADA, { ...event, reason: 'never stored' });
    await tamper('update rule_version set point_value = 5 where version = $1', [label]);
    await assert.rejects(approveFailure(database, BEA, drafted), unsound(label));
    await tamper('update rule_version set point_value = 0.05 where version = $1', [label]);
    assert.equal((await approveFailure(database, BEA, drafted)).draft.status, 'approved');
  });

  test('while a version is edited, operators see each adjustment and reject one; the effect of a posted one is as recorded', async () => {
    const of = await withRule();
    const real = { ...tools(), pricesOf: pricesUnderRules };
    const drafting = async () =>
      draftAdjustment(database, ADA, { ...of, ...WHY, pointsDelta: -10n, amountDelta: null, reversalOf: null }, real);
    const posting = await approveAdjustment(database, BEA, await drafting(), real);
    const before = await postAdjustment(database, ADA, posting, real);
    const [left, rejected] = [await drafting(), await drafting()];
    const operator = await signedInOperator(service, 'operator');
    const path = ({ adjustmentId }: Adjustment) => `/operator/v1/partners/${of.partnerId}/adjustments/${adjustmentId}`;
    const seen = (await operator.get(path(before))).body;
    await tamper('update rule_version set point_value = 0.08 where version = $1', [of.label]);

    const answer = await operator.postOnce(`${path(rejected)}/reject`, { reason: 'Not needed.' });
    assert.deepEqual([answer.status, answer.body.adjustment?.status, answer.body.effect], [200, 'rejected', null], answer.text);
    assert.equal((await operator.get(path(rejected))).body.adjustment?.status, 'rejected');
    const posted = (await operator.get(path(before))).body;
    assert.deepEqual([posted.effect, posted.problems], [seen.effect, []]);
    assert.equal(posted.effect.settled_amount_after, '12');
    const { adjustment, effect, problems, settlement } = (await operator.get(path(left))).body;
    assert.deepEqual([adjustment?.status, effect, settlement], ['draft', null, null]);
    assert.deepEqual(
      problems.map(({ field, code }: ErrorDetail) => [field, code]),
      [['rule_version', 'record_modified']],
    );
    assert.match(problems[0].message, new RegExp(of.label));
    await assert.rejects(approveAdjustment(database, BEA, left, real), unsound(of.label));

    await tamper('update rule_version set point_value = 0.05 where version = $1', [of.label]);
    assert.equal((await operator.get(path(left))).body.effect.settled_amount_after, '11.5');
  });

  test('the problem of an adjustment names a rule of any kind that was edited, not the value of a point', async () => {
    const { partnerId, transactionId } = await withRule();
    const label = uniqueId('cost');
    await insertPrice(database, 'tree_cost', { partnerId, label, starts: '-1 day', price: '20' });
    const { adjustmentId } = await draft({ partnerId, transactionId });
    const operator = await signedInOperator(service, 'operator');
    await tamper('update rule_version set tree_cost = 10 where version = $1', [label]);
    const { problems } = (await operator.get(`/operator/v1/partners/${partnerId}/adjustments/${adjustmentId}`)).body;
    assert.deepEqual(
      problems.map(({ field, code }: ErrorDetail) => [field, code]),
      [['rule_version', 'record_modified']],
    );
    assert.match(problems[0].message, new RegExp(`tree_cost/${label} `));
    await tamper('update rule_version set tree_cost = 20 where version = $1', [label]);
  });
});
