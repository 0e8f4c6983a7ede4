/** Reconciliation with net points, and with the service's own statement: settlements, section 2. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { approveAdjustment, draftAdjustment, postAdjustment } from '../../src/operations/adjustments/manage-adjustment.ts';
import { SERVICE_ROLES } from '../../src/service/role.ts';
import type { Settlement } from '../../src/store/settlements/settlement.ts';
import { enrolled } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { type Answer, type Client, newConfirmation, toJson, uniqueId } from '../support/client.ts';
import { linesOf, sendList, toCsv, untilEnded } from '../support/reconciliations/partner-lists.ts';
import { testService } from '../support/service.ts';
import { closeNow, closeRegularly, openFirst, priced, tools } from '../support/settlements.ts';

const service = await testService({ roles: SERVICE_ROLES });
const { database } = service;
const [ADA, BEA] = await enrolled(database, 'operator', 'approver');
const MAX = 9_223_372_036_854_775_807n;
const PRICE = '0.05';
const CSV = { 'content-type': 'text/csv' };
const JSON_LIST = { 'content-type': 'application/json' };

interface Made {
  readonly transactionId: string;
  readonly partner_event_id: string;
  readonly partner_order_ref: string;
  readonly points: bigint;
}

type Partner = Awaited<ReturnType<typeof newPartner>>;

async function newPartner() {
  const { partner, client } = await service.newPartner();
  await openFirst(database, partner);
  const { partnerId } = partner;
  const confirm = async (points: bigint, fields: object = {}): Promise<Made> => {
    const sent = { ...newConfirmation(), points, ...fields };
    const answer = await client.confirm(sent);
    assert.equal(answer.status, 201, answer.text);
    return { ...sent, transactionId: answer.body.contribution.transaction_id };
  };
  const adjust = async ({ transactionId }: Made, pointsDelta: bigint, over: object = {}) => {
    const why = { reasonCode: 'duplicate_report', reasonEn: 'Reported twice.', reasonAr: 'أُبلغ عنه مرتين.' };
    const wanted = { partnerId, transactionId, ...why, pointsDelta, amountDelta: null, reversalOf: null, ...over };
    const prices = { pricesOf: priced(PRICE) };
    const draft = await draftAdjustment(database, ADA, wanted, prices);
    return postAdjustment(database, ADA, await approveAdjustment(database, BEA, draft, prices), prices);
  };
  const close = async () => (await closeNow(database, partnerId, tools(PRICE))).closed;
  return { partnerId, client, confirm, adjust, close };
}

const pathOf = ({ settlementId }: Settlement) => `/v1/settlements/${settlementId}`;

const send = async (client: Client, of: Settlement, body: string, headers?: Record<string, string>) =>
  untilEnded(client, await sendList(client, pathOf(of), body, headers));

/** Counts that are not 0, by verdict. */
const countsOf = ({ body }: Answer) =>
  Object.fromEntries(Object.entries(body.reconciliation.counts).filter(([, count]) => count !== 0n));

