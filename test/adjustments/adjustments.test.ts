/** Adjustments: drafted, approved by a second person, posted, and on the settlement of the period (settlements, section 3). */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readAmount } from '../../src/domain/numbers/money.ts';
import { nextPeriod } from '../../src/domain/settlements/settlement-period.ts';
import { type SettlementTotals, settlementAmount } from '../../src/domain/settlements/settlement-totals.ts';
import { draftAdjustment, oppositeOf, rejectAdjustment } from '../../src/operations/adjustments/manage-adjustment.ts';
import { type PreviewedSettlement, previewAdjustment } from '../../src/operations/adjustments/preview-adjustment.ts';
import { verifyAdjustments } from '../../src/operations/adjustments/verify-adjustments.ts';
import { eachAuditedSubject } from '../../src/operations/audit/compare-with-audit.ts';
import { rememberOpenTotals } from '../../src/operations/settlements/open-totals.ts';
import { createReadSettlements } from '../../src/operations/settlements/read-settlements.ts';
import { verifySettlements } from '../../src/operations/settlements/verify-settlements.ts';
import * as routes from '../../src/operator-api/adjustments/adjustments.ts';
import type { OperatorApiOptions, OperatorApiTools } from '../../src/operator-api/app.ts';
import type { OperatorRoute } from '../../src/operator-api/route.ts';
import { createSharedState } from '../../src/operator-api/shared-state.ts';
import { type Adjustment, findAdjustment } from '../../src/store/adjustments/adjustment.ts';
import { OWNER, signedIn } from '../support/actor.ts';
import { adjustmentScene, refused, restated, WHY } from '../support/adjustments/adjustment-scene.ts';
import { type Answer, type Client, uniqueId } from '../support/client.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { document, listMisfits } from '../support/published.ts';
import { insertPendingAged, untilAllSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { closeNow, getOpen, linesOf, partnerWith, priced, sealKeys, tools } from '../support/settlements.ts';

const service = await testService();
const { database } = service;
const { pool } = database;
const { ADA, BEA, one, newPartner, newContribution, draft, approve, approved, post, posted, eventsOf } =
  await adjustmentScene(service);
const MAX = 9_223_372_036_854_775_807n;

const labelOf = ({ settlementId, periodLabel }: PreviewedSettlement) => [settlementId, periodLabel];

const FOUR = ['carried_in', 'net', 'payable', 'carried_out'];
const fourOf = (settlement: Record<string, unknown>) => [
  ...FOUR.map((name) => String(settlement[`${name}_points`])),
  ...FOUR.map((name) => settlement[`${name}_amount`]),
];

/** What a settlement says of itself when it is opened: nothing but what it was left. */
function openedWith({ carried_in_points: points, carried_in_amount: amount }: Record<string, unknown>) {
  return [String(points), '0', '0', String(points), amount, '0.00', '0.00', amount];
}

async function settlementOf(client: Client, settlementId: string): Promise<Answer['body']> {
  const { body, text } = await client.call(`/v1/settlements/${settlementId}`);
  const { schema } = document.paths['/v1/settlements/{settlement_id}'].get.responses[200].content['application/json'];
  assert.equal(listMisfits(schema, JSON.parse(text)), '');
  return body.settlement;
}

describe('while the open month is being added up', () => {
  /** A turn adds up one event, so that none of these requests gets to the end. */
  const addingUp = (): OperatorApiTools => {
    const turn = { eventsAtOnce: 1n, turnMs: 0 };
    const settlements = createReadSettlements(database, priced(), { concurrency: 1 }, turn);
    const options = { database, environment: 'sandbox', settlementTools: tools() } as unknown as OperatorApiOptions;
    return { ...options, shared: { ...createSharedState(options), settlements } };
  };
  type Shown = { adjustment: { adjustment_id: string; status: string }; effect: object | null; settlement: object | null };
  const send = (route: OperatorRoute, call: object) =>
    route.handle({
      tools: addingUp(),
      work: { workId: uniqueId('work'), isTakenOver: false },
      ...call,
    } as never) as Promise<Shown>;

  test('a draft, an approval and a posting that are committed are answered, without the settlement', async () => {
    const { partnerId, transactionId, client } = await newContribution();
    for (let count = 0; count < 3; count++) await client.confirm({ points: 1 });
    await untilAllSequenced(database, partnerId);
    const { reasonCode: reason_code, reasonEn: reason_en, reasonAr: reason_ar } = WHY;
    const of = { partner_id: partnerId, transaction_id: transactionId, reason_code, reason_en, reason_ar, points_delta: '-1' };
    const drafted = await send(routes.draftAdjustment, { actor: ADA, body: of });
    const params = { partner_id: partnerId, adjustment_id: drafted.adjustment.adjustment_id };
    const steps = [drafted];
    for (const [route, actor] of [
      [routes.approveAdjustment, BEA],
      [routes.postAdjustment, ADA],
    ] as const)
      steps.push(await send(route, { actor, params }));
    assert.deepEqual(
      steps.map(({ adjustment: { status }, effect, settlement }) => [status, effect !== null, settlement]),
      ['draft', 'approved', 'posted'].map((status) => [status, true, null]),
    );
    await assert.rejects(send(routes.getAdjustment, { params }), { message: /being added up\. Send the request again/ });
  });
});

describe('a posted adjustment', () => {
  test('tells the partner once, and the contribution stays as it is', async () => {
    const of = await newContribution();
    const { closed } = await closeNow(database, of.partnerId);
    const adjustment = await posted(of, -100n);
    const [event, ...more] = await eventsOf(of.client, of.partnerId);
    assert.deepEqual(more, []);
    const { data } = event;
    assert.deepEqual(
      [data.change, data.adjustment_id, data.points_delta, data.settled_points_before, data.settled_points_after],
      ['adjustment', adjustment.adjustmentId, -100n, 250n, 150n],
    );
    assert.deepEqual([data.reason_ar, data.environment, data.amount_delta], [WHY.reasonAr, 'sandbox', null]);
    assert.deepEqual([data.settlement_id, data.original_settlement_id], [null, closed.settlementId]);
    assert.deepEqual([data.contribution_status, data.point_restoration_authorized], ['confirmed', false]);
    assert.equal(event.occurred_at, data.posted_at);
    const found = await of.client.call(`/v1/impact-transactions/${of.transactionId}`);
    assert.deepEqual(found.body.contribution, of.contribution);
  });

  test('a draft and an approval tell nobody, and are on no settlement', async () => {
    const of = await newContribution();
    await draft(of, -1n);
    await approved(of, -2n);
    await rejectAdjustment(database, ADA, await draft(of, -3n), 'a mistake');
    assert.deepEqual(await eventsOf(of.client, of.partnerId), []);
    const { closed } = await closeNow(database, of.partnerId);
    assert.deepEqual([closed.totals?.adjustmentCount, closed.totals?.netPoints], [0n, 250n]);
  });

  test('is on the settlement of the period, on one line, with the amount at the value of its contribution', async () => {
    const of = await newContribution();
    const prices = tools('0.05');
    const first = await closeNow(database, of.partnerId, prices);
    assert.equal((await of.client.confirm({ points: 1_000 })).status, 201);
    const adjustment = await posted(of, -100n);
    const correction = await posted(of, 0n, { ...restated, amountDelta: '-0.01' }, '0.05');
    const open = await getOpen(database, of.partnerId);
    const expected = {
      adjustmentCount: 2n,
      adjustmentPoints: -100n,
      grossPoints: 1_000n,
      netPoints: 900n,
      totalPoints: 900n,
      contributionCount: 1n,
    };
    const { totals } = await rememberOpenTotals()(pool, open, {
      previous: first.closed.totals ?? undefined,
      prices: await prices.pricesOf(pool, await partnerWith(database, of.partnerId)),
    });
    const { closed } = await closeNow(database, of.partnerId, prices);
    for (const each of [totals, closed.totals]) {
      assert.ok(each);
      const { byVersion, amount, carriedPoints, ...rest } = each;
      assert.deepEqual(rest, expected);
      assert.equal(amount, 44_990_000_000_000n);
      assert.deepEqual(
        [byVersion.length, byVersion[0]?.count, byVersion[0]?.points, byVersion[0]?.amount],
        [1, 1n, 900n, amount],
      );
    }
    const lines = await linesOf(database, closed);
    assert.deepEqual(
      lines.map((line) => [
        line.lineType,
        line.adjustmentId,
        line.points,
        line.amount,
        line.reasonCode,
        line.originalSettlementId,
      ]),
      [
        ['contribution', null, 1_000n, 50_000_000_000_000n, null, null],
        ['adjustment', adjustment.adjustmentId, -100n, -5_000_000_000_000n, 'duplicate_report', first.closed.settlementId],
        ['adjustment', correction.adjustmentId, 0n, -10_000_000_000n, 'conversion_restatement', first.closed.settlementId],
      ],
    );
    assert.equal((await findAdjustment(pool, of.partnerId, adjustment.adjustmentId))?.settlementId, closed.settlementId);
    const again = await closeNow(database, of.partnerId, prices);
    assert.equal(again.closed.totals?.adjustmentCount, 0n);
    const verdict = await verifySettlements(database, of.partnerId, sealKeys);
    assert.deepEqual([verdict.problems, verdict.lines], [[], 4]);
    const statement = await of.client.call(`/v1/settlements/${closed.settlementId}/statement.csv`);
    assert.match(statement.text, new RegExp(`,adjustment,${of.transactionId},${adjustment.adjustmentId},.*,-100,-5,SAR,`));
  });

  test('of a contribution that is on no settlement yet: both are on the next', async () => {
    const of = await newContribution();
    assert.equal((await posted(of, -250n)).originalSettlementId, null);
    const { closed, opened } = await closeNow(database, of.partnerId);
    assert.deepEqual([closed.totals?.grossPoints, closed.totals?.netPoints], [250n, 0n]);
    assert.deepEqual(
      (await linesOf(database, closed)).map(({ lineType, originalSettlementId }) => [lineType, originalSettlementId]),
      [
        ['contribution', null],
        ['adjustment', closed.settlementId],
      ],
    );
    assert.equal(opened.status, 'open');
  });

  test('leaves a negative net to the next settlement', async () => {
    const of = await newContribution();
    await closeNow(database, of.partnerId);
    await posted(of, -250n);
    const { closed } = await closeNow(database, of.partnerId);
    assert.equal(closed.totals?.netPoints, -250n);
    await of.client.confirm({ points: 300 });
    const next = await closeNow(database, of.partnerId);
    assert.deepEqual([next.closed.totals?.carriedPoints, next.closed.totals?.totalPoints], [-250n, 50n]);
  });

  test('leaves a net below int64 to the next settlements, exactly, on the wire and in the statement, however often', async () => {
    const of = await newContribution(MAX);
    const other = (await of.client.confirm({ points: MAX })).body.contribution.transaction_id;
    await closeNow(database, of.partnerId, tools('0.05'));
    await posted(of, -MAX);
    await posted({ ...of, transactionId: other }, -MAX);
    const debt = -2n * MAX;
    assert.equal((await closeNow(database, of.partnerId, tools('0.05'))).closed.totals?.totalPoints, debt);
    for (let month = 0; month < 2; month++) {
      const { closed, opened } = await closeNow(database, of.partnerId, tools('0.05'));
      assert.deepEqual([closed.totals?.carriedPoints, closed.totals?.totalPoints], [debt, debt]);
      const [line, ...more] = await linesOf(database, closed);
      assert.deepEqual([line?.lineType, line?.points, line?.amount, more], ['carried_forward', debt, debt * 50_000_000_000n, []]);
      const path = `/v1/settlements/${closed.settlementId}`;
      const { carried_in_points, carried_out_points } = await settlementOf(of.client, closed.settlementId);
      const next = await settlementOf(of.client, opened.settlementId);
      assert.deepEqual([carried_in_points, carried_out_points, next.carried_in_points], [debt, debt, debt]);
      const lines = await of.client.call(`${path}/lines`);
      const { schema } = document.paths['/v1/settlements/{settlement_id}/lines'].get.responses[200].content['application/json'];
      assert.equal(listMisfits(schema, JSON.parse(lines.text)), '');
      assert.match(lines.text, /"points":-18446744073709551614,"amount":"-922337203685477580.7"/);
      const statement = await of.client.call(`${path}/statement.csv`);
      assert.match(statement.text, /^1,carried_forward,,,,,-18446744073709551614,-922337203685477580.7,SAR,/m);
    }
    await of.client.confirm({ points: MAX });
    await of.client.confirm({ points: MAX });
    await of.client.confirm({ points: 7 });
    assert.equal((await closeNow(database, of.partnerId, tools('0.05'))).closed.totals?.totalPoints, 7n);
    assert.deepEqual((await verifySettlements(database, of.partnerId, sealKeys)).problems, []);
  });

  test('carried in, net, payable and carried out add up from month to month, in answers, lists and events', async () => {
    const of = await newContribution(1_001);
    const prices = tools('0.0015');
    await closeNow(database, of.partnerId, prices);
    await posted(of, -1_001n);
    await closeNow(database, of.partnerId, prices);
    for (const points of [3, 2_000]) {
      await of.client.confirm({ points });
      await closeNow(database, of.partnerId, prices);
    }
    const { settlements } = (await of.client.call('/v1/settlements')).body;
    const months = settlements.slice(1).toReversed();
    assert.deepEqual(months.map(fourOf), [
      ['0', '1001', '1001', '0', '0.00', '1.50', '1.50', '0.00'],
      ['0', '-1001', '0', '-1001', '0.00', '-1.50', '0.00', '-1.50'],
      ['-1001', '3', '0', '-998', '-1.50', '0.00', '0.00', '-1.50'],
      ['-998', '2000', '1002', '0', '-1.50', '3.00', '1.50', '0.00'],
    ]);
    for (const each of months) assert.deepEqual(await settlementOf(of.client, each.settlement_id), each);
    const events = await eventsOf(of.client, of.partnerId, ['settlement.created', 'settlement.closed']);
    assert.deepEqual(
      events.map(({ event_type, data }) => [event_type, ...fourOf(data.settlement)]),
      [
        ['settlement.created', ...['0', '0', '0', '0'], ...[null, null, null, null]],
        ...months.flatMap((month: Record<string, unknown>, index: number) => [
          ['settlement.closed', ...fourOf(month)],
          ['settlement.created', ...openedWith(months[index + 1] ?? { carried_in_points: 0n, carried_in_amount: '0.00' })],
        ]),
      ],
    );
  });

  test('at the end of a period is on the next settlement: a period is half-open', async () => {
    const of = await newContribution();
    await closeNow(database, of.partnerId);
    const { adjustmentId, postedAt } = await posted(of, -1n);
    const { closed, opened } = await closeNow(database, of.partnerId, tools(), postedAt as Date);
    assert.equal(closed.totals?.adjustmentCount, 0n);
    const [line] = await linesOf(database, (await closeNow(database, of.partnerId)).closed);
    assert.deepEqual([line?.adjustmentId, line?.postedAt], [adjustmentId, opened.period.startsAt]);
  });

  test('that is posted between the end of a period and its closing is on the settlement after it, and the preview says so', async () => {
    const of = await newContribution();
    const { opened } = await closeNow(database, of.partnerId);
    const settlementIn = async (adjustment: Adjustment) =>
      (await previewAdjustment(database, adjustment, { pricesOf: priced() })).settlement as PreviewedSettlement;
    const before = await draft(of, -2n);
    assert.deepEqual(labelOf(await settlementIn(before)), [opened.settlementId, opened.period.label]);
    const inTime = await posted(of, -1n);
    assert.deepEqual(labelOf(await settlementIn(inTime)), [opened.settlementId, opened.period.label]);
    await asSuperuser(pool, async (client) => {
      await client.query("update settlement set period_end = date_trunc('milliseconds', now()) where settlement_id = $1", [
        opened.settlementId,
      ]);
    });
    const following = nextPeriod((await getOpen(database, of.partnerId)).period, opened.period.timeZone).label;
    assert.deepEqual(labelOf(await settlementIn(before)), [null, following]);
    const late = await posted(of, -4n);
    assert.deepEqual(labelOf(await settlementIn(late)), [null, following]);
    const first = await closeNow(database, of.partnerId);
    const second = await closeNow(database, of.partnerId);
    for (const [adjustment, { closed }] of [
      [inTime, first],
      [late, second],
    ] as const) {
      const settled = (await findAdjustment(pool, of.partnerId, adjustment.adjustmentId)) as Adjustment;
      assert.deepEqual(labelOf(await settlementIn(settled)), [closed.settlementId, closed.period.label]);
    }
    assert.equal(second.closed.period.label, following);
  });

  test('shows money and points before and after it, and what it makes of the open settlement, which is what becomes of it', async () => {
    const of = await newContribution();
    await of.client.confirm({ points: 100 });
    const preview = (adjustment: Adjustment) => previewAdjustment(database, adjustment, { pricesOf: priced('0.05') });
    const drafted = await draft(of, -100n, {}, '0.05');
    const { effect, settlement, problems } = await preview(drafted);
    assert.deepEqual([effect?.settledPointsBefore, effect?.settledPointsAfter, problems], [250n, 150n, []]);
    const amounts = [effect?.settledAmountBefore, effect?.settledAmountAfter, effect?.settledAmountMax];
    assert.deepEqual(amounts, ['12.5', '7.5', '7.5'].map(readAmount));
    const { before, after } = settlement?.totals ?? {};
    assert.deepEqual(
      [before?.totalPoints, before?.amount, after?.totalPoints, after?.amount],
      [...[350n, readAmount('17.5'), 250n, readAmount('12.5')]],
    );
    const agreed = await approve(BEA, drafted, '0.05');
    await posted(of, -200n, {}, '0.05');
    assert.deepEqual(
      (await preview(agreed)).problems.map(({ code }) => code),
      ['out_of_bounds'],
    );
    await rejectAdjustment(database, BEA, agreed, 'no room');
    const rejected = await preview((await findAdjustment(pool, of.partnerId, agreed.adjustmentId)) as Adjustment);
    assert.deepEqual([rejected.effect, rejected.settlement], [null, null]);
    const last = await posted(of, -50n, {}, '0.05');
    const done = await preview(last);
    const { closed } = await closeNow(database, of.partnerId, tools('0.05'));
    assert.deepEqual(done.settlement?.totals?.after, closed.totals);
    assert.equal(done.settlement?.totals?.before.totalPoints, 150n);
    assert.deepEqual([done.effect?.settledPointsBefore, done.effect?.settledAmountAfter], [50n, 0n]);
  });

  test('without a value leaves an empty settlement without an amount: as a draft and when it is posted, as once it is closed', async () => {
    const of = await newContribution();
    await closeNow(database, of.partnerId, tools());
    const preview = async (adjustment: Adjustment) => {
      const { settlement } = await previewAdjustment(database, adjustment, { pricesOf: priced() });
      return settlement?.totals as { before: SettlementTotals; after: SettlementTotals };
    };
    const amountsOf = ({ before, after }: { before: SettlementTotals; after: SettlementTotals }) =>
      [before, after].map((totals) => settlementAmount(totals, 'SAR'));
    const drafted = await draft(of, -50n);
    const would = await preview(drafted);
    assert.deepEqual(amountsOf(would), ['0.00', null]);
    const is = await preview(await post(await approve(BEA, drafted)));
    assert.deepEqual(amountsOf(is), ['0.00', null]);
    const { closed } = await closeNow(database, of.partnerId, tools());
    assert.deepEqual([would.after, is.after], [closed.totals, closed.totals]);
  });
});

describe('undoing', () => {
  test('by an adjustment with the other sign, once, however many try at once', async () => {
    const of = await newContribution();
    const adjustment = await posted(of, -100n);
    const { reversalOf, pointsDelta } = await oppositeOf(pool, adjustment);
    await refused(draft(of, 99n, { reversalOf }), 'reversal_of not_opposite');
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => draft(of, pointsDelta, { reversalOf })));
    const [drafted, ...more] = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    assert.deepEqual(more, []);
    await refused(draft(of, pointsDelta, { reversalOf }), 'reversal_of already_reversed');
    await assert.rejects(draft(of, pointsDelta, { reversalOf }), /or is drafted to reverse it\. `adjustment list` shows it/);
    const reversal = (drafted as PromiseFulfilledResult<Adjustment>).value;
    await rejectAdjustment(database, ADA, reversal, 'anew');
    const undone = await post(await approve(BEA, await draft(of, pointsDelta, { reversalOf })));
    assert.deepEqual([undone.settledPointsAfter, undone.reversalOf], [250n, adjustment.adjustmentId]);
  });

  test('under a reason of the same kind: the refusal names the reasons, and no delta that nobody stated', async () => {
    const of = await newContribution();
    const [points, amount] = [await posted(of, -100n), await posted(of, 0n, { ...restated, amountDelta: '-2.5' }, '0.05')];
    const undone = await oppositeOf(pool, amount);
    const undo = () => draft(of, 0n, undone, '0.05');
    await refused(undo(), 'reason_code unsupported_value');
    await assert.rejects(undo(), /reason_code must be conversion_restatement or tree_cost_restatement: .* a restatement\./);
    const { pointsDelta, reversalOf } = await oppositeOf(pool, points);
    await refused(draft(of, pointsDelta, { ...restated, reversalOf }, '0.05'), 'reason_code unsupported_value');
  });

  test("nothing that is not posted, of another contribution or another partner's", async () => {
    const [of, other] = [await newContribution(), await newContribution()];
    const foreign = await posted(other, -100n);
    await refused(draft(of, 100n, { reversalOf: foreign.adjustmentId }), 'points_delta out_of_bounds', 'reversal_of not_found');
    const own = await draft(of, -100n);
    await refused(draft(of, 100n, { reversalOf: own.adjustmentId }), 'points_delta out_of_bounds', 'reversal_of not_posted');
    await assert.rejects(post({ partnerId: of.partnerId, adjustmentId: foreign.adjustmentId }), /has no adjustment/);
    await refused(draft({ ...of, transactionId: other.transactionId }, -1n), 'transaction_id not_found');
  });
});

