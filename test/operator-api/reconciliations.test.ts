/** A list that an operator reconciles for a partner. Settlements, section 2, Reconciliation; section 5, Operators. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { before, describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { newId } from '../../src/domain/identifiers.ts';
import { disableOperator } from '../../src/operations/access/manage-operator.ts';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { completeReconciliations } from '../../src/operations/reconciliations/complete-reconciliations.ts';
import { verifySettlements } from '../../src/operations/settlements/verify-settlements.ts';
import { listAuditEntries } from '../../src/store/audit/audit-entry.ts';
import { findDailyUsage } from '../../src/store/quotas/daily-usage.ts';
import { insertReconciliation } from '../../src/store/reconciliations/reconciliation.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { insertContributionRule } from '../support/rules.ts';
import { testService } from '../support/service.ts';
import { closeNow, newSettledPartner, sealKeys } from '../support/settlements.ts';

const service = await testService();
const { database, operationsPort } = service;
const V1 = '/operator/v1';
const HEADER = 'partner_event_id,partner_order_ref,points\n';
let operator: SignedInOperator;
let viewer: SignedInOperator;
before(async () => {
  operator = await signedInOperator(service, 'operator');
  viewer = await signedInOperator(service, 'viewer');
});

const newSent = () => ({ ...newConfirmation(), points: 250 });
type Sent = ReturnType<typeof newSent>;
const lineOf = ({ partner_event_id, partner_order_ref }: Sent, points: number | bigint) =>
  `${partner_event_id},${partner_order_ref},${points}\n`;

/** A partner with one closed settlement of so many contributions. */
async function closedSettlement(count = 2) {
  const { partnerId, client, open } = await newSettledPartner(service);
  const sent = Array.from({ length: count }, newSent);
  for (const each of sent) await client.confirm(each);
  const { closed } = await closeNow(database, partnerId);
  const { settlementId } = closed;
  const path = `${V1}/partners/${partnerId}/settlements/${settlementId}/reconciliations`;
  return { partnerId, client, open, sent: sent as [Sent, Sent], settlementId, path };
}

const why = { reason_code: 'other', reason_en: 'x', reason_ar: 'س' };

const draftAdjustment = (partner_id: string, transaction_id: string, points_delta: string) =>
  operator.postOnce(`${V1}/adjustments`, {
    partner_id,
    transaction_id,
    points_delta,
    ...why,
  });

const complete = () => completeReconciliations(database, new AbortController().signal);
const stored = async (partnerId: string) =>
  (await database.pool.query('select status, uploaded_by from reconciliation where partner_id = $1', [partnerId])).rows;
const auditedAbout = async (subjectId: string) =>
  (
    await database.pool.query('select action, operator_id, after_json as after from audit_entry where subject_id = $1', [
      subjectId,
    ])
  ).rows;