describe('a list of net points', HANG_LIMIT, () => {
  test('gross and net are compared, and the line and the counts say which one matched', async () => {
    const { client, confirm, adjust, close } = await newPartner();
    const [plain, cut, gone, kept, wrong] = [
      await confirm(250n),
      await confirm(MAX),
      await confirm(7n),
      await confirm(9n),
      await confirm(8n),
    ];
    await adjust(cut, 1n - MAX);
    await adjust(gone, -7n);
    await adjust(kept, -4n);
    await adjust(wrong, -4n);
    const closed = await close();
    const net = [plain, { ...cut, points: 1n }, { ...gone, points: 0n }, kept, { ...wrong, points: 5n }];
    const ended = await send(client, closed, toCsv(net));
    assert.deepEqual(countsOf(ended), { matched: 4n, points_mismatch: 1n });
    assert.deepEqual(ended.body.reconciliation.matched_points, { gross: 2n, net: 2n });
    assert.equal(ended.body.reconciliation.is_statement, false);
    const lines = await linesOf(client, ended);
    assert.deepEqual(
      lines.map((line) => [line.verdict, line.matched_points, line.points, line.recorded_points, line.recorded_net_points]),
      [
        ['matched', 'gross', 250n, 250n, 250n],
        ['matched', 'net', 1n, MAX, 1n],
        ['matched', 'net', 0n, 7n, 0n],
        ['matched', 'gross', 9n, 9n, 5n],
        ['points_mismatch', null, 5n, 8n, 4n],
      ],
    );
  });

  test('an adjustment of a later settlement: the list may be as of the settlement or as of today, and nothing between', async () => {
    const { client, confirm, adjust, close } = await newPartner();
    const made = await confirm(100n);
    await adjust(made, -10n);
    const first = await close();
    await adjust(made, -20n);
    const second = await close();
    await adjust(made, -30n);
    const verdictOf = async (of: Settlement, points: bigint) => {
      const [line] = await linesOf(client, await send(client, of, toCsv([{ ...made, points }])));
      return [line.verdict, line.matched_points, line.recorded_net_points, line.recorded_settlement_id];
    };
    const { settlementId } = first;
    assert.deepEqual(await verdictOf(first, 100n), ['matched', 'gross', 40n, settlementId]);
    assert.deepEqual(await verdictOf(first, 90n), ['matched', 'net', 90n, settlementId]);
    assert.deepEqual(await verdictOf(first, 70n), ['points_mismatch', null, 40n, settlementId]);
    assert.deepEqual(await verdictOf(first, 40n), ['matched', 'net', 40n, settlementId]);
    assert.deepEqual(await verdictOf(second, 70n), ['other_settlement', 'net', 70n, settlementId]);
  });
});

/** Three months: refs that a spreadsheet would change, adjustments of this month and of the last, a restatement, late lines, a negative net. */
async function threeMonths(partner: Partner): Promise<Settlement[]> {
  const { partnerId, confirm, adjust, close } = partner;
  const one = await confirm(250n, { partner_event_id: uniqueId('00'), partner_order_ref: `1-${uniqueId('2')}` });
  const large = await confirm(MAX);
  await adjust(one, -50n);
  const first = (await closeRegularly(database, partnerId, tools(PRICE))).closed;
  const late = await confirm(80n, { partner_order_ref: `2026-11-${uniqueId('3')}` });
  await adjust(one, -10n);
  await adjust(one, 0n, { reasonCode: 'conversion_restatement', amountDelta: '-1' });
  await adjust(late, -80n);
  await adjust(large, -MAX);
  const second = (await closeRegularly(database, partnerId, tools(PRICE))).closed;
  const third = await close().catch(async () => (await closeRegularly(database, partnerId, tools(PRICE))).closed);
  return [first, second, third];
}

async function statementOf(client: Client, of: Settlement, query = ''): Promise<string> {
  return (await client.call(`${pathOf(of)}/statement.csv${query}`)).text;
}

