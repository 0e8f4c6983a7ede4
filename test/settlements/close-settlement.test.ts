/** Settlements from the opening to the closing: settlements, section 2. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sealRows } from '../../reliability/harness/seal-rows.ts';
import { readAmount } from '../../src/domain/numbers/money.ts';
import { closesAt } from '../../src/domain/settlements/closing-delay.ts';
import { calendarPeriod } from '../../src/domain/settlements/settlement-period.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { removeOldEvents } from '../../src/operations/events/remove-old-events.ts';
import { closeDueSettlements } from '../../src/operations/settlements/close-due-settlements.ts';
import { closeSettlement } from '../../src/operations/settlements/close-settlement.ts';
import { verifySettlements } from '../../src/operations/settlements/verify-settlements.ts';
import type { Queryable } from '../../src/store/database.ts';
import { insertEventCounter } from '../../src/store/events/event.ts';
import { eachSettlement, findOpenSettlement, lockOpenSettlement } from '../../src/store/settlements/settlement.ts';
import { sumUnsettled } from '../../src/store/settlements/unsettled-contribution.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../src/store/transaction.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { document, listMisfits } from '../support/published.ts';
import { insertOldPartner, untilSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { actor, closeNow, closeRegularly, getOpen, linesOf, newSettledPartner, sealKeys, tools } from '../support/settlements.ts';

const service = await testService();
const { database } = service;

const newPartner = () => newSettledPartner(service);

/** What is under way, on each node where there are several. */
const ACTIVITY = process.env['TEST_ENGINE'] === 'citus' ? 'citus_stat_activity' : 'pg_stat_activity';

async function settlementsOf(partnerId: string) {
  return Array.fromAsync(eachSettlement(database.pool, partnerId));
}

async function eventsOf(partnerId: string, count: number) {
  await untilSequenced(database, partnerId, count);
  const { rows } = await database.pool.query(
    'select event_type, data, correlation_id from event where partner_id = $1 order by sequence',
    [partnerId],
  );
  return rows;
}

describe('opening', () => {
  test('with the partner: the calendar month of its time zone, and settlement.created', async () => {
    const { partnerId, createdAt } = await createPartner(database, OWNER, 'Opened');
    const open = await getOpen(database, partnerId);
    assert.deepEqual(open.period, calendarPeriod(createdAt, 'Asia/Riyadh'));
    assert.deepEqual([open.sequence, open.status, open.totals, open.statement], [1n, 'open', null, null]);
    const [event] = await eventsOf(partnerId, 1);
    assert.equal(event.event_type, 'settlement.created');
    assert.equal(JSON.parse(event.data).settlement.settlement_id, open.settlementId);
  });

  test('by the schedule for a partner without one, once however many look', async () => {
    const partner = await insertOldPartner(database);
    await insertEventCounter(database.pool, partner.partnerId);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 4 }, () => closeDueSettlements(database, actor('admin'), tools(), { signal })));
    assert.equal((await settlementsOf(partner.partnerId)).length, 1);
    assert.equal((await eventsOf(partner.partnerId, 1)).length, 1);
  });

  test('one open settlement at any time, by the database', async () => {
    const { open } = await newPartner();
    await assert.rejects(
      database.pool.query(
        `insert into settlement (partner_id, settlement_id, sequence, status, period_start, period_end, period_timezone, period_label,
          follows_event, created_at) values ($1, 'stl_other-1', 2, 'open', now(), now() + interval '1 day', 'UTC', 'x', 0, now())`,
        [open.partnerId],
      ),
      /settlement_one_open/,
    );
  });
});