describe('reconcileSettlement', () => {
  test('each line has its verdict with both values, and the operator stands beside the list and in the audit', async () => {
    const { partnerId, client, sent, path, settlementId } = await closedSettlement(3);
    const [same, other] = sent;
    const file = HEADER + lineOf(same, same.points) + lineOf(other, other.points + 1) + lineOf(newSent(), 5);
    const begun = await operator.postList(path, file);
    assert.equal(begun.status, 200, begun.text);
    assert.deepEqual(
      [begun.body.status, begun.body.uploaded_by, begun.body.listed_lines],
      ['comparing', operator.operatorId, '3'],
    );
    await complete();
    const one = `${V1}/partners/${partnerId}/reconciliations/${begun.body.reconciliation_id}`;
    const { body } = await viewer.get(one);
    const { matched, points_mismatch, missing_in_service, missing_in_partner_file } = body.counts;
    assert.deepEqual([body.status, matched, points_mismatch, missing_in_service, missing_in_partner_file], ['done', 1, 1, 1, 1]);
    const [mismatch] = (await viewer.get(`${one}/lines?verdict=points_mismatch`)).body.lines;
    assert.deepEqual(
      [mismatch.line_no, mismatch.points, mismatch.recorded_points, mismatch.recorded_net_points],
      ['3', String(other.points + 1), String(other.points), String(other.points)],
    );
    const [missing] = (await viewer.get(`${one}/lines?verdict=missing_in_service`)).body.lines;
    assert.ok(
      missing.details.some(
        ({ field, code }: Record<string, string>) => `${field} ${code}` === 'point_restoration not_authorized',
      ),
    );
    const own = `/v1/settlements/${settlementId}/reconciliations/${begun.body.reconciliation_id}`;
    assert.equal((await client.call(own)).body.reconciliation.counts.points_mismatch, 1n);
    assert.equal((await (await service.newPartner()).client.call(own)).status, 404);
    const [entry, ...others] = await auditedAbout(begun.body.reconciliation_id);
    assert.deepEqual([entry.action, entry.operator_id, others.length], ['reconciliation.create', operator.operatorId, 0]);
    assert.deepEqual([JSON.parse(entry.after).settlement_id, JSON.parse(entry.after).listed_lines], [settlementId, 3]);
  });

  test('the points of the lines that differ are added up by verdict; a list of an earlier release has no sums, to its end', async () => {
    const { partnerId, client, sent, path } = await closedSettlement(3);
    const [same, other] = sent;
    const later = newSent();
    await client.confirm(later);
    const most = 9_223_372_036_854_775_807n;
    const lines = [lineOf(same, same.points), lineOf(other, 60), lineOf(newSent(), most), lineOf(newSent(), most)];
    const beyond = [lineOf(same, same.points), lineOf(later, 250), `,${newSent().partner_order_ref},70\n`];
    const file = HEADER + [...lines, ...beyond].join('');
    const sumsOf = async (earlier = false) => {
      const { reconciliation_id } = (await operator.postList(path, file)).body;
      if (earlier)
        await database.pool.query('update reconciliation set counts = \'{"gross":0,"net":0}\' where reconciliation_id = $1', [
          reconciliation_id,
        ]);
      await complete();
      const { differing_points, total_points } = (
        await viewer.get(`${V1}/partners/${partnerId}/reconciliations/${reconciliation_id}`)
      ).body;
      return { differing_points, total_points };
    };
    assert.deepEqual(await sumsOf(), {
      differing_points: {
        points_mismatch: { listed: '60', recorded: '250' },
        missing_in_service: { listed: String(2n * most), recorded: '0' },
        missing_in_partner_file: { listed: '0', recorded: '250' },
        duplicate_in_file: { listed: '250', recorded: '0' },
        other_settlement: { listed: '250', recorded: '0' },
        malformed: { listed: '70', recorded: '0' },
      },
      total_points: { listed: String(2n * most + 880n), recorded: '750', recorded_net: '750' },
    });
    assert.deepEqual(await sumsOf(true), { differing_points: null, total_points: null });
  });

  test('a line says what its contribution is now: one that waited and failed after the comparison has failed', async () => {
    const { partnerId, client, sent, path } = await closedSettlement(1);
    await insertContributionRule(database, { partnerId, review_threshold: 500 });
    const waiting = () => ({ ...newConfirmation(), points: 7_000 });
    const pending = await waitFor('a review', async () => {
      const each = waiting();
      const { status, body } = await client.confirm(each);
      return status === 202 && { ...each, transaction_id: body.contribution.transaction_id as string };
    });
    const file = HEADER + lineOf(sent[0], 250) + lineOf(pending, 7_000) + lineOf(newSent(), 5);
    const { reconciliation_id } = (await operator.postList(path, file)).body;
    await complete();
    const one = `${V1}/partners/${partnerId}/reconciliations/${reconciliation_id}`;
    const lines = async () => (await viewer.get(`${one}/lines`)).body.lines;
    const statuses = async () => (await lines()).map(({ contribution_status: status }: Record<string, string>) => status);
    const mayRestore = async () =>
      (await lines()).map(({ details }: { details: { code: string }[] }) => details.some(({ code }) => code === 'authorized'));
    assert.deepEqual(await statuses(), ['confirmed', 'pending', null]);
    assert.deepEqual(await mayRestore(), [false, false, false]);
    const { missing_in_service } = (await viewer.get(one)).body.differing_points;
    assert.deepEqual(missing_in_service, { listed: '7005', recorded: '0' });
    const contributions = [{ partner_id: partnerId, transaction_id: pending.transaction_id }];
    await operator.postOnce(`${V1}/reviews/decisions`, { decision: 'fail', reason: 'a test', contributions });
    assert.deepEqual(await statuses(), ['confirmed', 'failed', null]);
    assert.deepEqual(await mayRestore(), [false, true, false]);
  });

  test('what a list lacks has its points with adjustments, then and now; a statement has lines of its own for them', async () => {
    const { partnerId, client, path, settlementId } = await closedSettlement(1);
    const settlement = `${V1}/partners/${partnerId}/settlements/${settlementId}`;
    const [{ transaction_id }] = (await viewer.get(`${settlement}/lines`)).body.lines;
    const approver = await signedInOperator(service, 'approver');
    const adjust = async (points_delta: string) => {
      const drafted = await draftAdjustment(partnerId, transaction_id, points_delta);
      const one = `${V1}/partners/${partnerId}/adjustments/${drafted.body.adjustment.adjustment_id}`;
      for (const step of ['approve', 'post']) await approver.postOnce(`${one}/${step}`, undefined);
    };
    await adjust('-200');
    const compare = async (list: string) => {
      const { reconciliation_id } = (await operator.postList(path, list)).body;
      await complete();
      const one = `${V1}/partners/${partnerId}/reconciliations/${reconciliation_id}`;
      const shown = async () => {
        const [line] = (await viewer.get(`${one}/lines`)).body.lines;
        return [line.recorded_points, line.recorded_net_points, line.settled_points];
      };
      return { sums: (await viewer.get(one)).body.differing_points.missing_in_partner_file, shown };
    };
    const own = await compare(HEADER);
    assert.deepEqual([await own.shown(), own.sums], [['250', '50', '50'], { listed: '0', recorded: '50' }]);
    await adjust('-50');
    assert.deepEqual(await own.shown(), ['250', '50', '0']);
    const [header] = (await client.call(`/v1/settlements/${settlementId}/statement.csv`)).text.split('\n');
    const statement = await compare(`${header}\n`);
    assert.deepEqual([await statement.shown(), statement.sums], [['250', null, '0'], { listed: '0', recorded: '250' }]);
  });

  test('lists and lines are pages, and files with all of their records', async () => {
    const { partnerId, sent, path, settlementId } = await closedSettlement(2);
    const { reconciliation_id } = (await operator.postList(path, HEADER + lineOf(sent[0], sent[0].points))).body;
    await complete();
    const idsOf = async (query: string) =>
      (await viewer.get(`${V1}/reconciliations?${query}`)).body.reconciliations.map(
        (each: { reconciliation_id: string }) => each.reconciliation_id,
      );
    assert.equal((await idsOf(''))[0], reconciliation_id);
    assert.deepEqual(await idsOf(`partner_id=${partnerId}&settlement_id=${settlementId}`), [reconciliation_id]);
    assert.deepEqual(await idsOf(`partner_id=${partnerId}&settlement_id=stl_other`), []);
    assertError(await viewer.get(`${V1}/reconciliations?settlement_id=${settlementId}`), 'invalid_request');
    const lines = `${V1}/partners/${partnerId}/reconciliations/${reconciliation_id}/lines`;
    const first = (await viewer.get(`${lines}?limit=1`)).body;
    const second = (await viewer.get(`${lines}?limit=1&after=${first.next_after}`)).body;
    assert.deepEqual([first.has_more, second.has_more], [true, false]);
    const rows = parse((await viewer.get(`${lines}.csv`)).text, { columns: true }) as { verdict: string }[];
    assert.deepEqual(
      rows.map(({ verdict }) => verdict),
      ['matched', 'missing_in_partner_file'],
    );
    assert.equal((await viewer.get(`${lines}.csv?verdict=malformed`)).text.trimEnd().split('\n').length, 1);
  });

  test('the file of its lines is whole: there is none while it is compared, after it failed, and when they were removed', async () => {
    const { partnerId, sent, path } = await closedSettlement(2);
    const { reconciliation_id, status } = (await operator.postList(path, HEADER + lineOf(sent[0], sent[0].points))).body;
    assert.equal(status, 'comparing');
    const lines = `${V1}/partners/${partnerId}/reconciliations/${reconciliation_id}/lines`;
    assert.equal((await viewer.get(lines)).body.lines.length, 1, 'a page has what there is');
    const early = await viewer.get(`${lines}.csv`);
    assertError(early, 'internal_service_unavailable');
    assert.equal(early.headers['retry-after'], '5');
    await complete();
    assert.equal(parse((await viewer.get(`${lines}.csv`)).text, { columns: true }).length, 2);
    const change = async (to: string) => {
      const text = `update reconciliation set ${to} where partner_id = $1 and reconciliation_id = $2`;
      await database.pool.query(text, [partnerId, reconciliation_id]);
      const refused = await viewer.get(`${lines}.csv`);
      assert.deepEqual([refused.status, refused.body.error.details[0].field], [404, 'reconciliation_id']);
      return refused.body.error.message;
    };
    assert.match(await change('lines_removed_at = now()'), /were removed/);
    assert.match(await change("lines_removed_at = null, status = 'failed', problem = 'x'"), /failed/);
  });

  test('the same file under the same key is the same reconciliation; another file is a conflict', async () => {
    const { partnerId, client, sent, path, settlementId } = await closedSettlement();
    const [file, key] = [HEADER + lineOf(sent[0], sent[0].points), uniqueId('key')];
    const first = await operator.postList(path, file, key);
    const again = await operator.postList(path, file, key);
    assert.deepEqual([again.body, again.headers['idempotent-replayed']], [first.body, 'true']);
    assertError(await operator.postList(path, `${file}x`, key), 'idempotency_conflict');
    const own = await client.call(`/v1/settlements/${settlementId}/reconciliations`, {
      method: 'POST',
      body: file,
      headers: { 'content-type': 'text/csv', 'idempotency-key': key },
    });
    assert.equal(own.status, 202, own.text);
    assert.deepEqual(
      (await stored(partnerId)).map((row) => row.uploaded_by),
      [operator.operatorId, null],
    );
    await complete();
  });

  test('a list that is none, of an open settlement, or of another kind, is refused: nothing is stored, nothing audited', async () => {
    const { partnerId, path } = await closedSettlement();
    const { rows: head } = await database.pool.query('select last_no from audit_head');
    const wrong = await operator.postList(path, `order;points\n${'a;1\n'.repeat(2_000_000)}`);
    assertError(wrong, 'invalid_request');
    assert.equal(wrong.body.error.details[0].field, 'list');
    const { body } = await viewer.get(`${V1}/partners/${partnerId}/settlements?limit=1`);
    const open = path.replace(/stl_\w+/, body.settlements[0].settlement_id);
    const ofOpen = await operator.postList(open, HEADER);
    assert.equal(ofOpen.body.error.details[0].code, 'settlement_open');
    assertError(await operator.postList(path, 'x', uniqueId('key'), 'application/vnd.ms-excel'), 'invalid_request', 415);
    assertError(await operator.postList(path.replace(/stl_\w+/, 'stl_other'), HEADER), 'invalid_request', 404);
    assertError(await operator.send('POST', path, { file: HEADER, headers: { 'content-type': 'text/csv' } }), 'invalid_request');
    assert.deepEqual(await stored(partnerId), []);
    assert.deepEqual((await database.pool.query('select last_no from audit_head')).rows, head);
  });

  test('a partner that is suspended is reconciled too, and no quota of the partner is used', async () => {
    const { partnerId, sent, path } = await closedSettlement();
    await suspendPartner(database, OWNER, partnerId);
    const { status, text } = await operator.postList(path, HEADER + lineOf(sent[0], sent[0].points));
    assert.equal(status, 200, text);
    assert.equal((await findDailyUsage(database.pool, partnerId)).lists, 0);
    await complete();
  });

  test('operators and the partner do not wait for each other; of two operators one waits', async () => {
    const { partnerId, sent, path, settlementId } = await closedSettlement();
    const file = HEADER + lineOf(sent[0], sent[0].points);
    const underWay = (uploadedBy: string | null) =>
      insertReconciliation(database.pool, {
        partnerId,
        settlementId,
        uploadedBy,
        format: 'csv',
        reconciliationId: newId('rec'),
        idempotencyKey: uniqueId('key'),
      });
    await underWay(null);
    assert.equal((await operator.postList(path, file)).status, 200);
    await complete();
    await underWay('opr_other');
    const { status, headers } = await operator.postList(path, file);
    assert.deepEqual([status, headers['retry-after']], [429, '10']);
    assert.equal(await underWay(null), undefined);
  });

  test('whoever is disabled before the end of the file has uploaded nothing', async () => {
    const { partnerId, sent, path } = await closedSettlement();
    const person = await signedInOperator(service, 'operator');
    const headers = {
      host: `localhost:${operationsPort}`,
      cookie: person.cookie,
      'x-csrf-token': person.csrfToken,
      'content-type': 'text/csv',
      'idempotency-key': uniqueId('key'),
    };
    const sending = request({ host: '127.0.0.1', port: operationsPort, method: 'POST', path, headers });
    const answered = new Promise<number>((resolve, reject) => {
      sending.on('response', ({ statusCode = 0 }) => resolve(statusCode)).on('error', reject);
    });
    sending.write(HEADER);
    await waitFor('the list to begin', async () => (await stored(partnerId)).length > 0);
    await disableOperator(database, OWNER, person.operatorId);
    sending.end(lineOf(sent[0], sent[0].points));
    assert.equal(await answered, 401);
    assert.deepEqual(await stored(partnerId), [{ status: 'failed', uploaded_by: person.operatorId }]);
  });
});

