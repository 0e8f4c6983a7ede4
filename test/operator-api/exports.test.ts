/** The lists of operators as files, for spreadsheets. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { createPartner, getPartner } from '../../src/operations/access/manage-partner.ts';
import { ROUTES } from '../../src/operator-api/routes.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { openRecords, THRESHOLD, V1 } from '../support/operator-api/records-scene.ts';
import { untilAllSequenced } from '../support/records.ts';
import { OPEN_RATES } from '../support/service.ts';
import { closeNow, newSettledPartner } from '../support/settlements.ts';

const { service, database, viewer, operator, idOf, count } = await openRecords();

async function rowsOf(file: string): Promise<Record<string, string>[]> {
  const { status, text } = await viewer.get(`${V1}/${file}`);
  assert.equal(status, 200, text);
  assert.ok(text.startsWith('\uFEFF'), 'by its byte order mark a spreadsheet knows UTF-8');
  return parse(text, { columns: true, bom: true });
}

/** The day in UTC, which may turn while an answer is on its way. */
const today = () => new Date().toISOString().slice(0, 10);

describe('lists as files', () => {
  test('are named after what they hold: the partner in any script, the period, what was chosen, and the day', async () => {
    const own = await createPartner(database, OWNER, 'متجر "الواحة"', OPEN_RATES);
    const [open] = (await viewer.get(`${V1}/partners/${own.partnerId}/settlements`)).body.settlements;
    const path = `${V1}/partners/${own.partnerId}/settlements/${open.settlement_id}/lines.csv?line_type=adjustment`;
    const before = today();
    const sent = String((await viewer.get(path)).headers['content-disposition']);
    const day = sent.includes(before) ? before : today();
    const [, ascii, name = ''] = /^attachment; filename="([^"]+)"; filename\*=UTF-8''(\S+)$/.exec(sent) ?? [];
    assert.equal(decodeURIComponent(name), `settlement-lines-متجر-الواحة-${open.period_label}-adjustment-${day}.csv`);
    assert.equal(ascii, `settlement-lines-_-_-${open.period_label}-adjustment-${day}.csv`);
  });

  test('are named after a partner with its vowel signs and accents, whether a letter has them in it or beside it', async () => {
    const names = ['مَتْجَر النَّخيل', 'Cafe\u0301 Zu\u0308rich', 'Caf\u00e9'];
    for (const name of names) {
      const { partnerId } = await createPartner(database, OWNER, name, OPEN_RATES);
      const { headers } = await viewer.get(`${V1}/contributions.csv?partner_id=${partnerId}`);
      const [, sent = ''] = /filename\*=UTF-8''(\S+)$/.exec(String(headers['content-disposition'])) ?? [];
      assert.ok(decodeURIComponent(sent).startsWith(`contributions-${name.replaceAll(' ', '-')}-20`), decodeURIComponent(sent));
    }
  });

  test('each list is there as CSV, with all its records over all pages, for whoever may read it', async () => {
    const files = ROUTES.filter(({ answer, operation }) => answer === 'csv' && operation.startsWith('export'));
    assert.ok(files.length >= 10);
    const { partner: own, client } = await service.newPartner();
    const made = [];
    for (let index = 0; index < 5; index++) made.push((await client.confirm()).body.contribution.transaction_id);
    const before = today();
    const { text, headers } = await viewer.get(`${V1}/contributions.csv?partner_id=${own.partnerId}`);
    const sent = String(headers['content-disposition']);
    const day = sent.includes(before) ? before : today();
    const shop = own.name.replaceAll(' ', '-');
    assert.match(sent, new RegExp(`^attachment; filename="contributions-${shop}-${day}\\.csv"`));
    const [head = '', ...lines] = text.trimEnd().split('\n');
    const column = head.split(',').indexOf('transaction_id');
    assert.deepEqual(
      lines.map((line) => line.split(',')[column]),
      made.toReversed(),
    );
    const audited = (await viewer.get(`${V1}/audit.csv`)).text.trimEnd();
    assert.equal(parse(audited, { columns: true }).length, await count('select count(*) from audit_entry'));
  });

  test('begun together, wait for one another, and leave connections to others', async () => {
    const holder = await database.pool.connect();
    await holder.query('begin');
    await holder.query('lock table project in access exclusive mode');
    const waiting = async () =>
      Number(
        (
          await database.pool.query(
            `select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%project%'`,
          )
        ).rows[0].n,
      );
    const files = Array.from({ length: 8 }, () => viewer.get(`${V1}/projects.csv`));
    await waitFor('pages that wait for the table', async () => (await waiting()) === 2);
    // Answered after the others have arrived, over a connection of the same pool.
    assert.equal((await viewer.get(`${V1}/session`)).status, 200);
    assert.equal(await waiting(), 2);
    await holder.query('rollback');
    holder.release();
    for (const { status } of await Promise.all(files)) assert.equal(status, 200);
  });

  test('what a spreadsheet would run is text; what is wrong is told as an error', async () => {
    const name = `=HYPERLINK("http://evil.example","${uniqueId('click')}")`;
    await operator.postOnce(`${V1}/partners`, { name });
    const { text } = await viewer.get(`${V1}/partners.csv?name=HYPERLINK`);
    const [row] = parse(text, { columns: true }) as { name: string }[];
    assert.equal(row?.name, `'${name}`);
    const wrong = await viewer.get(`${V1}/contributions.csv`);
    assert.deepEqual([wrong.status, wrong.body.error.details[0].field], [400, 'partner_id']);
    assert.equal((await viewer.get(`${V1}/partners.csv?limit=3`)).status, 400);
  });

  test('what a spreadsheet would read as another number, a day or a truth value is text; numbers are numbers', async () => {
    const { partner: own, client } = await service.newPartner();
    const orders = ['-2-3000', '1E500', '00012345', '12345678901234567890', '2026-11', 'TRUE', 'ORDER-17'];
    for (const partner_order_ref of orders) await client.confirm({ partner_order_ref, points: 250 });
    const rows = await rowsOf(`contributions.csv?partner_id=${own.partnerId}`);
    assert.deepEqual(
      rows.map(({ partner_order_ref }) => partner_order_ref).sort(),
      orders.map((order) => (order === 'ORDER-17' ? order : `'${order}`)).sort(),
    );
    assert.deepEqual([...new Set(rows.map(({ points }) => points))], ['250']);
    assert.match(rows[0]?.['created_at'] ?? '', /^\d{4}-\d\d-\d\dT/);
    const large = 9_007_199_254_740_993n;
    await client.confirm({ points: large });
    const found = await rowsOf(`contributions.csv?partner_id=${own.partnerId}`);
    assert.ok(
      found.some(({ points }) => points === `'${large}`),
      'more digits than a spreadsheet keeps',
    );
  });

  test('have a column for each value, under the names that lead to it, and the name of the partner beside its id', async () => {
    const { partnerId, client } = await newSettledPartner(service);
    const { name } = await getPartner(database.pool, partnerId);
    await client.confirm({ points: 120 });
    const { closed } = await closeNow(database, partnerId);
    await client.post(`/v1/settlements/${closed.settlementId}/acknowledgement`, { status: 'disputed', note: 'Two, not one.' });
    const { transaction_id } = (await client.confirm({ points: THRESHOLD })).body.contribution;

    const settlement = (await rowsOf('settlements.csv?acknowledgement=disputed')).find((row) => row.partner_id === partnerId);
    assert.deepEqual(
      [settlement?.partner_id, settlement?.partner_name, settlement?.acknowledgement_status, settlement?.acknowledgement_note],
      [partnerId, name, 'disputed', 'Two, not one.'],
    );
    assert.match(String(settlement?.statement_csv_sha256), /^[0-9a-f]{64}$/);
    assert.deepEqual(
      [settlement?.totals_by_version_contribution_rule_version, settlement?.totals_by_version_points],
      ['default-1', '120'],
    );

    const closing = (await rowsOf('closings.csv')).find((row) => row.partner_id === partnerId);
    assert.deepEqual(
      [closing?.name, closing?.pending_contributions_count, closing?.last_settlement_net_points],
      [name, '1', '120'],
    );
    assert.equal(closing?.disputed_settlements_settlements_settlement_id, closed.settlementId);

    const [review] = await rowsOf(`reviews.csv?partner_id=${partnerId}`);
    assert.deepEqual(
      [review?.partner_name, review?.contribution_transaction_id, review?.contribution_points],
      [name, transaction_id, String(THRESHOLD)],
    );
  });

  test('the values of a list share a cell, and one alone is a number', async () => {
    const { partnerId, client } = await newSettledPartner(service);
    const ownRow = async (file: string) => (await rowsOf(file)).find(({ partner_id }) => partner_id === partnerId);
    const ids: string[] = [];
    let month = '';
    for (let closing = 0; closing < 2; closing++) {
      const { closed, opened } = await closeNow(database, partnerId);
      await client.post(`/v1/settlements/${closed.settlementId}/acknowledgement`, { status: 'disputed' });
      ids.unshift(closed.settlementId);
      month = opened.period.label.slice(0, 7);
    }
    const closing = await ownRow('closings.csv');
    assert.equal(closing?.disputed_settlements_settlements_settlement_id, ids.join('; '));
    await client.confirm({ points: 17 });
    await untilAllSequenced(database, partnerId);
    const ofMonth = await ownRow(`months/${month}/partners.csv`);
    assert.equal(ofMonth?.days_confirmed_points, '17');
    assert.deepEqual(
      Object.keys(ofMonth).filter((column) => /amounts/.test(column)),
      ['amounts_currency', 'amounts_minor_units', 'amounts_amount'],
    );
  });

  test('the file of a month waits for who adds up its events, and there is none without one that has its sequence', async () => {
    const { partnerId, client } = await newSettledPartner(service);
    const [open] = (await viewer.get(`${V1}/partners/${partnerId}/settlements`)).body.settlements;
    const list = `${V1}/months/${open.period_label.slice(0, 7)}/partners`;
    await untilAllSequenced(database, partnerId);
    await viewer.get(`${list}.csv`);
    const adder = await database.pool.connect();
    await adder.query('begin');
    await adder.query('set local idle_in_transaction_session_timeout = 0');
    const held = await adder.query('select from day_total_place where partner_id = $1 for update', [partnerId]);
    assert.equal(held.rowCount, 1);
    try {
      await client.confirm({ points: 29 });
      await untilAllSequenced(database, partnerId);
      const refused = await viewer.get(`${list}.csv`);
      assert.deepEqual([refused.status, refused.body?.error?.code], [503, 'internal_service_unavailable'], refused.text);
      assert.match(refused.body.error.message, /download the file again/);
      assert.equal(refused.headers['retry-after'], '5');
      // The page of the same size, with the figures so far, is kept for seconds: it becomes no part of the file.
      const page = await viewer.get(`${list}?limit=200`);
      assert.equal(page.status, 200);
      const waiting = viewer.get(`${list}.csv`);
      const lock = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%day_total_place%'`;
      await waitFor('file that waits', async () => (await database.pool.query(lock)).rowCount === 1);
      await adder.query('rollback');
      const { status, text } = await waiting;
      assert.equal(status, 200, text);
      const rows: Record<string, string>[] = parse(text, { columns: true, bom: true });
      assert.equal(rows.find((row) => row['partner_id'] === partnerId)?.['confirmed_points'], '29');
    } finally {
      adder.release(true);
    }
  });

  test('have no JSON in a cell, and no two columns of one name', async () => {
    const files = ROUTES.filter(
      ({ answer, operation, path }) => answer === 'csv' && /^export/.test(operation) && !path.includes(':'),
    );
    assert.ok(files.length >= 10);
    for (const { path } of files) {
      const ofAPartner = path.endsWith('/contributions.csv') ? `?partner_id=${idOf()}` : '';
      const [head = [], ...rows] = parse((await viewer.get(`${path}${ofAPartner}`)).text, { bom: true }) as string[][];
      assert.equal(new Set(head).size, head.length, `${path}: ${head}`);
      // The audit shows the records that it sealed, as JSON.
      const cells = rows.flatMap((row) => row.filter((_cell, index) => !/^(before|after)_json$/.test(head[index] ?? '')));
      assert.deepEqual(
        cells.filter((cell) => /^[[{]/.test(cell)),
        [],
        path,
      );
    }
  });
});