describe('closing by the schedule', () => {
  test('five minutes after the end of the period, not before', async () => {
    const { partnerId, open, client } = await newPartner();
    await client.confirm();
    const due = closesAt(open.period);
    const attempt = (now: Date) => closeSettlement(database, actor('admin'), { partnerId, isEarly: false, now }, tools());
    assert.equal(await attempt(new Date(due.getTime() - 1)), undefined);
    const outcome = await attempt(due);
    assert.equal(outcome?.closed.totals?.contributionCount, 1n);
    assert.deepEqual(outcome?.closed.period, open.period);
    assert.deepEqual(outcome?.opened.period.startsAt, open.period.endsAt);
  });

  test('a settlement that is not due yet is not even locked', async () => {
    const { partnerId, open } = await newPartner();
    const due = closesAt(open.period);
    const { signal } = new AbortController();
    const closeAllDue = (now: Date) => closeDueSettlements(database, actor('admin'), tools(), { signal, now });
    await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      await lockOpenSettlement(db, partnerId);
      await closeAllDue(new Date(due.getTime() - 1));
    });
    assert.equal((await getOpen(database, partnerId)).settlementId, open.settlementId);
    await closeAllDue(due);
    assert.equal((await getOpen(database, partnerId)).sequence, 2n);
  });

  test('months that were missed are closed one after the other, empty ones too, without gaps', async () => {
    const { partnerId, open, client } = await newPartner();
    await client.confirm({ points: 7 });
    const now = new Date(open.period.endsAt.getTime() + 80 * 86_400_000);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 3 }, () => closeDueSettlements(database, actor('admin'), tools(), { signal, now })));
    const all = await settlementsOf(partnerId);
    assert.deepEqual(
      all.map(({ sequence, status, totals }) => [sequence, status, totals?.netPoints]),
      [
        [1n, 'closed', 7n],
        [2n, 'closed', 0n],
        [3n, 'closed', 0n],
        [4n, 'open', undefined],
      ],
    );
    for (const [at, { period }] of all.slice(1).entries()) assert.deepEqual(period.startsAt, all[at]?.period.endsAt);
    assert.equal(new Set(all.map(({ period }) => period.label)).size, 4);
  });
});

describe('closing by hand', () => {
  test('an early close ends at the moment of closing, and the next runs to the end of the month under the next label', async () => {
    const { partnerId, open, client } = await newPartner();
    await client.confirm();
    const { closed, opened } = await closeNow(database, partnerId);
    assert.ok(closed.period.endsAt < open.period.endsAt);
    assert.deepEqual(closed.period.endsAt, closed.closedAt);
    assert.deepEqual([opened.period.label, opened.period.endsAt], [`${open.period.label}-2`, open.period.endsAt]);
    assert.equal((await linesOf(database, closed)).length, 1);
  });

  test('an early close has every contribution that was answered before, within a millisecond of it too', async () => {
    const { partnerId, client } = await newPartner();
    for (let count = 0; count < 100; count++) {
      await client.confirm();
      const { closed } = await closeNow(database, partnerId);
      assert.equal(closed.totals?.contributionCount, 1n);
    }
  });

  test('forbidden below the role approver, and nothing changes', async () => {
    const { partnerId, open } = await newPartner();
    for (const role of ['viewer', 'operator'] as const)
      await assert.rejects(
        closeSettlement(database, actor(role), { partnerId, isEarly: true }, tools()),
        (error: { code?: string }) => error.code === 'forbidden',
      );
    assert.equal((await getOpen(database, partnerId)).settlementId, open.settlementId);
  });

  test('two at once close once', async () => {
    const { partnerId, client } = await newPartner();
    await client.confirm();
    const now = new Date();
    const attempt = () => closeSettlement(database, actor(), { partnerId, isEarly: true, now }, tools());
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, attempt));
    assert.equal(outcomes.filter(({ status, ...rest }) => status === 'fulfilled' && 'value' in rest && rest.value).length, 1);
    assert.deepEqual(
      (await settlementsOf(partnerId)).map(({ status }) => status),
      ['closed', 'open'],
    );
  });

  test('two who mean the same settlement close it once, and leave its successor alone', async () => {
    const { partnerId, open } = await newPartner();
    const closing = { partnerId, isEarly: true, settlementId: open.settlementId };
    const attempt = () => closeSettlement(database, actor(), closing, tools());
    const outcomes = await Promise.all([attempt(), attempt(), attempt()]);
    assert.equal(outcomes.filter((outcome) => outcome !== undefined).length, 1);
    assert.equal(await attempt(), undefined);
    assert.deepEqual(
      (await settlementsOf(partnerId)).map(({ status }) => status),
      ['closed', 'open'],
    );
  });

  test('a partner that was edited while the closing waited, and restored, is settled as it is in the audit', async () => {
    const { partnerId, partner } = await newPartner();
    const setZone = (zone: string) =>
      asSuperuser(database.pool, async (client) => {
        await client.query('update partner set time_zone = $2 where partner_id = $1', [partnerId, zone]);
      });
    await setZone('Pacific/Auckland');
    const closing = await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      await lockOpenSettlement(db, partnerId);
      const begun = closeNow(database, partnerId);
      await waitFor('a closing that waits for the settlement', async () => {
        const waiting = `select 1 from ${ACTIVITY} where datname = current_database() and wait_event_type = 'Lock' and query like '%settlement%'`;
        return (await database.pool.query(waiting)).rows.length > 0;
      });
      await setZone(partner.timeZone);
      return { begun };
    });
    assert.equal((await closing.begun).opened.period.timeZone, partner.timeZone);
  });

  test('a period that has not begun is not closed', async () => {
    const { partnerId, open } = await newPartner();
    await assert.rejects(closeNow(database, partnerId, tools(), open.period.startsAt), /it cannot be closed before/);
  });
});