describe('a dispute', () => {
  test('what the partner was told is recorded while it is open, by whom, and sent to nobody', async () => {
    const { partnerId, client, settlementId } = await closedSettlement(1);
    const settlement = `${V1}/partners/${partnerId}/settlements/${settlementId}`;
    const answer = (status: string) => client.post(`/v1/settlements/${settlementId}/acknowledgement`, { status });
    const reply = (text: string) => operator.postOnce(`${settlement}/replies`, { text });
    const replies = async () => (await viewer.get(`${settlement}/acknowledgements`)).body.replies;
    assertError(await reply('Too early.'), 'invalid_request');
    await answer('disputed');
    for (const text of [' ', 'a\u202eb', 'x'.repeat(5_001)]) assertError(await reply(text), 'invalid_request');
    assert.deepEqual(await replies(), []);
    const shown = async () => {
      const { settlements } = (await viewer.get(`${V1}/partners/${partnerId}/settlements`)).body;
      const closed = (await viewer.get(`${V1}/settlements?acknowledgement=disputed`)).body.settlements;
      const { last_settlement } = (await viewer.get(`${V1}/partners/${partnerId}/closing`)).body;
      const all = [(await viewer.get(settlement)).body, ...settlements, ...closed, last_settlement];
      return all
        .filter(({ settlement_id }) => settlement_id === settlementId)
        .map(({ is_dispute_answered }) => is_dispute_answered);
    };
    const before = (await viewer.get(`${V1}/overview`)).body.disputes;
    assert.deepEqual(await shown(), [false, false, false, false]);
    assert.equal((await reply('Order 1 is yours.\nOrder 2 is not.')).status, 200);
    await Promise.all([reply('And order 3.'), reply('And order 4.')]);
    assert.deepEqual(await shown(), [true, true, true, true]);
    assert.deepEqual((await viewer.get(`${V1}/overview`)).body.disputes, { ...before, answered: before.answered + 1 });
    const [first, ...more] = await replies();
    assert.deepEqual([first.text, first.operator_id], ['Order 1 is yours.\nOrder 2 is not.', operator.operatorId]);
    assert.deepEqual(more.map(({ text }: { text: string }) => text).sort(), ['And order 3.', 'And order 4.']);
    assert.equal((await viewer.get(settlement)).body.acknowledgement.status, 'disputed');
    for (let number = 4; number <= 20; number++) assert.equal((await reply(`Reply ${number}.`)).status, 200);
    assertError(await reply('One too many.'), 'invalid_request');
    await answer('accepted');
    assert.deepEqual(await shown(), [false, false, false]);
    const entries = await listAuditEntries(database.pool, { subjectId: settlementId, limit: 1_000 });
    assert.equal(entries.length, 23, 'the closing, both answers and every reply');
    assert.deepEqual((await verifySettlements(database, partnerId, sealKeys)).problems, []);
    assertError(await reply('Too late.'), 'invalid_request');
    assert.equal((await replies()).length, 20);
  });

  test("both answers of the partner, the lines of an order, and the adjustments of the settlement's contributions", async () => {
    const { partnerId, client, sent, settlementId } = await closedSettlement(2);
    const other = await closedSettlement(1);
    const settlement = `${V1}/partners/${partnerId}/settlements/${settlementId}`;
    const answer = (body: object) => client.post(`/v1/settlements/${settlementId}/acknowledgement`, body);
    assert.deepEqual((await viewer.get(`${settlement}/acknowledgements`)).body.acknowledgements, []);
    await answer({ status: 'disputed', note: 'Too much.' });
    await answer({ status: 'accepted' });
    const { acknowledgements } = (await viewer.get(`${settlement}/acknowledgements`)).body;
    assert.deepEqual(
      acknowledgements.map(({ status, note }: Record<string, string>) => [status, note]),
      [
        ['disputed', 'Too much.'],
        ['accepted', null],
      ],
    );
    const strange = settlement.replace(partnerId, other.partnerId);
    assertError(await viewer.get(`${strange}/acknowledgements`), 'invalid_request', 404);
    const linesOf = async (text: string) => (await viewer.get(`${settlement}/lines?of=${text}`)).body.lines;
    const [line, ...none] = await linesOf(sent[0].partner_order_ref);
    assert.deepEqual([line.partner_event_id, line.points, none.length], [sent[0].partner_event_id, '250', 0]);
    for (const name of [sent[0].partner_event_id, line.transaction_id])
      assert.deepEqual(
        (await linesOf(name)).map((each: { line_no: number }) => each.line_no),
        [line.line_no],
      );
    assert.deepEqual(await linesOf(other.sent[0].partner_order_ref), []);
    const drafted = await draftAdjustment(partnerId, line.transaction_id, '-1');
    assert.equal(drafted.status, 200, drafted.text);
    const adjustmentsOf = async (of: { partnerId: string; settlementId: string }) =>
      (await viewer.get(`${V1}/adjustments?partner_id=${of.partnerId}&settlement_id=${of.settlementId}`)).body.adjustments;
    assert.equal((await adjustmentsOf({ partnerId, settlementId }))[0].adjustment_id, drafted.body.adjustment.adjustment_id);
    assert.deepEqual(await adjustmentsOf({ partnerId, settlementId: other.settlementId }), []);
    assertError(await viewer.get(`${V1}/adjustments?settlement_id=${settlementId}`), 'invalid_request');
  });

  test('previewAdjustment: points and money as they are now, with adjustments that were posted, and why it cannot be posted', async () => {
    const { partnerId, sent, settlementId } = await closedSettlement(1);
    const [line] = (await viewer.get(`${V1}/partners/${partnerId}/settlements/${settlementId}/lines`)).body.lines;
    const path = `${V1}/partners/${partnerId}/contributions/${line.transaction_id}/adjustment-preview`;
    const preview = async (query: string) => (await viewer.get(`${path}?${query}`)).body;
    const { adjustment } = (await draftAdjustment(partnerId, line.transaction_id, '-50')).body;
    const approver = await signedInOperator(service, 'approver');
    for (const step of ['approve', 'post'])
      await approver.postOnce(`${V1}/partners/${partnerId}/adjustments/${adjustment.adjustment_id}/${step}`, undefined);
    const { effect, settlement, problems } = await preview('reason_code=other&points_delta=-50');
    assert.deepEqual([effect.settled_points_before, effect.settled_points_after, problems], ['200', '150', []]);
    assert.deepEqual([settlement.before.net_points, settlement.after.net_points], ['-50', '-100']);
    const beyond = await preview(`reason_code=other&points_delta=-${sent[0].points}`);
    assert.deepEqual(
      [beyond.problems[0].field, beyond.problems[0].code, beyond.settlement],
      ['points_delta', 'out_of_bounds', null],
    );
    const unpriced = await preview('reason_code=conversion_restatement&amount_delta=-1');
    assert.deepEqual(
      unpriced.problems.map(({ code }: { code: string }) => code),
      ['not_possible'],
    );
    const reversal = `reason_code=other&reversal_of=${adjustment.adjustment_id}`;
    const reversed = await preview(reversal);
    assert.deepEqual([reversed.effect.settled_points_after, reversed.problems], ['250', []]);
    const again = { partner_id: partnerId, reversal_of: adjustment.adjustment_id, ...why };
    assert.equal((await operator.postOnce(`${V1}/adjustments`, again)).status, 200);
    const twice = (await preview(reversal)).problems.map(({ field, code }: { field: string; code: string }) => [field, code]);
    assert.deepEqual(twice, [['reversal_of', 'already_reversed']]);
    assert.equal((await viewer.get(`${path}?reason_code=other&points_delta=1e3`)).body.error.details[0].field, 'points_delta');
    const unknown = await viewer.get(`${path.replace(/txn_\w+/, 'txn_none')}?reason_code=other&points_delta=1`);
    const draftOfUnknown = await draftAdjustment(partnerId, 'txn_none', '1');
    for (const { status, body } of [unknown, draftOfUnknown])
      assert.deepEqual([status, body.error.code, body.error.details[0].field], [404, 'invalid_request', 'transaction_id']);
  });

  test('a reversal with another contribution, or with changes of its own, is neither previewed nor drafted', async () => {
    const { partnerId, settlementId } = await closedSettlement(2);
    const { lines } = (await viewer.get(`${V1}/partners/${partnerId}/settlements/${settlementId}/lines`)).body;
    const [one, two] = lines.map(({ transaction_id }: { transaction_id: string }) => transaction_id);
    const { adjustment } = (await draftAdjustment(partnerId, one, '-50')).body;
    const approver = await signedInOperator(service, 'approver');
    for (const step of ['approve', 'post'])
      await approver.postOnce(`${V1}/partners/${partnerId}/adjustments/${adjustment.adjustment_id}/${step}`, undefined);
    const reversal = { reason_code: 'other', reversal_of: adjustment.adjustment_id };
    for (const { of, stated, refused } of [
      { of: two, stated: {}, refused: ['reversal_of not_found'] },
      { of: one, stated: { points_delta: '7' }, refused: ['points_delta not_expected'] },
      { of: one, stated: { amount_delta: '7' }, refused: ['amount_delta not_expected'] },
    ]) {
      const query = new URLSearchParams({ ...reversal, ...stated });
      const preview = await viewer.get(`${V1}/partners/${partnerId}/contributions/${of}/adjustment-preview?${query}`);
      const body = { partner_id: partnerId, transaction_id: of, ...why, ...reversal, ...stated };
      const draft = await operator.postOnce(`${V1}/adjustments`, body);
      for (const { status, body } of [preview, draft]) {
        assert.equal(status, 400);
        assert.deepEqual(
          body.error.details.map(({ field, code }: Record<string, string>) => `${field} ${code}`),
          refused,
        );
      }
    }
    const all = (await viewer.get(`${V1}/adjustments?partner_id=${partnerId}`)).body.adjustments;
    assert.equal(all.length, 1);
  });
});
