/** What a partner's list is compared with and answered: settlements, section 2. How it is received is in `list-uploads.test.ts`. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { completeReconciliations } from '../../src/operations/reconciliations/complete-reconciliations.ts';
import { removeOldReconciliations } from '../../src/operations/reconciliations/reconcile-settlement.ts';
import { SERVICE_ROLES } from '../../src/service/role.ts';
import { NodeReader } from '../../src/store/node-reader.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { detailCodes, newConfirmation, toJson, uniqueId } from '../support/client.ts';
import { document, listMisfits } from '../support/published.ts';
import {
  HEADER,
  type Listed,
  linesOf,
  newReconciledPartner,
  sendList,
  toCsv,
  untilEnded,
} from '../support/reconciliations/partner-lists.ts';
import { testService } from '../support/service.ts';

const service = await testService({ roles: SERVICE_ROLES });
const { database } = service;
const withSettlements = (count?: number) => newReconciledPartner(service, count);

describe('verdicts', HANG_LIMIT, () => {
  test('a list that a spreadsheet saved in UTF-16 is compared, whether its charset is named or not', async () => {
    const { client, path, sent } = await withSettlements(2);
    const list = Buffer.from(`\ufeff${toCsv(sent).replaceAll(',', '\t')}`, 'utf16le');
    for (const type of ['text/csv', 'text/csv; charset=UTF-16', 'text/csv;charset="utf-16le"']) {
      const ended = await untilEnded(client, await sendList(client, path, list, { 'content-type': type }));
      assert.equal(ended.body.reconciliation.counts.matched, 2n, type);
    }
  });

  test('each, told line by line, with counts; malformed lines have their number and the rest is compared', async () => {
    const { client, path, earlier, sent } = await withSettlements(6);
    const [same, morePoints, otherOrder, twice, absent, ...rest] = sent as [Listed, Listed, Listed, Listed, Listed, ...Listed[]];
    const unknown = { partner_event_id: 'event-of-nobody', partner_order_ref: 'order-of-nobody', points: 5 };
    const lines = [
      same,
      { ...morePoints, points: 251 },
      { ...otherOrder, partner_order_ref: 'x' },
      twice,
      twice,
      earlier,
      unknown,
    ];
    const list = `${toCsv([...lines, ...rest])}short,order,-1\n`;
    const answer = await sendList(client, path, list);
    const ended = await untilEnded(client, answer);
    const { schema } =
      document.paths['/v1/settlements/{settlement_id}/reconciliations/{reconciliation_id}'].get.responses['200'].content[
        'application/json'
      ];
    assert.equal(listMisfits(schema, JSON.parse(ended.text)), '');
    const { counts, status, listed_lines } = ended.body.reconciliation;
    assert.deepEqual([status, listed_lines], ['done', 9n]);
    assert.deepEqual(counts, {
      matched: 3n,
      missing_in_service: 1n,
      missing_in_partner_file: 1n,
      points_mismatch: 1n,
      order_ref_mismatch: 1n,
      duplicate_in_file: 1n,
      other_settlement: 1n,
      malformed: 1n,
    });
    const all = await linesOf(client, answer);
    assert.deepEqual(
      all.map(({ line_no, verdict }) => `${line_no} ${verdict}`),
      [
        ...['2 matched', '3 points_mismatch', '4 order_ref_mismatch', '5 matched', '6 duplicate_in_file', '7 other_settlement'],
        ...['8 missing_in_service', '9 matched', '10 malformed', 'null missing_in_partner_file'],
      ],
    );
    assert.equal(all.at(-1).partner_event_id, absent.partner_event_id);
    assert.deepEqual(
      all[8].details.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`),
      ['partner_event_id wrong_form', 'points wrong_form'],
    );
    assert.deepEqual([all[1].points, all[1].recorded_points], [251n, 250n]);
  });

  test('missing_in_service: look up, then retry; never restore points', async () => {
    const { client, path } = await withSettlements(1);
    const answer = await sendList(client, path, toCsv([newConfirmation()]));
    await untilEnded(client, answer);
    const [line, ...more] = await linesOf(client, answer, '?verdict=missing_in_service');
    assert.equal(more.length, 0);
    assert.deepEqual(
      line.details.map(({ field, code }: { field: string; code: string }) => [field, code]),
      [
        ['point_restoration', 'not_authorized'],
        ['next_action', 'retry_same_request'],
      ],
    );
  });

  test('JSON, exact over int64, page by page by verdict', async () => {
    const { client, path, sent } = await withSettlements(5);
    const list = toJson([...sent, { ...(sent[0] as Listed), points: 9_223_372_036_854_775_807n }, 7]);
    const answer = await sendList(client, path, list, { 'content-type': 'application/json' });
    const { counts } = (await untilEnded(client, answer)).body.reconciliation;
    assert.deepEqual([counts.matched, counts.duplicate_in_file, counts.malformed], [5n, 1n, 1n]);
    const [twice] = await linesOf(client, answer, '?verdict=duplicate_in_file');
    assert.equal(twice.points, 9_223_372_036_854_775_807n);
    const two = await linesOf(client, answer, '?verdict=matched&limit=2');
    const next = await linesOf(client, answer, `?verdict=matched&limit=2&after=${two[1].position}`);
    assert.deepEqual(
      [...two, ...next].map(({ line_no }) => line_no),
      [1n, 2n, 3n, 4n],
    );
  });

  test('a list of many batches names an event of an earlier batch as a duplicate', async () => {
    const { client, path, sent } = await withSettlements(1);
    const others = Array.from({ length: 1_500 }, newConfirmation);
    const answer = await sendList(client, path, toCsv([...sent, ...others, ...sent]));
    const { counts } = (await untilEnded(client, answer)).body.reconciliation;
    assert.deepEqual([counts.matched, counts.duplicate_in_file, counts.missing_in_service], [1n, 1n, 1_500n]);
  });
});

describe('the job', HANG_LIMIT, () => {
  test('202 with its path, as the document says; a replay gives the same, another list is a conflict', async () => {
    const { client, path, sent, opened } = await withSettlements();
    const headers = { 'idempotency-key': uniqueId('key') };
    const answer = await sendList(client, path, toCsv(sent), headers);
    const { schema } =
      document.paths['/v1/settlements/{settlement_id}/reconciliations'].post.responses['202'].content['application/json'];
    assert.equal(listMisfits(schema, JSON.parse(answer.text)), '');
    assert.equal(answer.headers.get('location'), answer.body.reconciliation.path);
    await untilEnded(client, answer);
    const replay = await sendList(client, path, toCsv(sent), headers);
    assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [202, 'true']);
    assert.equal(replay.body.reconciliation.reconciliation_id, answer.body.reconciliation.reconciliation_id);
    assertError(await sendList(client, path, HEADER, headers), 'idempotency_conflict');
    for (const settlementId of [opened.settlementId, 'stl_01KA2Z9V7M5CEN5XA66EMZSRZW'])
      assertError(await sendList(client, `/v1/settlements/${settlementId}`, toCsv(sent), headers), 'idempotency_conflict');
  });

  test('what a process left behind is taken up again where it stopped, or ends with a clear status', async () => {
    const { client, path, partnerId, closed } = await withSettlements(3);
    const insert = (id: string, status: string) =>
      database.pool.query(
        `insert into reconciliation (partner_id, reconciliation_id, settlement_id, idempotency_key, format, status, compared_through,
          lease_until, created_at) values ($1, $2, $3, $2, 'csv', $4, 1, now() - interval '1 minute', now())`,
        [partnerId, id, closed.settlementId, status],
      );
    const end = async (id: string) => {
      for (;;) {
        const { reconciliation } = (await client.call(`${path}/reconciliations/${id}`)).body;
        if (reconciliation.ended_at) return reconciliation;
        await completeReconciliations(database, new AbortController().signal);
      }
    };
    await insert('rec_comparing-1', 'comparing');
    const done = await end('rec_comparing-1');
    assert.deepEqual([done.status, done.counts.missing_in_partner_file, done.compared_settlement_lines], ['done', 2n, 3n]);
    await insert('rec_receiving-1', 'receiving');
    const failed = await end('rec_receiving-1');
    assert.equal(failed.status, 'failed');
    assert.match(failed.problem, /^The list did not come to its end\. Send it again/);
  });

  test("what a process left behind of another partner's list stops no list, also while it cannot be ended", async () => {
    const { client, path, sent } = await withSettlements(1);
    const other = await withSettlements(1);
    const insert = `insert into reconciliation (partner_id, reconciliation_id, settlement_id, idempotency_key, format, status, lease_until,
      created_at) values ($1, 'rec_left', $2, 'left', 'csv', 'receiving', now() + interval '1 s', now())`;
    const holder = await database.pool.connect();
    await holder.query(insert, [other.partnerId, other.closed.settlementId]);
    await holder.query('begin');
    await holder.query('select from reconciliation where partner_id = $1 for update', [other.partnerId]);
    try {
      const isOver = 'select from reconciliation where partner_id = $1 and lease_until < now()';
      await waitFor('the end of the lease', async () => (await database.pool.query(isOver, [other.partnerId])).rowCount === 1);
      const answer = await sendList(client, path, toCsv(sent));
      await holder.query('rollback');
      await untilEnded(client, answer);
    } finally {
      holder.release(true);
    }
  });

  test('after 30 days the lines are removed, and the counts are kept', async () => {
    const { client, path, partnerId, sent } = await withSettlements(2);
    const answer = await sendList(client, path, toCsv(sent));
    await untilEnded(client, answer);
    assert.equal((await linesOf(client, answer)).length, 2);
    await database.pool.query("update reconciliation set ended_at = now() - interval '31 days' where partner_id = $1", [
      partnerId,
    ]);
    // The schedule of the service may do it at the same time.
    await removeOldReconciliations(database, 30, new AbortController().signal, new NodeReader(database));
    assert.deepEqual(await linesOf(client, answer), []);
    const { reconciliation } = (await client.call(answer.headers.get('location') as string)).body;
    assert.ok(reconciliation.lines_removed_at);
    assert.equal(reconciliation.counts.matched, 2n);
  });
});

describe('refusals keep nothing and free the key', HANG_LIMIT, () => {
  test('a list that is malformed as a whole, another media type, an open settlement', async () => {
    const { client, path, partnerId, opened, sent } = await withSettlements(2);
    const headers = { 'idempotency-key': uniqueId('key') };
    const TYPE = { 'Content-Type': 'unsupported_value' };
    const cases: [list: string, more: Record<string, string>, status: number, details: Record<string, string>][] = [
      ['partner_event_id,points\n', {}, 400, { list: 'missing_column' }],
      [`${toCsv(sent)}"open`, {}, 400, { list: 'open_quote' }],
      ['', {}, 400, { list: 'missing_column' }],
      ['{}', { 'content-type': 'application/json' }, 400, { list: 'not_an_array' }],
      ['[{"points":1}', { 'content-type': 'application/json' }, 400, { list: 'not_ended' }],
      [`${HEADER}${'x'.repeat(20_000)}\n`, {}, 400, { list: 'line_too_long' }],
      [HEADER, { 'content-type': 'text/plain' }, 415, TYPE],
      [HEADER, { 'content-encoding': 'gzip' }, 415, { 'Content-Encoding': 'unsupported_value' }],
      [HEADER, { 'content-type': 'text/csv; charset=windows-1256' }, 415, TYPE],
      ['[]', { 'content-type': 'application/json; charset=utf-16' }, 415, TYPE],
    ];
    for (const [list, more, status, details] of cases) {
      const answer = await sendList(client, path, list, { ...headers, ...more });
      assert.deepEqual(
        [answer.status, answer.body.error.code, detailCodes(answer)],
        [status, 'invalid_request', details],
        list.slice(0, 40),
      );
    }
    for (const [, { 'content-type': type = 'text/csv', ...more }, status, details] of cases.filter((each) => each[2] === 415)) {
      const keyless = { method: 'POST', body: HEADER, headers: { 'content-type': type, ...more } };
      const answer = await client.call(`${path}/reconciliations`, keyless);
      assert.deepEqual([answer.status, detailCodes(answer), answer.headers.get('connection')], [status, details, 'close'], type);
    }
    const open = await sendList(client, `/v1/settlements/${opened.settlementId}`, HEADER, headers);
    assert.deepEqual([open.status, detailCodes(open)], [400, { settlement_id: 'settlement_open' }]);
    for (const table of ['reconciliation', 'reconciliation_line']) {
      const { rows } = await database.pool.query(`select from ${table} where partner_id = $1`, [partnerId]);
      assert.equal(rows.length, 0, table);
    }
    assert.equal((await sendList(client, path, toCsv(sent), headers)).status, 202);
  });

  test("unknown, ill formed, another settlement's and another partner's", async () => {
    const one = await withSettlements(1);
    const other = await withSettlements(1);
    const answer = await sendList(one.client, one.path, toCsv(one.sent));
    const { reconciliation_id: id } = (await untilEnded(one.client, answer)).body.reconciliation;
    for (const path of [`${one.path}/reconciliations/${id}`, `${other.path}/reconciliations/${id}`]) {
      for (const rest of ['', '/lines']) {
        const found = await other.client.call(path + rest);
        assert.deepEqual([found.status, detailCodes(found)], [404, { reconciliation_id: 'not_found' }]);
      }
    }
    assert.equal((await one.client.call(`${one.path}/reconciliations/%00`)).status, 404);
    const posted = await sendList(other.client, one.path, HEADER);
    assert.deepEqual([posted.status, detailCodes(posted)], [404, { settlement_id: 'not_found' }]);
    const wrong = await one.client.call(`${one.path}/reconciliations/${id}/lines?verdict=good&after=-1`);
    assert.deepEqual(detailCodes(wrong), { verdict: 'unsupported_value', after: 'wrong_form' });
  });
});