describe('assignment at close', () => {
  test('what is confirmed is on exactly one settlement; what is pending or failed on none', async () => {
    const { partnerId, client } = await newPartner();
    const first = (await client.confirm()).body.contribution.transaction_id;
    for (const [scenario, status] of [
      ['pending', 202],
      ['failed', 422],
    ] as const)
      assert.equal((await client.confirm({}, { 'x-sandbox-scenario': scenario })).status, status);
    const one = await closeNow(database, partnerId);
    const second = (await client.confirm()).body.contribution.transaction_id;
    const two = await closeNow(database, partnerId);
    const three = await closeNow(database, partnerId);
    const ids = async ({ closed }: typeof one) => (await linesOf(database, closed)).map(({ transactionId }) => transactionId);
    assert.deepEqual([await ids(one), await ids(two), await ids(three)], [[first], [second], []]);
  });

  test('whatever was confirmed after the end waits, and a straggler of an earlier period is late', async () => {
    const { partnerId, client, open } = await newPartner();
    const { closed, opened } = await closeRegularly(database, partnerId);
    assert.equal(closed.totals?.contributionCount, 0n);
    const { transaction_id } = (await client.confirm()).body.contribution;
    assert.ok(opened.period.startsAt > new Date(), `${open.period.label} is over in this test alone`);
    const next = await closeRegularly(database, partnerId);
    const [line] = await linesOf(database, next.closed);
    assert.deepEqual([line?.transactionId, line?.reasonCode], [transaction_id, 'late']);
  });

  test('a period is half-open: what was confirmed at its end is on the next settlement', async () => {
    const { partnerId, client } = await newPartner();
    const { transaction_id, confirmed_at } = (await client.confirm()).body.contribution;
    const { closed, opened } = await closeNow(database, partnerId, tools(), new Date(confirmed_at));
    assert.equal(closed.totals?.contributionCount, 0n);
    const [line] = await linesOf(database, (await closeNow(database, partnerId)).closed);
    assert.equal(line?.transactionId, transaction_id);
    assert.deepEqual([line?.confirmedAt, line?.reasonCode], [opened.period.startsAt, null]);
  });

  test('a confirmation that commits after the closing, with an older time, is on the next', async () => {
    const { partnerId, client } = await newPartner();
    const { transaction_id } = (await client.confirm()).body.contribution;
    const slow = await database.pool.connect();
    await slow.query('begin');
    await slow.query(
      `insert into contribution select (c).* from (select jsonb_populate_record(c, jsonb_build_object('transaction_id', c.transaction_id || 'b', 'seal', null,
        'idempotency_key', 'b', 'partner_event_id', c.partner_event_id || 'b', 'partner_order_ref', 'b', 'confirmed_at', now() - interval '3 days'))
        as c from contribution c where partner_id = $1) as copied`,
      [partnerId],
    );
    await slow.query(
      `insert into event_outbox (partner_id, event_id, event_type, subject_id, occurred_at)
       values ($1, 'evt_b', 'impact.transaction.confirmed', $2, now())`,
      [partnerId, `${transaction_id}b`],
    );
    await sealRows({ ...database, pool: slow as unknown as typeof database.pool }, partnerId, [`${transaction_id}b`]);
    const { closed } = await closeNow(database, partnerId);
    await slow.query('commit');
    slow.release();
    const next = await closeNow(database, partnerId);
    assert.deepEqual(
      (await linesOf(database, closed)).map(({ transactionId }) => transactionId),
      [transaction_id],
    );
    const [line] = await linesOf(database, next.closed);
    assert.deepEqual([line?.transactionId, line?.reasonCode], [`${transaction_id}b`, 'late']);
  });

  test('an event that was removed before a settlement closed over it loses nothing', async () => {
    const { partnerId, client } = await newPartner();
    await client.confirm();
    await client.confirm();
    await untilSequenced(database, partnerId, 3);
    await database.pool.query(
      "update event set occurred_at = now() - interval '91 days' where partner_id = $1 and sequence <= 2",
      [partnerId],
    );
    assert.equal(await removeOldEvents(database, 90), 2);
    const { closed } = await closeNow(database, partnerId);
    assert.equal(closed.totals?.contributionCount, 2n);
    assert.equal((await closeNow(database, partnerId)).closed.totals?.contributionCount, 0n);
    const { rows } = await database.pool.query('select from settlement_candidate where partner_id = $1', [partnerId]);
    assert.equal(rows.length, 0);
  });

  test('an event of after the end, removed before a late closing, is on the next settlement', async () => {
    const { partnerId, client, open } = await newPartner();
    await client.confirm({ points: 7 });
    await untilSequenced(database, partnerId, 2);
    await database.pool.query("update event set occurred_at = now() - interval '91 days' where partner_id = $1", [partnerId]);
    assert.equal(await removeOldEvents(database, 90), 2);
    const numbered = await sumUnsettled(
      database.pool,
      { partnerId, followsEvent: 0n, endsAt: open.period.endsAt, prices: { currency: 'SAR', values: new Map() } },
      { throughEvent: 2n },
    );
    assert.deepEqual(
      numbered.map(({ points }) => points),
      [7n],
    );
    const late = await closeNow(database, partnerId, tools(), new Date(open.period.startsAt.getTime() + 1));
    assert.equal(late.closed.totals?.contributionCount, 0n);
    assert.equal((await closeNow(database, partnerId)).closed.totals?.contributionCount, 1n);
  });

  test('verified while they close: nothing is found wrong', async () => {
    const { partnerId, client } = await newPartner();
    await client.confirm();
    let closings = 0;
    const closing = {
      async query(statement: { text: string }) {
        // Between the list of settlements and the first look at their lines, and before two later ones.
        if (/from settlement_line/.test(statement.text) && closings++ < 3) await closeNow(database, partnerId);
        return database.pool.query(statement);
      },
    };
    const verdict = await verifySettlements({ ...database, pool: closing as unknown as Queryable }, partnerId, sealKeys);
    assert.ok(closings >= 3);
    assert.deepEqual([verdict.problems, verdict.lines], [[], 1]);
  });

  test('a line carries labels, link and association as they stand at the closing', async () => {
    const { partnerId, client } = await newPartner();
    const { calculation_id, partner_order_ref } = (await client.estimate()).body.estimate;
    const linked = (await client.confirm({ partner_order_ref, calculation_id })).body.contribution;
    const unknown = (await client.confirm({ calculation_id: 'calc_unknown-1' })).body.contribution;
    const { closed } = await closeNow(database, partnerId);
    const [one, two] = await linesOf(database, closed);
    assert.deepEqual(
      [one?.transactionId, one?.calculationId, one?.associationStatus],
      [linked.transaction_id, calculation_id, 'associated'],
    );
    assert.deepEqual(
      [two?.transactionId, two?.calculationId, two?.associationStatus],
      [unknown.transaction_id, null, 'rejected'],
    );
    assert.equal(one?.contributionRuleVersion, linked.contribution_rule_version);
  });
});