test('decisions, section 1: the draft for a contribution that the partner does not have is answered with 404', async () => {
  const unknown = draft({ ...(await newContribution()), transactionId: 'txn_unknown-1' }, -1n);
  await assert.rejects(unknown, {
    code: 'invalid_request',
    status: 404,
    message: /^The partner has no contribution txn_unknown-1/,
  });
});

test('decisions, section 1: the approval and the posting of an adjustment whose contribution is gone are no 404: the adjustment is known', async () => {
  const of = await newContribution();
  const steps = [approve.bind(null, BEA, await draft(of, -1n)), post.bind(null, await approved(of, -2n))];
  await asSuperuser(pool, async (client) => {
    const { rowCount } = await client.query('delete from contribution where partner_id = $1', [of.partnerId]);
    assert.equal(rowCount, 1);
  });
  for (const step of steps)
    await assert.rejects(step(), {
      code: 'invalid_request',
      // That of the code, 400.
      status: undefined,
      details: [{ field: 'transaction_id', code: 'not_found', message: `The partner has no contribution ${of.transactionId}.` }],
    });
});

describe('two people', () => {
  test('whoever drafted it does not approve it, nor does the owner of the machine', async () => {
    const of = await newContribution();
    const both = await one('approver');
    const wanted = { ...of, ...WHY, pointsDelta: -1n, amountDelta: null, reversalOf: null };
    await assert.rejects(draftAdjustment(database, OWNER, wanted, { pricesOf: priced() }), { code: 'forbidden' });
    const drafted = await draftAdjustment(database, both, wanted, { pricesOf: priced() });
    for (const actor of [both, OWNER, ADA, signedIn('viewer')])
      await assert.rejects(approve(actor, drafted), { code: 'forbidden' });
    await assert.rejects(post(drafted), /is draft, and cannot become posted/);
    const agreed = await approve(BEA, drafted);
    assert.deepEqual([agreed.draftedBy, agreed.approvedBy], [both.operatorId, BEA.operatorId]);
    await assert.rejects(approve(BEA, drafted), /is approved already/);
    await post(agreed);
    await assert.rejects(post(agreed), { code: 'invalid_request', message: 'The adjustment is posted already.' });
    await assert.rejects(rejectAdjustment(database, BEA, agreed, 'too late'), { code: 'invalid_request' });
    // Named as the interface and the command name it.
    await assert.rejects(rejectAdjustment(database, BEA, agreed, ' '), ({ details: [detail] }) => detail?.field === 'reason');
    await assert.rejects(approve(BEA, agreed), { code: 'invalid_request' });
  });

  test('only a confirmed contribution, a known reason, and texts in both languages', async () => {
    const { partnerId } = await newPartner();
    const pending = await insertPendingAged(database, { partnerId, partnerOrderRef: 'held', age: '1 hour' }, uniqueId('calc'));
    await refused(draft({ partnerId, transactionId: pending }, -1n), 'transaction_id not_confirmed');
    const of = await newContribution();
    await refused(
      draft(of, -1n, { reasonCode: 'because', reasonEn: ' ', reasonAr: 'أ\nب' }),
      'reason_code unsupported_value',
      'reason_en wrong_form',
      'reason_ar wrong_form',
    );
  });
});