describe("the service's own statement is taken as a list", HANG_LIMIT, () => {
  test('sent back unchanged it matches wholly: adjustments, late lines, a negative net, the month of the adjustment and the month after', async () => {
    const partner = await newPartner();
    const months = await threeMonths(partner);
    const types: string[][] = [];
    for (const of of months) {
      const csv = await statementOf(partner.client, of);
      const safe = await statementOf(partner.client, of, '?excel_safe=true');
      const { lines } = (await partner.client.call(`${pathOf(of)}/lines?limit=1000`)).body;
      types.push(
        csv
          .split('\n')
          .slice(1, -1)
          .map((line) => line.split(',')[1] as string),
      );
      const lineCount = BigInt(of.statement?.lineCount as number);
      for (const [list, headers] of [
        [csv, CSV],
        [safe, CSV],
        [toJson(lines), JSON_LIST],
      ] as const) {
        const ended = await send(partner.client, of, list, headers);
        assert.deepEqual(countsOf(ended), { matched: lineCount }, list);
        assert.equal(ended.body.reconciliation.is_statement, true);
        const shown = await linesOf(partner.client, ended);
        assert.deepEqual(
          shown.map(({ line_type }) => line_type),
          types.at(-1),
        );
      }
      if (of === months[0]) assert.notEqual(safe, csv, 'the case has cells that are guarded');
    }
    assert.deepEqual(types, [
      ['contribution', 'contribution', 'adjustment'],
      ['contribution', 'adjustment', 'adjustment', 'adjustment', 'adjustment'],
      ['carried_forward'],
    ]);
  });

  test("another settlement's is told line by line, with the settlement that each line is on", async () => {
    const partner = await newPartner();
    const [first, second, third] = (await threeMonths(partner)) as [Settlement, Settlement, Settlement];
    const counts: unknown[] = [];
    for (const [list, of] of [
      [second, first],
      [third, first],
      [first, third],
    ] as const) {
      const ended = await send(partner.client, of, await statementOf(partner.client, list));
      counts.push(countsOf(ended));
      const lines = await linesOf(partner.client, ended, '?verdict=other_settlement');
      assert.deepEqual([...new Set(lines.map((line) => line.recorded_settlement_id))], [list.settlementId]);
    }
    assert.deepEqual(counts, [
      { other_settlement: 5n, missing_in_partner_file: 3n },
      { other_settlement: 1n, missing_in_partner_file: 3n },
      { other_settlement: 3n, missing_in_partner_file: 1n },
    ]);
  });

  test('a changed, removed, repeated or invented line is told; of an adjustment and of what is carried too', async () => {
    const partner = await newPartner();
    const { client } = partner;
    const [, second, third] = (await threeMonths(partner)) as [Settlement, Settlement, Settlement];
    const rows = (await statementOf(client, second)).split('\n').slice(0, -1);
    const sent = async (lines: readonly string[], of = second) => countsOf(await send(client, of, `${lines.join('\n')}\n`));
    const edited = (line: number, from: string | RegExp, to: string) =>
      rows.map((row, n) => (n === line ? row.replace(from, to) : row));
    assert.deepEqual(await sent(edited(2, ',-10,', ',-11,')), { matched: 4n, points_mismatch: 1n });
    assert.deepEqual(await sent(rows.filter((_, n) => n !== 3)), { matched: 4n, missing_in_partner_file: 1n });
    assert.deepEqual(await sent([...rows, rows[1] as string, rows[2] as string]), { matched: 5n, duplicate_in_file: 2n });
    assert.deepEqual(await sent(edited(2, /adj_\w+/, 'adj_of_nobody')), {
      matched: 4n,
      missing_in_service: 1n,
      missing_in_partner_file: 1n,
    });
    assert.deepEqual(await sent(edited(2, ',adjustment,', ',refund,')), {
      matched: 4n,
      malformed: 1n,
      missing_in_partner_file: 1n,
    });
    assert.deepEqual(await sent(edited(1, ',80,', ',0,')), { matched: 4n, malformed: 1n, missing_in_partner_file: 1n });
    const carried = (await statementOf(client, third)).split('\n').slice(0, -1);
    assert.deepEqual(await sent([...carried, carried[1] as string], third), { matched: 1n, duplicate_in_file: 1n });
    assert.deepEqual(await sent(carried.slice(0, 1), third), { missing_in_partner_file: 1n });
    const more = carried.map((row) => row.replace(/,-(\d+),/, `,-1$1${'0'.repeat(10)},`));
    const ended = await send(client, third, `${more.join('\n')}\n`);
    assert.deepEqual(countsOf(ended), { points_mismatch: 1n });
    const [line] = await linesOf(client, ended);
    assert.equal(line.points, BigInt(`-1${-line.recorded_points}${'0'.repeat(10)}`), 'exact beyond int64');
  });

  test("what another settlement carries does not stand for the settlement's own carried line, which is missing", async () => {
    const partner = await newPartner();
    const { client, partnerId } = partner;
    const [, , third] = (await threeMonths(partner)) as [Settlement, Settlement, Settlement];
    const fourth = (await closeRegularly(database, partnerId, tools(PRICE))).closed;
    const ended = await send(client, third, await statementOf(client, fourth));
    assert.deepEqual(countsOf(ended), { other_settlement: 1n, missing_in_partner_file: 1n });
    const [line] = await linesOf(client, ended, '?verdict=missing_in_partner_file');
    assert.deepEqual(
      [line.line_type, line.recorded_points, line.recorded_settlement_id],
      ['carried_forward', third.totals?.carriedPoints, third.settlementId],
    );
  });

  test('net points in the line of a contribution do not match there: its adjustments have lines of their own', async () => {
    const { client, confirm, adjust, close } = await newPartner();
    await adjust(await confirm(250n), -50n);
    const closed = await close();
    const list = (await statementOf(client, closed)).replace(',250,', ',200,');
    assert.deepEqual(countsOf(await send(client, closed, list)), { matched: 1n, points_mismatch: 1n });
  });

  test('missing in the service: points are never restored; for an adjustment, ask the operator', async () => {
    const { client, confirm, close } = await newPartner();
    await confirm(250n);
    const closed = await close();
    const [header, row] = (await statementOf(client, closed)).split('\n') as [string, string];
    const cells = row.split(',');
    const adjustment = cells.with(1, 'adjustment').with(3, 'adj_of_nobody').with(6, '-250').join(',');
    const unknown = cells.with(4, 'event-of-nobody').join(',');
    const ended = await send(client, closed, `${[header, row, adjustment, unknown].join('\n')}\n`);
    const lines = await linesOf(client, ended, '?verdict=missing_in_service');
    const details = lines.map((line) => line.details.map(({ field, code }: Record<string, string>) => `${field} ${code}`));
    assert.deepEqual(details, [
      ['point_restoration not_authorized', 'next_action contact_operator'],
      ['point_restoration not_authorized', 'next_action retry_same_request'],
    ]);
  });

  test("another partner's statement names nothing of that partner", async () => {
    const [one, other] = [await newPartner(), await newPartner()];
    const [closed, theirs] = [(await threeMonths(one))[1] as Settlement, (await threeMonths(other))[1] as Settlement];
    const ended = await send(one.client, closed, await statementOf(other.client, theirs));
    assert.deepEqual(countsOf(ended), { missing_in_service: 5n, missing_in_partner_file: 5n });
    const lines = await linesOf(one.client, ended, '?verdict=missing_in_service');
    assert.ok(
      lines.every(
        (line) => line.recorded_points === null && line.recorded_settlement_id === null && line.transaction_id === null,
      ),
    );
  });
});