describe('amounts', () => {
  test('lines are exact, and the total is rounded once', async () => {
    const { partnerId, client } = await newPartner();
    for (const points of [1, 1, 1]) await client.confirm({ points });
    const { closed } = await closeNow(database, partnerId, tools('0.005'));
    assert.deepEqual(
      (await linesOf(database, closed)).map(({ amount, currency }) => [amount, currency]),
      Array(3).fill([readAmount('0.005'), 'SAR']),
    );
    assert.equal(closed.totals?.amount, readAmount('0.015'));
    const events = await eventsOf(partnerId, 6);
    const told = JSON.parse(events.find(({ event_type }) => event_type === 'settlement.closed').data).settlement;
    assert.deepEqual([told.amount, told.currency, told.totals_by_version[0].amount], ['0.02', 'SAR', '0.015']);
  });

  test('where the lines that were written do not add up to the contributions, nothing is closed', async (context) => {
    if (database.isDistributed) return context.skip('A distributed table has no triggers.');
    const { partnerId, client, open } = await newPartner();
    await client.confirm();
    const rounding = `round_${partnerId.toLowerCase()}`;
    await database.pool.query(`create function ${rounding}() returns trigger language plpgsql as
      $$ begin new.amount := round(new.amount); return new; end $$`);
    await database.pool.query(
      `create trigger ${rounding} before insert on settlement_line for each row when (new.partner_id = '${partnerId}') execute function ${rounding}()`,
    );
    await assert.rejects(closeNow(database, partnerId, tools('0.005')), /do not add up to its contributions and adjustments/);
    assert.equal((await getOpen(database, partnerId)).settlementId, open.settlementId);
    await database.pool.query(`drop trigger ${rounding} on settlement_line`);
    const { closed } = await closeNow(database, partnerId, tools('0.005'));
    assert.equal(closed.totals?.amount, readAmount('1.25'));
  });

  test('a negative net is carried into the next settlement as its first line, exactly, and is in the totals of the open one', async () => {
    const { partnerId, client } = await newPartner();
    const { closed } = await closeNow(database, partnerId, tools('0.005'));
    // As adjustments would leave it.
    await asSuperuser(database.pool, async (owing) => {
      await owing.query('update settlement set net_points = -5, exact_amount = -0.025 where settlement_id = $1', [
        closed.settlementId,
      ]);
    });
    await client.confirm({ points: 7 });
    const opened = await getOpen(database, partnerId);
    const shown = (await client.call(`/v1/settlements/${opened.settlementId}`)).body.settlement;
    assert.deepEqual([shown.gross_points, shown.carried_in_points, shown.net_points, shown.payable_points], [7n, -5n, 7n, 2n]);
    const next = await closeNow(database, partnerId, tools('0.005'));
    assert.deepEqual(
      (await linesOf(database, next.closed)).map(({ lineNo, lineType, points, amount, originalSettlementId }) => ({
        lineNo,
        lineType,
        points,
        amount,
        originalSettlementId,
      })),
      [
        {
          lineNo: 1,
          lineType: 'carried_forward',
          points: -5n,
          amount: readAmount('-0.025'),
          originalSettlementId: closed.settlementId,
        },
        { lineNo: 2, lineType: 'contribution', points: 7n, amount: readAmount('0.035'), originalSettlementId: null },
      ],
    );
    const { carriedPoints, totalPoints, grossPoints, amount } = next.closed.totals ?? {};
    assert.deepEqual([carriedPoints, totalPoints, grossPoints, amount], [-5n, 2n, 7n, readAmount('0.01')]);
    assert.equal((await closeNow(database, partnerId)).closed.totals?.carriedPoints, 0n);
  });

  test('sums of points may pass int64', async () => {
    const { partnerId, client } = await newPartner();
    for (let count = 0; count < 2; count++) await client.confirm({ points: 9_223_372_036_854_775_807n });
    const { closed } = await closeNow(database, partnerId);
    assert.equal(closed.totals?.netPoints, 18_446_744_073_709_551_614n);
    assert.equal((await linesOf(database, closed))[0]?.amount, null);
  });
});