describe('the database itself', () => {
  test('refuses a step that is skipped, one person, bounds, and every change of what is kept', async () => {
    const of = await newContribution();
    const drafted = await draft(of, -150n);
    const { adjustmentId } = await posted(of, -100n);
    const no = (set: string, id: string) =>
      assert.rejects(pool.query(`update adjustment set ${set} where adjustment_id = $1`, [id]), /adjustment/, set);
    await no(
      "status = 'posted', posted_by = 'opr_x', posted_at = now(), settled_points_before = 150, settled_points_after = 0",
      drafted.adjustmentId,
    );
    await no("status = 'approved', approved_by = drafted_by, approved_at = now()", drafted.adjustmentId);
    await no("status = 'approved', approved_by = 'opr_x', approved_at = now(), points_delta = -249", drafted.adjustmentId);
    await no('points_delta = -99', adjustmentId);
    await no("status = 'rejected', rejected_by = 'opr_x', rejected_at = now()", adjustmentId);
    await approve(BEA, drafted);
    await no(
      "status = 'posted', posted_by = 'opr_x', posted_at = now(), settled_points_before = 100, settled_points_after = -50",
      drafted.adjustmentId,
    );
    await assert.rejects(pool.query('delete from adjustment where adjustment_id = $1', [adjustmentId]), /not allowed/);
    const restatement = await approved(of, 0n, { ...restated, amountDelta: '-1' }, '0.05');
    const posting =
      "status = 'posted', posted_by = 'opr_x', posted_at = now(), settled_points_before = 150, settled_points_after = 150";
    const amounts = (before: number, after: number, most: number) =>
      `settled_amount_before = ${before}, settled_amount_after = ${after}, settled_amount_max = ${most}`;
    for (const [before, after, most] of [
      [0.5, -0.5, 7.5],
      [10, 9, 7.5],
      [7.5, 7.5, 7.5],
    ] as const)
      await no(`${posting}, ${amounts(before, after, most)}`, restatement.adjustmentId);
    await no(posting, restatement.adjustmentId);
    await no("beyond_worth_reason = 'x'", restatement.adjustmentId);
    const reversal = await draft(of, 100n, { reversalOf: adjustmentId });
    await assert.rejects(
      pool.query(
        `insert into adjustment select (jsonb_populate_record(a, '{"adjustment_id": "adj_of_a_test"}')).* from adjustment a where adjustment_id = $1`,
        [reversal.adjustmentId],
      ),
      /adjustment_one_reversal/,
    );
    await closeNow(database, of.partnerId);
    await no("settlement_id = 'stl_other'", adjustmentId);
    await no('settlement_id = null', adjustmentId);
  });

  test("a superuser's edit or removal is found and named, before and after a settlement closed over it", async () => {
    const of = await newContribution();
    const { partnerId } = of;
    const [kept, edited, moved, gone] = [
      await posted(of, -1n),
      await posted(of, -2n),
      await posted(of, -3n),
      await draft(of, -4n),
    ];
    await closeNow(database, partnerId);
    const verify = async () => {
      const audited = new Set(await Array.fromAsync(eachAuditedSubject(pool, 'adj_')));
      const { problems } = await verifyAdjustments(database, partnerId, audited);
      return { problems, isMissing: (id: string) => audited.has(id) };
    };
    assert.deepEqual((await verify()).problems, []);
    await asSuperuser(pool, async (client) => {
      const edits: [string, string][] = [
        ['update adjustment set points_delta = -3, settled_points_after = 246 where adjustment_id = $1', edited.adjustmentId],
        ["update adjustment set settlement_id = 'stl_other' where adjustment_id = $1", moved.adjustmentId],
        ['delete from adjustment where adjustment_id = $1', gone.adjustmentId],
      ];
      for (const [text, id] of edits) assert.equal((await client.query(text, [id])).rowCount, 1);
    });
    const { problems, isMissing } = await verify();
    assert.deepEqual(problems, [{ subjectId: edited.adjustmentId, fields: ['pointsDelta', 'settledPointsAfter'] }]);
    assert.deepEqual([isMissing(gone.adjustmentId), isMissing(kept.adjustmentId)], [true, false]);
    const settlements = await verifySettlements(database, partnerId, sealKeys);
    assert.deepEqual(
      settlements.problems.map(({ code, message }) => [code, message.includes(moved.adjustmentId)]),
      [['adjustment_misplaced', true]],
    );
  });
});