test('of a malformed line the response has the reason and what was readable', HANG_LIMIT, async () => {
  const { client, confirm, close } = await newPartner();
  const made = await confirm(250n);
  const closed = await close();
  const list = `${toCsv([{ ...made, points: -1n }])}short,order-1,5\n`;
  const ended = await send(client, closed, list);
  assert.deepEqual(countsOf(ended), { malformed: 2n, missing_in_partner_file: 1n });
  const [first, second] = await linesOf(client, ended, '?verdict=malformed');
  const { partner_event_id, partner_order_ref } = made;
  assert.deepEqual(
    [first.line_no, first.partner_event_id, first.partner_order_ref, first.points],
    [2n, partner_event_id, partner_order_ref, null],
  );
  assert.deepEqual([second.line_no, second.partner_event_id, second.partner_order_ref, second.points], [3n, null, 'order-1', 5n]);
  assert.equal(first.details[0].message, 'points must be a whole number from 0 to 9223372036854775807.');
  await database.pool.query('update reconciliation_line set problems = $2 where reconciliation_id = $1 and position = 2', [
    ended.body.reconciliation.reconciliation_id,
    '[{"field":"points","code":"wrong_form","message":"As an earlier release kept it."}]',
  ]);
  const [old] = await linesOf(client, ended, '?verdict=malformed');
  assert.deepEqual(old.details, [{ field: 'points', code: 'wrong_form', message: 'As an earlier release kept it.' }]);
});