describe('events', () => {
  test('settlement.closed, then settlement.created of the next, as the document says', async () => {
    const { partnerId, client } = await newPartner();
    await client.confirm();
    const { closed, opened } = await closeNow(database, partnerId, tools('0.05'));
    await untilSequenced(database, partnerId, 4);
    const { events } = (await client.listEvents()).body;
    assert.deepEqual(
      events.map(({ event_type }: { event_type: string }) => event_type),
      ['settlement.created', 'impact.transaction.confirmed', 'settlement.closed', 'settlement.created'],
    );
    const text = (await client.listEvents()).text;
    const { schema } = document.paths['/v1/events'].get.responses['200'].content['application/json'];
    assert.equal(listMisfits(schema, JSON.parse(text)), '');
    const told = events[2].data.settlement;
    assert.deepEqual([told.settlement_id, told.status, told.environment], [closed.settlementId, 'closed', 'sandbox']);
    assert.equal(told.statement.csv_sha256, closed.statement?.csvSha256);
    assert.equal(events[3].data.settlement.settlement_id, opened.settlementId);
  });
});

describe('immutability, by the database and not only by the code', () => {
  const refused = (text: string, values: unknown[], pattern: RegExp) =>
    assert.rejects(database.pool.query(text, values), (error: { code?: string; message: string }) => {
      return error.code === '23001' && pattern.test(error.message);
    });

  test('closed is terminal; neither settlements nor lines are changed or removed', async () => {
    const { partnerId, client } = await newPartner();
    await client.confirm();
    await closeNow(database, partnerId);
    await refused(
      "update settlement set status = 'open' where partner_id = $1 and status = 'closed'",
      [partnerId],
      /from closed/,
    );
    await refused("update settlement set net_points = 1 where partner_id = $1 and status = 'closed'", [partnerId], /from closed/);
    await refused(
      "update settlement set sequence = 9 where partner_id = $1 and status = 'open'",
      [partnerId],
      /from open to open/,
    );
    await refused('delete from settlement where partner_id = $1', [partnerId], /delete is not allowed/);
    await refused('update settlement_line set points = 1 where partner_id = $1', [partnerId], /update is not allowed/);
    await refused('delete from settlement_line where partner_id = $1', [partnerId], /delete is not allowed/);
    assert.ok(await findOpenSettlement(database.pool, partnerId));
  });
});
